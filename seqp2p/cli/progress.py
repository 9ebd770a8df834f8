"""Progress on standard error, at a terminal only: a bar over files, or a line.

A line is repainted in its place, and wiped away before other text, so that lines stay whole.
Nothing is shown where it would be read as text: through a pipe, at a dumb terminal, to a screen reader. Nothing is
shown if standard output is a pipe, either: its reader may write to the same terminal.
"""

import contextlib
import os
import stat
import sys
import time
from collections.abc import Callable, Generator
from typing import Final

from seqp2p.ui.language import t

_ERASE: Final = "\r\x1b[K"
_WIDTH_DEFAULT: Final = 80
_BAR_WIDTH: Final = 30
# Before, the time that is left would jump about.
_ESTIMATE_FROM_S: Final = 2

_hidden = False
_shown = ""


def hide(hidden: bool = True) -> None:  # as a click option calls it
    """Show no progress from now on, in this process; or show it again."""
    global _hidden  # noqa: PLW0603  # one terminal, one wish
    wipe()
    _hidden = hidden


def can_show() -> bool:
    """Return True if progress can be shown: standard error is a terminal, and lines can be repainted."""
    plain = os.environ.get("TERM") == "dumb" or bool(os.environ.get("ACCESSIBLE"))
    return not (_hidden or plain) and sys.stderr.isatty() and not stat.S_ISFIFO(os.fstat(1).st_mode)


def show(text: str) -> None:
    """Paint the line, in the place of the one that stands there; an empty text wipes it away."""
    global _shown  # noqa: PLW0603  # one terminal, one line
    if text == _shown or not (_shown or can_show()):
        return
    from seqp2p.ui.frame import clipped

    _shown = clipped(text, _width() - 1) if can_show() else ""
    with contextlib.suppress(OSError):  # The terminal is gone.
        sys.stderr.write(_ERASE + _shown)
        sys.stderr.flush()


def wipe() -> None:
    """Wipe the line away, if there is one: something else is to be written."""
    show("")


@contextlib.contextmanager
def bar(count: int, label: str) -> Generator[Callable[[], None]]:
    """Show a bar of this many steps and the time left while the block lasts; call the yielded function after each."""
    done, begun = 0, time.monotonic()

    def advance(by: int = 1) -> None:
        nonlocal done
        done += by
        if count > 1:
            full = _BAR_WIDTH * done // count
            show(f"{label} [{'#' * full}{'-' * (_BAR_WIDTH - full)}] {done}/{count}{_left(done, count, begun)}")

    advance(0)
    try:
        yield advance
    finally:
        wipe()


def _left(done: int, count: int, begun: float) -> str:
    """Return the time left, if the rest takes as long as the part done; empty at first."""
    passed = time.monotonic() - begun
    if not done or passed < _ESTIMATE_FROM_S:
        return ""
    minutes, seconds = divmod(round(passed * (count - done) / done), 60)
    return ", " + t("{time} left", time=f"{minutes}:{seconds:02}")


def _width() -> int:
    with contextlib.suppress(OSError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or _WIDTH_DEFAULT
    return _WIDTH_DEFAULT
