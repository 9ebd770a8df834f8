"""Pairs of seats at a relay: the entry in a statement, and the token that only the two seats can name."""

from dataclasses import replace

import pytest

from seqp2p.crypto.hashing import ADDRESSES, PAIR, REMATCH
from seqp2p.crypto.identity import ExchangeKey, sign
from seqp2p.lobby.address_statement import (
    RELAY,
    AddressBook,
    AddressEntry,
    AddressPayload,
    make_statement,
    read_statement,
)
from seqp2p.lobby.pairs import OwnRelay, RelayEntry, own_relay, parse_relay_entry
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.encoding import encode
from seqp2p.net.addresses import Address, AddressError, parse_relay_address
from seqp2p.net.errors import PeerError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AddressStatement
from tests.net.tools import Wires, identity, said, table

WHERE = Address("relay.example.org", 4001)
GAME = bytes(range(32))
SMALL_ORDER = (bytes(32), (1).to_bytes(32, "little"))


def key(seat: int) -> ExchangeKey:
    return ExchangeKey(bytes([seat]) * 32)


def relay(seat: int, where: Address = WHERE) -> OwnRelay:
    return OwnRelay(where, key(seat))


def tables(players: int = 3, **others: OwnRelay | None) -> dict[int, AgreedTable]:
    """A table as each seat has it; all use one relay unless ``seatN`` says otherwise."""
    relays = {seat: others.get(f"seat{seat}", relay(seat)) for seat in range(1, players + 1)}
    seats = table(Wires(), 1, players).agreement.seats
    signed = [make_statement(identity(seat), entry.nonce, 1, (), relays[seat]) for seat, entry in enumerate(seats, 1)]
    return {
        seat: replace(table(Wires(), seat, players), addresses={}, statements=signed, relay=relays[seat])
        for seat in relays
    }


def token(at: AgreedTable, seat: int, label: str = PAIR) -> bytes | None:
    return AddressBook(at, DEFAULT_LIMITS, list).token(seat, label)


@pytest.mark.parametrize("where", ["relay.example.org:1", "192.0.2.1:65535", "[2001:db8::1]:4001", "x:4001"])
def test_an_entry_is_read_as_it_was_written(where: str) -> None:
    entry = RelayEntry(parse_relay_address(where), key(1).public)
    assert parse_relay_entry(str(entry)) == entry
    assert len(str(entry)) == len(where) + 44


@pytest.mark.parametrize(
    "where", ["", "a_b:1", "a..b:1", "-a:1", "a-:1", "a.1:1", "x:0", "x:65536", "x" * 64 + ":1", "x." * 40 + "x:4001"]
)
def test_an_address_that_no_relay_has(where: str) -> None:
    with pytest.raises(AddressError):
        parse_relay_address(where)


@pytest.mark.parametrize(
    "bad", ["é" + "A" * 42, "\U0001f0cf" + "A" * 42, "\0" + "A" * 42, "A" * 42, "A" * 44, "", " " * 43]
)
def test_a_key_that_cannot_be_is_the_fault_of_its_sender(bad: str) -> None:
    text = f"{WHERE} {bad}"
    with pytest.raises(AddressError):
        parse_relay_entry(text)
    payload = encode(AddressPayload(1, identity(2).public, bytes(32), 1, (AddressEntry(RELAY, text),)))
    with pytest.raises(PeerError):
        read_statement(AddressStatement(payload, sign(identity(2), ADDRESSES, payload)))


def test_a_statement_has_one_relay_at_most() -> None:
    entry = AddressEntry(RELAY, str(relay(2).entry))
    read = read_statement(make_statement(identity(2), bytes(32), 1, (Address("10.0.0.2", 4610),), relay(2)))
    assert read.addresses == (Address("10.0.0.2", 4610),)
    assert read.relay == relay(2).entry
    assert entry in read.payload.entries
    assert read_statement(said(2, bytes(32))).relay is None


def test_both_seats_name_one_token_and_each_pair_has_its_own() -> None:
    at = tables()
    found = {(own, other): token(at[own], other) for own in at for other in at if own != other}
    assert all(found[pair] == found[pair[::-1]] for pair in found)
    assert None not in found.values()
    assert len(set(found.values())) == 3


def test_no_other_seat_and_no_spectator_can_name_the_token_of_a_pair() -> None:
    """All that they have is the public keys, the game and secrets of their own."""
    pair = relay(1).token(relay(2).entry, GAME, PAIR, lower=True)
    third, entries = relay(3), [relay(1).entry, relay(2).entry]
    guesses = {third.token(entry, GAME, PAIR, lower=lower) for entry in entries for lower in (True, False)}
    assert pair not in guesses


def test_a_token_is_of_one_game_and_one_purpose() -> None:
    tokens = [
        relay(1).token(relay(2).entry, game, label, lower=True)
        for game in (GAME, bytes(32))
        for label in (PAIR, REMATCH)
    ]
    assert len({*tokens, relay(2).token(relay(1).entry, GAME, PAIR, lower=True)}) == 5


def test_seats_meet_only_where_both_name_one_relay() -> None:
    at = tables(seat2=relay(2, replace(WHERE, port=4002)), seat3=None)
    assert token(at[1], 2) is None, "another relay"
    assert token(at[1], 3) is None, "it uses none"
    assert token(at[3], 1) is None, "this player uses none"


@pytest.mark.parametrize("public", SMALL_ORDER)
def test_a_key_that_makes_one_secret_for_all_makes_no_token(public: bytes) -> None:
    assert relay(1).token(RelayEntry(WHERE, public), GAME, PAIR, lower=True) is None


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
