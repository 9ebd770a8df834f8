"""Running a command's asynchronous part; its error becomes one sentence and an exit code."""

import contextlib
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from typing import cast

import trio

from seqp2p.cli.errors import handling, polite_signals, stopped_by
from seqp2p.cli.lines import LineReader
from seqp2p.errors import ABANDONED, UserError
from seqp2p.hangup import TerminalGone
from seqp2p.ui.language import t


def run_async(work: Callable[[], Awaitable[int]]) -> int:
    """Run under trio and return the exit code. Raises UserError, also where a signal or Ctrl-C has ended it.

    A signal that asks this process to end, and that nothing in the work listens for, cancels all of it.
    """
    try:
        return _until_asked_to_end(work)
    except (BaseExceptionGroup, UserError, TerminalGone, KeyboardInterrupt) as raised:
        errors = list(_leaves(raised))
        if not all(isinstance(error, UserError | TerminalGone | KeyboardInterrupt) for error in errors):
            raise
        error = errors[0]
        if not isinstance(error, UserError):
            text = t("the terminal is gone") if isinstance(error, TerminalGone) else t("stopped")
            error = UserError(text, exit_code=ABANDONED)
        raise error from None


def _until_asked_to_end(work: Callable[[], Awaitable[int]]) -> int:
    """Run it; raises UserError or TerminalGone where a signal has ended it."""
    # Ctrl-C raises KeyboardInterrupt by itself.
    signals = [number for number in polite_signals() if number != signal.SIGINT]
    with contextlib.ExitStack() as handled:

        async def run() -> int:
            token, asked = trio.lowlevel.current_trio_token(), list[int]()
            with trio.CancelScope() as scope:

                def end(number: int, _: object) -> None:
                    asked.append(number)
                    with contextlib.suppress(trio.RunFinishedError):
                        token.run_sync_soon(scope.cancel)

                # Until all has ended: a terminal that closes can be told of twice, and the second must not kill.
                handled.enter_context(handling(signals, end))
                return await work()
            raise stopped_by(asked[0])

        # Ctrl-C comes where a task waits anyway, never between two lines that belong together.
        return trio.run(run, restrict_keyboard_interrupt_to_checkpoints=True)


@contextlib.asynccontextmanager
async def ending_with_parent(*, wanted: bool) -> AsyncGenerator[None]:
    """End the block, if wanted, when the parent process has ended. Raises SystemExit then."""
    async with trio.open_nursery() as nursery:
        orphaned = trio.CancelScope()
        if wanted:
            nursery.start_soon(cancel_when_stdin_closes, orphaned)
        with orphaned:
            yield
        nursery.cancel_scope.cancel()
    if orphaned.cancelled_caught:
        raise SystemExit(ABANDONED)  # The parent is gone: there is no reader for a message.


async def cancel_when_stdin_closes(scope: trio.CancelScope) -> None:
    """Cancel when the process that started this one has ended: its end of the pipe closes then."""
    reader = LineReader(0)
    while await reader.read_line() is not None:
        pass
    scope.cancel()


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("tuple[BaseException, ...]", error.exceptions):
            yield from _leaves(inner)
    else:
        yield error
