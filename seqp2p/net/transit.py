"""Lines through a transit relay, which joins two programs that cannot dial each other.

Theory of operation. The relay is that of magic-wormhole (docs/transit.md in its repository). A line says ``please relay
TOKEN for side SIDE``. Two lines with one token and different sides are joined: the relay says ``ok`` to both, and from
then on passes bytes; it closes all other lines of that token. It waits without limit, and does not notice a line that
a home router has forgotten. So a waiting line is renewed, and a joined line whose other end is silent is given up.
Neither is a failure of the relay or of a player. After ``ok`` the stream is the link of a LAN: TLS with pinned keys.
A line that waits shows nothing, so a program joins two lines of its own to see that a relay is there.
"""

import contextlib
import math
import random
import secrets
import socket
from collections.abc import Awaitable, Callable
from typing import Final, Literal, TypeAlias

import trio

from seqp2p.i18n import message, message_of
from seqp2p.net.addresses import Address
from seqp2p.net.dialling import Dial, dial_in_time
from seqp2p.net.errors import LinkLost, NetError, PeerError, Unreachable
from seqp2p.net.limits import Limits
from seqp2p.net.tls import closing_on_error

Side: TypeAlias = Literal["server", "client"]
"""The side of a line is a role, so two joiners never meet: a host, or the lower of two seats, is the TLS server."""

_SIDES: Final = {"server": "0" * 16, "client": "1" * 16}
_OK: Final = b"ok\n"
_ANSWER_LENGTH_MAX: Final = 64
_IN_VAIN_FREE: Final = 4
_IN_VAIN_MAX: Final = 8
_HINT: Final = message("Check the relay's address, or name another relay.")


class StreamOver(trio.abc.Stream):
    """A stream over another one. Its ``first`` bytes are read already."""

    def __init__(self, transport_stream: trio.abc.Stream, first: bytes = b"") -> None:
        self.transport_stream: Final = transport_stream
        self._first = first

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        if not self._first:
            return await self.transport_stream.receive_some(max_bytes)
        size = len(self._first) if max_bytes is None else max_bytes
        data, self._first = self._first[:size], self._first[size:]
        await trio.lowlevel.checkpoint()
        return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self.transport_stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self.transport_stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        await self.transport_stream.aclose()


class TransitStream(StreamOver):
    """A joined line. The other end must answer within ``answer_s``; ``first`` are bytes that are read already.

    ``source`` is where it comes from, if not from the relay. ``on_link`` is called when a link goes by it.
    """

    def __init__(self, line: trio.abc.Stream, first: bytes, answer_s: float) -> None:
        super().__init__(line, first)
        self.source = ""
        self.on_link: Callable[[], None] = lambda: None
        self._answer_s = float("inf") if first else answer_s

    async def wait_for_answer(self) -> None:
        """Wait until the other end has sent something. Raises BrokenResourceError if it is silent or gone."""
        if not self._first:
            with trio.move_on_after(self._answer_s):
                self._first = bytes(await self.transport_stream.receive_some())
            if not self._first:
                raise trio.BrokenResourceError("the other end of the line is silent")
            self._answer_s = float("inf")

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        if self._answer_s < float("inf"):
            await self.wait_for_answer()
        return await super().receive_some(max_bytes)


async def open_line(relay: Address, token: bytes, side: Side, dial: Dial, limits: Limits) -> TransitStream:
    """Return a line joined with one of the other side. It waits for that until it is cancelled.

    ``token`` has 32 bytes. Raises Unreachable (no relay answers), LinkLost (the relay has closed the line before it was
    joined), PeerError (it is no relay).
    """
    try:
        line = await dial_in_time(relay, dial, limits)
    except Unreachable as error:
        text = message("The relay at {relay} cannot be reached: {reason}", relay=relay, reason=message_of(error))
        raise Unreachable(text, _HINT) from None
    async with closing_on_error(line):
        try:
            _keep_alive(line, limits)
            await line.send_all(f"please relay {token.hex()} for side {_SIDES[side]}\n".encode())
            return TransitStream(line, await _read_ok(line, relay), limits.relay_silence_s)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise _closed(relay) from None


async def check_relay(relay: Address, dial: Dial, limits: Limits) -> None:
    """Join two lines at a token of their own. Raises what ``open_line`` does, unless there is a relay."""
    token, faults = secrets.token_bytes(32), list[NetError]()

    async def attempt(side: Side) -> None:
        try:
            stream = await open_line(relay, token, side, dial, limits)
        except NetError as error:
            faults.append(error)
            nursery.cancel_scope.cancel()
        else:
            await trio.aclose_forcefully(stream)

    with trio.move_on_after(limits.relay_check_s) as patience:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(attempt, "server")
            nursery.start_soon(attempt, "client")
    if faults:
        raise faults[0]
    if patience.cancelled_caught:
        raise _no_relay(relay)


class Waiting:
    """One side at one token, which opens lines until one is joined with an end that is alive."""

    def __init__(
        self,
        relay: Address,
        token: bytes,
        side: Side,
        dial: Dial,
        limits: Limits,
        on_away: Callable[[NetError | None], None] = lambda _: None,
    ) -> None:
        """``on_away`` gets the reason when the relay cannot be used, and None when it can be used again."""
        self._relay, self._token = relay, token
        self._side: Side = side
        self._dial, self._limits = dial, limits
        self._on_away = on_away
        self.is_away = False
        """True if the relay could not be used when it was tried last."""
        self._pretends = False  # It joined the last lines that checked it, and then refused this one.
        self._in_vain = 0
        self._next_at = -math.inf
        self.has_linked = False
        """True if a link has gone by one of the lines."""

    async def join(self) -> TransitStream:
        """Return a joined line. If this is the server, the other end has sent something. Raises nothing.

        It pauses between two lines: longer and longer after some in a row that came to nothing, joined or not.
        """
        while True:
            await trio.sleep_until(self._next_at)
            stream, began_at, checked = None, trio.current_time(), False
            try:
                if self.is_away:
                    await check_relay(self._relay, self._dial, self._limits)
                    checked = True
                    if not self._pretends:
                        self._note(None)
                with trio.move_on_after(self._limits.relay_renew_s):
                    stream = await open_line(self._relay, self._token, self._side, self._dial, self._limits)
                self._note(None)
                self._count(began_at)  # A joined line, too: until it carries a link.
                if stream is not None:
                    stream.on_link = self._link
                    if self._side == "server":
                        async with closing_on_error(stream):
                            await stream.wait_for_answer()
                    return stream
            except NetError as error:
                self._count(began_at)
                if not isinstance(error, LinkLost):
                    self._pretends = checked
                    self._note(error)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                pass  # The other end was silent.
            finally:
                self._next_at = trio.current_time() + self._pause_s()

    async def dial(self, _: Address) -> trio.abc.Stream:
        """Return a joined line, as a way to a peer: it waits for one until it is cancelled."""
        return await self.join()

    def _count(self, began_at: float) -> None:
        """Count a line that came to nothing. Each ``dial_max_s`` that it has waited makes up for one."""
        made_up = int((trio.current_time() - began_at) / self._limits.dial_max_s)
        self._in_vain = min(max(0, self._in_vain + 1 - made_up), _IN_VAIN_MAX)

    def _link(self) -> None:
        self.has_linked, self._in_vain = True, 0

    def _note(self, reason: NetError | None) -> None:
        if self.is_away != (reason is not None):
            self.is_away = reason is not None
            self._on_away(reason)

    def _pause_s(self) -> float:
        # The jitter keeps two sides from closing each other's lines for ever. It hides nothing, so it is no secret.
        jitter_s = random.uniform(self._limits.relay_pause_min_s, self._limits.relay_pause_max_s)  # noqa: S311
        longest = self._limits.dial_max_s / self._limits.relay_pause_max_s
        # Joining two lines closes others, a few in a row.
        return jitter_s * min(2.0 ** max(0, self._in_vain - _IN_VAIN_FREE), longest)


class RelayListener(trio.abc.Listener[trio.abc.Stream]):
    """A listener whose clients come by the relay; ``join`` returns the next joined line."""

    def __init__(self, join: Callable[[], Awaitable[trio.abc.Stream]]) -> None:
        self._join = join

    async def accept(self) -> trio.abc.Stream:
        return await self._join()

    async def aclose(self) -> None:
        """Do nothing: a line is open only during ``accept``."""
        await trio.lowlevel.checkpoint()


def line_of(stream: object) -> TransitStream | None:
    """Return the line that carries the bytes of a stream, of TLS for one; None if they go by no relay."""
    while stream is not None and not isinstance(stream, TransitStream):
        stream = getattr(stream, "transport_stream", None)
    return stream


async def _read_ok(line: trio.abc.Stream, relay: Address) -> bytes:
    """Wait for ``ok``; return the bytes after it."""
    read = bytearray()
    while b"\n" not in read and len(read) < _ANSWER_LENGTH_MAX:
        data = await line.receive_some()
        if not data and not read:
            raise _closed(relay)
        if not data:
            break
        read += data
        if not _OK.startswith(read[: len(_OK)]):
            break
    if read.startswith(_OK):
        return bytes(read[len(_OK) :])
    raise _no_relay(relay)


def _no_relay(relay: Address) -> PeerError:
    return PeerError(message("The program at {relay} is not a relay, or it refuses this line.", relay=relay))


def _closed(relay: Address) -> LinkLost:
    return LinkLost(message("The relay at {relay} has closed the line.", relay=relay), _HINT)


def _keep_alive(line: trio.abc.Stream, limits: Limits) -> None:
    """Let the system send probes, so that routers on the way keep the line; where it has no such option, do without."""
    if isinstance(line, trio.SocketStream):
        options = [(socket.SOL_SOCKET, "SO_KEEPALIVE", 1)]
        seconds = int(limits.relay_keepalive_s)
        options += [(socket.IPPROTO_TCP, name, seconds) for name in ("TCP_KEEPIDLE", "TCP_KEEPALIVE", "TCP_KEEPINTVL")]
        with contextlib.suppress(OSError):  # The relay may be gone already; then reading says so.
            for level, name, value in options:
                if hasattr(socket, name):
                    line.setsockopt(level, getattr(socket, name), value)
