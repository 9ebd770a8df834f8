"""The board as it is to be shown: frozen data, a cell a square, of which ``board_paint`` makes signs and colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from seqp2p.rules import CORNER, NO_SQUARE, UNKNOWN, Action, Card, Square, Team, Variant, View
from seqp2p.ui.cards import face_code, face_name, is_named
from seqp2p.ui.plain import FREE


@dataclass(frozen=True, slots=True)
class Face:
    """A card to be shown: ``label`` of two letters (``QH``, ``CA``); ``suit`` is empty for a card with a name."""

    label: str
    name: str
    suit: str = ""

    @property
    def is_red(self) -> bool:
        return self.suit in ("D", "H")


HIDDEN: Final = Face("??", "??")
"""A card that is not known: one that is still being drawn, or another seat's."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A square. ``face`` is None on a free corner; ``chip`` and ``coming`` are colours, empty where there is none."""

    face: Face | None
    chip: str = ""
    made: bool = False
    """The chip is part of a completed sequence."""
    last: bool = False
    """The last chip was placed here, or taken from here."""
    lit: bool = False
    """The chosen card can go here."""
    cursor: bool = False
    staged: bool = False
    """The staged action happens here: a chip of the colour ``coming`` is placed, or the chip is taken."""
    coming: str = ""


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
    """The marks of an unfinished choice on the board."""

    lit: frozenset[Square] = frozenset()
    cursor: Square = NO_SQUARE
    staged: Action | None = None


NO_MARKS: Final = Marks()


def face_of(variant: Variant, card: Card) -> Face:
    """Return the face of a card.

    >>> from seqp2p.rules import CLASSIC, KIDS
    >>> face_of(CLASSIC, 0).label, face_of(KIDS, 2).label, face_of(KIDS, KIDS.wild[0]).label
    ('2C', 'CA', 'UN')
    """
    if card == UNKNOWN:
        return HIDDEN
    suit = "" if is_named(variant, card) else variant.faces[card][1]
    return Face(face_code(variant, card), face_name(variant, card), suit)


def board_model(view: View, colours: Sequence[str], last: Action | None = None, marks: Marks = NO_MARKS) -> BoardModel:
    """The board of a view. ``colours`` are those of the teams, in team order."""
    variant = view.variant
    faces = {card: face_of(variant, card) for card in set(variant.board.grid)}
    made = {square for sequence in view.sequences for square in sequence.squares}
    staged = marks.staged.square if marks.staged else NO_SQUARE
    coming = colours[view.team - 1] if view.team and marks.staged and marks.staged.kind == "place" else ""

    def cell(square: Square, team: Team) -> Cell:
        return Cell(
            face=None if team == CORNER else faces[variant.board.grid[square]],
            chip="" if team in (FREE, CORNER) else colours[team - 1],
            made=square in made,
            last=last is not None and square == last.square,
            lit=square in marks.lit,
            cursor=square == marks.cursor,
            staged=square == staged,
            coming=coming if square == staged else "",
        )

    return BoardModel(variant.board.rows, variant.board.cols, tuple(map(cell, range(len(view.board)), view.board)))
