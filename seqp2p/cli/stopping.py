"""Signals that ask this process to end, and the end of a command that waits for no network."""

import signal
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from types import FrameType

from seqp2p.cli.output import ABANDONED, CommandError
from seqp2p.hangup import HANGUP, TerminalGone, awaited
from seqp2p.ui.language import t


def polite_signals() -> list[int]:
    """Return the signals that ask a process to end: Ctrl-C, a polite kill, a terminal that closes."""
    return [signal.SIGINT, signal.SIGTERM, *awaited()]


def stopped_by(number: int) -> CommandError | TerminalGone:
    """Return the error of a command that this signal has asked to end."""
    return TerminalGone() if number == HANGUP else CommandError(t("stopped"), exit_code=ABANDONED)


@contextmanager
def stopping_alike() -> Generator[None]:
    """Let all these signals raise KeyboardInterrupt, as Ctrl-C does."""
    with handling(polite_signals(), signal.default_int_handler):
        yield


@contextmanager
def handling(signals: Iterable[int], handler: Callable[[int, FrameType | None], object]) -> Generator[None]:
    """Handle these signals so until the block ends."""
    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
