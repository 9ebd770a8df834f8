"""The painter of boards: every square a tile of its own colour, with the card's face and the chip that fills it.

A tile of one row has a blank column on its right; a higher one has half a row below it, too. A completed sequence is
painted over what lies between its tiles. Every mark is a sign as well as a style: ``[`` ``]`` the cursor, ``▶`` the
prepared move, ``»`` the newest move and ``›`` those before it, ``·`` a square of the chosen card, ``=`` a completed
sequence, ``~`` a line that lacks a chip and ``○`` the square where it does.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from seqp2p.ui.board_model import BoardModel, Cell, Face
from seqp2p.ui.frame import Canvas, Cells, Fragment, cells_of, clipped, width_of
from seqp2p.ui.styles import RECENT, Glyphs

MARGIN: Final = 3
"""Columns left of the board, for the numbers of its rows."""


class Pitch(NamedTuple):
    """The room of a square: columns and rows, what lies between it and the next among them."""

    width: int
    height: int


SMALL: Final = Pitch(5, 1)
PITCHES: Final = (SMALL, Pitch(7, 2), Pitch(7, 3), Pitch(9, 4), Pitch(11, 5), Pitch(13, 6), Pitch(15, 7))
NAME_PITCHES: Final = (SMALL, Pitch(7, 2), Pitch(12, 3), Pitch(12, 4), Pitch(13, 5), Pitch(15, 6), Pitch(17, 7))
"""The same for a board of names."""
NAME_WIDTH: Final = 12
"""From this width on a tile has room for a name."""
Tile: TypeAlias = tuple[tuple[Fragment, ...], ...]


def pitches_of(board: BoardModel) -> Sequence[Pitch]:
    """Return the sizes that the squares of a board can have, ascending."""
    return NAME_PITCHES if board.has_names else PITCHES


def largest_pitch(board: BoardModel, fits: Callable[[int, int], bool]) -> Pitch:
    """Return the largest squares with which the board ``fits``, given its columns and rows; the smallest if none do."""
    return next((pitch for pitch in reversed(pitches_of(board)) if fits(*board_size(board, pitch))), SMALL)


def board_size(board: BoardModel, pitch: Pitch = SMALL) -> tuple[int, int]:
    """Columns and rows that the board takes, its letters and numbers among them."""
    return MARGIN + board.cols * pitch.width, 1 + board.rows * pitch.height


def label_of(face: Face, glyphs: Glyphs) -> str:
    """A card in two cells: ``Q♥``, ``CA``, a picture."""
    if face.suit:
        return face.label[0] + glyphs.suits[face.suit]
    return face.picture if glyphs.pictures and face.picture else face.label


def paint_board(canvas: Canvas, row: int, column: int, board: BoardModel, glyphs: Glyphs, pitch: Pitch = SMALL) -> None:
    """Paint the board with its upper left corner here. Every square is the target ``("square", number)``."""
    for col in range(board.cols):
        canvas.put(row, column + MARGIN + col * pitch.width + 1, chr(ord("a") + col), "label")
    for square, cell in enumerate(board.cells):
        line, col = divmod(square, board.cols)
        top, left = row + 1 + line * pitch.height, column + MARGIN + col * pitch.width
        if not col:
            canvas.put(top, column, f"{line + 1:>2}", "label")
        canvas.touch(top, left, pitch.height, pitch.width, ("square", square))
        for down, cells in enumerate(_tile_cells(cell, glyphs, pitch)):
            canvas.place(top + down, left, cells)


@lru_cache(maxsize=4096)
def _tile_cells(cell: Cell, glyphs: Glyphs, pitch: Pitch) -> tuple[Cells, ...]:
    return tuple(map(cells_of, tile(cell, glyphs, pitch)))


def tile(cell: Cell, glyphs: Glyphs, pitch: Pitch) -> Tile:
    """A square as it is painted, row by row, with what lies to its right and below it."""
    ground, mark = _ground(cell), _mark(cell)
    before, after = _signs(cell, glyphs)
    label_style, (chip, chip_style) = _label_style(cell, ground, mark), _chip(cell, glyphs, ground)
    if pitch.height == 1:
        right = mark if mark in ("staged", "cursor") else f"fill.{cell.run} made" if cell.run else ""
        return (((label_style, before + _label(cell, glyphs)), (chip_style, chip), (right, after)),)
    width, height = pitch.width - 1, pitch.height - 1
    head, rows = before + _label(cell, glyphs), list[tuple[Fragment, ...]]()
    named = bool(pitch.width >= NAME_WIDTH and cell.face and not cell.face.suit)
    texts = _names(cell.face, glyphs, width) if named and cell.face else []
    if named and not texts:
        head, texts = before + clipped(cell.face.name if cell.face else "", width - 2, glyphs.more), []
    beside = height == 1 + len(texts)
    if beside:
        blank = " " * (width - 2 - width_of(head))
        rows.append(((label_style, head + blank), (chip_style, chip + after)))
    else:
        rows.append(((label_style, head + " " * (width - 1 - width_of(head)) + after),))
    rows += [((ground_text, text),) for text in texts for ground_text in [label_style if not mark else ground]]
    below = height - len(rows)
    around = glyphs.made if cell.made and cell.chip else ""
    signs = f"{around}{chip * max(2, width // 3)}{around}".center(width) if chip != " " and not beside else " " * width
    rows += [((chip_style, signs if down < max(1, min(below, height - 2)) else " " * width),) for down in range(below)]
    return _with_gaps(rows, cell, glyphs, width, chip_style)


def _names(face: Face, glyphs: Glyphs, width: int) -> list[str]:
    """Return the row below a picture: its name. Without a picture the name stands in the first row."""
    if label_of(face, glyphs) != face.picture:
        return []
    name = clipped(face.name, width - 1, glyphs.more)
    return [f" {name}{' ' * (width - 1 - width_of(name))}"]


def _with_gaps(rows: list[tuple[Fragment, ...]], cell: Cell, glyphs: Glyphs, width: int, style: str) -> Tile:
    """Add the column on the right of a tile and the half row below it, over which a sequence goes on."""
    right, below, corner = cell.joins
    gap: Fragment = (f"fill.{right}" if right else "", " ")
    edge = (f"fill.{below}", " " * width) if below else (f"edge.{style.split(maxsplit=1)[0]}", glyphs.edge * width)
    joint = (f"fill.{corner}", " ") if corner else (f"edge.fill.{right}", glyphs.edge) if right else ("", " ")
    return (*((*each, gap) for each in rows), (edge, joint))


def _ground(cell: Cell) -> str:
    """The style of the tile itself."""
    if cell.staged and cell.coming:
        return f"fill.{cell.coming}"
    if cell.run or cell.chip:
        return f"fill.{cell.run or cell.chip}{' made' if cell.run else ''}"
    for holds, style in ((cell.cursor, "cursor"), (cell.lit, "lit"), (cell.wanted and cell.lacks == 1, "wanted")):
        if holds:
            return style
    return tint_of(cell.face) if cell.face else "tint.corner"


def tint_of(face: Face) -> str:
    """Return the style of a card's own background."""
    return f"tint.{face.suit.lower() or 'name'}"


def _mark(cell: Cell) -> str:
    """The style of the strongest mark, on the part of the tile that has the card."""
    marks = (
        (cell.staged, "staged"),
        (cell.cursor, "cursor"),
        (cell.lit, "lit"),
        (cell.age, f"recent.{age_of(cell.age)}"),
    )
    return next((style for holds, style in marks if holds), "")


def age_of(age: int) -> int:
    """Return the number of the style of a recent move, of which the newest is 1."""
    return min(age, len(RECENT)) - 1


def _signs(cell: Cell, glyphs: Glyphs) -> tuple[str, str]:
    """Return the signs before and after a square: the strongest two, or both of the cursor."""
    opening, closing = glyphs.cursor
    if cell.staged:
        return glyphs.turn, closing
    if cell.cursor:
        return opening, closing
    signs = ((cell.age == 1, glyphs.last), (cell.age, glyphs.recent), (cell.lit, glyphs.lit), (cell.lacks, glyphs.line))
    before = next((sign for holds, sign in signs if holds), " ")
    return before, glyphs.lit if cell.lit and cell.age else glyphs.made if cell.made else " "


def _label(cell: Cell, glyphs: Glyphs) -> str:
    return glyphs.corner * 2 if cell.face is None else label_of(cell.face, glyphs)


def _label_style(cell: Cell, ground: str, mark: str) -> str:
    if mark:
        return mark
    if not ground.startswith("tint."):
        return ground
    return f"{ground} {'corner' if cell.face is None else 'card.red' if cell.face.is_red else 'card.black'}"


def _chip(cell: Cell, glyphs: Glyphs, ground: str) -> tuple[str, str]:
    """Return the chip's sign and style, after the prepared move."""
    if cell.staged:
        return (glyphs.chips[cell.coming], ground) if cell.coming else (glyphs.dead, "alarm")
    if cell.chip:
        return glyphs.chips[cell.chip], ground
    if cell.wanted:
        return glyphs.lacks[cell.wanted], ground
    return (glyphs.dead if cell.age else " "), ground
