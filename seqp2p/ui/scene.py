"""Scenes: the lobby, the table, a replay. A scene paints itself and obeys keys.

A scene lives on trio's side and gives a new painter after every change. The painter is pure and holds only frozen data,
because it is called in the screen's own thread. A scene decides no rule: a person's wish leaves it as a typed line, so
keys, mouse and words go one way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from seqp2p.ui.frame import Painter, Target, width_of
from seqp2p.ui.styles import UNICODE, Glyphs

WIDTH_MIN, HEIGHT_MIN = 80, 24
"""Cells that a scene may count on; on less the screen says so, and no scene is asked. One row below is not a scene's:
a scene is painted at least 80 by 23, above the line where a person types."""


class LogLine(NamedTuple):
    """A line that was said. Its kind: ``log`` what happened, ``remark`` by a seat, ``answer`` and ``alarm`` to you."""

    kind: str
    text: str


class KeyHelp(NamedTuple):
    """A key as printed on the keyboard, and its present effect, in the reader's language.

    A ``spare`` one is left out if there is no room for all.
    """

    key: str
    does: str
    spare: bool = False

    @property
    def width(self) -> int:
        """The cells that it takes."""
        return width_of(self.key) + 1 + width_of(self.does)


KEYS_APART: Final = 2
"""Cells between one key and the next."""


def fitting(keys: Sequence[KeyHelp], width: int) -> list[int]:
    """Return the numbers of the keys that fit on a line: without spare ones if necessary, the last ones first.

    >>> keys = [KeyHelp("?", "help"), KeyHelp("F3", "discards"), KeyHelp("arrows", "square", spare=True)]
    >>> fitting(keys, 34), fitting(keys, 33), fitting(keys, 18)
    ([0, 1, 2], [0, 1], [0])
    """
    kept = list(range(len(keys)))
    dropped_first = sorted(kept, key=lambda number: (not keys[number].spare, -number))
    for number in dropped_first:
        if sum(keys[other].width + KEYS_APART for other in kept) - KEYS_APART <= width:
            break
        kept.remove(number)
    return kept


@dataclass(frozen=True, slots=True)
class Page:
    """The further input of a painter: the log, oldest first, the typed text, and the signs."""

    lines: tuple[LogLine, ...] = ()
    typed: str = ""
    glyphs: Glyphs = UNICODE


class Scene(Protocol):
    """One scene. Keys are ``up down left right enter escape tab s-tab space pageup pagedown home end f1`` … ``f12``.

    They come here while the input line is empty; a typed line goes to the reader of lines.
    """

    def painter(self, page: Page) -> Painter:
        """Paints the scene as it is now."""
        ...

    def press(self, key: str) -> str | None:
        """Obey a key. A returned line counts as typed."""
        ...

    def click(self, target: Target) -> str | None:
        """Obey a click on this place. A returned line counts as typed."""
        ...

    def completions(self, typed: str) -> Sequence[str]:
        """Return the lines that the typed text may become, the likeliest first."""
        ...
