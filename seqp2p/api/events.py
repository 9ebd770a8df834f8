"""A stream of events with any number of readers: each reads all of it, from the first event on."""

from collections import deque
from collections.abc import AsyncIterator
from typing import Final, Generic, TypeVar

import trio

E = TypeVar("E")

EVENTS_MAX: Final = 10_000
"""The longest game with all its remarks has half of this; events of strangers in an open lobby are dropped first."""


class Events(Generic[E]):
    """Frozen events in the order in which they came. ``async for`` gives each, and waits for the next until the end.

    They need not be read, and a slow reader delays nothing. Only the newest EVENTS_MAX are kept.
    """

    def __init__(self) -> None:
        """Filled by ``put`` until ``end``: made by this package."""
        self._kept: deque[E] = deque(maxlen=EVENTS_MAX)
        self._count = 0
        self._ended = False
        self._news = trio.Event()

    @property
    def so_far(self) -> tuple[E, ...]:
        """All that are kept, oldest first."""
        return tuple(self._kept)

    def put(self, event: E) -> None:
        """Append an event."""
        self._kept.append(event)
        self._count += 1
        self._wake()

    def end(self) -> None:
        """Tell the readers that there are no more events."""
        self._ended = True
        self._wake()

    def __aiter__(self) -> AsyncIterator[E]:
        return _Reader(self)

    async def after(self, number: int) -> tuple[int, E] | None:
        """Return the first kept event after so many, and its number; None at the end."""
        while number >= self._count and not self._ended:
            await self._news.wait()
        if number >= self._count:
            return None
        at = max(0, number - (self._count - len(self._kept)))
        return self._count - len(self._kept) + at + 1, self._kept[at]

    def _wake(self) -> None:
        self._news.set()
        self._news = trio.Event()


class _Reader(AsyncIterator[E]):
    def __init__(self, events: Events[E]) -> None:
        self._events = events
        self._read = 0

    async def __anext__(self) -> E:
        await trio.lowlevel.checkpoint()
        following = await self._events.after(self._read)
        if following is None:
            raise StopAsyncIteration
        self._read, event = following
        return event
