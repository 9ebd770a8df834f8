"""The signal of a terminal that closes."""

import signal
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn

HANGUP: Final[int | None] = getattr(signal, "SIGHUP", None)
"""Windows has none."""
_HEARD_S: Final = 10.0
"""Longer than a handler of the signal takes to end this process: a goodbye, the end of a replay."""


class TerminalGone(Exception):  # it says what has happened, and nobody is to blame
    """The terminal is gone: it can show and read nothing."""


def awaited() -> list[int]:
    """The signal, where it ends this process: nohup wants it to be ignored."""
    return [] if HANGUP is None or signal.getsignal(HANGUP) == signal.SIG_IGN else [HANGUP]


async def hang_up(sleep: Callable[[float], Awaitable[None]]) -> NoReturn:
    """End this process as its system would, after it is the first to notice that the terminal is gone.

    Raises TerminalGone if this program does not handle the signal (it would kill it, or be ignored), or nothing obeys.
    It is never another signal: those leave the seat, and a lost terminal does not.
    """
    if HANGUP is not None and callable(signal.getsignal(HANGUP)):
        signal.raise_signal(HANGUP)
        await sleep(_HEARD_S)
    raise TerminalGone
