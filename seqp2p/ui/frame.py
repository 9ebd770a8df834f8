"""A page of text as a terminal shows it: rows of styled pieces, and what a click on a cell means.

Scenes paint on a ``Canvas``, which clips, minds wide characters and never lets a character through that a terminal
would obey; what comes out is frozen. Nothing here knows a terminal or a game.
"""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from seqp2p.ui.styles import UNICODE, Glyphs

Target: TypeAlias = tuple[str, int]
"""The thing on a cell: ``("square", 44)``, ``("card", 3)``, ``("seat", 2)`` …"""
Fragment: TypeAlias = tuple[str, str]
"""Names of styles, separated by spaces (``ui.styles``), and a text."""

_ALIKE: Final = str.maketrans(
    {"×": "x", "’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-"}
    | {"←": "<", "→": ">", "↑": "^", "↓": "v"}
)
"""Signs of print and of keys, and those that a typewriter has in their place."""


class Box(NamedTuple):
    """A part of the page."""

    row: int
    column: int
    width: int
    height: int

    def lower(self, rows: int) -> "Box":
        """Return the part without so many rows at its top."""
        return self._replace(row=self.row + rows, height=max(self.height - rows, 0))


class Area(NamedTuple):
    """A rectangle of cells with a thing on it."""

    row: int
    column: int
    height: int
    width: int
    target: Target


@dataclass(frozen=True, slots=True)
class Frame:
    """``rows`` from the top, each as wide as the page; ``areas`` for clicks, the last one on top."""

    rows: tuple[tuple[Fragment, ...], ...]
    areas: tuple[Area, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The text alone, without blanks at the ends of rows."""
        return ["".join(text for _, text in row).rstrip() for row in self.rows]

    @property
    def targets(self) -> dict[tuple[int, int], Target]:
        return {
            (row, column): area.target
            for area in self.areas
            for row in range(area.row, area.row + area.height)
            for column in range(area.column, area.column + area.width)
        }


Painter: TypeAlias = Callable[[int, int], Frame]
"""Paints a page of this width and height. It is pure, and may be called in another thread."""


@lru_cache(maxsize=4096)
def _width(character: str) -> int:
    from wcwidth import wcwidth  # Its tables take 3 MB: a seat that shows nothing does without.

    return max(0, wcwidth(character))


def width_of(text: str) -> int:
    """Return the number of terminal cells of a text.

    >>> width_of("ann"), width_of("安")
    (3, 2)
    """
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def clipped(text: str, width: int, more: str = "…") -> str:
    """A text that takes at most so many cells; one that was longer ends in ``more``.

    >>> clipped("alexander", 5), clipped("安安安", 5), clipped("ann", 5)
    ('alex…', '安安…', 'ann')
    """
    if width_of(text) <= width:
        return text
    kept, room = "", width - width_of(more)
    if room < 0:
        return ""
    for character in text:
        room -= _width(character)
        if room < 0:
            break
        kept += character
    return kept + more


def in_ascii(text: str) -> str:
    r"""Return the text in ASCII, of the same width: letters without accents, and ``?`` for other characters.

    >>> in_ascii("mélangé… 80×24"), in_ascii("安!"), in_ascii("e\u0301"), in_ascii("←→ step")
    ('melange. 80x24', '??!', 'e', '<> step')
    """
    if text.isascii():
        return text
    return "".join(map(_ascii_cells, text))


def _ascii_cells(character: str) -> str:
    if character.isascii():
        return character
    size = _width(character)
    alike = unicodedata.normalize("NFKD", character.translate(_ALIKE)).encode("ascii", "ignore").decode()
    return alike[:size] if len(alike) >= size else "?" * size


@lru_cache(maxsize=8192)
def _cells(text: str) -> tuple[str, ...]:
    """A text by terminal cells: a wide character is followed by an empty one, a mark stands with what it marks.

    Unprintable characters are shown as ``?``.
    """
    cells: list[str] = []
    for character in text:
        shown = character if character.isprintable() else "?"
        size = 1 if shown < "\x7f" else _width(shown)
        if size > 0:
            cells += [shown, *[""] * (size - 1)]
        elif cells:
            cells[next(at for at in range(len(cells) - 1, -1, -1) if cells[at])] += shown
    return tuple(cells)


Cells: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""A row of cells: texts and styles."""


def cells_of(fragments: Iterable[Fragment]) -> Cells:
    texts: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    for style, text in fragments:
        cells = _cells(text)
        texts, styles = texts + cells, styles + (style,) * len(cells)
    return texts, styles


@lru_cache(maxsize=1024)
def _fragments(texts: tuple[str, ...], styles: tuple[str, ...]) -> tuple[Fragment, ...]:
    """Join cells of one style. Most rows are as they were at the last key."""
    begins = [at for at in range(len(styles)) if not at or styles[at] != styles[at - 1]]
    return tuple((styles[at], "".join(texts[at:end])) for at, end in pairwise((*begins, len(styles))))


class Canvas:
    """A page to paint on, with the signs of a character set. Everything beyond its edges is cut off."""

    def __init__(self, width: int, height: int, glyphs: Glyphs = UNICODE) -> None:
        self.glyphs = glyphs
        self.width = width
        self.height = height
        self._texts = [[" "] * width for _ in range(height)]
        self._styles = [[""] * width for _ in range(height)]
        self._areas: list[Area] = []

    def put(self, row: int, column: int, text: str, style: str = "", target: Target | None = None) -> int:
        """Paint a text, and return the column after it. A wide character is painted whole, or as a blank."""
        cells = _cells(text)
        self.place(row, column, (cells, (style,) * len(cells)))
        if target is not None:
            self.touch(row, column, 1, len(cells), target)
        return column + len(cells)

    def clip(self, row: int, column: int, width: int, text: str, style: str, target: Target | None = None) -> int:
        """Paint as much of a text as so many columns have room for, and return the column after it."""
        return self.put(row, column, clipped(text, width, self.glyphs.more), style, target)

    def place(self, row: int, column: int, cells: Cells) -> None:
        texts, styles = cells
        if not 0 <= row < self.height or column < 0:
            return
        if column + len(texts) > self.width:
            texts, styles = texts[: max(self.width - column, 0)], styles[: max(self.width - column, 0)]
            if texts and width_of(texts[-1]) > 1:
                texts = (*texts[:-1], " ")
        stop = column + len(texts)
        self._texts[row][column:stop] = texts
        self._styles[row][column:stop] = styles

    def touch(self, row: int, column: int, height: int, width: int, target: Target) -> None:
        """Put a thing on a rectangle of cells, for clicks."""
        height, width = min(height, self.height - row), min(width, self.width - column)
        if row >= 0 and column >= 0 and height > 0 and width > 0:
            self._areas.append(Area(row, column, height, width, target))

    def fill(self, row: int, column: int, width: int, style: str) -> None:
        """Put a style below those that are there."""
        if 0 <= row < self.height:
            for at in range(max(column, 0), min(column + width, self.width)):
                self._styles[row][at] = f"{style} {self._styles[row][at]}".strip()

    def frame(self) -> Frame:
        rows = map(_fragments, map(tuple, self._texts), map(tuple, self._styles))
        return Frame(tuple(rows), tuple(self._areas))
