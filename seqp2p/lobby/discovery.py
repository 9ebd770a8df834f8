"""Discovery on a LAN: tables and seats are advertised and browsed with multicast DNS (mdns.py).

No game needs discovery: where multicast is blocked, or there is no network, ``warn`` is called once, with one
sentence, and people tell each other their addresses. The library for it is loaded when it is used.

An advertisement's name is random and its host name its own, so there is nothing to collide with and nothing to probe
for. It holds IP addresses that others can use: no loopback, no unspecified, no link-local IPv6 address (it would need
a scope, which differs from machine to machine). Where only loopback is listened on, nothing is advertised.
"""

import contextlib
import itertools
import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias

import trio

from seqp2p.i18n import Message, message
from seqp2p.lobby.adverts import A, Found, Properties, SeatAdvert, TableAdvert, game_mark, read_seat, read_table
from seqp2p.net.addresses import WILDCARDS, Address
from seqp2p.net.interfaces import Interfaces, is_near, local_hosts, local_networks, may_dial
from seqp2p.net.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from seqp2p.lobby.mdns import Net, Service

Warn: TypeAlias = Callable[[str], None]


class Browsed(Generic[A]):
    """The advertisements on the LAN, as far as they are known: ``count_max`` for each number of a table or seat.

    So a flood of other numbers hides no table: there are 99 numbers of tables, and 12 of seats.
    """

    def __init__(self, count_max: int) -> None:
        self._count_max = count_max
        self._found: dict[str, Found[A]] = {}
        self._changed = trio.lowlevel.ParkingLot()
        self.problem = ""
        """The reason that nothing can be found here, or empty."""

    @property
    def current(self) -> tuple[Found[A], ...]:
        """All current ones, in the order in which they were found."""
        return tuple(self._found.values())

    async def changed(self) -> None:
        """Wait for a change: something new, something gone, or a problem."""
        await self._changed.park()

    def put(self, name: str, found: Found[A] | None) -> None:
        """Set the advertisement of this name; None if it is gone."""
        if self._found.get(name) == found:
            return
        if found is None:
            del self._found[name]
        else:
            numbers = [other.advert.number for each, other in self._found.items() if each != name]
            if numbers.count(found.advert.number) >= self._count_max:
                return
            self._found[name] = found
        self._changed.unpark_all()

    def fail(self, problem: str) -> None:
        self.problem = problem
        self._changed.unpark_all()


def browsing(
    interfaces: Interfaces = None, limits: Limits = DEFAULT_LIMITS
) -> contextlib.AbstractAsyncContextManager[Browsed[TableAdvert]]:
    """Browse the tables on this LAN until the block ends."""
    return _browsing(read_table, interfaces, limits)


@contextlib.asynccontextmanager
async def _browsing(
    read: Callable[[Properties], A | None], interfaces: Interfaces, limits: Limits
) -> AsyncGenerator[Browsed[A]]:
    browsed = Browsed[A](limits.same_number_max)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_browse, browsed, read, interfaces, limits)
        yield browsed
        nursery.cancel_scope.cancel()


async def find_seats(
    game: bytes, on_seat: Callable[[int, tuple[Address, ...]], None], interfaces: Interfaces = None
) -> None:
    """Call ``on_seat`` for every advertised seat of the game with this id, and for each change, until cancelled.

    Returns only where nothing can be found. Any machine can advertise a seat: what it says is worth a dial, no more.
    ``on_seat`` gets the first address of each of its adverts, then the second of each.
    """
    mark, told = game_mark(game), dict[int, tuple[Address, ...]]()

    def read(properties: Properties) -> SeatAdvert | None:
        advert = read_seat(properties)
        return advert if advert and advert.game == mark else None

    async with _browsing(read, interfaces, DEFAULT_LIMITS) as browsed:
        while not browsed.problem:
            for seat in sorted({found.advert.number for found in browsed.current}):
                adverts = (found.addresses for found in browsed.current if found.advert.number == seat)
                ranks = itertools.zip_longest(*adverts)
                addresses = tuple(dict.fromkeys(each for rank in ranks for each in rank if each is not None))
                if told.get(seat) != addresses:
                    told[seat] = addresses
                    on_seat(seat, addresses)
            await browsed.changed()


@contextlib.asynccontextmanager
async def advertising(
    advert: A,
    listeners: Sequence[trio.SocketListener],
    likeliest: Sequence[Address],
    warn: Warn,
    interfaces: Interfaces = None,
    limits: Limits = DEFAULT_LIMITS,
) -> AsyncGenerator[Callable[[A], None]]:
    """Advertise a table, or a seat of a running game, until the block ends.

    ``listeners`` are the sockets it listens on, ``likeliest`` the addresses to prefer where there are many. Call the
    function that this yields to change the advertisement.
    """
    post = _Post[A](advert, listeners, likeliest, interfaces, limits)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(post.keep, warn)
        yield post.update
        nursery.cancel_scope.cancel()


@dataclass
class _Post(Generic[A]):
    """One advertisement, kept up to date with its content and with the addresses of this machine."""

    advert: A
    listeners: Sequence[trio.SocketListener]
    likeliest: Sequence[Address]
    interfaces: Interfaces
    limits: Limits

    def __post_init__(self) -> None:
        self._bound = [Address(*listener.socket.getsockname()[:2]) for listener in self.listeners]
        self._changed = trio.lowlevel.ParkingLot()
        self._name = f"seqp2p-{secrets.token_hex(8)}"

    def update(self, advert: A) -> None:
        self.advert = advert
        self._changed.unpark_all()

    async def keep(self, warn: Warn) -> None:
        may_change = any(address.host in WILDCARDS for address in self._bound)
        if not may_change and not self.addresses():
            return
        opened = await trio.to_thread.run_sync(_load)
        try:
            async with opened(self.interfaces, self.limits) as net:
                await self._keep(net)
        except OSError as error:
            warn(message("others cannot find this table on the network automatically: {reason}", reason=_reason(error)))

    async def _keep(self, net: "Net") -> None:
        while True:
            advert = self.advert
            # An address is advertised as long as there is no other: a cable that is out may be in again.
            if addresses := self.addresses():
                await net.announce(self._name, addresses, advert.properties())
            with trio.move_on_after(self.limits.rescan_s):
                while self.advert is advert:
                    await self._changed.park()

    def addresses(self) -> tuple[Address, ...]:
        """Return IP addresses that others can use, likeliest first, all with one port: an advertisement has one."""
        local = local_hosts(self.interfaces)
        found: list[Address] = []
        for bound in self._bound:
            if bound.host in WILDCARDS:
                found += [Address(host, bound.port) for host in local if (":" in host) == (":" in bound.host)]
            elif bound.host in local:
                found.append(bound)
        found.sort(key=lambda address: address not in self.likeliest)
        same_port = (address for address in found if address.port == found[0].port)
        return tuple(dict.fromkeys(same_port))[: self.limits.advert_addresses_max]


def _load() -> "Callable[[Interfaces, Limits], contextlib.AbstractAsyncContextManager[Net]]":
    """Load the library, which takes a tenth of a second; return how to open it."""
    from seqp2p.lobby import mdns

    return mdns.opened


async def _browse(
    browsed: Browsed[A], read: Callable[[Properties], A | None], interfaces: Interfaces, limits: Limits
) -> None:
    token = trio.lowlevel.current_trio_token()

    def heard(name: str, service: "Service | None") -> None:
        found = None
        if service is not None:
            advert, addresses = read(service.properties), _addresses(service, interfaces, limits)
            found = Found(advert, addresses) if advert and addresses else None
        with contextlib.suppress(trio.RunFinishedError):
            trio.from_thread.run_sync(browsed.put, name, found, trio_token=token)

    opened = await trio.to_thread.run_sync(_load)
    try:
        async with opened(interfaces, limits) as net:
            await net.browse(heard)
    except OSError as error:
        browsed.fail(_reason(error))


def _addresses(service: "Service", interfaces: Interfaces, limits: Limits) -> tuple[Address, ...]:
    networks, own = local_networks(), interfaces or ()
    usable = (
        host for host in dict.fromkeys(service.hosts) if may_dial(host, service.port, networks, loopback=host in own)
    )
    near_first = sorted(itertools.islice(usable, limits.advert_addresses_max), key=lambda host: not is_near(host))
    return tuple(Address(host, service.port) for host in near_first)


def _reason(error: OSError) -> str:
    """Return the reason in lower case and without a full stop, to stand inside a sentence."""
    if error.args and isinstance(error.args[0], Message):
        return error.args[0]
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:].rstrip(".")
