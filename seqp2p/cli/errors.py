"""The end of a command: the lines of its error, and the signals that end it."""

import signal
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from types import FrameType
from typing import Final

from seqp2p.errors import ABANDONED, UserError
from seqp2p.hangup import HANGUP, TerminalGone, awaited
from seqp2p.i18n import message, message_of
from seqp2p.ui.language import t, translate

ERROR: Final = message("seqp2p: error: ")
"""How the line of an error begins."""
HINT: Final = message("seqp2p: hint: ")
"""How the line of its hint begins."""
LOST_HINT: Final = message("check the address, and that the host is still there; then try again")
"""What to do about an error of the network that has no hint of its own."""


def polite_signals() -> list[int]:
    """Return the signals that ask a process to end: Ctrl-C, a polite kill, a terminal that closes."""
    return [signal.SIGINT, signal.SIGTERM, *awaited()]


def stopped_by(number: int) -> UserError | TerminalGone:
    """Return the error of a command that this signal has asked to end."""
    return TerminalGone() if number == HANGUP else UserError(t("stopped"), exit_code=ABANDONED)


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


def line_of(error: UserError) -> str:
    """Return the text of an error in the reader's language, as it stands after ``error:``."""
    return sentence(message_of(error)) if _is_of_net(error) else translate(message_of(error))


def hint_of(error: UserError) -> str:
    """Return what to do about an error, in the reader's language; empty where there is nothing to say."""
    return translate(error.hint or (LOST_HINT if _is_of_net(error) else ""))


def _is_of_net(error: UserError) -> bool:
    from seqp2p.net.errors import NetError  # what --help need not wait for

    return isinstance(error, NetError)


def sentence(text: str) -> str:
    """Return the text in the reader's language, to stand after ``error:``: a small first letter and no full stop."""
    text = translate(text)
    return text[:1].lower() + text[1:].rstrip(".")
