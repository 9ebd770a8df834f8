"""Pairs of seats at a relay: the entry by which a seat names its relay, and the token at which two seats meet there.

Each seat makes a fresh key for each game. The token is a hash of the secret that two of these keys share, so only the
two seats can name it: no other seat, no spectator, and not the relay before one of them is there.
"""

import base64
from dataclasses import dataclass
from typing import Final

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import Randomness
from seqp2p.crypto.hashing import tagged_hash
from seqp2p.crypto.identity import EXCHANGE_SIZE, ExchangeKey
from seqp2p.i18n import message
from seqp2p.net.addresses import Address, AddressError, parse_relay_address

_KEY_LENGTH: Final = 43  # 32 bytes in base64 without padding


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
        raise AddressError(message("{text!r} is no relay with a key.", text=text[:64]))
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
