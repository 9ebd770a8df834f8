"""A board for searching: the state of every line, and the worth of a chip on every square.

A search plays thousands of turns for one choice. This board keeps the facts for such turns in plain lists that change
in place: by line one number for the chips of each team in it, and by team and square the worth of a chip there, updated
chip by chip. The engine decides the legal actions; a test compares chips, sequences and protected squares turn by turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, TypeAlias

from seqp2p.bots.weights import OTHERS_CHIP, OWN_CHIP
from seqp2p.rules import CompletedSequence, Line, Square, SquareSet, Team, Variant, set_of

TAKEN: Final = 1 << 30
"""Far more than the worth of any chip: subtracted on the squares that are not free."""
NOBODY: Final = 0

Code: TypeAlias = int
"""The chips of each team in a line, digit by digit, the first team's last; before them its free corners."""


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """The precomputed tables of a variant and a number of teams. Lines are named by their place in it."""

    variant: Variant
    teams: int
    lines: tuple[Line, ...]
    masks: tuple[SquareSet, ...]
    """By line: its squares as a set."""
    empty: tuple[Code, ...]
    """By line: its code on an empty board."""
    through: tuple[tuple[int, ...], ...]
    """By square: the lines through it."""
    along: tuple[tuple[int, ...], ...]
    """By square: the lines in its row, its column and its two diagonals."""
    clash: tuple[tuple[int, ...], ...]
    """By line: the lines that cannot count together with it for one team, itself among them."""
    step: tuple[Code, ...]
    """By team: the number that its chip adds to a code."""
    worth: tuple[tuple[int, ...], ...]
    """By team, then by code: the worth of its chip in such a line."""
    change: tuple[tuple[tuple[int, ...], ...], ...]
    """By team that places a chip, then by code before it: how the worth of a chip in that line changes, team by team
    from the first; empty if it does not."""
    full: bytes
    """By code: 1 if one team has the whole line."""
    lacking: tuple[tuple[Team, int], ...]
    """By code: the one team with chips in it, and the number it still needs; NOBODY if there is no such team."""
    closed: Code
    """The code of a line that is part of a sequence, or clashes with one."""
    spots: tuple[tuple[Square, ...], ...]
    """By card: its squares; none for a card that can go anywhere."""
    pairs: tuple[tuple[tuple[Square, Square], ...], ...]
    """By card: the same two by two; the last of an odd number twice."""


@lru_cache(maxsize=16)
def geometry(variant: Variant, teams: int) -> Geometry:
    """Return the tables for so many teams of a variant."""
    board, length = variant.board, variant.line_length
    corners, base, squares = frozenset(board.corners), length + 1, range(len(board.grid))
    corners_max = max(len(corners.intersection(line)) for line in board.lines)
    # product counts its last digit fastest: it must be the first team's.
    counted = [(n, digits[::-1]) for n in range(corners_max + 1) for digits in product(range(base), repeat=teams)]
    closed, step = len(counted), (0, *(base**team for team in range(teams)))
    lacking = (*(_lacking(length - corner, counts) for corner, counts in counted), (NOBODY, 0))
    worth = (
        (0,) * (closed + 1),
        *((*(_chip(team, *lack) for lack in lacking[:-1]), 0) for team in range(1, teams + 1)),
    )
    spots = tuple(tuple(s for s in squares if board.grid[s] == card) for card in range(len(variant.faces)))
    solid = [frozenset(line) - corners for line in board.lines]
    rows = [_in_line(board.cols, line, squares) for line in board.lines]
    return Geometry(
        variant=variant,
        teams=teams,
        lines=board.lines,
        masks=tuple(map(set_of, board.lines)),
        empty=tuple(base**teams * len(corners.intersection(line)) for line in board.lines),
        through=tuple(tuple(n for n, line in enumerate(board.lines) if square in line) for square in squares),
        along=tuple(tuple(n for n, row in enumerate(rows) if square in row) for square in squares),
        clash=tuple(tuple(n for n, other in enumerate(solid) if len(line & other) > 1) for line in solid),
        step=step,
        worth=worth,
        change=tuple(tuple(_changes(worth, added, closed)) for added in step),
        full=bytes(length - corner in counts for corner, counts in counted) + b"\0",
        lacking=lacking,
        closed=closed,
        spots=spots,
        pairs=tuple(tuple(zip(at[::2], (*at[1::2], *at[-1:]), strict=False)) for at in spots),
    )


def _lacking(length: int, counts: Sequence[int]) -> tuple[Team, int]:
    there = [(team, count) for team, count in enumerate(counts, start=1) if count]
    if len(there) > 1:
        return NOBODY, -1
    team, count = there[0] if there else (NOBODY, 0)
    return team, max(length - count, 0)


def _chip(team: Team, holder: Team, lacking: int) -> int:
    """Return the worth of a team's chip in a line begun by another, or by no team (-1: by several)."""
    if lacking < 0:
        return 0
    return OWN_CHIP[lacking] if holder in (team, NOBODY) else OTHERS_CHIP[lacking]


def _changes(worth: Sequence[Sequence[int]], added: Code, closed: Code) -> Iterator[tuple[int, ...]]:
    for before in range(closed + 1):
        after = before + added
        by_team = tuple(table[after] - table[before] for table in worth[1:]) if after < closed else ()
        yield by_team if any(by_team) else ()


def _in_line(cols: int, line: Line, squares: Sequence[Square]) -> frozenset[Square]:
    """Return the squares of the row, column or diagonal of a line: the cross product is zero."""
    (row, col), (next_row, next_col) = divmod(line[0], cols), divmod(line[1], cols)
    down, right = next_row - row, next_col - col
    return frozenset(s for s in squares if (s // cols - row) * right == (s % cols - col) * down)


class EvalBoard:
    """Chips, sequences and worths; cheap to copy. ``eval_board_of`` makes one from a view."""

    __slots__ = ("_advanced", "code", "free", "geometry", "made", "owner", "protected", "sequences", "worth")

    def __init__(
        self, geometry: Geometry, owner: list[Team], sequences: list[tuple[Team, int]], *, advanced: bool
    ) -> None:
        self.geometry = geometry
        self._advanced = advanced
        self.owner = owner
        """By square: the team whose chip lies there, 0 if it is free, CORNER on a corner."""
        self.sequences = sequences
        """Team and line."""
        self.free: SquareSet = 0
        self.code: list[Code] = []
        """By line."""
        self.worth: list[list[int]] = []
        """By team, then by square: the worth of a chip there, less TAKEN if the square is not free."""
        self.made: list[int] = []
        """By team: the number of its sequences."""
        self.protected = frozenset[Square]()
        """The squares of sequences."""

    def copy(self) -> "EvalBoard":
        other = EvalBoard(self.geometry, self.owner[:], self.sequences[:], advanced=self._advanced)
        other.free = self.free
        other.code = self.code[:]
        other.worth = [worth[:] for worth in self.worth]
        other.made = self.made[:]
        other.protected = self.protected
        return other

    def count(self) -> None:
        """Compute everything that follows from chips and sequences."""
        geometry, owner = self.geometry, self.owner
        step = (*geometry.step, 0)  # a corner, -1, adds nothing
        self.free = set_of(tuple(square for square, team in enumerate(owner) if not team))
        self.code = [
            empty + sum(step[owner[square]] for square in line)
            for empty, line in zip(geometry.empty, geometry.lines, strict=True)
        ]
        self.made = [0] * (geometry.teams + 1)
        self.protected = frozenset[Square]()
        for team, line in self.sequences:
            self.made[team] += 1
            self.protected = self.protected.union(geometry.lines[line])
            for other in geometry.clash[line]:
                self.code[other] = geometry.closed
        self.worth = [
            [
                sum(table[self.code[n]] for n in lines) - (TAKEN if owner[square] else 0)
                for square, lines in enumerate(geometry.through)
            ]
            for table in geometry.worth
        ]

    def place(self, team: Team, square: Square) -> bool:
        """Place a chip on a free square. Return True if it makes a sequence."""
        geometry, code, worth = self.geometry, self.code, self.worth
        change, step, lines, full, closed = (
            geometry.change[team],
            geometry.step[team],
            geometry.lines,
            geometry.full,
            geometry.closed,
        )
        complete = self._advanced
        for n in geometry.through[square]:
            before = code[n]
            if before == closed:
                continue
            code[n] = before + step
            if full[before + step]:
                complete = True
            for by_square, delta in zip(worth[1:], change[before], strict=False):
                if delta:
                    for s in lines[n]:
                        by_square[s] += delta
        self.owner[square] = team
        self.free ^= 1 << square
        for by_square in worth:
            by_square[square] -= TAKEN
        return complete and self._complete(team, square)

    def place_last(self, team: Team, square: Square) -> None:
        """Place the last chip of a search: the same, but ``worth`` is not updated."""
        geometry, code, step, complete = self.geometry, self.code, self.geometry.step[team], self._advanced
        for n in geometry.through[square]:
            if code[n] != geometry.closed:
                code[n] += step
                if geometry.full[code[n]]:
                    complete = True
        self.owner[square] = team
        self.free ^= 1 << square
        if complete:
            self._complete(team, square)

    def remove(self, square: Square) -> None:
        """Take a chip off its square; its sequences are broken."""
        geometry, code = self.geometry, self.code
        team, self.owner[square] = self.owner[square], NOBODY
        if square in self.protected:
            self.sequences = [(t, n) for t, n in self.sequences if square not in geometry.lines[n]]
            self.count()
            return
        change, step = geometry.change[team], geometry.step[team]
        for n in geometry.through[square]:
            if code[n] == geometry.closed:
                continue
            code[n] -= step
            for by_square, delta in zip(self.worth[1:], change[code[n]], strict=False):
                if delta:
                    for s in geometry.lines[n]:
                        by_square[s] -= delta
        self.free ^= 1 << square
        for by_square in self.worth:
            by_square[square] += TAKEN

    def worth_of_taking(self, team: Team, square: Square) -> int:
        """Return the worth to a team of taking another's chip, one of those that the lines through it have."""
        geometry = self.geometry
        worth, step = geometry.worth[team], geometry.step[self.owner[square]]
        codes = [self.code[n] for n in geometry.through[square]]
        return sum(worth[code - step] for code in codes if code != geometry.closed)

    def _complete(self, team: Team, square: Square) -> bool:
        """Add the sequences that a chip has made: in the order of lines, without clashes with earlier ones."""
        geometry, code = self.geometry, self.code
        before = len(self.sequences)
        for n in geometry.along[square] if self._advanced else geometry.through[square]:
            if geometry.full[code[n]] and geometry.lacking[code[n]][0] == team:
                self.sequences.append((team, n))
                self.made[team] += 1
                self.protected = self.protected.union(geometry.lines[n])
                for other in geometry.clash[n]:
                    self._close(other)
        return len(self.sequences) > before

    def _close(self, n: int) -> None:
        geometry, code = self.geometry, self.code[n]
        self.code[n] = geometry.closed
        for by_square, table in zip(self.worth, geometry.worth, strict=True):
            if table[code]:
                for s in geometry.lines[n]:
                    by_square[s] -= table[code]


def eval_board_of(
    geometry: Geometry, owner: Sequence[Team], sequences: Sequence[CompletedSequence], *, advanced: bool
) -> EvalBoard:
    """Return the board of a position with these owners of the squares (a view's ``board``) and sequences."""
    number = {line: n for n, line in enumerate(geometry.lines)}
    made = [(sequence.team, number[sequence.squares]) for sequence in sequences]
    board = EvalBoard(geometry, list(owner), made, advanced=advanced)
    board.count()
    return board
