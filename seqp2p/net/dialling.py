"""Dialling a peer: connect, TLS, authenticate, each within its time; the way to a host; and the pause before a try."""

import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import trio

from seqp2p.i18n import message, of_system
from seqp2p.net.addresses import Address, tcp_dial
from seqp2p.net.auth import prove
from seqp2p.net.errors import TooSlow, Unreachable
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Role
from seqp2p.net.tls import Credentials, ServerLink, closing_on_error, connect

Dial: TypeAlias = Callable[[Address], Awaitable[trio.abc.Stream]]
"""A function that opens a byte stream to an address or raises OSError: ``addresses.tcp_dial``, or a test's network."""


@dataclass(frozen=True, slots=True)
class Route:
    """The address of a host, or the relay where it was met, and how to dial it.

    Close a route that may not have been dialled.
    """

    host: Address
    dial: Dial = tcp_dial
    aclose: Callable[[], Awaitable[None]] = trio.lowlevel.checkpoint


_HINT = message("Check the address, that the other side is running, and that no firewall is in the way.")
_NAME_HINT = message("Check how it is written, or use the host's IP address.")


async def dial_in_time(address: Address, dial: Dial, limits: Limits) -> trio.abc.Stream:
    """Return a byte stream to a listener, which proves nothing yet. Raises Unreachable."""
    try:
        with trio.fail_after(limits.connect_s):
            return await dial(address)
    except socket.gaierror as error:
        reason = message("The name {name} cannot be resolved: {reason}.", name=address.host, reason=of_system(error))
        raise Unreachable(reason, _NAME_HINT) from None
    except (OSError, trio.TooSlowError):
        raise Unreachable(message("Nobody answers at {address}.", address=address), _HINT) from None


async def reach(
    address: Address,
    credentials: Credentials,
    dial: Dial,
    limits: Limits,
    *,
    role: Role,
    game: bytes | None = None,
    expected_key: bytes | None = None,
) -> ServerLink:
    """Return an authenticated link to a listener.

    ``game`` is the game's id for role link, None for role join. Raises Unreachable, LinkLost (and TooSlow), WrongKey,
    PeerRefused, PeerError.
    """
    stream = await dial_in_time(address, dial, limits)
    try:
        with trio.fail_after(limits.authenticate_s):
            link = await connect(stream, credentials, expected_key)
            async with closing_on_error(link.frames.stream):
                lobby = await prove(link, credentials.identity, role, game, limits)
    except trio.TooSlowError:
        raise TooSlow(message("Whoever answers at {address} takes too long.", address=address)) from None
    return replace(link, lobby=lobby)


def pause_s(failures: int, jitter: float, limits: Limits) -> float:
    """Return the seconds to wait after so many failures in a row: doubling up to a limit, times 0.5 to 1 (``jitter``).

    The jitter keeps twelve seats that lost each other at the same moment from dialling at the same moments.
    """
    # 2**16 × the shortest pause is past any sensible longest one, and no float overflows on the way.
    return min(limits.dial_max_s, limits.dial_min_s * 2.0 ** min(failures - 1, 16)) * jitter
