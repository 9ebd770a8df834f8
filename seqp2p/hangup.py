"""The signal of a terminal that closes."""

import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn

HANGUP: Final[int | None] = None if sys.platform == "win32" else signal.SIGHUP
"""Windows has none."""
_HEARD_S: Final = 10.0
"""Longer than whoever hears the signal takes to end this process: a goodbye, the end of a replay."""


class TerminalGone(Exception):  # it says what has happened, and nobody is to blame
    """Nobody can see or say anything here any more."""


def awaited() -> list[int]:
    """The signal, where it ends this process: nohup wants it to be ignored."""
    return [] if HANGUP is None or signal.getsignal(HANGUP) == signal.SIG_IGN else [HANGUP]


async def hang_up(sleep: Callable[[float], Awaitable[None]]) -> NoReturn:
    """The terminal is gone, and this process may be the first to notice: it is asked to end as by its system.

    Raises TerminalGone where nothing of this program would hear that (the signal would kill it, or be ignored), or
    nothing obeys. Never by another signal: those say that a seat is left, which nobody has said who loses a terminal.
    """
    if HANGUP is not None and callable(signal.getsignal(HANGUP)):
        signal.raise_signal(HANGUP)
        await sleep(_HEARD_S)
    raise TerminalGone
