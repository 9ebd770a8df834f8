"""A table that all seats have agreed to, as the lobby hands it to the mesh; and the relay of a seat.

Each seat makes a fresh key for each game. Two seats meet at a relay at a token, a hash of the secret that two of these
keys share. So only the two seats can name it: no other seat, no spectator, and not the relay before one is there.
"""

import base64
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import trio

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import Randomness
from seqp2p.crypto.hashing import tagged_hash
from seqp2p.crypto.identity import EXCHANGE_SIZE, ExchangeKey
from seqp2p.i18n import message
from seqp2p.lobby.spectators import SpectatorServer
from seqp2p.match.table import Agreement, encode_agreement, game_id
from seqp2p.net.addresses import Address, AddressError, parse_relay_address
from seqp2p.net.auth import send
from seqp2p.net.errors import NetError
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AddressStatement, bye
from seqp2p.net.serving import Listener
from seqp2p.net.tls import Credentials


@dataclass(frozen=True, slots=True)
class RelayEntry:
    """The relay that a seat has signed, and its public key for the game."""

    address: Address
    key: bytes

    def __str__(self) -> str:
        """Return the entry's only form, ``HOST:PORT KEY``."""
        return f"{self.address} {base64.urlsafe_b64encode(self.key).rstrip(b'=').decode()}"


def parse_relay_entry(text: str) -> RelayEntry:
    """Return the relay that a seat names in its statement. Raises AddressError for any but the canonical form."""
    where, _, key = text.partition(" ")
    try:
        entry = RelayEntry(parse_relay_address(where), base64.b64decode(key + "=", b"-_", validate=True))
    except ValueError:  # binascii.Error, and what other characters than ASCII raise
        entry = None
    if entry is None or len(entry.key) != EXCHANGE_SIZE or str(entry) != text:
        raise AddressError(message("{text!r} is not a relay with a key.", text=text[:64]))
    return entry


@dataclass(frozen=True, slots=True)
class OwnRelay:
    """The relay that this seat uses in one game, and its key for that game. Its repr has no secret."""

    address: Address
    key: ExchangeKey

    @property
    def entry(self) -> RelayEntry:
        return RelayEntry(self.address, self.key.public)

    def token(self, other: RelayEntry, game: bytes, label: str, *, lower: bool) -> bytes | None:
        """Return the 32 bytes at which this seat meets another, or None where they have no relay in common.

        ``lower``: this seat has the lower number. ``label`` is one of PAIR, REMATCH (crypto/hashing.py).
        """
        if other.address != self.address:
            return None
        try:
            secret = self.key.shared(other.key)
        except CryptoError:
            return None
        keys = (self.key.public, other.key) if lower else (other.key, self.key.public)
        return tagged_hash(label, secret, game, *keys)


def own_relay(address: Address | None, randomness: Randomness) -> OwnRelay | None:
    """Return the relay that a player has named, with a fresh key for one game; None without one."""
    return None if address is None else OwnRelay(address, ExchangeKey.generate(randomness))


REFUSED: Final = message("does not play with you: your name had another key before")
OTHER_REFUSED: Final = message("does not play with another seat here: its name had another key before")


@dataclass(frozen=True)
class AgreedTable:
    """Everything one seat needs to link with the others.

    ``statements`` are the signed addresses of all seats, those that this one has kept, in any order; ``addresses`` has
    further ones that this player knows, likeliest first. A seat that both lack is only waited for.
    ``links`` are connections the lobby leaves open: the host has one to every seat, a joiner one to seat 1.
    ``listeners`` are the sockets where others dial this seat; their opener closes them after the game.
    ``spectators`` serves the spectators, at the host; None if none are allowed. ``relay`` is the one that this player
    uses, if any, with the key that this seat's statement names.
    """

    credentials: Credentials
    agreement: Agreement
    seat: int
    addresses: Mapping[int, Sequence[Address]]
    listeners: Sequence[Listener]
    links: Mapping[int, FrameStream] = field(default_factory=dict[int, FrameStream])
    spectators: SpectatorServer | None = None
    statements: Sequence[AddressStatement] = ()
    relay: OwnRelay | None = None

    @property
    def game(self) -> bytes:
        """The game's id, 32 bytes."""
        return game_id(encode_agreement(self.agreement))

    @property
    def others(self) -> tuple[int, ...]:
        return tuple(seat for seat in range(1, len(self.agreement.seats) + 1) if seat != self.seat)

    def key(self, seat: int) -> bytes:
        return self.agreement.seats[seat - 1].key

    def name(self, seat: int) -> str:
        """Return a seat as people see it, as in ``seat 3 (ann)``."""
        return message("seat {seat} ({name})", seat=seat, name=self.agreement.seats[seat - 1].name)


async def leave_table(table: AgreedTable, refused: int = 0) -> None:
    """Say goodbye to the seats that this one is linked with, because of the ``refused`` seat if there is one.

    Takes at most ``close_s``.
    """
    with trio.move_on_after(DEFAULT_LIMITS.close_s):
        async with trio.open_nursery() as nursery:
            for seat, frames in table.links.items():
                reason = (REFUSED if seat == refused else OTHER_REFUSED) if refused else ""
                nursery.start_soon(_part, frames, reason)
    for frames in table.links.values():
        await frames.abort()


async def _part(frames: FrameStream, reason: str) -> None:
    # The other side closes the link when it has read the goodbye. Closing it here could lose frames on their way.
    with contextlib.suppress(NetError):
        await send(frames, bye(reason))
        while True:
            await frames.receive(DEFAULT_LIMITS.frame_max)
