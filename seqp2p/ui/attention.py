"""Sequences that call a player to a terminal, or have it copy: as xterm and its followers have them."""

from collections.abc import Callable
from typing import Final

KEEP_TITLE: Final = "\x1b[22;2t"
OLD_TITLE: Final = "\x1b[23;2t"
LENGTH_MAX: Final = 80


def notification(text: str) -> str:
    """Return the sequence that shows a printable text as a notification of the desktop (OSC 9)."""
    return f"\x1b]9;{text[:LENGTH_MAX]}\x07"


def copying(text: str) -> str:
    r"""Return the sequence by which a terminal copies a text (OSC 52).

    >>> copying("hi")
    '\x1b]52;c;aGk=\x07'
    """
    import base64  # Only where a text is copied: --help is quick.

    return f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07"


class TitleBar:
    """The title of a terminal, which gets its old one back by an empty text. ``write`` sends sequences to it."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self.text = ""

    def show(self, text: str) -> None:
        """Show a printable text, which is another than before, or the old title for an empty one."""
        before, self.text = self.text, text
        if not text:
            self._write(OLD_TITLE)
        else:
            self._write(("" if before else KEEP_TITLE) + f"\x1b]2;{text[:LENGTH_MAX]}\x07")
