"""The run of a command: the signals that end it, the lines of its error, and the command that resumes its game."""

import shlex
import signal
import sys
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Final

from seqp2p.errors import ABANDONED, UserError, errors_in
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


def hear_ctrl_c() -> None:
    """Let Ctrl-C come from now on. Raises KeyboardInterrupt where it came while the program was loaded."""
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


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


def run_async(work: Callable[[], Awaitable[int]]) -> int:
    """Run under trio and return the exit code. Raises UserError, also where a signal or Ctrl-C has ended it.

    A signal that asks this process to end, and that nothing in the work listens for, cancels all of it.
    """
    try:
        return _until_asked_to_end(work)
    except (BaseExceptionGroup, UserError, TerminalGone, KeyboardInterrupt) as raised:
        errors = list(errors_in(raised))
        if not all(isinstance(error, UserError | TerminalGone | KeyboardInterrupt) for error in errors):
            raise
        error = errors[0]
        if not isinstance(error, UserError):
            text = t("the terminal is gone") if isinstance(error, TerminalGone) else t("stopped")
            error = UserError(text, exit_code=ABANDONED)
        raise error from None


def _until_asked_to_end(work: Callable[[], Awaitable[int]]) -> int:
    """Run it; raises UserError or TerminalGone where a signal has ended it."""
    import trio  # what --help and completion need not wait for

    # Ctrl-C raises KeyboardInterrupt by itself.
    signals = [number for number in polite_signals() if number != signal.SIGINT]
    with ExitStack() as handled:

        async def run() -> int:
            token, asked = trio.lowlevel.current_trio_token(), list[int]()
            with trio.CancelScope() as scope:

                def end(number: int, _: object) -> None:
                    asked.append(number)
                    with suppress(trio.RunFinishedError):
                        token.run_sync_soon(scope.cancel)

                # Until all has ended: a terminal that closes can be told of twice, and the second must not kill.
                handled.enter_context(handling(signals, end))
                return await work()
            raise stopped_by(asked[0])

        # Ctrl-C comes where a task waits anyway, never between two lines that belong together.
        return trio.run(run, restrict_keyboard_interrupt_to_checkpoints=True)


def line_of(error: UserError) -> str:
    """Return the text of an error in the reader's language, as it stands after ``error:``."""
    from seqp2p.net.errors import NetError  # what --help need not wait for

    return sentence(message_of(error)) if isinstance(error, NetError) else translate(message_of(error))


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
