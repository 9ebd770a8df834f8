"""Tables: sizes, teams and options; and what comes before the first turn: the dealer, the first seat, the deal.

``Lookup`` has the tables of the engine, computed once for each variant. A set of squares is a plain int there: bit s is
set when square s belongs to it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import Any, NamedTuple, TypeAlias

from seqp2p.arguments import check, check_arguments
from seqp2p.i18n import any_of, listed, message
from seqp2p.rules.actions import Action, ActionKind, Ends, RulesError
from seqp2p.rules.notation import UNKNOWN_CARD, action_class
from seqp2p.rules.variant import (
    RULE_OPTIONS,
    UNKNOWN,
    Board,
    Card,
    Line,
    Options,
    SeatNumber,
    Square,
    TableSize,
    Team,
    Variant,
)

SquareSet: TypeAlias = int
ByFreeSquares: TypeAlias = dict[SquareSet, tuple[Action, ...]]
Plays: TypeAlias = tuple[SquareSet, ByFreeSquares | None]
"""The reach of a card, and its actions by the free squares of its reach; None for wild and removing cards."""
NearLines: TypeAlias = tuple[tuple[SquareSet, tuple[SquareSet, ...]], ...]
"""For each direction: its squares, and the lines among them."""


def set_of(squares: tuple[Square, ...]) -> SquareSet:
    if type(squares) is not tuple:
        check(set_of, squares)
    return sum(1 << square for square in squares)


@check_arguments
def squares_of(squares: SquareSet) -> tuple[Square, ...]:
    """Return the members of a set, ascending."""
    return tuple(square for square in range(squares.bit_length()) if squares >> square & 1)


@dataclass(frozen=True, slots=True)
class Lookup:
    """All precomputed facts of a variant."""

    card_of: dict[str, Card]  # by name, UNKNOWN by ``?``
    corners: SquareSet
    squares: SquareSet  # all squares that can bear a chip
    bit: dict[Square, SquareSet]  # the set of one square; a dict, in which a square off the board is missing
    reach: dict[Card, SquareSet]
    """By card: the squares it can go to on an empty board; empty for a removing card. Other numbers are missing."""
    plays: tuple[Plays, ...]  # by card
    plays_or_exchange: tuple[Plays, ...]  # the same while a dead card may still be exchanged
    anywhere: tuple[tuple[Action, ...], ...]
    """By card, for wild and removing cards: its action on every square, in order."""
    gifts: tuple[Action, ...]  # by card: giving it up
    line_length: int
    line_of: dict[SquareSet, Line]  # the line of these squares
    line_between: dict[Ends, SquareSet]  # the line that has these two end squares
    beside: tuple[NearLines, ...]  # by square: the lines it lies in
    along: tuple[NearLines, ...]  # by square: all lines in its row, in its column, in its two diagonals


@lru_cache(maxsize=16)
def lookup(variant: Variant) -> Lookup:
    board = variant.board
    corners = set_of(board.corners)
    squares = (1 << len(board.grid)) - 1 & ~corners
    cards = range(len(variant.faces))
    printed = {card: set_of(tuple(s for s, face in enumerate(board.grid) if face == card)) for card in cards}
    reach = printed | dict.fromkeys(variant.wild, squares)
    special, action_of = {*variant.wild, *variant.removing}, action_class(variant)
    plays = tuple(
        (reach[card], None if card in special else _by_free_squares(action_of, card, reach[card])) for card in cards
    )
    return Lookup(
        card_of={name: card for card, name in enumerate(variant.faces)} | {UNKNOWN_CARD: UNKNOWN},
        corners=corners,
        squares=squares,
        bit={square: 1 << square for square in range(len(board.grid))},
        reach=reach,
        plays=plays,
        plays_or_exchange=tuple(
            (at, actions and actions | {0: (action_of("exchange", card),)}) for card, (at, actions) in enumerate(plays)
        ),
        anywhere=tuple(_anywhere(variant, card) for card in cards),
        gifts=tuple(action_of("give", card) for card in cards),
        line_length=variant.line_length,
        line_of={set_of(line): line for line in board.lines},
        line_between={(line[0], line[-1]): set_of(line) for line in board.lines},
        beside=_near(board, lambda line: line),
        along=_near(board, lambda line: _in_line_with(board, line)),
    )


def _by_free_squares(action_of: type[Action], card: Card, reach: SquareSet) -> ByFreeSquares:
    found: ByFreeSquares = {0: ()}
    for square in squares_of(reach):
        found |= {free | 1 << square: (*before, action_of("place", card, square)) for free, before in found.items()}
    return found


def _anywhere(variant: Variant, card: Card) -> tuple[Action, ...]:
    if card not in (*variant.wild, *variant.removing):
        return ()
    kind: ActionKind = "remove" if card in variant.removing else "place"
    return tuple(action_class(variant)(kind, card, square) for square in range(len(variant.board.grid)))


def _in_line_with(board: Board, line: Line) -> Iterator[Square]:
    """Yield all squares in the row, column or diagonal of a line."""
    rows = len(board.grid) // board.cols
    (row, col), (next_row, next_col) = (divmod(square, board.cols) for square in line[:2])
    down, right = next_row - row, next_col - col
    while 0 <= row - down < rows and 0 <= col - right < board.cols:
        row, col = row - down, col - right
    while 0 <= row < rows and 0 <= col < board.cols:
        yield row * board.cols + col
        row, col = row + down, col + right


def _near(board: Board, concerned: Callable[[Line], Iterable[Square]]) -> tuple[NearLines, ...]:
    """Return for each square the lines that concern it, by direction."""
    by_square: list[dict[int, list[SquareSet]]] = [{} for _ in board.grid]
    for line in board.lines:
        squares = set_of(line)
        for square in concerned(line):
            by_square[square].setdefault(line[1] - line[0], []).append(squares)
    return tuple(
        tuple((reduce(lambda a, b: a | b, lines), tuple(lines)) for lines in by_step.values()) for by_step in by_square
    )


@dataclass(frozen=True, slots=True)
class TableRules:
    """The constant part of a game; build it with ``make_table``."""

    variant: Variant
    options: Options
    players: int
    teams: int
    sequences_to_win: int = field(compare=False, repr=False)
    look: Lookup = field(compare=False, repr=False)
    near: tuple[NearLines, ...] = field(compare=False, repr=False)
    """By square: the lines in which a chip placed there can complete a sequence."""

    def __reduce__(self) -> tuple[Any, ...]:
        return make_table, (self.variant, self.players, self.teams, self.options)


class DealerDraw(NamedTuple):
    """The draw for the dealer. If the sheet has no rule for it, there are no rounds, only the dealer."""

    rounds: tuple[tuple[tuple[SeatNumber, Card], ...], ...]
    """The cards turned over, round by round: first by every seat, then by those that tied."""
    dealer: SeatNumber


@lru_cache(maxsize=16)
def make_table(variant: Variant, players: int, teams: int, options: Options) -> TableRules:
    """Return the table of these players. Raises RulesError with the reason if they cannot play."""
    check_table(variant, players, teams, options)
    look = lookup(variant)
    return TableRules(
        variant=variant,
        options=options,
        players=players,
        teams=teams,
        sequences_to_win=dict(variant.sequences_to_win)[teams],
        look=look,
        near=look.along if options.advanced else look.beside,
    )


@check_arguments
def check_table(variant: Variant, players: int, teams: int, options: Options) -> None:
    """Raise RulesError with the reason if these players in these teams cannot play the variant with these options."""
    size = _size(variant, players)
    if teams not in size.teams:
        allowed = any_of(map(str, size.teams))
        values = {"players": players, "game": variant.title, "allowed": allowed, "teams": teams}
        if size.teams == (players,):
            why = message("{players} players of {game} form {allowed} teams, one player each, not {teams}", **values)
            raise RulesError(why)
        raise RulesError(message("{players} players of {game} form {allowed} teams, not {teams}", **values))
    for row in RULE_OPTIONS:
        if getattr(options, row.field) != row.usual and row.field not in variant.options:
            why = message("{game} has no option {name}: leave it as it is", game=variant.title, name=row.name)
            raise RulesError(why)


@check_arguments
def default_teams(variant: Variant, players: int) -> int:
    """Return the usual number of teams for so many players. Raises RulesError if so many cannot play."""
    return _size(variant, players).teams[0]


@check_arguments
def hand_size(variant: Variant, players: int) -> int:
    """Return the number of cards dealt to each player. Raises RulesError if so many cannot play."""
    return _size(variant, players).hand


def team_of(seat: SeatNumber, teams: int) -> Team:
    """Return the team of a seat: the teams alternate round the table."""
    try:
        return (seat - 1) % teams + 1
    except TypeError:
        check(team_of, seat, teams)
        raise


@check_arguments
def dealer_draw(variant: Variant, players: int, cards: Iterator[Card]) -> DealerDraw:
    """Return the draw: every player turns a card over, the lowest deals, aces are high, players who tie turn again.

    ``cards`` are those of a shuffled deck, in the order in which they are turned over (sheets 000 and 002).
    Raises RulesError if so many cannot play, if the variant chooses its dealer by lot, or if the cards decide nothing.
    """
    if not variant.ranks:
        raise RulesError(message("{game} draws no cards for the dealer: choose a seat by lot", game=variant.title))
    rounds: list[tuple[tuple[SeatNumber, Card], ...]] = []
    tied: list[SeatNumber] = list(range(1, _size(variant, players).players + 1))
    while len(tied) > 1:
        turned = tuple(zip(tied, cards, strict=False))
        if len(turned) < len(tied):
            raise RulesError(message("the cards have run out before one player had the lowest: shuffle and draw again"))
        rounds.append(turned)
        lowest = min(variant.ranks[card] for _, card in turned)
        tied = [seat for seat, card in turned if variant.ranks[card] == lowest]
    return DealerDraw(tuple(rounds), tied[0])


@check_arguments
def first_seat(players: int, dealer: SeatNumber) -> SeatNumber:
    """Return the seat that begins: the one to the left of the dealer."""
    return dealer % players + 1


@check_arguments
def deal_order(players: int, dealer: SeatNumber, hand: int) -> tuple[SeatNumber, ...]:
    """Return the seats of positions 0, 1, 2 … of the deck: one card at a time, beginning to the left of the dealer.

    >>> deal_order(3, 1, 2)
    (2, 3, 1, 2, 3, 1)
    """
    return tuple((dealer + position) % players + 1 for position in range(players * hand))


def _size(variant: Variant, players: int) -> TableSize:
    for size in variant.sizes:
        if size.players == players:
            return size
    counts = [size.players for size in variant.sizes]
    numbers = any_of([listed(map(str, counts[:-1])), str(counts[-1])])
    values = {"count": players, "game": variant.title, "numbers": numbers}
    if players == 1:
        raise RulesError(message("1 player cannot play: {game} is for {numbers} players", **values))
    if not counts[0] <= players <= counts[-1]:
        raise RulesError(message("{count} players cannot play: {game} is for {numbers} players", **values))
    why = message("{count} players cannot form two or three equal teams: {game} is for {numbers} players", **values)
    raise RulesError(why)
