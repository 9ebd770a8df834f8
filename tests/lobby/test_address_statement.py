"""Addresses of seats: a seat signs its own, others pass them on once, and no peer can change them."""

from dataclasses import replace
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.crypto.hashing import ADDRESSES, PAIR
from seqp2p.crypto.identity import ExchangeKey, sign
from seqp2p.lobby import address_statement as module
from seqp2p.lobby.address_statement import AddressBook, make_statement, read_statement
from seqp2p.lobby.table import AgreedTable, OwnRelay, own_relay, parse_relay_entry
from seqp2p.match.encoding import encode, pack
from seqp2p.net import addresses
from seqp2p.net import messages as wire
from seqp2p.net.addresses import Address, AddressError, parse_relay_address
from seqp2p.net.errors import PeerError
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.limits import DEFAULT_LIMITS
from tests.live.test_mesh import World
from tests.net.tools import Wires, address_of, identity, listening, said, table

pytestmark = pytest.mark.usefixtures("autojump_clock")

AGREEMENT = table(Wires(), 1, 3).agreement
NEW = Address("10.1.0.1", 5000)
NEWER = Address("fd00::7", 6000)


def nonce(seat: int) -> bytes:
    return AGREEMENT.seats[seat - 1].nonce


def here(seat: int, number: int, *addresses: Address) -> wire.AddressUpdate:
    """A seat's statement in the game of these tests."""
    made = said(seat, nonce(seat), *addresses, count=number)
    return wire.AddressUpdate(made.payload, made.signature)


def of_table(seat: int = 1, *statements: wire.AddressStatement, **more: Any) -> AgreedTable:
    return replace(table(Wires(), seat, 3), addresses={}, statements=statements, **more)


def signed(data: bytes, by: int = 2) -> wire.AddressUpdate:
    return wire.AddressUpdate(data, sign(identity(by), ADDRESSES, data))


def address_book(*statements: wire.AddressStatement, seat: int = 1) -> AddressBook:
    return AddressBook(of_table(seat, *statements), DEFAULT_LIMITS, list)


def take(book: AddressBook, statement: wire.AddressStatement, now: float = 0.0) -> int | None:
    seat = book.handle(statement)
    if seat is not None:
        book.take(seat, now)
    return seat


def test_the_highest_number_counts_in_any_order() -> None:
    for order in ((2, 3, 4), (4, 2, 3), (3, 4, 2)):
        known = address_book(here(2, 1, address_of(2)))
        news = [take(known, here(2, number, Address("10.1.0.1", 5000 + number))) for number in order]
        assert known.of(2) == (Address("10.1.0.1", 5004),)
        assert known.number(2) == 4
        assert news == [2 if number == max(order[: at + 1]) else None for at, number in enumerate(order)]
        assert known.handle(here(2, 4, NEW)) is None


def test_changes_wait_and_the_newest_is_kept() -> None:
    known = address_book(here(2, 1, address_of(2)))
    assert known.handle(here(2, 2, NEW)) == 2
    assert known.wait_s(2, 1000.0) == 0
    known.take(2, 1000.0)
    assert known.handle(here(2, 3, NEW)) == 2
    assert known.wait_s(2, 1001.0) == module.CHANGE_S - 1
    assert known.handle(here(2, 5, NEWER)) is None, "one is waited for already"
    assert known.handle(here(2, 4, NEW)) is None, "it is older"
    assert known.of(2) == (NEW,)
    assert known.take(2, 1005.0).payload == here(2, 5, NEWER).payload
    assert known.of(2) == (NEWER,)


def test_later_statements_are_passed_on_as_they_were_signed() -> None:
    own, other = here(1, 4, NEW), here(3, 2, NEWER)
    known = address_book(here(1, 1), here(2, 1), own)
    take(known, other)
    assert known.handle(here(1, 3, NEWER)) is known.handle(own) is None, "its own and an older one are no news"
    assert [wire.decode_message(frame[HEADER_SIZE:], wire.LinkStage.GAME) for frame in known.frames] == [own, other]


def test_what_was_found_on_the_network_comes_last_a_few_at_a_time() -> None:
    known = address_book(here(2, 1, NEW))
    found = [Address("10.2.0.1", port) for port in range(5000, 5100)]
    assert known.find(2, found)
    assert known.of(2) == (NEW, *found[:4])
    known.turn(2)
    assert known.of(2) == (NEW, *found[4:8])
    for _ in range(DEFAULT_LIMITS.tables_max // 4 - 1):
        known.turn(2)
    assert known.of(2) == (NEW, *found[:4]), "no more than so many are kept"
    assert not known.find(2, found[2:4])
    assert known.of(2) == (NEW, *found[2:4])
    assert not known.find(2, [])
    assert known.of(2) == (NEW,)


def test_no_address_of_others_is_dialled_that_the_rule_forbids() -> None:
    bad = [
        Address("127.0.0.1", 5000),
        Address("0.0.0.0", 5000),
        Address("10.1.0.1", 80),
        Address("169.254.169.254", 5000),
    ]
    known = address_book(here(2, 1, *bad, NEW))
    known.find(3, bad)
    assert known.of(2) == (NEW,)
    assert known.of(3) == ()


def test_loopback_is_dialled_by_those_who_are_reached_there() -> None:
    near = Address("127.0.0.1", 5000)
    assert address_book(here(1, 1, near), here(2, 1, near)).of(2) == (near,)
    assert address_book(here(1, 1, NEW), here(2, 1, near)).of(2) == ()


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
async def test_no_seat_leads_another_to_its_own_listener(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "local_hosts", lambda: ["10.9.0.1"])
    async with listening(Address(host, 0)) as (listener,):
        port = listener.socket.getsockname()[1]
        own = [Address(each, port) for each in ("127.0.0.1", "10.9.0.1")]
        others = (Address("10.9.0.1", port - 1), Address("10.9.0.2", port), Address("127.0.0.1", port - 1))
        signed = (here(1, 1, own[0]), here(2, 1, *own, *others))
        known = AddressBook(of_table(1, *signed, listeners=[listener]), DEFAULT_LIMITS, list)
        assert known.of(2) == (others if host == "0.0.0.0" else (own[1], *others))


def test_entries_of_a_kind_to_come_are_passed_on_and_not_dialled() -> None:
    known = address_book()
    data = payload(number=2, entries=[{"kind": 7, "address": "a relay to come"}, {"kind": 1, "address": str(NEW)}])
    assert take(known, signed(data)) == 2
    assert known.of(2) == (NEW,)
    assert known.frames == [wire.encode_message(signed(data))]


@pytest.mark.parametrize("by", [1, 3])
def test_no_seat_signs_for_another(by: int) -> None:
    known = address_book(here(2, 1, address_of(2)))
    with pytest.raises(PeerError, match="that seat 2 has not signed"):
        known.handle(signed(here(2, 2, NEW).payload, by))
    assert known.of(2) == (address_of(2),)
    assert take(known, here(2, 2, NEWER)) == 2


def test_another_game_is_none_of_its_business() -> None:
    for made in (said(2, bytes(32), NEW), said(4, nonce(2), NEW)):
        with pytest.raises(PeerError, match="of another game"):
            address_book().handle(made)


def payload(**changes: Any) -> bytes:
    entries = [{"kind": 1, "address": "10.1.0.1:5000"}]
    plain = {"v": 1, "key": identity(2).public, "nonce": nonce(2), "number": 1, "entries": entries}
    return pack(plain | changes)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        payload(v=2),
        payload(number=0),
        payload(number=module.NUMBER_MAX + 1),
        payload(extra=1),
        payload(entries=[{"kind": 256, "address": ""}]),
        payload(entries=[{"kind": 1, "address": 7}]),
    ],
)
def test_what_no_honest_program_signs(data: bytes) -> None:
    """``protocol/vectors/links.json`` has the entries that are refused."""
    known = address_book()
    with pytest.raises(PeerError, match="in an invalid form"):
        known.handle(signed(data))
    assert known.of(2) == ()
    assert not known.frames


def test_the_longest_statement_fits() -> None:
    longest = {"kind": 255, "address": "x" * 128}
    for data in (payload(), payload(number=module.NUMBER_MAX, entries=[longest] * 8)):
        assert len(data) <= wire.STATEMENT_SIZE_MAX
        assert address_book().handle(signed(data)) == 2


# Pairs of seats at a relay: the entry in a statement, and the token that only the two seats can name.
# protocol/vectors/links.json has right and wrong entries, and tokens by the keys and the game they are made of.

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
    payload = encode(
        module.AddressPayload(1, identity(2).public, bytes(32), 1, (module.AddressEntry(module.RELAY, text),))
    )
    with pytest.raises(PeerError):
        read_statement(wire.AddressStatement(payload, sign(identity(2), ADDRESSES, payload)))


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


class Moving(World):
    """Three seats on one network. Each knows the table's addresses, and some have come back elsewhere."""

    async def sit(self, number: int, where: Address | None = None, said: int = 0) -> None:
        """A seat comes, at its address of the table or another, and says so with this number."""
        at = where or address_of(number)
        own = [here(number, said, at)] if said else []
        first = [here(seat, 1, address_of(seat)) for seat in (1, 2, 3)]
        self.tables[number] = of_table(number, *first, *own, listeners=[self.wires.listen(at)])
        await self.start(number)


@pytest.fixture
async def world(nursery: trio.Nursery) -> Moving:
    return Moving(nursery, 3)


async def test_two_that_moved_find_each_other_by_the_one_that_stayed(world: Moving) -> None:
    await world.sit(3)
    await world.sit(1, NEW, 2)
    await world.seats[1].until_linked(3)
    await world.sit(2, NEWER, 2)
    await world.until_linked()
    assert trio.current_time() < 10
    # The news was passed on once, and nothing is dialled any more.
    dialled = len(world.wires.dialled)
    await trio.sleep(60)
    assert len(world.wires.dialled) == dialled


async def test_a_seat_that_moved_while_it_was_linked_does_not_hold_up_the_end(world: Moving) -> None:
    for number in (1, 2, 3):
        await world.sit(number, said=2)
    await world.until_linked()
    await wait_all_tasks_blocked()
    for seat in world.seats.values():
        await seat.mesh.close("the game is over")
    assert trio.current_time() < 10
