"""A game's clock, and threads for slow work: trio's, or those of a simulation."""

import time
from collections.abc import Callable
from typing import Final, Protocol, TypeVar

import trio

T = TypeVar("T")


class Runtime(Protocol):
    """A clock and a helper. A game that is simulated has its own of both (tests/sim)."""

    def now(self) -> float:
        """Seconds on a clock that never goes back."""
        ...

    def processor_s(self) -> float:
        """Seconds of processor time that this thread has used; a simulation uses none."""
        ...

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Return the result of work that may take long. Links and screens do not wait for it."""
        ...

    async def on_disk(self, work: Callable[[], None]) -> None:
        """Let this work wait for the disk; nothing else waits for it."""
        ...


class UnderTrio:
    """Trio's clock and worker threads."""

    def now(self) -> float:
        """Trio's time."""
        return trio.current_time()

    def processor_s(self) -> float:
        """The system's count."""
        return time.thread_time()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """The work is done in a worker thread."""
        return await trio.to_thread.run_sync(work)

    async def on_disk(self, work: Callable[[], None]) -> None:
        """The same."""
        await trio.to_thread.run_sync(work)


UNDER_TRIO: Final = UnderTrio()
