"""What a player brings to a lobby, as a host, a joiner or a spectator."""

from collections.abc import Sequence
from dataclasses import dataclass

from seqp2p.crypto.group import Randomness
from seqp2p.lobby.events import OnLobbyEvent
from seqp2p.net.addresses import Address
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.serving import Listener
from seqp2p.net.tls import Credentials


@dataclass(frozen=True)
class Own:
    """A player's own part of a lobby. ``on_event`` gets every LobbyEvent as it happens.

    By ``addresses``, likeliest first, the other seats reach the ``listeners``, which stay open; a spectator has none.
    ``relay`` is the one that this player uses.
    """

    credentials: Credentials
    name: str
    randomness: Randomness
    on_event: OnLobbyEvent
    listeners: Sequence[Listener] = ()
    addresses: Sequence[Address] = ()
    relay: Address | None = None
    limits: Limits = DEFAULT_LIMITS

    @property
    def key(self) -> bytes:
        """The public key of this player's identity."""
        return self.credentials.identity.public
