"""What a host, a joiner or a spectator brings to a lobby, and the route by which the latter two come."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import trio

from seqp2p.crypto.group import Randomness
from seqp2p.lobby.events import OnLobbyEvent
from seqp2p.match.table import name_fault
from seqp2p.net.addresses import Address, tcp_dial
from seqp2p.net.dialling import Dial
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.serving import Listener
from seqp2p.net.tls import Credentials


@dataclass(frozen=True, slots=True)
class Route:
    """The address of a host, or the relay where it was met, and how to dial it.

    Close a route that may not have been dialled.
    """

    host: Address
    dial: Dial = tcp_dial
    aclose: Callable[[], Awaitable[None]] = trio.lowlevel.checkpoint


@dataclass(frozen=True)
class Own:
    """A player's own part of a lobby. ``on_event`` gets every LobbyEvent as it happens.

    By ``addresses``, likeliest first, the other seats reach the ``listeners``, which stay open; a spectator has none.
    ``relay`` is the one that this player uses. Raises ValueError for a name that others cannot be shown.
    """

    credentials: Credentials
    name: str
    randomness: Randomness
    on_event: OnLobbyEvent
    listeners: Sequence[Listener] = ()
    addresses: Sequence[Address] = ()
    relay: Address | None = None
    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        if fault := name_fault(self.name):
            raise ValueError(fault)

    @property
    def key(self) -> bytes:
        return self.credentials.identity.public
