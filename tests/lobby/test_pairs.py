"""Pairs of seats at a relay: the entry in a statement, and the token that only the two seats can name.

``protocol/vectors/links.json`` has right and wrong entries, and tokens by the keys and the game they are made of.
"""

from dataclasses import replace

import pytest

from seqp2p.crypto.hashing import ADDRESSES, PAIR
from seqp2p.crypto.identity import ExchangeKey, sign
from seqp2p.lobby.address_statement import (
    RELAY,
    AddressBook,
    AddressEntry,
    AddressPayload,
    make_statement,
    read_statement,
)
from seqp2p.lobby.table import AgreedTable, OwnRelay, own_relay, parse_relay_entry
from seqp2p.match.encoding import encode
from seqp2p.net.addresses import Address, AddressError, parse_relay_address
from seqp2p.net.errors import PeerError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AddressStatement
from tests.net.tools import Wires, identity, table

WHERE = Address("relay.example.org", 4001)


def key(seat: int) -> ExchangeKey:
    return ExchangeKey(bytes([seat]) * 32)


def relay(seat: int, where: Address = WHERE) -> OwnRelay:
    return OwnRelay(where, key(seat))


def tables(players: int = 3, **others: OwnRelay | None) -> dict[int, AgreedTable]:
    """A table as each seat has it. All use one relay, except where ``seatN`` has another or None."""
    relays = {seat: others.get(f"seat{seat}", relay(seat)) for seat in range(1, players + 1)}
    seats = table(Wires(), 1, players).agreement.seats
    signed = [make_statement(identity(seat), entry.nonce, 1, (), relays[seat]) for seat, entry in enumerate(seats, 1)]
    return {
        seat: replace(table(Wires(), seat, players), addresses={}, statements=signed, relay=relays[seat])
        for seat in relays
    }


def token(at: AgreedTable, seat: int, label: str = PAIR) -> bytes | None:
    return AddressBook(at, DEFAULT_LIMITS, list).token(seat, label)


@pytest.mark.parametrize("where", ["", "a_b:1", "a..b:1", "-a:1", "x:65536"])
def test_an_address_that_no_relay_has(where: str) -> None:
    with pytest.raises(AddressError):
        parse_relay_address(where)


@pytest.mark.parametrize("bad", ["é" + "A" * 42, "\U0001f0cf" + "A" * 42, "\0" + "A" * 42, "A" * 44, ""])
def test_a_key_that_cannot_be_is_the_fault_of_its_sender(bad: str) -> None:
    text = f"{WHERE} {bad}"
    with pytest.raises(AddressError):
        parse_relay_entry(text)
    payload = encode(AddressPayload(1, identity(2).public, bytes(32), 1, (AddressEntry(RELAY, text),)))
    with pytest.raises(PeerError):
        read_statement(AddressStatement(payload, sign(identity(2), ADDRESSES, payload)))


def test_both_seats_name_one_token_and_each_pair_has_its_own() -> None:
    at = tables()
    found = {(own, other): token(at[own], other) for own in at for other in at if own != other}
    assert all(found[pair] == found[pair[::-1]] for pair in found)
    assert None not in found.values()
    assert len(set(found.values())) == 3


def test_seats_meet_only_where_both_name_one_relay() -> None:
    at = tables(seat2=relay(2, replace(WHERE, port=4002)), seat3=None)
    assert token(at[1], 2) is None, "another relay"
    assert token(at[1], 3) is None, "it uses none"
    assert token(at[3], 1) is None, "this player uses none"


def test_a_key_is_fresh_and_nothing_shows_its_secret() -> None:
    first, second = (own_relay(WHERE, lambda n, byte=byte: bytes([byte]) * n) for byte in (7, 8))  # type: ignore[misc]
    assert first is not None
    assert second is not None
    assert first.key.public != second.key.public
    shown = repr(first) + repr(replace(table(Wires(), 1, 2), relay=first))
    secret = first.key.secret_bytes()
    assert secret.hex() not in shown
    assert repr(secret) not in shown
    assert own_relay(None, bytes) is None
