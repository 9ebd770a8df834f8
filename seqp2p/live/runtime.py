"""A game's clock, threads for slow work, tasks that run while a block lasts, and callbacks that do nothing."""

import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from typing import Final, TypeVar

import trio

from seqp2p.errors import errors_in
from seqp2p.i18n import message

T = TypeVar("T")


class Runtime:
    """Trio's clock and worker threads. A simulated game has its own of both (tests/sim)."""

    def now(self) -> float:
        """Return seconds on a clock that never goes back."""
        return trio.current_time()

    def processor_s(self) -> float:
        """Return the seconds of processor time that this thread has used; a simulation uses none."""
        return time.thread_time()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Return the result of work that may take long. Links and screens do not wait for it."""
        return await trio.to_thread.run_sync(work)

    async def on_disk(self, work: Callable[[], None]) -> None:
        """Let this work wait for the disk; nothing else waits for it."""
        await trio.to_thread.run_sync(work)


UNDER_TRIO: Final = Runtime()


class _Ignore:
    """Do nothing: for events that the caller does not read, and for news that it does not wait for."""

    def __call__(self, *_: object) -> None: ...

    def __repr__(self) -> str:
        return "ignore"


ignore: Final = _Ignore()

LEFT: Final = message("left the table")
CLOSE_S: Final = 15.0
"""To leave: a heavy proof on its way, a goodbye (``close_s``), and the disk."""


@contextlib.asynccontextmanager
async def background_tasks() -> AsyncGenerator[trio.Nursery]:
    """Open a nursery; cancel its tasks when the block ends, and wait for them.

    The error of the block, or of a task, comes out as it is, not in a group, so that the caller can catch it by its
    name. Several come in a group.
    """
    failure: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            except BaseException as error:
                failure = error
                raise
            finally:
                nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        # A group that the block raised comes back as another one of the same errors.
        faults, own = _faults(group), _faults(failure)
        if len(faults) == 1 and not own:
            failure = faults[0]
        elif failure is None or len(faults) > len(own):
            raise
    if failure is not None:
        raise failure


def _faults(error: BaseException | None) -> list[BaseException]:
    return [each for each in errors_in(error) if not isinstance(each, trio.Cancelled)] if error is not None else []
