"""An authenticated connection that carries messages both ways, with signs of life, until it ends.

Theory of operation. ``run`` has a writer and a reader task. The writer empties a bounded queue and adds a sign of
life every heartbeat; the reader takes frames no faster than its peer's pace allows, decodes them and passes them on.
The link ends by the first error of either (returned, never raised) or by ``stop``: then the queue is still sent, and
the connection is intact for the next stage.
"""

from collections import deque
from collections.abc import Awaitable, Callable

import trio

from seqp2p.i18n import message
from seqp2p.net.errors import LinkLost, NetError
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits, Pace, message_price_s, pace_of
from seqp2p.net.messages import LinkStage, WireMessage, decode_message, encode_message
from seqp2p.net.transit import line_of

_WRITE_SIZE = 65_536


async def rest(pace: Pace) -> None:
    while wait_s := pace.wait_s(trio.current_time()):  # noqa: ASYNC110  # a pace tells nobody
        await trio.sleep(wait_s)


class Link:
    """Messages over one connection. It owns ``frames`` and closes them, unless it ended by ``stop``.

    ``relayed``: the connection goes by a relay.
    """

    def __init__(self, frames: FrameStream, limits: Limits, pace: Pace | None = None) -> None:
        """``pace``: that of the peer, over all its links."""
        self.frames = frames
        self._pace = pace or pace_of(limits)
        self.since = trio.current_time()
        line = line_of(frames.stream)
        self.relayed = line is not None
        if line is not None:
            line.on_link()
        self._limits = limits
        self._queue: deque[bytes] = deque()
        self.unsent = 0
        """Bytes that are queued, or on their way to the system."""
        self._news = trio.lowlevel.ParkingLot()  # for the writer: something is queued, or the link stops
        self._scope = trio.CancelScope()
        self._reading = trio.CancelScope()
        self._error: NetError | None = None
        self._stopping = False

    def send(self, message: WireMessage) -> None:
        """Queue a message; never waits. See ``send_frame``."""
        self.send_frame(encode_message(message))

    def send_frame(self, data: bytes) -> None:
        """Queue an encoded message. A link whose queue is full ends: its neighbour does not read."""
        if self.unsent + len(data) > self._limits.unsent_max:
            self.end(LinkLost(message("The other side does not keep up with what it is sent.")))
            return
        self._queue.append(data)
        self.unsent += len(data)
        self._news.unpark_all()

    def end(self, error: NetError) -> None:
        """End the link at once, for this reason; the first reason counts."""
        if self._error is None:
            self._error = error
        self._scope.cancel()

    def stop(self) -> None:
        """Let ``run`` send the queue and return; later input is left for the next reader."""
        self._stopping = True
        self._news.unpark_all()
        self._reading.cancel()

    async def run(
        self, stage: LinkStage, handle: Callable[[WireMessage], Awaitable[None]], alive: Callable[[], WireMessage]
    ) -> NetError | None:
        """Carry messages until the link ends; return the error, or None after ``stop``.

        ``handle`` gets each message and may raise NetError to end the link; ``alive`` makes the sign of life.
        """
        released = False
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._guard, self._write, alive)
                    nursery.start_soon(self._guard, self._read, stage, handle)
                released = self._error is None
        finally:
            if not released:
                await self.frames.abort()
        return self._error

    async def _guard(self, work: Callable[..., Awaitable[None]], *arguments: object) -> None:
        try:
            await work(*arguments)
        except NetError as error:
            self.end(error)

    async def _write(self, alive: Callable[[], WireMessage]) -> None:
        beat_at = trio.current_time() + self._limits.heartbeat_s
        while self._queue or not self._stopping:
            if not self._queue:
                with trio.move_on_at(beat_at):
                    await self._news.park()
            if trio.current_time() >= beat_at and not self._stopping:
                beat_at = trio.current_time() + self._limits.heartbeat_s
                self.send(alive())
            while self._queue:
                await self._write_some()

    async def _write_some(self) -> None:
        # Several messages in one go: fewer TLS records and system calls when a step closes and twelve answer at once.
        data = bytearray(self._queue.popleft())
        while self._queue and len(data) + len(self._queue[0]) <= _WRITE_SIZE:
            data += self._queue.popleft()
        try:
            with trio.fail_after(self._limits.silence_s):
                await self.frames.send(bytes(data))
        except trio.TooSlowError:
            text = message("The other side has read nothing for {silence_s:.0f} s.", silence_s=self._limits.silence_s)
            raise LinkLost(text) from None
        self.unsent -= len(data)

    async def _read(self, stage: LinkStage, handle: Callable[[WireMessage], Awaitable[None]]) -> None:
        limits = self._limits
        with self._reading:
            while not self._stopping:
                try:
                    with trio.fail_after(limits.silence_s):
                        data = await self.frames.receive(limits.frame_max)
                except trio.TooSlowError:
                    text = message("The other side has been silent for {silence_s:.0f} s.", silence_s=limits.silence_s)
                    raise LinkLost(text) from None
                self._pace.spend(message_price_s(limits, len(data)), trio.current_time())
                await rest(self._pace)
                await handle(decode_message(data, stage))
