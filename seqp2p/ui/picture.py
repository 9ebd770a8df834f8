"""A board as a picture: one SVG file that stands alone, light or dark as its reader likes it.

Chips differ in shape as well as in colour: blue circles, green triangles, red squares, yellow diamonds. A dot in a chip
says that it is part of a completed sequence, a frame round a square that it is the last move. All text is escaped, and
the file is plain ASCII, so that no encoding can harm it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import escape
from importlib.resources import files
from typing import Final

from seqp2p.rules import UNKNOWN, Square, Variant, format_square
from seqp2p.ui.board_model import BoardModel, Cell, Face, face_of
from seqp2p.ui.cards import card_name, colour_name, variant_title
from seqp2p.ui.language import number, t
from seqp2p.ui.scene import wrapped
from seqp2p.ui.styles import UNICODE, with_chips

MARGIN: Final = 34
"""Pixels round the board: for the letters and numbers."""
LINE: Final = 22
"""Pixels a line of text takes."""
_TEXT_SUFFIX: Final = "\N{VARIATION SELECTOR-15}"  # A suit is a letter here, never a coloured picture.

STYLE: Final = with_chips((files("seqp2p.ui") / "picture.css").read_text("ascii"))


def board_svg(
    variant: Variant, board: BoardModel, title: str, caption: Sequence[str] = (), teams: Sequence[tuple[str, str]] = ()
) -> str:
    """A board, the lines below it, and who plays with which chips: ``teams`` are colours and names."""
    size = _size(board)
    width = board.cols * size + 2 * MARGIN
    rows = [row for line in caption for row in wrapped(line, (width - 2 * MARGIN) // 8)]
    top = board.rows * size + 2 * MARGIN
    height = top + LINE * (len(rows) + len(teams)) + (MARGIN // 2 if rows or teams else 0)
    return document(width, height, title, caption, _parts(variant, board, rows, teams, top))


def document(width: int, height: int, title: str, described: Sequence[str], parts: Iterable[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' role="img" aria-labelledby="title description">\n'
        f'<title id="title">{escape(title)}</title>\n<desc id="description">{escape(". ".join(described))}</desc>\n'
        f"<style>\n{STYLE}</style>\n"
        f'<rect class="page" width="{width}" height="{height}"/>\n'
    )
    whole = head + "\n".join(parts) + "\n</svg>\n"
    return whole.encode("ascii", "xmlcharrefreplace").decode("ascii")


def text_at(x: float, y: float, text: str, kind: str = "") -> str:
    """A line of text; ``kind`` are names of styles."""
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}"{named}>{escape(text)}</text>'


def grid(variant: Variant, size: int, drawn: Callable[[Square], Iterable[str]]) -> Iterator[str]:
    """Yield the letters and numbers of a board, and its squares of this size with what is ``drawn`` in each."""
    board = variant.board
    for col in range(board.cols):
        yield text_at(MARGIN + (col + 0.5) * size, MARGIN - 12, format_square(variant, col)[0], "mid faint")
    for row in range(board.rows):
        yield text_at(MARGIN / 2, MARGIN + (row + 0.5) * size + 5, str(row + 1), "mid faint")
    for square in range(len(board.grid)):
        row, col = divmod(square, board.cols)
        yield f'<g transform="translate({MARGIN + col * size} {MARGIN + row * size})">'
        yield from drawn(square)
        yield "</g>"


def square_spoken(variant: Variant, square: int, cell: Cell) -> str:
    """A square in words: ``e5: queen of hearts, blue chip, last move``."""
    card = t("free corner") if cell.face is None else card_name(variant, variant.board.grid[square])
    parts = [f"{format_square(variant, square)}: {card}"]
    parts += [t("{colour} chip", colour=colour_name(cell.chip))] if cell.chip else []
    parts += [t("in a completed sequence")] if cell.made and cell.chip else []
    parts += [t("last move")] if cell.last else []
    return ", ".join(parts)


def label_shown(face: Face) -> str:
    """Return the print of a square: a rank and its suit, or a name."""
    return face.label[0] + UNICODE.suits[face.suit] + _TEXT_SUFFIX if face.suit else face.name


def _size(board: BoardModel) -> int:
    return 84 if board.has_names else 58


def _parts(
    variant: Variant, board: BoardModel, rows: Sequence[str], teams: Sequence[tuple[str, str]], top: int
) -> Iterator[str]:

    def drawn(square: Square) -> Iterator[str]:
        yield f"<title>{escape(square_spoken(variant, square, board.cells[square]))}</title>"
        yield from _cell(board.cells[square], _size(board))

    yield from grid(variant, _size(board), drawn)
    y = top + 4
    for text in rows:
        yield text_at(MARGIN, y, text)
        y += LINE
    for colour, name in teams:
        yield f'<g transform="translate({MARGIN + 9} {y - 5})">{_chip(colour, 8)}</g>'
        yield text_at(MARGIN + 26, y, name)
        y += LINE


def _cell(cell: Cell, size: int) -> Iterator[str]:
    kind = "cell" if cell.face else "cell corner"
    yield f'<rect class="{kind}" width="{size}" height="{size}"/>'
    if cell.face is None:
        yield text_at(size / 2, size / 2 + 8, UNICODE.corner + _TEXT_SUFFIX, "mid faint")
    elif cell.face.suit:
        yield text_at(5, 17, label_shown(cell.face), "card suit" if cell.face.is_red else "card")
    else:
        yield text_at(size / 2, 17, label_shown(cell.face), "mid name")
    if cell.chip:
        yield f'<g transform="translate({size / 2:g} {size * 0.62:g})">{_chip(cell.chip, size * 0.27)}'
        yield '<circle class="made" r="4.5"/></g>' if cell.made else "</g>"
    if cell.last:
        yield f'<rect class="last" x="2" y="2" width="{size - 4}" height="{size - 4}"/>'


def _chip(colour: str, radius: float) -> str:
    """A chip round the origin: every colour has a shape of its own."""
    r, kind = round(radius, 1), f'class="chip {colour}"'
    match colour:
        case "blue":
            return f'<circle {kind} r="{r:g}"/>'
        case "green":
            return f'<polygon {kind} points="0,{-r * 1.15:g} {r * 1.1:g},{r * 0.8:g} {-r * 1.1:g},{r * 0.8:g}"/>'
        case "red":
            side = round(r * 0.9, 1)
            return f'<rect {kind} x="{-side:g}" y="{-side:g}" width="{2 * side:g}" height="{2 * side:g}"/>'
        case _:
            return f'<polygon {kind} points="0,{-r * 1.2:g} {r * 1.2:g},0 0,{r * 1.2:g} {-r * 1.2:g},0"/>'


_SIZE: Final = 76


def heat_map_svg(boards: Sequence[tuple[Variant, Sequence[int]]]) -> str:
    """A picture of these boards, one below the other; with each the chips that were placed, by square."""
    width = max((variant.board.cols for variant, _ in boards), default=4) * _SIZE + 2 * MARGIN
    parts: list[str] = []
    described: list[str] = []
    y = 0
    for variant, counts in boards:
        heading = t("{title}: {count} chips placed", title=variant_title(variant.name), count=number(sum(counts)))
        described.append(heading)
        parts += [text_at(MARGIN, y + LINE, heading, "card"), f'<g transform="translate(0 {y + LINE + 8})">']
        parts += [*grid(variant, _SIZE, partial(_heated, variant, counts)), "</g>"]
        y += LINE + 8 + variant.board.rows * _SIZE + 2 * MARGIN
    return document(width, max(y, MARGIN), t("where chips were placed"), described, parts)


def _heated(variant: Variant, counts: Sequence[int], square: Square) -> Iterator[str]:
    """Yield a square, the warmer the more chips were placed on it."""
    card, share = variant.board.grid[square], counts[square] / (max(counts) or 1)
    kind = "cell corner" if card == UNKNOWN else "cell"
    yield f'<rect class="{kind}" width="{_SIZE}" height="{_SIZE}"/>'
    if card != UNKNOWN:
        yield f'<rect class="heat" width="{_SIZE}" height="{_SIZE}" fill-opacity="{0.75 * share:.3f}"/>'
        yield text_at(_SIZE / 2, 22, label_shown(face_of(variant, card)), "mid name")
        yield text_at(_SIZE / 2, 52, number(counts[square]), "mid card")
