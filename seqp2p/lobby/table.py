"""A table that all seats have agreed to, as the lobby hands it to the mesh."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from seqp2p.i18n import message
from seqp2p.lobby.spectators import SpectatorServer
from seqp2p.match.table import Agreement, encode_agreement, game_id
from seqp2p.net.addresses import Address
from seqp2p.net.frames import FrameStream
from seqp2p.net.messages import AddressStatement
from seqp2p.net.serving import Listener
from seqp2p.net.tls import Credentials


@dataclass(frozen=True)
class AgreedTable:
    """Everything one seat needs to link with the others.

    ``statements`` are the signed addresses of all seats, those that this one has kept, in any order; ``addresses`` has
    further ones that this player knows, likeliest first. A seat that both lack is only waited for.
    ``links`` are connections the lobby leaves open: the host has one to every seat, a joiner one to seat 1.
    ``listeners`` are the sockets on which others dial this seat; their opener closes them after the game.
    ``spectators`` serves the spectators, at the host; None if none are allowed.
    """

    credentials: Credentials
    agreement: Agreement
    seat: int
    addresses: Mapping[int, Sequence[Address]]
    listeners: Sequence[Listener]
    links: Mapping[int, FrameStream] = field(default_factory=dict[int, FrameStream])
    spectators: SpectatorServer | None = None
    statements: Sequence[AddressStatement] = ()

    @property
    def game(self) -> bytes:
        """The game's id, 32 bytes."""
        return game_id(encode_agreement(self.agreement))

    @property
    def others(self) -> tuple[int, ...]:
        """Every seat but this one."""
        return tuple(seat for seat in range(1, len(self.agreement.seats) + 1) if seat != self.seat)

    def key(self, seat: int) -> bytes:
        """Return a seat's identity key."""
        return self.agreement.seats[seat - 1].key

    def name(self, seat: int) -> str:
        """Return a seat as people see it, as in ``seat 3 (ann)``."""
        return message("seat {seat} ({name})", seat=seat, name=self.agreement.seats[seat - 1].name)
