"""Addresses: HOST:PORT as text, where to listen, and where others can reach this machine."""

import errno
import ipaddress
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import trio

from seqp2p.net.errors import NetError

DEFAULT_PORT: Final = 4610
_PORT_MAX: Final = 65_535
_WILDCARDS: Final = ("0.0.0.0", "::")  # noqa: S104  # compared with, and listened on when the player names no address
_BOTH_FREE_TRIES: Final = 8
# Documentation addresses (RFC 5737, RFC 3849): a UDP socket "connected" there sends nothing, but has been given the
# local address of the interface that leads out.
_FAR_AWAY: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


class AddressError(NetError):
    """What was typed is no address, or cannot be listened on."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host (name or IP address, without brackets) and a TCP port. ``str`` gives HOST:PORT, [HOST]:PORT for IPv6."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str, default_port: int = DEFAULT_PORT) -> Address:
    """HOST:PORT, HOST, [IPv6]:PORT or a bare IPv6 address; raises AddressError.

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
    if not host or not all(part.isascii() and part.isprintable() and " " not in part for part in (host, port)):
        raise _no_address(text)
    return Address(host, _port(port, text) if colon else default_port)


def parse_peer_address(text: str) -> Address:
    """An address that a peer gave: an IP address and a port, never a name to be looked up. Raises AddressError."""
    address = parse_address(text)
    if not _is_ip(address.host) or address.port == 0:
        raise _no_address(text)
    return Address(str(ipaddress.ip_address(address.host)), address.port)


async def open_listeners(address: Address | None = None) -> list[trio.SocketListener]:
    """Listen there; by default on all interfaces, IPv4 and IPv6, port 4610 or, if taken, one the system picks.

    Raises AddressError. The caller closes them.
    """
    if address is not None:
        try:
            return await trio.open_tcp_listeners(address.port, host=address.host)
        except OSError as error:
            raise AddressError(
                f"Cannot listen on {address}: {error.strerror or error}.", "Choose another --listen address or port."
            ) from None
    for port in (DEFAULT_PORT, *([0] * _BOTH_FREE_TRIES)):
        try:
            return await _open_everywhere(port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise AddressError(f"Cannot listen: {error.strerror or error}.") from None
    raise AddressError("Cannot listen: no port is free.")


def listening_addresses(listeners: Iterable[trio.SocketListener]) -> tuple[Address, ...]:
    """Where others can reach these listeners, likeliest first; 127.0.0.1 only where nothing else is listened on."""
    found: list[Address] = []
    for listener in listeners:
        host, port = listener.socket.getsockname()[:2]
        hosts = _reachable_hosts(listener.socket.family) if host in _WILDCARDS else [host]
        found += [Address(one, port) for one in hosts]
    if not found:
        ports = [listener.socket.getsockname()[1] for listener in listeners]
        return tuple(Address("127.0.0.1", port) for port in ports[:1])
    return tuple(found)


def local_host(stream: trio.abc.Stream) -> str | None:
    """The local IP address of a TCP connection: the one by which this machine reaches the other. None if not TCP."""
    transport: Any = cast("Any", stream).transport_stream if isinstance(stream, trio.SSLStream) else stream
    if not isinstance(transport, trio.SocketStream):
        return None
    host: str = transport.socket.getsockname()[0]
    return host


def in_order(addresses: Iterable[Address | None], count_max: int) -> tuple[Address, ...]:
    """Without repetition, in the order given, at most so many."""
    return tuple(dict.fromkeys(address for address in addresses if address is not None))[:count_max]


async def tcp_dial(address: Address) -> trio.abc.Stream:
    """Connect; raises OSError. The caller bounds the time."""
    return await trio.open_tcp_stream(address.host, address.port)


async def _open_everywhere(port: int) -> list[trio.SocketListener]:
    v4, v6 = _WILDCARDS
    listeners: list[trio.SocketListener] = await trio.open_tcp_listeners(port, host=v4)
    port = listeners[0].socket.getsockname()[1]
    try:
        listeners += await trio.open_tcp_listeners(port, host=v6)
    except OSError as error:
        # A machine without IPv6 listens on IPv4 alone.
        if error.errno == errno.EADDRINUSE:
            await _close_all(listeners)
            raise
    return listeners


async def _close_all(listeners: Sequence[trio.SocketListener]) -> None:
    for listener in listeners:
        await listener.aclose()


def _reachable_hosts(family: int) -> list[str]:
    hosts: list[str] = []
    for far_family, far_host in _FAR_AWAY:
        if far_family == family:
            try:
                with socket.socket(family, socket.SOCK_DGRAM) as probe:
                    probe.connect((far_host, 9))
                    hosts.append(probe.getsockname()[0])
            except OSError:
                continue
    return [host for host in hosts if not ipaddress.ip_address(host).is_loopback]


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
    return AddressError(f"{text[:ADDRESS_SHOWN_MAX]!r} is no address.", "Write HOST:PORT, as in 192.168.1.5:4610.")


ADDRESS_SHOWN_MAX: Final = 64
