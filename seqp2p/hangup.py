"""What a terminal that closes sends to the processes that it had."""

import signal
import sys
from typing import Final

HANGUP: Final[int | None] = None if sys.platform == "win32" else signal.SIGHUP
"""Windows has none."""


def awaited() -> list[int]:
    """The signal, where it ends this process: nohup wants it to be ignored."""
    return [] if HANGUP is None or signal.getsignal(HANGUP) == signal.SIG_IGN else [HANGUP]


def hang_up() -> None:
    """The terminal is gone, and this process may be the first to notice: it is asked to end, if need be politely."""
    signal.raise_signal((*awaited(), signal.SIGTERM)[0])
