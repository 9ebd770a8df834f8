"""A TCP proxy on loopback that does to connections what networks do: late, slow, cut, half closed, deaf on one side."""

import contextlib
import math
import random
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

import trio

CHUNK_SIZE = 65_536


@dataclass(eq=False)
class Way:
    """One direction through a wire: bytes arrive in order, each chunk after a delay of its own, at most so fast."""

    delay_s: Callable[[], float] = float
    rate_bytes_s: float = math.inf
    silent: bool = False
    changed: trio.Event = field(default_factory=trio.Event)

    def silence(self, *, silent: bool = True) -> None:
        """Let nothing through and close nothing; or let everything through that has waited."""
        self.silent = silent
        self.changed.set()
        self.changed = trio.Event()

    async def carry(self, source: trio.SocketStream, target: trio.SocketStream) -> None:
        """Everything from one to the other, its end too; returns when it has ended or a side is gone."""
        send, receive = trio.open_memory_channel[tuple[float, bytes]](math.inf)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read, source, send)
            async with receive:
                async for due, data in receive:
                    await trio.sleep_until(due)
                    while self.silent:
                        await self.changed.wait()
                    await trio.sleep(len(data) / self.rate_bytes_s)
                    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                        await (target.send_all(data) if data else target.send_eof())

    async def _read(self, source: trio.SocketStream, send: "trio.MemorySendChannel[tuple[float, bytes]]") -> None:
        async with send:
            data = b"."
            while data:
                try:
                    data = await source.receive_some(CHUNK_SIZE)
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    return
                send.send_nowait((trio.current_time() + self.delay_s(), data))


class Wire:
    """A way to one listener. ``there`` is what the dialler sends, ``back`` what it is sent."""

    def __init__(self) -> None:
        self.there = Way()
        self.back = Way()
        self.port = 0
        self.dials = 0
        self._down = False
        self._scopes: set[trio.CancelScope] = set()
        self._streams: set[tuple[trio.SocketStream, trio.SocketStream]] = set()

    async def run(self, target: int, *, task_status: "trio.TaskStatus[None]" = trio.TASK_STATUS_IGNORED) -> None:
        """Connect whoever dials ``port`` with this port on loopback."""

        async def join(near: trio.SocketStream) -> None:
            self.dials += 1
            with trio.CancelScope() as scope:
                self._scopes.add(scope)
                try:
                    await self._join(near, target)
                finally:
                    self._scopes.discard(scope)

        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(join, [listener])

    async def _join(self, near: trio.SocketStream, target: int) -> None:
        if self._down:
            await trio.aclose_forcefully(near)
            return
        try:
            far = await trio.open_tcp_stream("127.0.0.1", target)
        except OSError:
            await trio.aclose_forcefully(near)
            return
        pair = near, far
        self._streams.add(pair)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.there.carry, near, far)
                nursery.start_soon(self.back.carry, far, near)
        finally:
            self._streams.discard(pair)
            for stream in pair:
                stream.socket.close()

    def silence(self, *, silent: bool = True) -> None:
        """The cable is out: nothing comes through, and nobody is told. Or it is in again."""
        for way in (self.there, self.back):
            way.silence(silent=silent)

    def cut(self) -> None:
        """Close every connection at once, on both sides."""
        for scope in set(self._scopes):
            scope.cancel()

    def down(self, *, down: bool = True) -> None:
        """Cut, and refuse new connections; or take them again."""
        self._down = down
        if down:
            self.cut()

    def half_close(self) -> None:
        """The dialler's side is told that nothing more will come; what it sends still arrives."""
        for near, _ in set(self._streams):
            with contextlib.suppress(OSError):
                near.socket.shutdown(socket.SHUT_WR)


def jitter(longest_s: float, seed: object) -> Callable[[], float]:
    """Delays by lot, up to the longest."""
    dice = random.Random(repr(seed))
    return lambda: dice.uniform(0.0, longest_s)
