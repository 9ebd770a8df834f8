"""How a command ends: its exit code, its error, the command that resumes its game, and the signals that end it."""

import signal
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final

from seqp2p.hangup import HANGUP, TerminalGone, awaited
from seqp2p.i18n import message
from seqp2p.ui.language import t, translate

if TYPE_CHECKING:
    pass

# docs/scripting.md lists them.
DONE = 0
FAILED = 1
USAGE = 2
NOT_VERIFIED = 3
NOT_CONNECTED = 4
ABANDONED = 5
# How the lines of an error begin.
ERROR: Final = message("seqp2p: error: ")
HINT: Final = message("seqp2p: hint: ")


class CommandError(Exception):
    """One sentence saying what happened, a hint saying what to do, and the exit code."""

    def __init__(self, message: str, hint: str = "", exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.hint = hint
        self.exit_code = exit_code


def what_failed(error: OSError) -> str:
    """Return the system's text of an error, in the reader's language if there is a translation."""
    return translate(error.strerror or str(error))


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


def sentence(text: str) -> str:
    """Return the text in the reader's language, to stand after ``error:``: a small first letter and no full stop."""
    text = translate(text)
    return text[:1].lower() + text[1:].rstrip(".")
