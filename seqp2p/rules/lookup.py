"""The lookup tables of the engine, computed once for each variant.

A set of squares is a plain int here: bit s is set when square s belongs to it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import TypeAlias

from seqp2p.rules.actions import Action, Ends, exchange, place, remove
from seqp2p.rules.variant import Board, Card, Line, Square, Variant

SquareSet: TypeAlias = int
ByFreeSquares: TypeAlias = dict[SquareSet, tuple[Action, ...]]
Plays: TypeAlias = tuple[SquareSet, ByFreeSquares | None]
"""The reach of a card, and its actions by the free squares of its reach; None for wild and removing cards."""
NearLines: TypeAlias = tuple[tuple[SquareSet, tuple[SquareSet, ...]], ...]
"""For each direction: its squares, and the lines among them."""


def set_of(squares: tuple[Square, ...]) -> SquareSet:
    return sum(1 << square for square in squares)


def squares_of(squares: SquareSet) -> tuple[Square, ...]:
    """Return the members of a set, ascending."""
    return tuple(square for square in range(squares.bit_length()) if squares >> square & 1)


@dataclass(frozen=True, slots=True)
class Lookup:
    """All precomputed facts of a variant."""

    corners: SquareSet
    squares: SquareSet  # all squares that can bear a chip
    bit: dict[Square, SquareSet]  # the set of one square; a dict, in which a square off the board is missing
    reach: dict[Card, SquareSet]
    """By card: the squares it can go to on an empty board; empty for a removing card. Other numbers are missing."""
    plays: tuple[Plays, ...]  # by card
    plays_or_exchange: tuple[Plays, ...]  # the same while a dead card may still be exchanged
    anywhere: tuple[tuple[Action, ...], ...]
    """By card, for wild and removing cards: its action on every square, in order."""
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
    special = {*variant.wild, *variant.removing}
    plays = tuple((reach[card], None if card in special else _by_free_squares(card, reach[card])) for card in cards)
    return Lookup(
        corners=corners,
        squares=squares,
        bit={square: 1 << square for square in range(len(board.grid))},
        reach=reach,
        plays=plays,
        plays_or_exchange=tuple(
            (at, actions and actions | {0: (exchange(card),)}) for card, (at, actions) in enumerate(plays)
        ),
        anywhere=tuple(_anywhere(variant, card) for card in cards),
        line_length=variant.line_length,
        line_of={set_of(line): line for line in board.lines},
        line_between={(line[0], line[-1]): set_of(line) for line in board.lines},
        beside=_near(board, lambda line: line),
        along=_near(board, lambda line: _in_line_with(board, line)),
    )


def _by_free_squares(card: Card, reach: SquareSet) -> ByFreeSquares:
    found: ByFreeSquares = {0: ()}
    for square in squares_of(reach):
        found |= {free | 1 << square: (*before, place(card, square)) for free, before in found.items()}
    return found


def _anywhere(variant: Variant, card: Card) -> tuple[Action, ...]:
    every = range(len(variant.board.grid))
    if card in variant.removing:
        return tuple(remove(card, square) for square in every)
    return tuple(place(card, square) for square in every) if card in variant.wild else ()


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
