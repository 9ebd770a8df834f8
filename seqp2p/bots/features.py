"""The features of a position for ``learned``: the same for the bot, in whole numbers, and for its trainer, in arrays.

A seat sees the position after its action and before its draw. Every square is in one of a few states: a corner, the
chip of a team (fresh if it may be the last of its seat), or free: with or without its card in the seat's own hand, and
with so many copies of it that others may hold. A state is a number with one digit for each count, so the sum over the
squares of a line is its code. A code has one feature; each free square has one, made of the lines through it; and a
few families count cards. A position's value is computed from the sum of the rows of weights of all its features.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from seqp2p.rules import Square, Variant

DEAD: Final = 0
"""The feature of a line that no team can complete: its weights are zero."""
COMPLETE: Final = 1
"""The feature of a complete line, not yet counted."""
CATEGORIES: Final = 5
"""Of free squares: held with 0 or 1 copy elsewhere; not held, with 0, 1 or 2."""
NOT_HELD: Final = 2
KEYS_MAX: Final = 3
FAMILIES: Final = (4, 4, 5, 5, 4, 9, 8, 11)
"""The number of features of each family of counts: own wild cards and takers, unseen ones, dead cards, the size of the
table, of the hand, and tens of free squares."""
CLASSES: Final = 7
"""Of a square, for one side: the lines through it."""
MANY: Final = 32
"""More than the lines through a square."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The tables of a variant for so many teams, or fewer."""

    variant: Variant
    teams: int
    length: int
    base: int
    values: tuple[int, ...]
    """By state of a square: what it adds to the code of a line."""
    states: int
    """The number of states of the score."""
    opponents_from: int
    empty_from: int
    squares_from: int
    counts_from: tuple[int, ...]
    features: int
    """The number of features in each state of the score."""
    through: tuple[tuple[int, ...], ...]
    """By square: the lines through it."""
    clash: tuple[tuple[int, ...], ...]
    """By line: the lines that cannot count together with it for one team, itself among them."""
    twin: tuple[Square, ...]
    """By square: the other square with its card, or itself."""

    def free(self, category: int) -> int:
        return 2 * self.teams + 1 + category

    def chip(self, relative: int, *, fresh: bool = False) -> int:
        """Return the state of a square with a chip of a team: 0 the seat's own, 1 the next to move …"""
        return 1 + relative + self.teams * fresh


@lru_cache(maxsize=8)
def shape(variant: Variant, teams: int) -> Shape:
    length, board = variant.line_length, variant.board
    base = length + 1
    freshness = base ** (teams + CATEGORIES)
    chips = [base**team for team in range(teams)]
    own = 2
    opponents = own + (length - 1) * length * 3 * 2
    empty = opponents + (teams - 1) * (length - 1) * 3 * 3 * 2
    squares = empty + 2 * (KEYS_MAX + 1) * 2
    at = squares + CLASSES * CLASSES * CATEGORIES
    counts = list[int]()
    for size in FAMILIES:
        counts.append(at)
        at += size
    corners = frozenset(board.corners)
    solid = [frozenset(line) - corners for line in board.lines]
    grid = board.grid
    twin = tuple(
        next((t for t, card in enumerate(grid) if card == grid[s] and t != s and s not in corners), s)
        for s in range(len(grid))
    )
    return Shape(
        variant=variant,
        teams=teams,
        length=length,
        base=base,
        values=(0, *chips, *(chip + freshness for chip in chips), *(base ** (teams + c) for c in range(CATEGORIES))),
        states=dict(variant.sequences_to_win)[teams] ** 2,
        opponents_from=opponents,
        empty_from=empty,
        squares_from=squares,
        counts_from=tuple(counts),
        features=at,
        through=tuple(tuple(n for n, line in enumerate(board.lines) if s in line) for s in range(len(grid))),
        clash=tuple(tuple(n for n, other in enumerate(solid) if len(line & other) > 1) for line in solid),
        twin=twin,
    )


def line_feature(shape: Shape, code: int) -> int:
    digits = list[int]()
    for _ in range(shape.teams + CATEGORIES + 1):
        code, digit = divmod(code, shape.base)
        digits.append(digit)
    chips, (held0, held1, none, one, two), fresh = digits[: shape.teams], digits[shape.teams : -1], digits[-1] > 0
    there = [team for team, count in enumerate(chips) if count]
    lacks, held = held0 + held1 + none + one + two, held0 + held1
    if len(there) > 1 or lacks > shape.length:
        return DEAD
    if not there:
        return shape.empty_from + ((lacks < shape.length) * (KEYS_MAX + 1) + min(held, KEYS_MAX)) * 2 + (none > 0)
    if not lacks:
        return COMPLETE
    if lacks >= shape.length:
        return DEAD
    if not there[0]:
        copies = 0 if none else 1 if one else 2
        return 2 + (((lacks - 1) * shape.length + held) * 3 + copies) * 2 + fresh
    copies = 0 if none + held0 else 1 if one + held1 else 2
    row = (there[0] - 1) * (shape.length - 1) + lacks - 1
    return shape.opponents_from + ((row * 3 + min(held, 2)) * 3 + copies) * 2 + fresh


def square_weights(shape: Shape, feature: int) -> tuple[int, int]:
    """Return what a line with this feature adds to the count of its squares: the own side's, the opponents'."""
    if 2 <= feature < shape.empty_from:
        theirs = feature >= shape.opponents_from
        lacks = 1 + (
            (feature - shape.opponents_from) // 18 % (shape.length - 1)
            if theirs
            else (feature - 2) // (6 * shape.length)
        )
        weight = (0, MANY * MANY, MANY, 1, 0)[lacks]
        return (0, weight) if theirs else (weight, 0)
    return 0, 0


def square_class(count: int) -> int:
    """Return the class of a square, for one side, by its lines that lack one, two and three chips."""
    twos, threes = count // MANY % MANY, count % MANY
    if count >= MANY * MANY:
        return 6
    if twos:
        return 5 if twos > 1 else 4 if threes else 3
    return min(threes, 2)


def counts(found: Sequence[int]) -> tuple[int, ...]:
    """Return by family the place of each count, at most its last one."""
    return tuple(min(count, size - 1) for count, size in zip(found, FAMILIES, strict=True))


def score_state(shape: Shape, own: int, others: int) -> int:
    """Return the state of the score: the sequences of the own team, and the most of another."""
    most = 1 if shape.states > 1 else 0
    return min(own, most) * (1 + most) + min(others, most)
