"""The painter of boards: on a narrow page five cells a square, on a wide one bigger squares with blank lines between.

Every mark is a sign as well as a style: ``[`` ``]`` the cursor, ``▶`` the prepared move, ``‹`` the last move, ``·`` a
square of the chosen card, ``=`` a completed sequence.
"""

from typing import Final, NamedTuple

from seqp2p.ui.board_model import BoardModel, Cell, Face
from seqp2p.ui.frame import Canvas, Target, clipped, width_of
from seqp2p.ui.styles import Glyphs

MARGIN: Final = 3
"""Columns left of the board, for the numbers of its rows."""


class Pitch(NamedTuple):
    """The room of a square: columns and rows."""

    width: int
    height: int


SMALL: Final = Pitch(5, 1)
BIG: Final = Pitch(7, 2)
BIG_NAMES: Final = Pitch(11, 3)


def pitch_of(board: BoardModel, *, big: bool) -> Pitch:
    if not big:
        return SMALL
    return BIG_NAMES if board.has_names else BIG


def board_size(board: BoardModel, *, big: bool = False) -> tuple[int, int]:
    """Columns and rows that the board takes, its letters and numbers among them."""
    pitch = pitch_of(board, big=big)
    blank = 1 if pitch.height > 1 else 0
    return MARGIN + board.cols * pitch.width, 1 + board.rows * pitch.height - blank


def label_of(face: Face, glyphs: Glyphs) -> str:
    """A card in two cells: ``Q♥``, ``CA``."""
    return face.label[0] + glyphs.suits[face.suit] if face.suit else face.label


def paint_board(canvas: Canvas, row: int, column: int, board: BoardModel, glyphs: Glyphs, *, big: bool = False) -> None:
    """Paint the board with its upper left corner here. Every square is the target ``("square", number)``."""
    pitch = pitch_of(board, big=big)
    for col in range(board.cols):
        canvas.put(row, column + MARGIN + col * pitch.width + 1, chr(ord("a") + col), "label")
    for line in range(board.rows):
        top = row + 1 + line * pitch.height
        canvas.put(top, column, f"{line + 1:>2}", "label")
        for col in range(board.cols):
            square = line * board.cols + col
            left = column + MARGIN + col * pitch.width
            _paint_cell(canvas, top, left, board.cells[square], glyphs, pitch, ("square", square))


def _paint_cell(
    canvas: Canvas, row: int, column: int, cell: Cell, glyphs: Glyphs, pitch: Pitch, target: Target
) -> None:
    if pitch is BIG_NAMES:
        _paint_named(canvas, row, column, cell, glyphs, target)
        return
    state, (left, right), (chip, chip_style) = _state(cell), _marks(cell, glyphs), _chip(cell, glyphs)
    apart = " " if pitch is BIG else ""
    label = _label(cell, glyphs)
    if not state and not cell.chip:
        canvas.put(row, column, f"{left}{label}{apart}{chip}{right}{apart}", _label_style(cell), target)
    else:
        at = canvas.put(row, column, left, state, target)
        at = canvas.put(row, at, label + apart, f"{_label_style(cell)} {state}".strip(), target)
        at = canvas.put(row, at, chip, f"{chip_style} {state}".strip(), target)
        canvas.put(row, at, right + apart, state, target)
    if pitch is BIG:
        canvas.put(row + 1, column, " " * pitch.width, "", target)


def _paint_named(canvas: Canvas, row: int, column: int, cell: Cell, glyphs: Glyphs, target: Target) -> None:
    """A big square with a whole name, and the chip and its marks below."""
    state, (left, right), (chip, chip_style) = _state(cell), _marks(cell, glyphs), _chip(cell, glyphs)
    width = BIG_NAMES.width - 1
    name = clipped(cell.face.name, width, glyphs.more) if cell.face else _label(cell, glyphs)
    name += " " * (width - width_of(name))
    canvas.put(row, column, f" {name}", f"{_label_style(cell)} {state}".strip(), target)
    at = canvas.put(row + 1, column, left, state, target)
    at = canvas.put(row + 1, at, chip * 2, f"{chip_style} {state}".strip(), target)
    at = canvas.put(row + 1, at, right, state, target)
    canvas.put(row + 1, at, " " * (column + BIG_NAMES.width - at), "", target)
    canvas.put(row + 2, column, " " * BIG_NAMES.width, "", target)


def _label(cell: Cell, glyphs: Glyphs) -> str:
    return label_of(cell.face, glyphs) if cell.face else glyphs.corner * 2


def _label_style(cell: Cell) -> str:
    if cell.face is None:
        return "corner"
    return "card.red" if cell.face.is_red else "card.black"


def _chip(cell: Cell, glyphs: Glyphs) -> tuple[str, str]:
    """Return the chip's sign and style, after the prepared move."""
    if cell.staged:
        return (glyphs.chips[cell.coming], f"chip.{cell.coming}") if cell.coming else (glyphs.dead, "alarm")
    if not cell.chip:
        return " ", ""
    return glyphs.chips[cell.chip], f"chip.{cell.chip}{' made' if cell.made else ''}"


def _state(cell: Cell) -> str:
    """The style of the strongest mark."""
    for holds, style in ((cell.staged, "staged"), (cell.cursor, "cursor"), (cell.lit, "lit"), (cell.last, "last")):
        if holds:
            return style
    return ""


def _marks(cell: Cell, glyphs: Glyphs) -> tuple[str, str]:
    """Return the signs before and after a square: the strongest two, or both of the cursor."""
    opening, closing = glyphs.cursor
    if cell.staged:
        return glyphs.turn, closing
    if cell.cursor:
        return opening, closing
    if cell.last:
        return glyphs.last, glyphs.lit if cell.lit else glyphs.made if cell.made else " "
    return glyphs.lit if cell.lit else " ", glyphs.made if cell.made else " "
