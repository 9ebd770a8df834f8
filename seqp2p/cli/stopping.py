"""What asks this process to end, and how a command that waits for no network ends then."""

import signal
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from types import FrameType

from seqp2p.cli.output import ABANDONED, CommandError
from seqp2p.hangup import HANGUP, TerminalGone, awaited
from seqp2p.ui.language import t


def polite_signals() -> list[int]:
    """What asks a process to end: Ctrl-C, a polite kill, a terminal that closes."""
    return [signal.SIGINT, signal.SIGTERM, *awaited()]


def stopped_by(number: int) -> CommandError | TerminalGone:
    """What a command ends with that this signal has asked to end."""
    return TerminalGone() if number == HANGUP else CommandError(t("stopped"), exit_code=ABANDONED)


@contextmanager
def stopping_alike() -> Generator[None]:
    """Whatever asks this process to end comes as a KeyboardInterrupt, as Ctrl-C does."""
    with handling(polite_signals(), signal.default_int_handler):
        yield


@contextmanager
def handling(signals: Iterable[int], handler: Callable[[int, FrameType | None], object]) -> Generator[None]:
    """These signals do this until the block ends."""
    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
