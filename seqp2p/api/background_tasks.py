"""Tasks that run while a caller's block lasts, and end politely with it.

Theory of operation. A ``Runner`` runs a seat or a spectator in a task that no cancellation of the caller's reaches.
When the caller's block ends, by an error or not, the runner asks its game to leave, and waits. After CLOSE_S it cuts
the game off, as by a crash.
"""

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from typing import Final, TypeAlias, cast

import trio

from seqp2p.i18n import message
from seqp2p.match.events import Result
from seqp2p.replay.sidecar import SidecarError

LEFT: Final = message("left the table")
CLOSE_S: Final = 15.0
"""To leave: a heavy proof that is on its way, a goodbye (``close_s``), and the disk."""

Play: TypeAlias = Callable[[Callable[[], None]], Awaitable[Result]]
"""Runs to the end. It calls its argument once its files are open; it raises OSError and SidecarError."""


class Runner:
    """Runs ``play`` in the background; ``leave`` asks it to end, ``on_end`` is called after its end."""

    def __init__(self, play: Play, leave: Callable[[str], Awaitable[None]], on_end: Callable[[], None]) -> None:
        self.result: Result | None = None
        self._play = play
        self._leave = leave
        self._on_end = on_end
        self._failure: OSError | SidecarError | None = None
        self._begun = trio.Event()
        self._over = trio.Event()
        self._scope = trio.CancelScope(shield=True)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Run until the block ends, which begins once the files are open. Raises OSError, SidecarError."""
        async with background_tasks() as nursery:
            nursery.start_soon(self._run)
            try:
                await self._begun.wait()
                self.check()
                yield
            finally:
                await self._close()
        self.check()

    async def leave(self) -> None:
        """Ask it to end, if it has not, and wait until all is sent and written. Raises OSError, SidecarError."""
        await self._ask_to_end()
        self.check()

    def check(self) -> None:
        """Raise its failure, once: OSError, SidecarError."""
        if (failure := self._failure) is not None:
            self._failure = None
            raise failure

    async def _run(self) -> None:
        try:
            with self._scope:
                self.result = await self._play(self._begun.set)
        except (OSError, SidecarError) as failure:
            self._failure = failure
        finally:
            self._begun.set()
            self._over.set()
            self._on_end()

    async def _ask_to_end(self) -> None:
        if not self._over.is_set():
            await self._leave(LEFT)
        await self._over.wait()

    async def _close(self) -> None:
        with trio.CancelScope(shield=True):
            with trio.move_on_after(CLOSE_S):
                await self._ask_to_end()
            self._scope.cancel()
            await self._over.wait()


@contextlib.asynccontextmanager
async def background_tasks() -> AsyncGenerator[trio.Nursery]:
    """Open a nursery; cancel its tasks when the block ends, and wait for them.

    An error of the block comes out as it is, not in a group, so that the caller can catch it by its name. It comes in a
    group only if a task has failed too.
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
        own = {id(error) for error in _leaves(failure)} if failure is not None else set[int]()
        if failure is None or any(id(error) not in own for error in _leaves(group)):
            raise
    if failure is not None:
        raise failure


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors in a group, without cancellations on their way."""
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("tuple[BaseException, ...]", error.exceptions):
            yield from _leaves(inner)
    elif not isinstance(error, trio.Cancelled):
        yield error
