"""Answering strangers: accept connections, and limit the unauthenticated ones."""

import contextlib
import errno
from collections.abc import Awaitable, Callable, Generator, Iterable
from typing import Final, TypeAlias

import trio

Listener: TypeAlias = trio.abc.Listener[trio.abc.Stream]

# The process or machine has run out of a resource; connections wait in the system's queue meanwhile.
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
_EXHAUSTED_PAUSE_S: Final = 0.1


class Gate:
    """At most ``size_max`` strangers inside, each for at most ``time_s``; the oldest makes room for the newest."""

    def __init__(self, size_max: int, time_s: float) -> None:
        self._size_max = size_max
        self._time_s = time_s
        self._inside: dict[int, trio.CancelScope] = {}
        self._count = 0

    @contextlib.contextmanager
    def enter(self) -> Generator[trio.CancelScope]:
        """Run the body inside: it is cancelled when its time is over, or when it has to make room."""
        self._count += 1
        ticket = self._count
        if len(self._inside) >= self._size_max:
            self._inside.pop(next(iter(self._inside))).cancel()
        with trio.move_on_after(self._time_s) as scope:
            self._inside[ticket] = scope
            try:
                yield scope
            finally:
                self._inside.pop(ticket, None)


def serve(
    nursery: trio.Nursery, listeners: Iterable[Listener], welcome: Callable[[trio.abc.Stream], Awaitable[None]]
) -> None:
    """Start a task of ``welcome`` in the nursery for every connection, until cancelled. Leaves the listeners open."""
    for listener in listeners:
        nursery.start_soon(_accept, nursery, listener, welcome)


async def _accept(
    nursery: trio.Nursery, listener: Listener, welcome: Callable[[trio.abc.Stream], Awaitable[None]]
) -> None:
    while True:
        try:
            stream = await listener.accept()
        except OSError as error:
            if error.errno not in _EXHAUSTED:
                raise
            await trio.sleep(_EXHAUSTED_PAUSE_S)
        else:
            nursery.start_soon(welcome, stream)
