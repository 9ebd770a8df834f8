"""Answering strangers: accept connections, and limit the unauthenticated ones."""

import contextlib
import errno
import ipaddress
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterable
from typing import Final, TypeAlias

import trio

from seqp2p.i18n import message
from seqp2p.net import tls
from seqp2p.net.errors import LinkLost
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits, Newest, Pace
from seqp2p.net.links import rest
from seqp2p.net.tls import Credentials
from seqp2p.net.transit import StreamOver, TransitStream

Listener: TypeAlias = trio.abc.Listener[trio.abc.Stream]

# The process or machine has run out of a resource; connections wait in the system's queue meanwhile.
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
_EXHAUSTED_PAUSE_S: Final = 0.1
_AT_ONCE_S: Final = 10.0
_STALE_S: Final = 1.0
"""A stranger that has sent something and then pauses for this long is slow; an honest handshake takes 0.1 s."""
_HANDSHAKE: Final = 22
_RECORD_HEADER: Final = 5
_RECORD_MAX: Final = 16_384
"""TLS records (RFC 8446, 5.1): the type of a hello, the bytes before its content, and the most of these."""


class Place(StreamOver):
    """A stranger's place, as its connection: since when it has made no progress, and the scope that ends it."""

    def __init__(
        self, stream: trio.abc.Stream, source: str, scope: trio.CancelScope, handshakes: "Handshakes | None" = None
    ) -> None:
        super().__init__(stream)
        self.source: Final = source
        self.scope: Final = scope
        self._handshakes = handshakes
        self.has_sent = False
        self.since = trio.current_time()

    def progress(self) -> None:
        self.has_sent = True
        self.since = trio.current_time()

    async def accept(self, credentials: Credentials) -> FrameStream:
        """Do the server's side of the TLS handshake. Raises LinkLost; closes the stream if it fails.

        TLS begins with a whole hello: connections that send less cost little memory and no time. Then it waits until
        its source may have another handshake.
        """
        async with tls.closing_on_error(self):
            try:
                said_hello = await self._wait_for_hello()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                said_hello = False
            if not said_hello:
                raise LinkLost(message("The connection is lost."))
            if self._handshakes is not None:
                await self._handshakes.begin(self.source)
        return await tls.accept(self, credentials)

    def forgive(self) -> None:
        """Give the price of the handshake back: the client pays for its link."""
        if self._handshakes is not None:
            self._handshakes.forgive(self.source)

    async def _wait_for_hello(self) -> bool:
        """Wait for the first TLS record, a client's hello (RFC 8446, 5.1). Return False if it is none."""
        hello = bytearray()
        while len(hello) < _RECORD_HEADER or len(hello) < _RECORD_HEADER + int.from_bytes(hello[3:5], "big"):
            data = await self.transport_stream.receive_some()
            self.progress()
            hello += data
            if not data or hello[0] != _HANDSHAKE or int.from_bytes(hello[3:5], "big") > _RECORD_MAX:
                return False
        self._first = bytes(hello)
        return True

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        was_read = bool(self._first)
        data = await super().receive_some(max_bytes)
        if not was_read:
            self.progress()
        return data


class Handshakes:
    """The pace of TLS handshakes of each source: ``rate`` is the part of one core that those of one source may cost.

    At once it may have as many as in ten seconds, and no more than ``cost_burst_s``. Those of one source that have to
    wait go on one by one, in the order in which they came.
    """

    def __init__(self, limits: Limits, rate: float) -> None:
        self._limits = limits
        self._rate = rate
        self._burst_s = min(limits.cost_burst_s, _AT_ONCE_S * rate)
        self._paces = Newest[str, tuple[Pace, trio.Lock]](limits.sources_max)

    async def begin(self, source: str) -> None:
        """Wait until a source may have another handshake, and charge it."""
        pace, turn = self._pace(source)
        async with turn:
            await rest(pace)
            pace.spend(self._limits.handshake_cost_ms / 1e3, trio.current_time())

    def forgive(self, source: str) -> None:
        self._pace(source)[0].spend(-self._limits.handshake_cost_ms / 1e3, trio.current_time())

    def _pace(self, source: str) -> tuple[Pace, trio.Lock]:
        """Return the pace of a source, and the lock of the one that waits."""
        return self._paces.of(source, lambda: (Pace(self._rate, self._burst_s), trio.Lock()))


class Gate:
    """At most ``size_max`` strangers inside, each for at most ``time_s``; one more takes the place of another.

    The first to lose its place is one that has sent nothing; then one that has made no progress for a second; then the
    oldest of the source that holds most places. A source only orders: none is refused, because friends may share one
    with an attacker.
    """

    def __init__(self, size_max: int, time_s: float, handshakes: Handshakes | None = None) -> None:
        self._handshakes = handshakes
        self._size_max = size_max
        self._time_s = time_s
        self._places: set[Place] = set()

    @contextlib.contextmanager
    def enter(self, stream: trio.abc.Stream, source: str = "") -> Generator[Place]:
        """Run the body inside: it is cancelled when its time is over, or when it has to make room.

        The body reads from the place. ``source`` is that of a stream which does not tell it, as within TLS.
        """
        if len(self._places) >= self._size_max:
            self._make_room()
        with trio.move_on_after(self._time_s) as scope:
            place = Place(stream, source or source_of(stream), scope, self._handshakes)
            self._places.add(place)
            try:
                yield place
            finally:
                self._places.discard(place)

    def _make_room(self) -> None:
        held = Counter(place.source for place in self._places)
        stale_before = trio.current_time() - _STALE_S

        def order(place: Place) -> tuple[bool, bool, int, float]:
            is_fresh = place.since > stale_before
            return place.has_sent, is_fresh, -held[place.source] if is_fresh else 0, place.since

        victim = min(self._places, key=order)
        self._places.remove(victim)
        victim.scope.cancel()


def source_of(stream: trio.abc.Stream) -> str:
    """Return the source of a connection: its IPv4 address or its IPv6 network of 64 bits; empty for other streams.

    Of all that come by one relay it is the relay.
    """
    if isinstance(stream, TransitStream):
        if stream.source:
            return stream.source
        stream = stream.transport_stream
    if not isinstance(stream, trio.SocketStream):
        return ""
    try:
        return source_of_address(stream.socket.getpeername()[0])
    except OSError:
        return ""  # It is gone already.


def source_of_address(text: str) -> str:
    """Return the source that an IP address belongs to; empty for other text.

    >>> source_of_address("fd00:1:2:3:4:5:6:7"), source_of_address("::ffff:10.0.0.7")
    ('fd00:1:2:3::/64', '10.0.0.7')
    """
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))


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
