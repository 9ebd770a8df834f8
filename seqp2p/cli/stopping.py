"""What asks this process to end, and how a command that waits for no network ends then."""

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager


def polite_signals() -> list[int]:
    """What asks a process to end: Ctrl-C, a polite kill, a terminal that closes."""
    signals: list[int] = [signal.SIGINT, signal.SIGTERM]
    # Windows has no SIGHUP, and nohup wants it to be ignored.
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signals.append(signal.SIGHUP)
    return signals


@contextmanager
def stopping_alike() -> Generator[None]:
    """Whatever asks this process to end comes as a KeyboardInterrupt, as Ctrl-C does."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in polite_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
