"""Playing on from a possible position: hidden cards dealt at random, a few quick turns, and a judgement.

The cards hidden from a seat are those neither in its hand nor among the discards. They are shuffled and dealt to the
other hands and the pile, so the seat can rule out none of these worlds, and all are equally likely.
"""

import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

from seqp2p.bots.eval_board import NOBODY, TAKEN, EvalBoard, Geometry, eval_board_of, geometry
from seqp2p.bots.weights import FLATTENING, JACK_PRICE, SEQUENCE, TO_MOVE, worth_of_line, worth_of_specials
from seqp2p.rules import Action, Card, Square, SquareSet, Team, View, set_of, team_of

WIN: Final = 1000
"""The score of a game won; of one lost, its negative."""
# A line that lacks one chip is spoilt or completed before any chip is taken.
URGENT: Final = 800
LACKING_MAX: Final = 4
"""A line that lacks more chips is worth nothing."""

Row: TypeAlias = tuple[Team, tuple[int, ...]]
"""Of a line: the team that has begun it, and its worth to us by the number of lacking cards that it holds."""


class World(NamedTuple):
    """A possible deal of all cards."""

    hands: tuple[tuple[Card, ...], ...]
    """In seat order."""
    pile: tuple[Card, ...]
    """The next card last."""


class _LineValues(NamedTuple):
    """Some of the lines: their codes among those of all, and their squares."""

    codes: Callable[[Sequence[int]], tuple[int, ...]]
    masks: tuple[SquareSet, ...]


class _Root(NamedTuple):
    """The board after an action of the seat, and the lines that are still useful to some team."""

    board: EvalBoard
    lines: _LineValues


class _Outlook(NamedTuple):
    """The best action of a hand so far."""

    worth: int
    at: int
    """The place of the card in the hand."""
    square: Square
    takes: bool


NOTHING: Final = _Outlook(-1, 0, 0, takes=False)


def shuffled(cards: Sequence[Card], randomness: random.Random) -> list[Card]:
    """Return the cards in random order, by whole numbers: the same everywhere for the same randomness."""
    order, bits = list(cards), randomness.getrandbits
    for at in range(len(order) - 1, 0, -1):
        other = bits(32) * (at + 1) >> 32
        order[at], order[other] = order[other], order[at]
    return order


class Lookahead:
    """The future of a seat's position."""

    def __init__(self, view: View, randomness: random.Random) -> None:
        variant = view.variant
        self._view = view
        self._randomness = randomness
        self._geometry = geometry(variant, view.teams)
        self.board: Final = eval_board_of(self._geometry, view.board, view.sequences, advanced=view.options.advanced)
        self._to_win = dict(variant.sequences_to_win)[view.teams]
        self._team = tuple(team_of(seat, view.teams) for seat in range(1, view.players + 1))
        self.others: Final = max(sum(size > 0 for seat, size in enumerate(view.hand_sizes, 1) if seat != view.seat), 1)
        """The number of other seats with cards; one at least."""
        self._discards = [card for cards in view.discards for card in cards]
        self._hidden = list(variant.deck)
        for card in (*view.hand, *self._discards):
            self._hidden.remove(card)
        self._wild, self._removing = frozenset(variant.wild), frozenset(variant.removing)
        self._starts: dict[Action, _Root] = {}
        self._special = self._wild | self._removing
        self._reach = tuple(map(set_of, self._geometry.spots))
        self._one_to_go = {
            team: tuple(
                code
                for code, lack in enumerate(self._geometry.lacking)
                if lack[1] == 1 and lack[0] not in (NOBODY, team)
            )
            for team in range(1, view.teams + 1)
        }

    def wins(self, action: Action) -> bool:
        """Return True if an action of the seat wins the game at once."""
        team = self._view.team
        if action.kind != "place":
            return False
        board = self.board.copy()
        return board.place(team, action.square) and board.made[team] >= self._to_win

    def worth(self, action: Action) -> int:
        """Return the first estimate of placing or taking a chip."""
        team, price = self._view.team, 0 if self._geometry.spots[action.card] else JACK_PRICE
        if action.kind == "remove":
            return self.board.worth_of_taking(team, action.square) - price
        return self.board.worth[team][action.square] - price

    def worth_of_card(self, card: Card) -> int:
        """Return the worth of a card in the hand: that of its best square; negative if all are taken."""
        spots, worth = self._geometry.spots[card], self.board.worth[self._view.team]
        return max(worth[square] for square in spots) if spots else TAKEN

    def world(self) -> World:
        """Return a random deal of the hidden cards."""
        hidden, hands, dealt = shuffled(self._hidden, self._randomness), list[tuple[Card, ...]](), 0
        for seat, size in enumerate(self._view.hand_sizes, start=1):
            if seat == self._view.seat:
                hands.append(self._view.hand)
                continue
            hands.append(tuple(hidden[dealt : dealt + size]))
            dealt += size
        return World(tuple(hands), tuple(hidden[dealt:]))

    def play(self, action: Action, world: World, turns: int) -> int:
        """Return the score, from -WIN to WIN, of an action after so many turns (one or more) of the next seats."""
        if action not in self._starts:
            self._starts[action] = self._start(action)
        start, table = self._starts[action], _TableShape(world, self._discards, self._randomness)
        us, seat = self._view.team, self._view.seat - 1
        if start.board.made[us] >= self._to_win:
            return WIN
        table.put_down(seat, table.hands[seat].index(action.card))
        board, taken = start.board.copy(), False
        for left in reversed(range(turns)):
            seat = table.next_seat(seat)
            team = self._team[seat]
            taken |= self._play_turn(board, table, seat, last=not left)
            if board.made[team] >= self._to_win:
                return WIN if team == us else -WIN
        return self._judge(board, table, seat, _every_line(self._geometry) if taken else start.lines)

    def _start(self, action: Action) -> "_Root":
        """Return the board after an action."""
        board, lacking = self.board.copy(), self._geometry.lacking
        if action.kind == "remove":
            board.remove(action.square)
        else:
            board.place(self._view.team, action.square)
        numbers = [n for n, code in enumerate(board.code) if lacking[code] not in ((NOBODY, -1), (NOBODY, 0))]
        return _Root(board, _lines(self._geometry, numbers))

    def _play_turn(self, board: EvalBoard, table: "_TableShape", seat: int, *, last: bool) -> bool:
        """Play a quick turn: the card and square of the best worth; a dead card is exchanged first.

        Return True if a chip was taken. After the ``last`` turn the worths of the board are stale.
        """
        team, hand = self._team[seat], table.hands[seat]
        found, dead = self._find(board.worth[team], hand)
        if dead is not None:
            table.put_down(seat, dead)
            found, _ = self._find(board.worth[team], hand)
        if not self._special.isdisjoint(hand):
            found = self._find_special(board, team, hand, found)
        if found.worth == NOTHING.worth:
            return False
        table.put_down(seat, found.at)
        if found.takes:
            board.remove(found.square)
        elif last:
            board.place_last(team, found.square)
        else:
            board.place(team, found.square)
        return found.takes

    def _find(self, worth: Sequence[int], hand: Sequence[Card]) -> tuple[_Outlook, int | None]:
        """Return the best action with the cards of the board, and the place of a dead one in the hand.

        Some dead cards are not found, such as one whose first square is worth more than the second.
        """
        pairs, best, dead = self._geometry.pairs, NOTHING.worth, None
        at, square = 0, 0
        for n, card in enumerate(hand):
            for first, second in pairs[card]:
                if worth[first] > worth[second]:
                    if worth[first] > best:
                        best, at, square = worth[first], n, first
                elif worth[second] > best:
                    best, at, square = worth[second], n, second
                elif worth[second] < 0:
                    dead = n
        if dead is not None and len(pairs[hand[dead]]) > 1:
            spots = self._geometry.spots[hand[dead]]
            dead = dead if max(worth[spot] for spot in spots) < 0 else None
        return _Outlook(best, at, square, takes=False), dead

    def _find_special(self, board: EvalBoard, team: Team, hand: Sequence[Card], found: _Outlook) -> _Outlook:
        """Return the better of the found action and of the cards that can go anywhere."""
        worth = board.worth[team]
        for n, card in enumerate(hand):
            if card in self._wild:
                best = max(worth)
                if best - JACK_PRICE > found.worth:
                    found = _Outlook(best - JACK_PRICE, n, worth.index(best), takes=False)
            elif card in self._removing and found.worth < URGENT:
                for square in self._threats(board, team):
                    best = board.worth_of_taking(team, square)
                    if best - JACK_PRICE > found.worth:
                        found = _Outlook(best - JACK_PRICE, n, square, takes=True)
        return found

    def _threats(self, board: EvalBoard, team: Team) -> list[Square]:
        """Return the chips that can be taken from a line of another team that lacks one."""
        found: list[Square] = []
        for code in self._one_to_go[team]:
            if code in board.code:
                line = self._geometry.lines[board.code.index(code)]
                found += [s for s in line if board.owner[s] > NOBODY and s not in board.protected]
        return found

    def _judge(self, board: EvalBoard, table: "_TableShape", seat: int, lines: "_LineValues") -> int:
        """Return the score of a completely known position after a turn of this seat. Only these lines count."""
        us, to_win, made = self._view.team, self._to_win, board.made
        to_move = self._team[table.next_seat(seat)]
        one_more = tuple(count + 1 >= to_win for count in made[1:])
        held = [0] * len(made)
        total = TO_MOVE if to_move == us else -TO_MOVE
        for team, hand in zip(self._team, table.hands, strict=True):
            sign = 1 if team == us else -1
            place, take = _specials(one_more, team)
            for card in hand:
                if card in self._wild:
                    total += sign * place
                elif card in self._removing:
                    total += sign * take
                else:
                    held[team] |= self._reach[card]
        for team in range(1, len(made)):
            total += SEQUENCE * made[team] * (1 if team == us else -1)
            held[team] &= board.free
        rows = _rows(self._geometry, us, to_move, one_more)
        for row, mask in zip(map(rows.__getitem__, lines.codes(board.code)), lines.masks, strict=True):
            if row:
                team, by_held = row
                total += by_held[(mask & held[team]).bit_count()]
        return WIN * total // (abs(total) + FLATTENING)


class _TableShape:
    """Hands, pile and discards that change. A seat that plays also draws, with any option; without a card it passes."""

    def __init__(self, world: World, discards: Sequence[Card], randomness: random.Random) -> None:
        self.hands = [list(hand) for hand in world.hands]
        self._pile = list(world.pile)
        self._discards = list(discards)
        self._randomness = randomness

    def next_seat(self, seat: int) -> int:
        """Return the place, from 0, of the next hand with cards."""
        for after in range(seat + 1, seat + len(self.hands)):
            if self.hands[after % len(self.hands)]:
                return after % len(self.hands)
        return seat

    def put_down(self, seat: int, at: int) -> None:
        """Move the card at this place of a hand to the discards, and the next one of the pile into its place."""
        hand = self.hands[seat]
        self._discards.append(hand[at])
        if not self._pile:
            self._pile, self._discards = shuffled(self._discards, self._randomness), []
        hand[at] = self._pile.pop()


@lru_cache(maxsize=256)
def _specials(one_more: tuple[bool, ...], team: Team) -> tuple[int, int]:
    """Return the worth to a team of cards that place or take a chip anywhere. ``one_more``: by team, if one wins."""
    others = any(wins for other, wins in enumerate(one_more, start=1) if other != team)
    return worth_of_specials(wins=one_more[team - 1], others_win=others)


def _lines(geometry: Geometry, numbers: Sequence[int]) -> _LineValues:
    # One line more, which is worth nothing twice, keeps the getter's answer a tuple.
    return _LineValues(itemgetter(*numbers, 0, 0), (*(geometry.masks[n] for n in numbers), 0, 0))


@lru_cache(maxsize=16)
def _every_line(geometry: Geometry) -> _LineValues:
    return _lines(geometry, range(len(geometry.lines)))


@lru_cache(maxsize=256)
def _rows(geometry: Geometry, us: Team, to_move: Team, one_more: tuple[bool, ...]) -> tuple[Row | None, ...]:
    """Return by code: the worth of a line to us; None for nothing."""
    rows: list[Row | None] = []
    for team, lacking in geometry.lacking:
        if team == NOBODY or not 0 < lacking <= LACKING_MAX:
            rows.append(None)
            continue
        others = any(wins for other, wins in enumerate(one_more, start=1) if other != team)
        worth = worth_of_line(wins=one_more[team - 1], others_win=others, to_move=team == to_move)
        rows.append((team, tuple(value if team == us else -value for value in worth[lacking])))
    return tuple(rows)
