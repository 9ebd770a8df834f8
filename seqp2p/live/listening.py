"""Listening again: a seat that comes back wants to be found where it was."""

from dataclasses import replace

import trio

from seqp2p.net.addresses import Address, AddressError, listening_addresses, open_listeners

_WILDCARDS = ("0.0.0.0", "::")  # noqa: S104  # compared with, and listened on when the player named no address


async def listen_again(before: Address) -> list[trio.SocketListener]:
    """Listen at the address from before; if that cannot be, at another port, and then wherever it can be.

    A wildcard host stands for all interfaces, IPv4 and IPv6. Raises AddressError. The caller closes the listeners.
    """
    for address in (before, replace(before, port=0)):
        try:
            if address.host in _WILDCARDS:
                # Its two families may get different ports where the system picks them: each is told as it is.
                return await trio.open_tcp_listeners(address.port)
            return await open_listeners(address)
        except (AddressError, OSError):
            continue
    return await open_listeners()


async def addresses_towards(listeners: list[trio.SocketListener], others: list[Address]) -> tuple[Address, ...]:
    """Where these others can reach the listeners, likeliest first: the ways to each of them, then the way out."""
    found: dict[Address, None] = {}
    for other in others:
        found |= dict.fromkeys(await listening_addresses(listeners, other))
    return tuple(found or dict.fromkeys(await listening_addresses(listeners)))
