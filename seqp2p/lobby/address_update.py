"""Where seats listen now: a seat that comes back says so, signed and numbered, and the others pass it on.

Only the seat itself can say it, and only a higher number replaces what it has said before: so whatever order it is
heard in, by whichever way, everybody ends with the same and nothing is passed on twice. What is believed wrongly
costs a failed dial, because the key that answers is compared with the seat's.
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

HERES_MAX: Final = 1_000  # of one seat in one game: each is passed on by everybody, and nobody comes back so often

HereNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=HERES_MAX)]


class HerePayload(Record, frozen=True):
    """What is signed: the seat listens there from now on. ``number`` counts how often it has said so in this game."""

    v: Literal[1]
    game: Bytes32
    seat: SeatNumber
    number: HereNumber
    addresses: AddressTexts


def make_here(identity: Identity, game: bytes, seat: int, number: int, addresses: Iterable[Address]) -> AddressUpdate:
    """A seat's own word of where it listens. At most four addresses, likeliest first; ``number`` from 1."""
    payload = encode(HerePayload(1, game, seat, number, tuple(str(address) for address in addresses)))
    return AddressUpdate(payload, sign(identity, HERE, payload))


def here_number(payload: bytes) -> int:
    """The number in a payload of the seat's own; raises DecodeError."""
    return decode(HerePayload, payload, HERE_SIZE_MAX).number


class AddressBook:
    """Where every seat of a table can be reached, as far as this one knows."""

    def __init__(self, table: AgreedTable, limits: Limits) -> None:
        self._table = table
        self._size_max = limits.addresses_per_seat
        self._numbers: dict[int, int] = {}
        self._heard: dict[int, bytes] = {}  # the newest message of each seat, as a frame
        self._told: dict[int, tuple[Address, ...]] = {}
        self._found: dict[int, tuple[Address, ...]] = {}
        if table.here is not None:
            self.receive(table.here)

    @property
    def frames(self) -> list[bytes]:
        """What somebody who is linked from now on has not heard, as frames."""
        return list(self._heard.values())

    def of(self, seat: int) -> tuple[Address, ...]:
        """Where to dial a seat, newest first: what was found on the network, what it said, what the table says."""
        table = self._table.addresses.get(seat, ())
        return tuple(dict.fromkeys((*self._found.get(seat, ()), *self._told.get(seat, ()), *table)))

    def find(self, seat: int, addresses: Iterable[Address]) -> bool:
        """Take what was found on the network, nobody's word; says whether it is new."""
        before = self.of(seat)
        self._found[seat] = tuple(addresses)[: self._size_max]
        return not set(self.of(seat)) <= set(before)

    def receive(self, received: AddressUpdate) -> int | None:
        """Take a seat's word; returns the seat if it is news. Raises PeerError where no seat has said this."""
        try:
            word = decode(HerePayload, received.payload, HERE_SIZE_MAX)
            addresses = tuple(parse_peer_address(text) for text in word.addresses)
        except (DecodeError, AddressError) as error:
            raise PeerError(
                message("It told where a seat is in a form that cannot be: {reason}", reason=message_of(error))
            ) from None
        if word.game != self._table.game or word.seat > len(self._table.agreement.seats):
            raise PeerError(message("It told where a seat of another game is."))
        # Before the signature: what was heard already is not worth checking.
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
