"""Address statements: each seat signs the addresses at which others reach it, and no peer can change them.

A statement names the seat's key and its fresh nonce of the lobby, which is part of the agreement: so it belongs to one
game before that has an id. Number 1 comes through the host's lobby. A seat that resumes signs the next number, and the
others pass it on. Only a higher number replaces an earlier one, so in any order and by any way all peers end with the
same addresses. A wrong address costs a failed dial, because the key that answers is compared with the seat's.
"""

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

import msgspec

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.hashing import ADDRESSES, PAIR
from seqp2p.crypto.identity import Identity, sign, verify
from seqp2p.i18n import message, message_of
from seqp2p.lobby.events import Own
from seqp2p.lobby.table import AgreedTable, OwnRelay, RelayEntry, parse_relay_entry
from seqp2p.match.encoding import DecodeError, Record, decode, encode
from seqp2p.match.table import Bytes32
from seqp2p.net.addresses import Address, AddressError, leads_here, parse_peer_address, peer_address
from seqp2p.net.errors import PeerError
from seqp2p.net.interfaces import IPNetwork, is_loopback, local_networks, may_dial
from seqp2p.net.limits import Limits
from seqp2p.net.messages import STATEMENT_SIZE_MAX, AddressStatement, AddressUpdate, encode_message

NUMBER_MAX: Final = 1_000  # of one seat in one game: all peers pass each on, and no seat resumes so often
ENTRIES_MAX: Final = 8
ENTRY_LENGTH_MAX: Final = 128
TCP: Final = 1
RELAY: Final = 2
"""Kinds of entries: an IP address and a TCP port; a relay with a key (table.py), at most one of these in a statement.
Entries of unknown kinds are kept and passed on, and not dialled."""
CHANGE_S: Final = 5.0
"""Between two changes of one seat's addresses that are taken; the newest of those that come meanwhile is kept."""


class AddressEntry(Record, frozen=True):
    """One way to reach a seat."""

    kind: Annotated[int, msgspec.Meta(ge=1, le=255)]
    address: Annotated[str, msgspec.Meta(max_length=ENTRY_LENGTH_MAX)]


class AddressPayload(Record, frozen=True):
    """The signed bytes: the seat with this key and nonce is reached by these entries, likeliest first."""

    v: Literal[1]
    key: Bytes32
    nonce: Bytes32
    number: Annotated[int, msgspec.Meta(ge=1, le=NUMBER_MAX)]
    entries: Annotated[tuple[AddressEntry, ...], msgspec.Meta(max_length=ENTRIES_MAX)]


@dataclass(frozen=True, slots=True)
class Read:
    """A statement and its content; ``addresses`` are the entries to dial, ``relay`` is the one to meet at."""

    statement: AddressStatement
    payload: AddressPayload
    addresses: tuple[Address, ...]
    relay: RelayEntry | None

    @property
    def is_signed(self) -> bool:
        """True if the owner of the key in it has signed it."""
        try:
            verify(self.payload.key, ADDRESSES, self.statement.payload, self.statement.signature)
        except CryptoError:
            return False
        return True


def make_statement(
    identity: Identity, nonce: bytes, number: int, addresses: Iterable[Address], relay: OwnRelay | None = None
) -> AddressStatement:
    """Sign the addresses at which a seat listens, likeliest first, and its relay; at most eight. ``number`` from 1."""
    entries = tuple(AddressEntry(TCP, peer_address(address)) for address in addresses)
    if relay is not None:
        entries += (AddressEntry(RELAY, str(relay.entry)),)
    payload = encode(AddressPayload(1, identity.public, nonce, number, entries))
    return AddressStatement(payload, sign(identity, ADDRESSES, payload))


def first_statement(own: Own, nonce: bytes, relay: OwnRelay | None) -> AddressStatement:
    """Sign this player's own addresses for the lobby, with its relay in this game if it uses one."""
    addresses = own.addresses[: own.limits.addresses_per_seat]
    return make_statement(own.credentials.identity, nonce, 1, addresses, relay)


def read_statement(statement: AddressStatement) -> Read:
    """Return the content of a statement, whose signature is not checked yet. Raises PeerError."""
    try:
        payload = decode(AddressPayload, statement.payload, STATEMENT_SIZE_MAX)
        addresses = tuple(parse_peer_address(entry.address) for entry in payload.entries if entry.kind == TCP)
        relay = _relay(payload)
    except (DecodeError, AddressError) as error:
        text = message("It sent addresses of a seat in an invalid form: {reason}", reason=message_of(error))
        raise PeerError(text) from None
    return Read(statement, payload, addresses, relay)


def _relay(payload: AddressPayload) -> RelayEntry | None:
    """Return the relay of a statement. Raises AddressError for one not in its form, and for a second one."""
    relays = [parse_relay_entry(entry.address) for entry in payload.entries if entry.kind == RELAY]
    if len(relays) > 1:
        raise AddressError(message("It has more than one relay."))
    return relays[0] if relays else None


def is_first(statement: AddressStatement, key: bytes, nonce: bytes) -> bool:
    """Return True if the seat with this key and nonce has signed this for the lobby. Raises PeerError for its form."""
    read = read_statement(statement)
    return (read.payload.key, read.payload.nonce, read.payload.number) == (key, nonce, 1) and read.is_signed


class AddressBook:
    """The addresses of every seat of a table, as far as this one knows."""

    def __init__(
        self, table: AgreedTable, limits: Limits, networks: Callable[[], Sequence[IPNetwork]] = local_networks
    ) -> None:
        """``networks`` returns those of this machine. Raises PeerError for a statement that is none of this table."""
        self._table = table
        self._found_max = limits.addresses_per_seat
        self._kept_max = limits.tables_max
        self._networks = networks
        self._seats = {(entry.key, entry.nonce): seat for seat, entry in enumerate(table.agreement.seats, 1)}
        self._newest: dict[int, Read] = {}
        self._waiting: dict[int, Read] = {}
        self._taken_at: dict[int, float] = {}
        self._found: dict[int, deque[Address]] = {}
        for statement in table.statements:
            if (seat := self.handle(statement)) is not None:
                self.take(seat, -math.inf)
        own = self._newest.get(table.seat)
        self._loopback = own is not None and any(is_loopback(address.host) for address in own.addresses)

    def number(self, seat: int) -> int:
        """Return the number of the newest statement of a seat, 0 for none."""
        return self._newest[seat].payload.number if seat in self._newest else 0

    @property
    def frames(self) -> list[bytes]:
        """The newest statement of each seat that the lobby has not passed on, as frames for a new neighbour."""
        later = (read.statement for read in self._newest.values() if read.payload.number > 1)
        return [encode_message(AddressUpdate(each.payload, each.signature)) for each in later]

    def signed(self, seat: int) -> tuple[Address, ...]:
        """Return the addresses to dial of those that the seat has signed."""
        return self._allowed(self._newest[seat].addresses) if seat in self._newest else ()

    def token(self, seat: int, label: str = PAIR) -> bytes | None:
        """Return the token at which this seat meets another at its relay, or None if they have none in common."""
        own, read = self._table.relay, self._newest.get(seat)
        if own is None or read is None or read.relay is None:
            return None
        return own.token(read.relay, self._table.game, label, lower=self._table.seat < seat)

    def of(self, seat: int) -> tuple[Address, ...]:
        """Return the addresses to dial: signed by the seat, known to this player, a few that were found."""
        found = itertools.islice(self._found.get(seat, ()), self._found_max)
        return tuple(dict.fromkeys((*self.signed(seat), *self._table.addresses.get(seat, ()), *found)))

    def find(self, seat: int, addresses: Iterable[Address]) -> bool:
        """Note addresses found on the network, which no seat has signed. Return True if one is new."""
        before = self._found.get(seat, deque[Address]())
        found = self._allowed(addresses)[: self._kept_max]
        kept = (each for each in before if each in found)
        self._found[seat] = deque(dict.fromkeys((*kept, *found)))
        return not set(found) <= set(before)

    def turn(self, seat: int) -> None:
        """Let ``of`` give the next of the addresses that were found: many false ones do not hide the right one."""
        if seat in self._found:
            self._found[seat].rotate(-self._found_max)

    def handle(self, received: AddressStatement) -> int | None:
        """Keep a new statement, for ``take``. Return the seat, or None if there is nothing more to take.

        Raises PeerError if no seat has signed it.
        """
        read = read_statement(received)
        seat = self._seats.get((read.payload.key, read.payload.nonce))
        if seat is None:
            raise PeerError(message("It sent the addresses of a seat of another game."))
        # Before the signature: a known statement is not worth checking.
        known = self._waiting.get(seat) or self._newest.get(seat)
        if known is not None and read.payload.number <= known.payload.number:
            return None
        if not read.is_signed:
            raise PeerError(message("It sent addresses that seat {seat} has not signed.", seat=seat))
        waits = seat in self._waiting
        self._waiting[seat] = read
        return None if waits else seat

    def wait_s(self, seat: int, now: float) -> float:
        return max(0.0, self._taken_at.get(seat, -math.inf) + CHANGE_S - now)

    def take(self, seat: int, now: float) -> AddressStatement:
        self._newest[seat] = self._waiting.pop(seat)
        self._taken_at[seat] = now
        return self._newest[seat].statement

    def _allowed(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        networks, own = self._networks(), self._table.listeners
        return tuple(
            each
            for each in addresses
            if may_dial(each.host, each.port, networks, loopback=self._loopback) and not leads_here(each, own)
        )
