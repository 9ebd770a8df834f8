"""A queue between two tasks, bounded by bytes."""

from collections import deque
from typing import Generic, TypeVar

import trio

T = TypeVar("T")


class Backlog(Generic[T]):
    """Things that were read and not taken yet; with too many bytes of them, reading waits."""

    def __init__(self, size_max: int) -> None:
        self._size_max = size_max
        self._items: deque[tuple[T, int]] = deque()
        self._size = 0
        self._changed = trio.Event()

    async def put(self, item: T, size: int = 0) -> None:
        """Append something, when there is room."""
        while self._size > self._size_max:
            await self._changed.wait()
        self._items.append((item, size))
        self._add(size)

    def push(self, item: T) -> None:
        """Put something in front, at once."""
        self._items.appendleft((item, 0))
        self._add(0)

    async def take(self) -> T:
        """Return the next thing, as soon as there is one."""
        while not self._items:
            await self._changed.wait()
        item, size = self._items.popleft()
        self._add(-size)
        return item

    def _add(self, size: int) -> None:
        self._size += size
        self._changed.set()
        self._changed = trio.Event()
