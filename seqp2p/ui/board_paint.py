"""The painter of boards: every square a tile of its own colour, with the card's face and the chip that fills it.

A tile of one row has a blank column on its right; a higher one has half a row below it, too. On a single chip the
corner of its card is seen, where there is room for it. A completed sequence is painted over its cards and over what
lies between its tiles, with a line in its direction. Every mark is a sign as well as a style: ``[`` ``]`` the cursor,
``▶`` the staged or prepared move, ``»`` the newest move and ``›`` those before it, ``▛`` ``▜`` a square of the chosen
card, ``━┃╲╱╋`` a completed sequence, ``~`` a line that lacks a chip and ``○`` the square where it does.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from seqp2p.ui.board_model import BoardModel, Cell, Face
from seqp2p.ui.frame import Canvas, Cells, Fragment, cells_of, clipped, width_of
from seqp2p.ui.large_type import large
from seqp2p.ui.styles import RECENT, Glyphs

MARGIN: Final = 3
"""Columns left of the board, for the numbers of its rows."""


class Pitch(NamedTuple):
    """The room of a square: columns and rows, what lies between it and the next among them."""

    width: int
    height: int


SMALL: Final = Pitch(5, 1)
FLAT_PITCHES: Final = (SMALL, Pitch(6, 2), Pitch(7, 2))
PITCHES: Final = (*FLAT_PITCHES, Pitch(7, 3), Pitch(9, 4), Pitch(12, 5), Pitch(13, 6), Pitch(15, 7))
NAME_PITCHES: Final = (*FLAT_PITCHES, Pitch(12, 3), Pitch(12, 4), Pitch(13, 5), Pitch(15, 6), Pitch(17, 7))
"""The same for a board of names."""
FRAME: Final = "frame"
"""The style of the corners of a lit tile."""
FLAT: Final = 2
"""A tile of one row, and the half row below it."""
LARGE_FACE: Final = 9
"""Columns of a card in large type."""
NAME_WIDTH: Final = 12
"""From this width on a tile has room for a name."""
Tile: TypeAlias = tuple[tuple[Fragment, ...], ...]


def largest_pitch(board: BoardModel, fits: Callable[[int, int], bool]) -> Pitch:
    """Return the largest squares with which the board ``fits``, given its columns and rows; the smallest if none do."""
    pitches = NAME_PITCHES if board.has_names else PITCHES
    return next((pitch for pitch in reversed(pitches) if fits(*board_size(board, pitch))), SMALL)


def board_size(board: BoardModel, pitch: Pitch = SMALL) -> tuple[int, int]:
    """Return the columns and rows of the board with its letters and numbers."""
    return MARGIN + board.cols * pitch.width, 1 + board.rows * pitch.height


def label_of(face: Face, glyphs: Glyphs) -> str:
    """Return a card in two cells: ``Q♥``, ``CA``, a picture."""
    if face.suit:
        return face.label[0] + glyphs.suits[face.suit]
    return face.picture if glyphs.pictures and face.picture else face.label


def paint_board(canvas: Canvas, row: int, column: int, board: BoardModel, pitch: Pitch = SMALL) -> None:
    """Paint the board with its upper left corner here. Every square is the target ``("square", number)``."""
    for col in range(board.cols):
        canvas.put(row, column + MARGIN + col * pitch.width + (pitch.width - 2) // 2, chr(ord("a") + col), "label")
    for square, cell in enumerate(board.cells):
        line, col = divmod(square, board.cols)
        top, left = row + 1 + line * pitch.height, column + MARGIN + col * pitch.width
        if not col:
            canvas.put(top + max(pitch.height - 2, 0) // 2, column, f"{line + 1:>2}", "label")
        canvas.touch(top, left, pitch.height, pitch.width, ("square", square))
        for down, cells in enumerate(_tile_cells(cell, canvas.glyphs, pitch)):
            canvas.place(top + down, left, cells)


@lru_cache(maxsize=4096)
def _tile_cells(cell: Cell, glyphs: Glyphs, pitch: Pitch) -> tuple[Cells, ...]:
    return tuple(map(cells_of, tile(cell, glyphs, pitch)))


def tile(cell: Cell, glyphs: Glyphs, pitch: Pitch) -> Tile:
    """Return a square row by row, with the gaps to its right and below it."""
    if pitch.height == 1:
        before, after = _signs(cell, glyphs)
        return ((*_flat(cell, glyphs, pitch.width - 1, before), _flat_gap(cell, glyphs, after)),)
    rows = _flat_row(cell, glyphs, pitch.width - 1) if pitch.height == FLAT else _high(cell, glyphs, pitch)
    return _with_gaps(rows, cell, glyphs, pitch.width - 1)


def _flat_row(cell: Cell, glyphs: Glyphs, width: int) -> list[tuple[Fragment, ...]]:
    """Return the only row of a tile with a column for the sign after its chip."""
    before, after = _signs(cell, glyphs)
    style = FRAME if _mark(cell) == "lit" else _chip(cell, glyphs)[1]
    return [(*_flat(cell, glyphs, width - 1, before), (style, _around(cell, glyphs, after)))]


def _flat(cell: Cell, glyphs: Glyphs, width: int, before: str) -> tuple[Fragment, ...]:
    """Return a card and its chip in a row. A chip hides its card, unless the cursor or a staged move is there."""
    (chip, chip_style), mark = _chip(cell, glyphs), _mark(cell)
    if (cell.run or cell.chip) and mark in ("", "lit", *RECENT):
        around, is_wide = _around(cell, glyphs, " "), width >= SMALL.width
        line = " " if cell.way else around
        chip_style += "" if cell.made or is_wide else " apart"
        shown = (chip if cell.chip else glyphs.corner) * 2
        sign = FRAME if mark == "lit" else mark or chip_style
        lead: Fragment = (sign, before) if before != " " else (chip_style, around)
        return lead, (chip_style, f"{shown:{line}^{width - 2}}{line if is_wide else around}")
    label, style = _label(cell, glyphs), _label_style(cell, mark)
    label += " " * (width - 2 - width_of(label))
    if mark == "lit":
        return (FRAME, before), (style, label), (chip_style, chip)
    return (style, before + label), (chip_style, chip)


def _flat_gap(cell: Cell, glyphs: Glyphs, after: str) -> Fragment:
    """Return the blank column right of a tile of one row. A sequence goes on over it, also from corner to corner."""
    right, _, falling, rising = cell.joins
    if after != " ":
        mark = _mark(cell)
        return FRAME if mark == "lit" else mark if cell.staged or cell.cursor else "", after
    if right:
        return f"fill.{right} made", glyphs.run[0]
    lower, upper = falling or rising, cell.above[1] or cell.above[0]
    if glyphs.edge == " ":
        sign = glyphs.run[2 if falling or (not rising and cell.above[0]) else 3]
        return (f"fill.{lower or upper}", sign) if lower or upper else ("", " ")
    if lower and upper:
        return f"fill.{lower} edge.fill.{upper}", glyphs.edge
    if lower:
        return f"edge.fill.{lower}", glyphs.lower
    return (f"edge.fill.{upper}", glyphs.edge) if upper else ("", " ")


def _high(cell: Cell, glyphs: Glyphs, pitch: Pitch) -> list[tuple[Fragment, ...]]:
    """Return the rows of a tile of two rows or more: the card, and the chip below it."""
    width, height = pitch.width - 1, pitch.height - 1
    (before, after), (chip, chip_style) = _signs(cell, glyphs), _chip(cell, glyphs)
    mark, named = _mark(cell), bool(pitch.width >= NAME_WIDTH and cell.face and not cell.face.suit)
    head, texts = before + _label(cell, glyphs), _names(cell.face, glyphs, width) if named and cell.face else []
    if named and not texts and cell.face:
        head = before + clipped(cell.face.name, width - 2, glyphs.more)
    rows = [_head(cell, head, after, width, chip_style)]
    rows += [((_label_style(cell, mark) if not mark else chip_style, text),) for text in texts]
    below = height - len(rows)
    if cell.face and chip == " " and (face := large_face(cell.face, glyphs, width - 2)) and len(face) == below:
        inner, chip_style = face, _label_style(cell, "")
    else:
        around = _around(cell, glyphs, "")
        chips = f"{around}{chip * max(2, width // 3)}{around}" if chip != " " else ""
        inner = [chips if down < max(1, min(below, height - 2)) else "" for down in range(below)]
    for down, text in enumerate(inner, 1):
        ends = glyphs.lit[2:] if down == below and mark == "lit" else "  "
        rows.append(_framed(cell, chip_style, f"{ends[0]}{text.center(width - 2)}{ends[1]}"))
    return rows


def large_face(face: Face, glyphs: Glyphs, width: int) -> list[str]:
    """Return a card in large type, three rows; none where it is no playing card, or there is no room for it."""
    if not face.suit or not glyphs.pictures or width < LARGE_FACE:
        return []
    return [row.ljust(LARGE_FACE) for row in large(label_of(face, glyphs))]


def _head(cell: Cell, head: str, after: str, width: int, chip_style: str) -> tuple[Fragment, ...]:
    """Return the first row of a tile: its card, as far as a chip does not hide it."""
    mark, suited = _mark(cell), bool(cell.face and cell.face.suit)
    rest = " " * (width - 1 - width_of(head)) + after
    if cell.face and suited and cell.made and mark in ("", *RECENT):
        return (mark, head) if mark else (chip_style, head[0] + "  "), (chip_style, rest)
    if cell.face and suited and cell.chip and not mark:
        return (f"{tint_of(cell.face)} {_card_text(cell)}", head + " "), (chip_style, rest[1:])
    return _framed(cell, _label_style(cell, mark), head + rest)


def _names(face: Face, glyphs: Glyphs, width: int) -> list[str]:
    """Return the row below a picture: its name. Without a picture the name is in the first row."""
    if label_of(face, glyphs) != face.picture:
        return []
    name = clipped(face.name, width - 1, glyphs.more)
    return [f" {name}{' ' * (width - 1 - width_of(name))}"]


def _with_gaps(rows: list[tuple[Fragment, ...]], cell: Cell, glyphs: Glyphs, width: int) -> Tile:
    """Add the column on the right of a tile and the half row below it. A sequence goes on over both."""
    right, below, falling, rising = cell.joins
    gap: Fragment = (f"fill.{right}" if right else "", " ")
    first, halved = gap, glyphs.edge != " "
    if not right and any(cell.above):
        colour, sign = cell.above[0] or cell.above[1], glyphs.run[2 if cell.above[0] else 3]
        first = (f"edge.fill.{colour}", glyphs.edge) if halved else (f"fill.{colour}", sign)
    ground = _chip(cell, glyphs)[1].split(maxsplit=1)[0]
    edge = (f"fill.{below}", " " * width) if below else (f"edge.{ground}", glyphs.edge * width)
    joint: Fragment = (f"edge.fill.{right}", glyphs.edge) if right else ("", " ")
    if falling or rising:
        joint = (f"fill.{falling or rising}", " " if halved else glyphs.run[2 if falling else 3])
    if falling and rising and falling != rising:
        joint = (f"fill.{falling} edge.fill.{rising}", glyphs.cross)
    return ((*rows[0], first), *((*each, gap) for each in rows[1:]), (edge, joint))


def _around(cell: Cell, glyphs: Glyphs, otherwise: str) -> str:
    """Return the sign of a completed sequence on this square, if there is one and no other sign."""
    return glyphs.run[cell.way] if cell.run and otherwise in ("", " ") else otherwise


def _ground(cell: Cell) -> str:
    if cell.staged and cell.coming:
        return f"fill.{cell.coming}"
    if cell.run or cell.chip:
        return f"fill.{cell.run or cell.chip}{' made' if cell.run else ''}"
    if cell.lit or (cell.wanted and cell.lacks == 1):
        return "lit" if cell.lit else "wanted"
    return tint_of(cell.face) if cell.face else "tint.corner"


def tint_of(face: Face) -> str:
    return f"tint.{face.suit.lower() or 'name'}"


def _mark(cell: Cell) -> str:
    """Return the style of the strongest mark; the part of the tile with the card has it."""
    if cell.staged:
        return "staged"
    if cell.cursor:
        return "cursor"
    if cell.lit:
        return "lit"
    return f"recent.{age_of(cell.age)}" if cell.age else ""


def _framed(cell: Cell, style: str, text: str) -> tuple[Fragment, ...]:
    """Return a row of a tile. Its first and last sign are the frame of a lit one."""
    if _mark(cell) != "lit":
        return ((style, text),)
    return (FRAME, text[0]), (style, text[1:-1]), (FRAME, text[-1])


def age_of(age: int) -> int:
    """Return the number of the style of a recent move; the newest is 1."""
    return min(age, len(RECENT)) - 1


def _signs(cell: Cell, glyphs: Glyphs) -> tuple[str, str]:
    """Return the signs before and after a square: the two strongest, or both of the cursor."""
    if cell.staged:
        return glyphs.turn, glyphs.cursor[1]
    if cell.cursor:
        return glyphs.cursor
    after = glyphs.lit[1] if cell.lit else " "
    if cell.age:
        return glyphs.last if cell.age == 1 else glyphs.recent, after
    if cell.lit:
        return glyphs.lit[0], after
    return glyphs.line if cell.lacks else " ", after


def _label(cell: Cell, glyphs: Glyphs) -> str:
    return glyphs.corner * 2 if cell.face is None else label_of(cell.face, glyphs)


def _label_style(cell: Cell, mark: str) -> str:
    """Return the style of the card: that of its mark, or of its ground."""
    ground = _ground(cell)
    if mark == ground == "lit" or (not mark and ground.startswith("tint.")):
        return f"{ground} {_card_text(cell)}"
    return mark or ground


def _card_text(cell: Cell) -> str:
    return "corner" if cell.face is None else "card.red" if cell.face.is_red else "card.black"


def _chip(cell: Cell, glyphs: Glyphs) -> tuple[str, str]:
    """Return the chip's sign and style, after the staged or prepared move."""
    ground = _ground(cell)
    if cell.staged:
        return (glyphs.chips[cell.coming], ground) if cell.coming else (glyphs.dead, "alarm")
    if cell.chip:
        return glyphs.chips[cell.chip], ground
    if cell.wanted:
        return glyphs.lacks[cell.wanted], ground
    return (glyphs.dead if cell.age else " "), ground
