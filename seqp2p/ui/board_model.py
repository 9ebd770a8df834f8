"""The board as it is to be shown: frozen data, a cell a square. ``board_paint`` makes signs and colours of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from seqp2p.rules import CORNER, NO_SQUARE, UNKNOWN, Action, Card, Square, Team, Threat, Variant, View
from seqp2p.ui.cards import face_code, face_name, is_named
from seqp2p.ui.frame import width_of
from seqp2p.ui.language import current
from seqp2p.ui.plain import FREE

# A picture for every animal; the ox stands for the yak, which has none.
_ANIMALS: Final = (
    *("alligator", "bear", "cat", "dragon", "duck", "elephant", "frog", "giraffe", "horse", "kangaroo"),
    *("lion", "monkey", "owl", "penguin", "rabbit", "sheep", "turtle", "unicorn", "whale", "yak", "zebra"),
)
_PICTURES: Final = dict(zip(_ANIMALS, "🐊🐻🐱🐲🦆🐘🐸🦒🐴🦘🦁🐵🦉🐧🐰🐑🐢🦄🐳🐂🦓", strict=True))
PICTURE_WIDTH: Final = 2
"""Cells that a picture takes; one of another width by the tables of this machine is not used."""


@dataclass(frozen=True, slots=True)
class Face:
    """A card to be shown: ``label`` of two letters (``QH``, ``CA``); ``suit`` is empty for a card with a name.

    ``picture`` is a sign of two cells for a card with a name, or empty.
    """

    label: str
    name: str
    suit: str = ""
    picture: str = ""

    @property
    def is_red(self) -> bool:
        return self.suit in ("D", "H")


HIDDEN: Final = Face("??", "??")
"""An unknown card: one still being drawn, or another seat's."""
WAYS: Final = ("right", "down", "falling", "rising")
"""The directions of sequences. The last two go over the corner below right."""
_NO_JOINS: Final = ("", "", "", "")
CROSSING: Final = len(WAYS)
"""In place of a direction: sequences of several go over a square."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A square. ``face`` is None on a free corner; colours are empty where there is none."""

    face: Face | None
    chip: str = ""
    run: str = ""
    """The colour of a completed sequence that this square is part of."""
    way: int = -1
    """The direction of that sequence, a number of ``WAYS``, or ``CROSSING``; -1 where there is none."""
    joins: tuple[str, str, str, str] = ("", "", "", "")
    """The colours of the sequences over the gaps next to this square, in the order of ``WAYS``."""
    above: tuple[str, str] = ("", "")
    """The colours of those over the corner above right: falling and rising."""
    age: int = 0
    """1 where the newest move was, 2 and so on for those before it since the reader's last turn, 0 elsewhere."""
    lit: bool = False
    """The chosen card can go here."""
    cursor: bool = False
    staged: bool = False
    """The staged action happens here: a chip of the colour ``coming`` is placed, or the chip is taken."""
    coming: str = ""
    wanted: str = ""
    """The colour of a line that lacks a chip here, while such lines are shown."""
    lacks: int = 0
    """The number of chips that this line lacks; also on the squares that it has."""

    @property
    def made(self) -> bool:
        return bool(self.run)

    @property
    def last(self) -> bool:
        return self.age == 1


@dataclass(frozen=True, slots=True)
class BoardModel:
    """``cells`` by square."""

    rows: int
    cols: int
    cells: tuple[Cell, ...]

    @property
    def has_names(self) -> bool:
        """True if the cards have names, and not a rank and a suit."""
        return not any(cell.face.suit for cell in self.cells if cell.face)


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of an unfinished choice on the board, and the lines that are pointed out."""

    lit: frozenset[Square] = frozenset()
    cursor: Square = NO_SQUARE
    staged: Action | None = None
    threats: tuple[Threat, ...] = ()


NO_MARKS: Final = Marks()


def face_of(variant: Variant, card: Card) -> Face:
    """Return the face of a card.

    >>> from seqp2p.rules import CLASSIC, KIDS
    >>> face_of(CLASSIC, 0).label, face_of(KIDS, 2).label, face_of(KIDS, KIDS.wild[0]).label
    ('2C', 'CA', 'UN')
    """
    return HIDDEN if card == UNKNOWN else _face(current(), variant, card)


@cache
def _face(language: str, variant: Variant, card: Card) -> Face:
    del language
    suit = "" if is_named(variant, card) else variant.faces[card][1]
    picture = "" if suit else _PICTURES.get(variant.faces[card], "")
    shown = picture if width_of(picture) == PICTURE_WIDTH else ""
    return Face(face_code(variant, card), face_name(variant, card), suit, shown)


def board_model(
    view: View, colours: Sequence[str], moves: Sequence[Action] = (), marks: Marks = NO_MARKS
) -> BoardModel:
    """Return the board of a view. ``colours`` are in team order; ``moves`` are marked, the last one most."""
    variant = view.variant
    run, ways, joins = _runs(view, colours)
    cols = variant.board.cols
    ages = {action.square: len(moves) - at for at, action in enumerate(moves)}
    lacking = {square: threat for threat in reversed(marks.threats) for square in threat.line}
    wanted = {square: colours[threat.team - 1] for threat in reversed(marks.threats) for square in threat.missing}
    staged = marks.staged.square if marks.staged else NO_SQUARE
    coming = colours[view.team - 1] if view.team and marks.staged and marks.staged.kind == "place" else ""

    def cell(square: Square, team: Team) -> Cell:
        return Cell(
            face=None if team == CORNER else face_of(variant, variant.board.grid[square]),
            chip="" if team in (FREE, CORNER) else colours[team - 1],
            run=run.get(square, ""),
            way=-1 if square not in ways else ways[square].pop() if len(ways[square]) == 1 else CROSSING,
            joins=joins.get(square, _NO_JOINS),
            above=joins.get(square - cols, _NO_JOINS)[2:],
            age=ages.get(square, 0),
            lit=square in marks.lit,
            cursor=square == marks.cursor,
            staged=square == staged,
            coming=coming if square == staged else "",
            wanted=wanted.get(square, ""),
            lacks=len(lacking[square].missing) if square in lacking else 0,
        )

    return BoardModel(variant.board.rows, variant.board.cols, tuple(map(cell, range(len(view.board)), view.board)))


def _runs(
    view: View, colours: Sequence[str]
) -> tuple[Mapping[Square, str], Mapping[Square, set[int]], Mapping[Square, tuple[str, str, str, str]]]:
    """Return the colours and the directions of the completed sequences by square, and the colours of their gaps."""
    run, ways, joins = dict[Square, str](), dict[Square, set[int]](), dict[Square, list[str]]()
    cols = view.variant.board.cols
    for sequence in view.sequences:
        colour = colours[sequence.team - 1]
        run |= dict.fromkeys(sequence.squares, colour)
        for one, other in pairwise(sequence.squares):
            right, down = other % cols - one % cols, other // cols - one // cols
            way = 0 if not down else 1 if not right else 2 if right > 0 else 3
            # The gap over a corner belongs to the square above it and to its left.
            joins.setdefault(one - (right < 0), [*_NO_JOINS])[way] = colour
            for square in (one, other):
                ways.setdefault(square, set()).add(way)
    return run, ways, {square: (gaps[0], gaps[1], gaps[2], gaps[3]) for square, gaps in joins.items()}
