"""The end of a command: the lines of its error, the signals that end it, and the command that resumes its game."""

import shlex
import signal
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final

from seqp2p.errors import ABANDONED, UserError
from seqp2p.hangup import HANGUP, TerminalGone, awaited
from seqp2p.i18n import message, message_of
from seqp2p.ui.language import t, translate

if TYPE_CHECKING:  # What --help need not wait for.
    from pathlib import Path

NOTE: Final = message("seqp2p: ")
"""How a line for people on standard error begins."""
ERROR: Final = message("seqp2p: error: ")
"""How the line of an error begins."""
HINT: Final = message("seqp2p: hint: ")
"""How the line of its hint begins."""


def polite_signals() -> list[int]:
    """Return the signals that ask a process to end: Ctrl-C, a polite kill, a terminal that closes."""
    return [signal.SIGINT, signal.SIGTERM, *awaited()]


def stopped_by(number: int) -> UserError | TerminalGone:
    """Return the error of a command that this signal has asked to end."""
    return TerminalGone() if number == HANGUP else UserError(t("stopped"), exit_code=ABANDONED)


def stopping_alike() -> AbstractContextManager[None]:
    """Let all these signals raise KeyboardInterrupt, as Ctrl-C does."""
    return handling(polite_signals(), signal.default_int_handler)


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
    from seqp2p.net.errors import NetError  # what --help need not wait for

    return sentence(message_of(error)) if isinstance(error, NetError) else translate(message_of(error))


def hint_of(error: UserError) -> str:
    """Return what to do about an error, in the reader's language; empty where there is nothing to say."""
    return translate(error.hint)


def sentence(text: str) -> str:
    """Return the text in the reader's language, to stand after ``error:``: a small first letter and no full stop."""
    text = translate(text)
    return text[:1].lower() + text[1:].rstrip(".")


# The game of this process, for the hint of an error that ends it.


class _Played:
    """The seat that this process plays, if it plays one."""

    replay: "Path | None" = None
    command: str | None = None
    """The command that resumes it; None where resuming it would fail."""
    is_child = False
    """Another process has started this one: its games are not resumed."""


def note_child() -> None:
    _Played.is_child = True


def can_resume() -> bool:
    """Return True if a game of this process can be resumed, unless its own player ends it."""
    return not _Played.is_child


def remember_seat(replay: "Path", game: bytes, options: Sequence[str]) -> None:
    """Note that this process plays a seat of this game; ``options`` are the options that ``resume`` needs."""
    _Played.replay, _Played.command = replay, shlex.join(["seqp2p", "resume", game.hex()[:12], *options])


def forget_command() -> None:
    """Note that resuming this seat would fail, though its files stay: no command is told."""
    _Played.command = None


def forget_seat() -> None:
    _Played.replay = _Played.command = None


def is_seat_kept() -> bool:
    """Return True if a seat can be resumed: its game is not over for it, and it was not left."""
    if _Played.replay is None or _Played.is_child:
        return False
    from seqp2p.replay.sidecar import sidecar_path  # what --help need not wait for

    return sidecar_path(_Played.replay).exists()


def resume_command() -> str | None:
    """Return the command that resumes the seat; None where no seat is kept, or resuming it would fail."""
    return _Played.command if is_seat_kept() else None
