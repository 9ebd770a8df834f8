"""A game's clock, threads for slow work, and callbacks that do nothing."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

import trio

T = TypeVar("T")


class Runtime:
    """Trio's clock and worker threads. A game that is simulated has its own of both (tests/sim)."""

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


def ignore(_: object) -> None:
    """Do nothing: for events that the caller does not read."""


def nothing() -> None:
    """Do nothing: for news that the caller does not wait for."""
