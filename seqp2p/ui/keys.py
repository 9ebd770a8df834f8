"""The keys that do something now, with their effects, on the last row of a page."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from seqp2p.ui.frame import Canvas, width_of


class KeyHelp(NamedTuple):
    """A key as printed on the keyboard, and its present effect, in the reader's language.

    A ``spare`` one is left out if there is no room for all. A click presses the key with the name ``press``; on the
    first sign of ``key`` it presses ``back``, if there is one. Without ``press`` nothing can be clicked, or looks so.
    """

    key: str
    does: str
    spare: bool = False
    press: str = ""
    back: str = ""

    @property
    def width(self) -> int:
        return width_of(self.key) + 1 + width_of(self.does)


KEYS_APART: Final = 2
"""Cells between one key and the next."""


def fitting(keys: Sequence[KeyHelp], width: int) -> list[int]:
    """Return the numbers of the keys that fit on a line: without spare ones if necessary, the last ones first.

    The way out is always there.

    >>> keys = [KeyHelp("?", "help"), KeyHelp("F3", "discards"), KeyHelp("arrows", "square", spare=True)]
    >>> fitting(keys, 34), fitting(keys, 33), fitting(keys, 18)
    ([0, 1, 2], [0, 1], [0])
    >>> fitting([*keys, KeyHelp("Ctrl-C", "stop", press="c-c")], 22)
    [0, 3]
    """
    kept = list(range(len(keys)))
    dropped_first = sorted(kept, key=lambda number: (keys[number].press == "c-c", not keys[number].spare, -number))
    for number in dropped_first:
        if sum(keys[other].width + KEYS_APART for other in kept) - KEYS_APART <= width:
            break
        kept.remove(number)
    return kept


def put_keys(canvas: Canvas, column: int, keys: Sequence[KeyHelp], style: str) -> None:
    """Paint keys and their effects on the last row, as many as there is room for; F1 is ``("key f1", 0)``."""
    row = canvas.height - 1
    for number in fitting(keys, canvas.width - column):
        key = keys[number]
        if key.press:
            canvas.touch(row, column, 1, key.width, (f"key {key.press}", 0))
            canvas.touch(row, column, 1, bool(key.back), (f"key {key.back}", 0))
        column = canvas.put(row, column, key.key, "key" if key.press else style)
        column = canvas.put(row, column + 1, key.does, style) + KEYS_APART
