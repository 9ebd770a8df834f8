"""Lines that were said, broken to the width of a column, the newest at its foot."""

from collections.abc import Sequence
from typing import Final

from seqp2p.ui.frame import Canvas, width_of
from seqp2p.ui.language import bound, unbound
from seqp2p.ui.scene import LogLine

INDENT: Final = "  "
"""Before what goes on with a line."""
SIGNS: Final = {"log": " ", "remark": '"', "answer": ">", "alarm": "!"}
"""Before a line, by its kind: what its style tells to those who see styles."""


def wrapped(text: str, width: int) -> list[str]:
    """Return the text in rows of at most so many cells, broken between words if possible.

    >>> wrapped("ann says hello", 9), wrapped("安安安安", 4), wrapped("", 9)
    (['ann says', '  hello'], ['安安', '安安'], [''])

    A space that French puts next to a sign does not break.

    >>> wrapped("le code : 7", 8)
    ['le', '  code :', '  7']
    """
    rows: list[str] = []
    indent, rest = "", bound(text)
    while width_of(rest) > width - len(indent):
        head = _head(rest, width - len(indent))
        blank = len(head) if rest[len(head) :][:1] == " " else head.rfind(" ")
        if head[: max(blank, 0)].strip():
            head = head[:blank]
        rows.append(indent + head.rstrip(" "))
        rest = rest[len(head) :].lstrip(" ")
        indent = INDENT if width > 2 * len(INDENT) else ""
    broken = [*rows, indent + rest] if rest or not rows else rows
    return [unbound(row) for row in broken]


def _head(text: str, width: int) -> str:
    """As much of a text as fits, and at least one character, so that there is an end to it."""
    at = 0
    while (width := width - width_of(text[at])) >= 0:
        at += 1
    return text[: max(at, 1)]


def paint_lines(
    canvas: Canvas, row: int, column: int, width: int, height: int, lines: Sequence[LogLine], below: int = 0
) -> None:
    """Paint the last lines that fit, but for the very last ``below`` if the others fill the room."""
    rows: list[tuple[str, str, str]] = []
    for line in reversed(lines[: len(lines) - below]):
        if len(rows) >= height:
            break
        rows += _rows(line, width)[::-1]
    if len(rows) < height:
        paint_from(canvas, row, column, width, height, lines)
        return
    for down, (sign, text, style) in enumerate(reversed(rows[:height])):
        canvas.put(row + down, column, sign, style)
        canvas.put(row + down, column + 2, text, style)


def paint_from(canvas: Canvas, row: int, column: int, width: int, height: int, lines: Sequence[LogLine]) -> None:
    """Paint the first lines that fit."""
    bottom = row + height
    for line in lines:
        for sign, text, style in _rows(line, width):
            if row == bottom:
                return
            canvas.put(row, column, sign, style)
            canvas.put(row, column + 2, text, style)
            row += 1


def _rows(line: LogLine, width: int) -> list[tuple[str, str, str]]:
    """Sign, text and style of every row of a line."""
    first, *more = wrapped(line.text, max(width - 2, 1))
    return [(SIGNS.get(line.kind, " "), first, line.kind), *((" ", text, line.kind) for text in more)]
