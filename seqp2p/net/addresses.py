"""Addresses: HOST:PORT as text, listening, and the addresses at which others can reach this machine."""

import contextlib
import errno
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import trio

from seqp2p.i18n import message
from seqp2p.net.errors import NetError
from seqp2p.net.interfaces import is_global_ipv6, is_loopback, local_hosts

DEFAULT_PORT: Final = 4610
DEFAULT_RELAY_PORT: Final = 4001
"""The port that the transit relay of magic-wormhole takes by itself."""
RELAY_LENGTH_MAX: Final = 84
"""Of HOST:PORT: it stands in a seat's statement with a key (lobby/table.py)."""
_PORT_MAX: Final = 65_535
WILDCARDS: Final = ("0.0.0.0", "::")  # noqa: S104  # compared with, and listened on when the player names no address
_SHOWN_MAX: Final = 64
# RFC 1123: labels of letters, digits and hyphens. The last one has a letter, else it could be read as an IP address.
_NAME: Final = re.compile(r"(?!-)(?:[a-z0-9-]{1,63}(?<!-)\.(?!-))*(?=[0-9-]*[a-z])[a-z0-9-]{1,63}(?<!-)")
_LABEL_MAX: Final = 63
_RACE_PAUSE_S: Final = 0.25
# Documentation addresses (RFC 5737, RFC 3849): a UDP socket "connected" there sends nothing, but has been given the
# local address of the interface that leads out.
_FAR_AWAY: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


class AddressError(NetError):
    """A typed text is no address, or cannot be listened on."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host (name or IP address, without brackets) and a TCP port. ``str`` gives HOST:PORT, [HOST]:PORT for IPv6."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str, default_port: int = DEFAULT_PORT) -> Address:
    """Return the address of HOST:PORT, HOST, [IPv6]:PORT or a bare IPv6 address. Raises AddressError.

    >>> str(parse_address("[fd00::2]:4000")), str(parse_address("fd00::2")), str(parse_address("table.lan:0"))
    ('[fd00::2]:4000', '[fd00::2]:4610', 'table.lan:0')
    """
    text = text.strip()
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or not _is_ip(host) or (rest and not rest.startswith(":")):
            raise _no_address(text)
        return Address(host, _port(rest[1:], text) if rest else default_port)
    if text.count(":") > 1:
        if not _is_ip(text):
            raise _no_address(text)
        return Address(text, default_port)
    host, colon, port = text.partition(":")
    if not all(part.isascii() and part.isprintable() and " " not in part for part in (host, port)):
        raise _no_address(text)
    if not all(0 < len(label) <= _LABEL_MAX for label in host.removesuffix(".").split(".")):
        raise _no_address(text)
    return Address(host, _port(port, text) if colon else default_port)


def parse_peer_address(text: str) -> Address:
    """Return an address from a peer: an IP address in its one form and a port, never a name. Raises AddressError."""
    address = parse_address(text, default_port=0)
    if not _is_ip(address.host) or address.port == 0 or peer_address(address) != text:
        raise _no_address(text)
    return address


def peer_address(address: Address) -> str:
    """Return the one form of an IP address and a port that peers take; a name stays as it is."""
    return str(Address(_one_form(address.host) if _is_ip(address.host) else address.host, address.port))


def parse_relay_address(text: str) -> Address:
    """Return the address of a relay, its host in lower case: a name or an IP address. Raises AddressError.

    >>> str(parse_relay_address("Relay.Example.org:4001"))
    'relay.example.org:4001'
    """
    address = parse_address(text, DEFAULT_RELAY_PORT)
    host = _one_form(address.host) if _is_ip(address.host) else address.host.lower()
    if address.port == 0 or not (_is_ip(host) or _NAME.fullmatch(host)) or len(str(address)) > RELAY_LENGTH_MAX:
        raise _no_address(text)
    return Address(host, address.port)


async def open_listeners(address: Address | None = None) -> list[trio.SocketListener]:
    """Listen; by default on all interfaces, IPv4 and IPv6, port 4610 or, if taken, one that the system picks.

    Raises AddressError. The caller closes them.
    """
    if address is not None:
        try:
            return await trio.open_tcp_listeners(address.port, host=address.host)
        except OSError as error:
            raise AddressError(
                message("Cannot listen on {address}: {reason}.", address=address, reason=error.strerror or str(error)),
                message("Choose another address or port to listen on."),
            ) from None
    for port in (DEFAULT_PORT, *([0] * 8)):  # The port that IPv4 gets may be taken with IPv6.
        try:
            return await _open_everywhere(port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise AddressError(message("Cannot listen: {reason}.", reason=error.strerror or str(error))) from None
    raise AddressError(message("Cannot listen: no port is free."))


async def listening_addresses(
    listeners: Iterable[trio.SocketListener], towards: Address | None = None
) -> tuple[Address, ...]:
    """Return the addresses of these listeners for others, likeliest first; 127.0.0.1 only if there is no other.

    With listeners on all interfaces: the one that leads to ``towards`` (a host that will tell others of these
    addresses), and the one that leads out; all of them if none leads out. Then a global IPv6 address of each other
    network: two of one network are a lasting and a temporary one. Sends nothing.
    """
    far = ([] if towards is None else await _resolve(towards)) + list(_FAR_AWAY)
    found: list[Address] = []
    others: list[Address] = []
    loopback: list[Address] = []
    anywhere: list[Address] = []
    for listener in listeners:
        host, port = listener.socket.getsockname()[:2]
        if host in WILDCARDS:
            family = listener.socket.family
            found += [Address(each, port) for each in _local_hosts(family, far)]
            local = [Address(each, port) for each in local_hosts() if (":" in each) == (family == socket.AF_INET6)]
            others += local
            anywhere += [each for each in local if is_global_ipv6(each.host)]
            loopback += [Address("127.0.0.1", port)] if family == socket.AF_INET else []
        else:
            found.append(Address(host, port))
    reachable = found or others or loopback
    for address in anywhere:
        if _ipv6_network(address.host) not in map(_ipv6_network, (each.host for each in reachable)):
            reachable.append(address)
    return tuple(dict.fromkeys(reachable))


def leads_here(address: Address, listeners: Iterable[object]) -> bool:
    """Return True if one of these listeners answers at an address. Another port of this machine is another seat's."""
    places = (each.socket.getsockname()[:2] for each in listeners if isinstance(each, trio.SocketListener))
    hosts = {host for host, port in places if port == address.port}
    is_own = address.host in hosts
    return is_own or (not hosts.isdisjoint(WILDCARDS) and (is_loopback(address.host) or address.host in local_hosts()))


async def tcp_dial(address: Address) -> trio.abc.Stream:
    """Connect. Raises OSError. The caller bounds the time."""
    return await trio.open_tcp_stream(address.host, address.port)


def racing_dial(addresses: Sequence[Address]) -> Callable[[Address], Awaitable[trio.abc.Stream]]:
    """Return a function like ``tcp_dial`` for a peer with several addresses: the first to answer, for any argument.

    It dials them in turn, each a little after the last (RFC 8305): some may be in another network than this machine.
    """

    async def attempt(address: Address) -> trio.abc.Stream | None:
        try:
            return await tcp_dial(address)
        except OSError:
            return None

    async def dial(_: Address) -> trio.abc.Stream:
        stream = await first_of([partial(attempt, address) for address in addresses], _RACE_PAUSE_S)
        if stream is None:
            raise OSError(message("none of its addresses answers"))
        return stream

    return dial


async def first_of(
    attempts: Sequence[Callable[[], Awaitable[trio.abc.Stream | None]]], pause_s: float
) -> trio.abc.Stream | None:
    """Return the first stream that an attempt returns; None if none does. Close the others.

    The attempts begin one after the other, each after a pause, or at once if the last one has returned None.
    """
    answered: list[trio.abc.Stream] = []
    async with contextlib.AsyncExitStack() as on_error:

        async def run(attempt: Callable[[], Awaitable[trio.abc.Stream | None]], failed: trio.Event) -> None:
            stream = await attempt()
            if stream is None:
                failed.set()
            elif answered:
                await trio.aclose_forcefully(stream)
            else:
                answered.append(stream)
                on_error.push_async_callback(trio.aclose_forcefully, stream)
                nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            for attempt in attempts:
                failed = trio.Event()
                nursery.start_soon(run, attempt, failed)
                with trio.move_on_after(pause_s):
                    await failed.wait()
        on_error.pop_all()
    return answered[0] if answered else None


async def _open_everywhere(port: int) -> list[trio.SocketListener]:
    v4, v6 = WILDCARDS
    listeners: list[trio.SocketListener] = await trio.open_tcp_listeners(port, host=v4)
    port = listeners[0].socket.getsockname()[1]
    try:
        listeners += await trio.open_tcp_listeners(port, host=v6)
    except OSError as error:
        # A machine without IPv6 listens on IPv4 alone.
        if error.errno == errno.EADDRINUSE:
            for listener in listeners:
                await listener.aclose()
            raise
    return listeners


async def _resolve(address: Address) -> list[tuple[int, str]]:
    try:
        found = await trio.socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [(family, str(place[0])) for family, _, _, _, place in found]


def _local_hosts(family: int, far: Iterable[tuple[int, str]]) -> list[str]:
    """Return the local addresses that reach the far ones of this family."""
    hosts: list[str] = []
    for far_family, far_host in far:
        if far_family == family:
            with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((far_host, 9))  # The port "discard". An OSError: no way there.
                hosts.append(probe.getsockname()[0])
    return hosts


def _ipv6_network(host: str) -> bytes:
    """Return the first half of an IPv6 address, which all addresses of its network share; nothing for others."""
    return ipaddress.IPv6Address(host).packed[:8] if ":" in host else b""


def _one_form(host: str) -> str:
    """Return the one text of an IP address; of an IPv4 address that is written as IPv6, the IPv4 address.

    >>> _one_form("FD00::0002"), _one_form("::ffff:10.0.0.1")
    ('fd00::2', '10.0.0.1')
    """
    address = ipaddress.ip_address(host)
    return str(getattr(address, "ipv4_mapped", None) or address)


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def _port(text: str, whole: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(_PORT_MAX)) and int(text) <= _PORT_MAX):
        raise _no_address(whole)
    return int(text)


def _no_address(text: str) -> AddressError:
    return AddressError(
        message("{text!r} is not an address.", text=text[:_SHOWN_MAX]),
        message("Write HOST:PORT, as in 192.168.1.5:4610."),
    )
