"""Something that goes on beside the caller's block, and is ended politely with it.

Theory of operation. It runs in a task that no cancellation of the caller's reaches. When the caller's block ends,
however it ends, ``part`` asks it to end, and waits. Where that takes too long it is cut off, as by a crash.
"""

from collections.abc import Awaitable, Callable
from typing import Final, cast

import trio

from seqp2p.i18n import message
from seqp2p.match.events import Result
from seqp2p.replay.sidecar import SidecarError

LEFT: Final = message("left the table")
PART_S: Final = 15.0
"""To leave: a heavy proof that is on its way, a goodbye (``close_s``), and the disk."""


class Running:
    """A session or a spectator: ``play`` runs it, ``leave`` asks it to end, ``ended`` is called after its end."""

    def __init__(
        self,
        play: Callable[[], Awaitable[Result]],
        leave: Callable[[str], Awaitable[None]],
        ended: Callable[[], None],
    ) -> None:
        self.result: Result | None = None
        self._play = play
        self._leave = leave
        self._ended = ended
        self._failure: BaseException | None = None
        self._over = trio.Event()
        self._scope = trio.CancelScope(shield=True)

    async def run(self) -> None:
        """Run to the end. Nothing is raised but by a fault of this program: see ``check``."""
        try:
            with self._scope:
                try:
                    self.result = await self._play()
                except* (OSError, SidecarError) as group:
                    # Whatever can go wrong in the network has a name of its own: this is the disk.
                    self._failure = _first(group)
        finally:
            self._over.set()
            self._ended()

    async def leave(self) -> None:
        """Ask it to end, if it has not, and wait until all is said and written."""
        if not self._over.is_set():
            await self._leave(LEFT)
        await self._over.wait()

    async def part(self) -> None:
        """The caller's block has ended. Takes at most PART_S, and cannot be cancelled."""
        with trio.CancelScope(shield=True):
            with trio.move_on_after(PART_S):
                await self.leave()
            self._scope.cancel()
            await self._over.wait()

    def check(self) -> None:
        """Raise, once, what it has failed by: OSError, SidecarError."""
        if (failure := self._failure) is not None:
            self._failure = None
            raise failure


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = cast("tuple[BaseException, ...]", error.exceptions)[0]
    return error
