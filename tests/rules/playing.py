"""Tables for the tests: games with a deck that can be looked into, and positions drawn by hand."""

import random
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import pytest

from seqp2p.rules import (
    CLASSIC,
    DRAW,
    RULE_OPTIONS,
    UNKNOWN,
    VARIANTS,
    Action,
    Card,
    IllegalAction,
    Options,
    Position,
    Variant,
    View,
    apply,
    call,
    deal_order,
    default_teams,
    drop,
    first_seat,
    format_action,
    hand_size,
    legal_actions,
    new_pile,
    parse_action,
    parse_card,
    parse_position,
    parse_square,
    reveal,
    skip,
    start,
    team_of,
    view,
)
from seqp2p.rules.position import format_options
from seqp2p.rules.status import status

OPTIONS = [Options(*values) for values in product(*((row.usual, not row.usual) for row in RULE_OPTIONS))]
"""All combinations, the usual game first."""


class Table(NamedTuple):
    """A table that can play."""

    variant: Variant
    players: int
    teams: int
    options: Options = Options()

    def __str__(self) -> str:
        chosen = format_options(self.options).replace(",", "-")
        return f"{self.variant.name}-{self.players}-in-{self.teams}" + f"-{chosen}" * (chosen != "-")

    def deal(self, rng: random.Random) -> "Game":
        return Game.deal(self.variant, self.players, self.teams, rng, self.options)

    def stopped(self, seed: int) -> "Game":
        """A game stopped somewhere before its end."""
        return random_position(*self[:3], seed, self.options)

    def seen(self, seed: int) -> View:
        """What the seat to move sees of such a game."""
        position = self.stopped(seed).position
        return view(position, position.to_move)


TABLES = [
    Table(variant, size.players, teams)
    for variant in VARIANTS.values()
    for size in variant.sizes
    for teams in size.teams
]
OPTION_TABLES = [
    table._replace(options=options)
    for table in TABLES
    for options in (OPTIONS if table.variant.options else OPTIONS[:1])
]


def card(name: str) -> Card:
    """A card of the classic game."""
    return parse_card(CLASSIC, name)


def texts(position: Position) -> list[str]:
    """Return the legal actions, in the notation."""
    return [format_action(position.variant, action) for action in legal_actions(position)]


@dataclass
class Game:
    """A game whose hidden cards are known to the test: it deals, draws and shuffles like a table would."""

    position: Position
    pile: list[Card]
    rng: random.Random
    history: list[tuple[Position, Action]] = field(default_factory=list)
    drawn: list[Card] = field(default_factory=list)
    """The card drawn with each action of the history, UNKNOWN if none was."""

    @classmethod
    def deal(
        cls, variant: Variant, players: int, teams: int, rng: random.Random, options: Options | None = None
    ) -> "Game":
        deck = list(variant.deck)
        rng.shuffle(deck)
        dealer = rng.randint(1, players)
        order = deal_order(players, dealer, hand_size(variant, players))
        hands: list[list[Card]] = [[] for _ in range(players)]
        for seat, card in zip(order, deck, strict=False):
            hands[seat - 1].append(card)
        first = first_seat(players, dealer)
        return cls(start(variant, players, teams, options or Options(), first, hands), deck[len(order) :][::-1], rng)

    def play(self, action: Action) -> Position:
        """Apply an action with the card that lies on top of the pile."""
        before = self.position
        drawn = self.pile[-1] if self.pile else UNKNOWN
        after = apply(before, action, drawn)
        if after.reshuffles > before.reshuffles:
            self.pile = [card for cards in before.discards for card in cards]
            self.pile += [action.card] if action.card != UNKNOWN else []
            assert Counter(self.pile) == Counter(new_pile(before, action))
            self.rng.shuffle(self.pile)
            after = reveal(after, before.to_move, self.pile[-1:])
        self.drawn.append(self.pile.pop() if after.draws > before.draws else UNKNOWN)
        self.history.append((before, action))
        self.position = after
        return after

    def skip(self) -> Position:
        self.position = skip(self.position)
        return self.position

    def drop(self, seats: Collection[int]) -> Position:
        """These seats leave, and everything but the discards is shuffled and dealt again."""
        hidden = [card for hand in self.position.hands for card in hand] + self.pile
        self.rng.shuffle(hidden)
        self.position = drop(self.position, seats)
        for seat, hand in enumerate(self.position.hands, start=1):
            self.position = reveal(self.position, seat, [hidden.pop() for _ in hand])
        self.pile = hidden
        return self.position

    def choose(self) -> Action:
        """Uniformly among the legal actions; but now and then talk is called, and draws are rarely forgotten."""
        position, actions = self.position, legal_actions(self.position)
        if position.phase in {"draw", "late"} and self.rng.random() < 0.8:
            return DRAW
        callable_ones = seats_to_call(position)
        if callable_ones and self.rng.random() < 0.05:
            return call(self.rng.choice(callable_ones))
        return actions[int(self.rng.random() * len(actions))]

    def play_random(self) -> Iterator[Position]:
        """Play to the end as ``choose`` chooses; gives every position after the first."""
        while not self.position.over:
            yield self.play(self.choose())

    def cards(self) -> Counter[Card]:
        """All cards, wherever they are."""
        at_table = (*self.position.hands, *self.position.discards)
        return Counter(self.pile) + Counter(card for cards in at_table for card in cards)


def assert_sequences_stay(before: Position, after: Position) -> None:
    """No chip of a completed sequence has gone, and no sequence, but by the advanced rule."""
    assert before.options.advanced or {*before.sequences} <= {*after.sequences}
    for old, new in zip(before.chips, after.chips, strict=True):
        assert old & before.protected == new & before.protected


def seats_to_call(position: Position) -> list[int]:
    """The seats whose talk the seat to move may call."""
    if position.options.table_talk or position.phase != "play" or position.over:
        return []
    teams = {seat: team_of(seat, position.teams) for seat in position.staying}
    sizes = Counter(teams.values())
    return [seat for seat, team in teams.items() if team != teams[position.to_move] and sizes[team] > 1]


def random_position(variant: Variant, players: int, teams: int, seed: int, options: Options | None = None) -> Game:
    """A game stopped somewhere before its end."""
    rng = random.Random(seed)
    game = Game.deal(variant, players, teams, rng, options)
    for _ in zip(range(rng.randint(0, 120)), game.play_random(), strict=False):
        pass
    if game.position.over:
        before, _ = game.history[-1]
        game.position = before
    return game


def make(
    chips: Mapping[str, str],
    hands: Sequence[str],
    *,
    variant: Variant = CLASSIC,
    teams: int | None = None,
    options: str = "-",
    to_move: int = 1,
    sequences: str = "-",
    pile: int | None = None,
    discards: Sequence[str] | None = None,
    turn: int = 150,
    exchanged: int = 0,
    idle: int = 0,
    quiet: int = 0,
    pending: str = "",
    out: str = "",
    possible: bool = True,
) -> Position:
    """A position in progress, which can come about if ``possible``: chips by team letter, hands as "QH,2C"."""
    board = variant.board
    owner = {parse_square(variant, name): team for team, names in chips.items() for name in names.split()}
    cells = ["*" if square in board.corners else owner.get(square, ".") for square in range(len(board.grid))]
    whole = ["".join(cells[at : at + board.cols]) for at in range(0, len(cells), board.cols)]
    rows = [re.sub(r"\.+", lambda free: str(len(free[0])), row) for row in whole]
    players = len(hands)
    open_cards = discards or ["-"] * players
    held = sum(len(cards.split(",")) for cards in (*hands, *open_cards) if cards != "-")
    left = len(variant.deck) - held if pile is None else pile

    def ascending(hand: str) -> str:
        return ",".join(sorted(hand.split(","), key=lambda name: -1 if name in "?-" else variant.faces.index(name)))

    size = f"{players}/{teams or default_teams(variant, players)}"
    words: list[object] = [variant.name, options, size, "/".join(rows), sequences, to_move]
    words += ["/".join(map(ascending, hands)), left, "/".join(open_cards)]
    words += [turn, 140, 0, exchanged, idle, quiet, "-", *pending.split(), *out.split()]
    position = parse_position(" ".join(map(str, words)))
    assert not possible or status(position) == ()
    return position


def two(hand: str, a: str = "", b: str = "", **more: Any) -> Position:
    """A classic game for two, whose first seat is to move with this hand."""
    return make({"a": a, "b": b}, [hand, "?,?,?,?,?,?,?"], **more)


def full_board() -> dict[str, str]:
    """Chips on every square of the classic board, without a sequence for anybody."""
    names = {"a": "", "b": ""}
    for row in range(10):
        for col in range(10):
            if (row, col) not in {(0, 0), (0, 9), (9, 0), (9, 9)}:
                names["ab"[(col // 2 + row) % 2]] += f" {chr(97 + col)}{row + 1}"
    return names


def do(position: Position, text: str, drawn: Card = UNKNOWN) -> Position:
    """Apply an action given as text."""
    return apply(position, parse_action(position.variant, text), drawn)


def refusal(position: Position, action: Action | str) -> str:
    """Return the reason why an action, or one given as text, is refused."""
    with pytest.raises(IllegalAction) as refused:
        apply(position, action if isinstance(action, Action) else parse_action(position.variant, action))
    return str(refused.value)
