"""Address updates: a seat that resumes signs and numbers its new addresses, and the others pass them on.

Only the seat itself can sign an update, and only a higher number replaces an earlier one. So in any order and by any
way all peers end with the same addresses, and nothing is passed on twice. A wrong address costs a failed dial, because
the key that answers is compared with the seat's.
"""

from collections.abc import Iterable
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.hashing import HERE
from seqp2p.crypto.identity import Identity, sign, verify
from seqp2p.i18n import message, message_of
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.encoding import DecodeError, Record, decode, encode
from seqp2p.match.table import Bytes32, SeatNumber
from seqp2p.net.addresses import Address, AddressError, parse_peer_address
from seqp2p.net.errors import PeerError
from seqp2p.net.limits import Limits
from seqp2p.net.messages import HERE_SIZE_MAX, AddressTexts, AddressUpdate, encode_message

HERES_MAX: Final = 1_000  # of one seat in one game: all peers pass each on, and no seat resumes so often

HereNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=HERES_MAX)]


class HerePayload(Record, frozen=True):
    """The signed bytes: the seat listens there from now on. ``number`` counts its updates in this game."""

    v: Literal[1]
    game: Bytes32
    seat: SeatNumber
    number: HereNumber
    addresses: AddressTexts


def make_here(identity: Identity, game: bytes, seat: int, number: int, addresses: Iterable[Address]) -> AddressUpdate:
    """Sign the addresses at which a seat listens: at most four, likeliest first; ``number`` from 1."""
    payload = encode(HerePayload(1, game, seat, number, tuple(str(address) for address in addresses)))
    return AddressUpdate(payload, sign(identity, HERE, payload))


def here_number(payload: bytes) -> int:
    """Return the number in a payload of this seat; raises DecodeError."""
    return decode(HerePayload, payload, HERE_SIZE_MAX).number


class AddressBook:
    """The addresses of every seat of a table, as far as this one knows."""

    def __init__(self, table: AgreedTable, limits: Limits) -> None:
        self._table = table
        self._size_max = limits.addresses_per_seat
        self._numbers: dict[int, int] = {}
        self._heard: dict[int, bytes] = {}  # the newest message of each seat, as a frame
        self._told: dict[int, tuple[Address, ...]] = {}
        self._found: dict[int, tuple[Address, ...]] = {}
        if table.here is not None:
            self.handle(table.here)

    @property
    def frames(self) -> list[bytes]:
        """The newest update of each seat, as frames for a new neighbour."""
        return list(self._heard.values())

    def of(self, seat: int) -> tuple[Address, ...]:
        """Return the addresses to dial, newest first: found on the network, from its update, from the table."""
        table = self._table.addresses.get(seat, ())
        return tuple(dict.fromkeys((*self._found.get(seat, ()), *self._told.get(seat, ()), *table)))

    def find(self, seat: int, addresses: Iterable[Address]) -> bool:
        """Note addresses found on the network, which no seat has signed. Return True if one is new."""
        before = self.of(seat)
        self._found[seat] = tuple(addresses)[: self._size_max]
        return not set(self.of(seat)) <= set(before)

    def handle(self, received: AddressUpdate) -> int | None:
        """Handle an update. Return the seat if it is new, else None. Raises PeerError if no seat has signed it."""
        try:
            word = decode(HerePayload, received.payload, HERE_SIZE_MAX)
            addresses = tuple(parse_peer_address(text) for text in word.addresses)
        except (DecodeError, AddressError) as error:
            raise PeerError(
                message("It told where a seat is in a form that cannot be: {reason}", reason=message_of(error))
            ) from None
        if word.game != self._table.game or word.seat > len(self._table.agreement.seats):
            raise PeerError(message("It told where a seat of another game is."))
        # Before the signature: a known update is not worth checking.
        if word.number <= self._numbers.get(word.seat, 0):
            return None
        try:
            verify(self._table.key(word.seat), HERE, received.payload, received.signature)
        except CryptoError:
            raise PeerError(
                message("It told where seat {seat} is, which that seat has not said.", seat=word.seat)
            ) from None
        self._numbers[word.seat] = word.number
        self._heard[word.seat] = encode_message(received)
        self._told[word.seat] = addresses
        return word.seat
