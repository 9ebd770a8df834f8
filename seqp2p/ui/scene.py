"""Scenes: the lobby, the table, a replay. A scene paints itself and obeys keys.

A scene lives on trio's side and gives a new painter after every change. The painter is pure and holds only frozen data,
because it is called in the screen's own thread. A scene decides no rule: a person's wish leaves it as a typed line, so
keys, mouse and words go one way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple, Protocol

from seqp2p.ui.frame import Box, Canvas, Fragment, Painter, Target, width_of
from seqp2p.ui.language import bound, unbound
from seqp2p.ui.question import Question
from seqp2p.ui.styles import UNICODE, Glyphs

WIDTH_MIN, HEIGHT_MIN = 80, 24
"""Cells that a scene may count on; on less the screen says so, and no scene is asked. One row below is not a scene's:
a scene is painted at least 80 by 23, above the line where a person types."""


class LogLine(NamedTuple):
    """A line that was said. Its kind: ``log`` what happened, ``remark`` by a seat, ``answer`` and ``alarm`` to you.

    A ``detail`` is shown in the whole log alone. ``colour`` is that of the team whose act it is, or empty.
    """

    kind: str
    text: str
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """The further input of a painter: the log, oldest first, the signs, and the question that is open."""

    lines: tuple[LogLine, ...] = ()
    glyphs: Glyphs = UNICODE
    question: Question | None = None


class Scene(Protocol):
    """One scene. Keys are ``up down left right enter escape tab s-tab space pageup pagedown home end delete c-y f1`` …
    ``f12``.

    They come here while the input line is empty.
    """

    def painter(self, page: Page) -> Painter: ...

    def press(self, key: str) -> str | None:
        """Obey a key. A returned line counts as typed."""
        ...

    def enter(self, line: str) -> str | None:
        """Obey a typed line, or return it for the reader of lines."""
        ...

    def click(self, target: Target) -> str | None:
        """Obey a click on this place. A returned line counts as typed."""
        ...

    def completions(self, typed: str) -> Sequence[str]:
        """Return the lines that the typed text may become, the likeliest first."""
        ...


INDENT: Final = "  "
"""Before what goes on with a line."""
SIGNS: Final = {"log": " ", "remark": '"', "answer": ">", "alarm": "!"}
"""Before a line, by its kind: what its style tells to those who see styles."""


def wrapped(text: str, width: int) -> list[str]:
    """Return the text in rows of at most so many cells, broken between words if possible.

    >>> wrapped("ann says hello", 9), wrapped("安安安安", 4), wrapped("", 9)
    (['ann says', '  hello'], ['安安', '安安'], [''])

    A path breaks before a folder, or a part of a name.

    >>> wrapped("replay: /home/ann/x-aaaaaaaa-bbbbbbbb-cccccccc", 15)
    ['replay:', '  /home/ann', '  /x-aaaaaaaa', '  -bbbbbbbb', '  -cccccccc']

    A space that French puts next to a sign does not break.

    >>> wrapped("le code : 7", 8)
    ['le', '  code :', '  7']
    """
    return [*_wrapped(text, max(width, 1))]


@lru_cache(maxsize=4096)
def _wrapped(text: str, width: int) -> tuple[str, ...]:
    rows: list[str] = []
    indent, rest = "", bound(text)
    while width_of(rest) > width - len(indent):
        head = _head(rest, width - len(indent))
        blank = len(head) if rest[len(head) :][:1] == " " else head.rfind(" ")
        if blank < 0:
            blank = max(head.rfind("/"), 0) or head.rfind("-")
        if head[: max(blank, 0)].strip():
            head = head[:blank]
        rows.append(indent + head.rstrip(" "))
        rest = rest[len(head) :].lstrip(" ")
        indent = INDENT if width > 2 * len(INDENT) else ""
    broken = [*rows, indent + rest] if rest or not rows else rows
    return tuple(unbound(row) for row in broken)


def _head(text: str, width: int) -> str:
    """Return as much of a text as fits, and at least one character, so that wrapping ends."""
    at = 0
    while (width := width - width_of(text[at])) >= 0:
        at += 1
    return text[: max(at, 1)]


def section(canvas: Canvas, box: Box, title: str) -> Box:
    """Paint the heading of a part of the page, and return the part below it."""
    if box.height > 0:
        canvas.put(box.row, box.column, canvas.glyphs.horizontal * box.width, "rule")
        canvas.clip(box.row, box.column + 2, box.width - 4, f" {title} ", "label")
    return box.lower(1)


def paint_lines(canvas: Canvas, room: Box, lines: Sequence[LogLine], below: int = 0) -> None:
    """Paint the last lines that fit. The very last ``below`` are left out if the others fill the room."""
    last = reversed(lines[: len(lines) - below])
    upwards = (row for line in last for row in reversed(line_rows(line, room.width, canvas.glyphs)))
    rows = list(islice(upwards, max(room.height, 0)))
    if len(rows) < room.height:
        paint_from(canvas, room, lines)
    else:
        _paint_rows(canvas, room, rows[::-1])


def paint_from(canvas: Canvas, room: Box, lines: Sequence[LogLine]) -> None:
    rows = [row for line in lines[: room.height] for row in line_rows(line, room.width, canvas.glyphs)]
    _paint_rows(canvas, room, rows[: room.height])


def _paint_rows(canvas: Canvas, room: Box, rows: Sequence[tuple[Fragment, Fragment]]) -> None:
    for down, ((sign_style, sign), (style, text)) in enumerate(rows):
        canvas.put(room.row + down, room.column, sign, sign_style)
        canvas.put(room.row + down, room.column + 2, text, style)


def line_rows(line: LogLine, width: int, glyphs: Glyphs) -> list[tuple[Fragment, Fragment]]:
    """Return sign and text of every row of a line: the sign of its team, or of its kind."""
    first, *more = wrapped(line.text, max(width - 2, 1))
    team = line.kind == "log" and line.colour
    sign = (f"chip.{team}", glyphs.chips[team]) if team else (line.kind, SIGNS.get(line.kind, " "))
    return [(sign, (line.kind, first)), *(((line.kind, " "), (line.kind, text)) for text in more)]
