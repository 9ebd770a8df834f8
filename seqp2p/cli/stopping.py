"""What asks this process to end, and how a command that waits for no network ends then."""

import signal
from collections.abc import Generator
from contextlib import contextmanager

from seqp2p.hangup import awaited


def polite_signals() -> list[int]:
    """What asks a process to end: Ctrl-C, a polite kill, a terminal that closes."""
    return [signal.SIGINT, signal.SIGTERM, *awaited()]


@contextmanager
def stopping_alike() -> Generator[None]:
    """Whatever asks this process to end comes as a KeyboardInterrupt, as Ctrl-C does."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in polite_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
