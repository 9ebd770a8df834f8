"""What one task reads and another takes, bounded by bytes."""

from collections import deque
from typing import Generic, TypeVar

import trio

T = TypeVar("T")


class Backlog(Generic[T]):
    """What was read and is not taken yet; with too many bytes of it, reading waits."""

    def __init__(self, size_max: int) -> None:
        self._size_max = size_max
        self._items: deque[tuple[T, int]] = deque()
        self._size = 0
        self._changed = trio.Event()

    async def put(self, item: T, size: int = 0) -> None:
        """Put something behind everything else, when there is room."""
        while self._size > self._size_max:
            await self._changed.wait()
        self._items.append((item, size))
        self._add(size)

    def push(self, item: T) -> None:
        """Put something before everything else, at once."""
        self._items.appendleft((item, 0))
        self._add(0)

    async def take(self) -> T:
        """The next, as soon as there is one."""
        while not self._items:
            await self._changed.wait()
        item, size = self._items.popleft()
        self._add(-size)
        return item

    def _add(self, size: int) -> None:
        self._size += size
        self._changed.set()
        self._changed = trio.Event()
