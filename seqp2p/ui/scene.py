"""What stands on the screen at a time: the lobby, the table, a replay. A scene paints itself and obeys keys.

A scene lives on trio's side and is asked for a painter whenever something has changed. The painter is pure and holds
frozen data only, for it is called in the screen's own thread. A scene decides no rule: whatever a person wants done
leaves it as a typed line would, so that keys, mouse and words come in by one door.
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
    """A key as it is printed on the keyboard, and what it does now, in the reader's language.

    One that is ``spare`` goes without saying where there is no room for all.
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
    """The numbers of those keys that have room beside each other: without spare ones, if need be, the last ones first.

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
    """What a painter needs beside its scene: what was said, oldest first, what was typed, and the signs to use."""

    lines: tuple[LogLine, ...] = ()
    typed: str = ""
    glyphs: Glyphs = UNICODE


class Scene(Protocol):
    """One scene. Keys are ``up down left right enter escape tab s-tab space pageup pagedown home end f1`` … ``f12``.

    They come here while the line where a person types is empty; what was typed goes to whoever reads lines.
    """

    def painter(self, page: Page) -> Painter:
        """Paints the scene as it is now."""
        ...

    def press(self, key: str) -> str | None:
        """Obey a key. A line that is returned counts as typed."""
        ...

    def click(self, target: Target) -> str | None:
        """Obey a click on what lies there. A line that is returned counts as typed."""
        ...

    def keys(self) -> Sequence[KeyHelp]:
        """The keys that do something now."""
        ...

    def completions(self, typed: str) -> Sequence[str]:
        """Whole lines that may be meant by what is typed so far, the likeliest first."""
        ...
