"""Where seats listen now: said by the seat itself, passed on once, dialled at once; nobody can say it for another."""

from dataclasses import replace
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from seqp2p.crypto.hashing import HERE
from seqp2p.crypto.identity import sign
from seqp2p.live.mesh import Mesh
from seqp2p.lobby.address_update import HERES_MAX, AddressBook, here_number, make_here
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.encoding import DecodeError, pack
from seqp2p.net.addresses import Address
from seqp2p.net.errors import PeerError
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import HERE_SIZE_MAX, AddressUpdate, LinkStage, decode_message, encode_message
from seqp2p.net.relay import LinkDown
from tests.net.tools import Seat, Wires, address_of, identity, randomness, table

GAME = table(Wires(), 1, 3).game
NEW = Address("10.1.0.1", 5000)
NEWER = Address("fd00::7", 6000)


def here(seat: int, number: int, *addresses: Address, by: int | None = None, game: bytes = GAME) -> AddressUpdate:
    """A seat's word, signed by itself or by another."""
    return make_here(identity(by or seat), game, seat, number, addresses)


def address_book(seat: int = 1, own: AddressUpdate | None = None) -> AddressBook:
    return AddressBook(replace(table(Wires(), seat, 3), here=own), DEFAULT_LIMITS)


# What is believed.


def test_the_table_is_believed_until_a_seat_says_something_else() -> None:
    known = address_book()
    assert known.of(2) == (address_of(2),)
    assert known.handle(here(2, 1, NEW)) == 2
    assert known.of(2) == (NEW, address_of(2))
    assert known.handle(here(2, 2, NEWER, address_of(2))) == 2
    assert known.of(2) == (NEWER, address_of(2))
    assert known.of(3) == (address_of(3),)


def test_the_highest_number_counts_in_any_order() -> None:
    for order in ((1, 2, 3), (3, 1, 2), (2, 3, 1)):
        known = address_book()
        news = [known.handle(here(2, number, Address("10.1.0.1", number))) for number in order]
        assert known.of(2)[0].port == 3
        assert len(known.frames) == 1
        assert news == [2 if number == max(order[: at + 1]) else None for at, number in enumerate(order)]
        assert known.handle(here(2, 3, NEW)) is None


def test_what_is_known_is_passed_on_as_it_was_said() -> None:
    own, other = here(1, 4, NEW), here(3, 1, NEWER)
    known = address_book(own=own)
    known.handle(other)
    assert [decode_message(frame[HEADER_SIZE:], LinkStage.GAME) for frame in known.frames] == [own, other]


def test_its_own_older_word_is_no_news_to_a_seat() -> None:
    known = address_book(own=here(1, 4, NEW))
    assert known.handle(here(1, 3, NEWER)) is None
    assert known.handle(here(1, 4, NEW)) is None


def test_a_seat_that_listens_nowhere_any_more_is_looked_for_where_it_was() -> None:
    known = address_book()
    known.handle(here(2, 1, NEW))
    assert known.handle(here(2, 2)) == 2
    assert known.of(2) == (address_of(2),)


def test_what_was_found_on_the_network_comes_first_and_is_bounded() -> None:
    known = address_book()
    known.handle(here(2, 1, NEW))
    found = [Address("10.2.0.1", port) for port in range(1, 100)]
    assert known.find(2, found)
    assert known.of(2) == (*found[:4], NEW, address_of(2))
    assert not known.find(2, found[2:4])
    assert not known.find(2, [])
    assert known.of(2) == (NEW, address_of(2))
    assert not known.find(2, [NEW])


def test_a_payload_says_its_number() -> None:
    assert here_number(here(2, 17, NEW).payload) == 17
    with pytest.raises(DecodeError):
        here_number(b"something else")


# What is not.


@pytest.mark.parametrize("by", [1, 3])
def test_nobody_says_it_for_another(by: int) -> None:
    known = address_book()
    with pytest.raises(PeerError, match="which that seat has not said"):
        known.handle(here(2, 1, NEW, by=by))
    assert known.of(2) == (address_of(2),)
    assert known.handle(here(2, 1, NEWER)) == 2


def test_another_game_is_none_of_its_business() -> None:
    known = address_book()
    for message in (here(2, 1, NEW, game=bytes(32)), here(4, 1, NEW)):
        with pytest.raises(PeerError, match="of another game"):
            known.handle(message)


def payload(**changes: Any) -> bytes:
    return pack({"v": 1, "game": GAME, "seat": 2, "number": 1, "addresses": ["10.1.0.1:5000"]} | changes)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        payload() + b"\0",
        payload(v=2),
        payload(seat=0),
        payload(seat=13),
        payload(number=0),
        payload(number=HERES_MAX + 1),
        payload(extra=1),
        payload(addresses=["10.1.0.1:5000"] * 5),
        payload(addresses=["10.1.0.1:0"]),
        payload(addresses=["table.example:4610"]),
        payload(addresses=["fe80::1%eth0"]),
        payload(addresses=["\x1b[2J:1"]),
        payload(addresses=["1" * 65]),
        payload(addresses=[7]),
        pack({"seat": 2}),
    ],
)
def test_what_no_honest_program_says(data: bytes) -> None:
    known = address_book()
    with pytest.raises(PeerError, match="in a form that cannot be"):
        known.handle(AddressUpdate(data, sign(identity(2), HERE, data)))
    assert known.of(2) == (address_of(2),)
    assert not known.frames


def test_the_payload_of_the_tests_is_one() -> None:
    data = payload()
    assert address_book().handle(AddressUpdate(data, sign(identity(2), HERE, data))) == 2


def test_the_longest_word_fits() -> None:
    longest = Address("1111:2222:3333:4444:5555:6666:7777:8888", 65_535)
    message = here(2, HERES_MAX, *[replace(longest, port=port) for port in range(65_532, 65_536)])
    assert len(message.payload) <= HERE_SIZE_MAX
    assert address_book().handle(message) == 2


@given(st.binary(max_size=HERE_SIZE_MAX), st.binary(min_size=64, max_size=64))
def test_any_bytes_are_a_word_or_a_typed_error(data: bytes, signature: bytes) -> None:
    with pytest.raises(PeerError):
        address_book().handle(AddressUpdate(data, signature))


# In the mesh.


class Moving:
    """Three seats on one network, each of which may come back elsewhere."""

    def __init__(self) -> None:
        self.wires = Wires()
        self.seats: dict[int, Seat] = {}
        self.scopes: dict[int, trio.CancelScope] = {}

    def table(self, number: int, where: Address, said: int) -> AgreedTable:
        at = replace(table(self.wires, number, 3), listeners=[self.wires.listen(where)])
        return replace(at, here=here(number, said, where)) if said else at

    async def come(self, nursery: trio.Nursery, number: int, where: Address | None = None, said: int = 0) -> Seat:
        """A seat comes (back), at its address of the table or another, and says so."""
        at = where or address_of(number)
        mesh = Mesh(self.table(number, at, said), randomness, dial=self.wires.dial)
        if at != address_of(number):
            self.wires.cut(address_of(number))
        self.seats[number] = Seat(mesh, 3)
        await nursery.start(self.run, number)
        return self.seats[number]

    async def run(self, number: int, *, task_status: "trio.TaskStatus[None]") -> None:
        with trio.CancelScope() as self.scopes[number]:
            await self.seats[number].run(task_status=task_status)

    async def go(self, number: int) -> None:
        self.scopes[number].cancel()
        for other in set(self.seats) - {number}:
            while number in self.seats[other].mesh.relay.linked:
                await wait_all_tasks_blocked()
        del self.seats[number]

    async def all_linked(self) -> None:
        for number, seat in self.seats.items():
            await seat.until_linked(*set(self.seats) - {number})


async def test_a_seat_that_comes_back_elsewhere_is_found_by_those_who_come_later(autojump_clock: object) -> None:
    """Seat 1 moves; seat 3 was away meanwhile, and where seat 1 says it is it hears from seat 2."""
    world = Moving()
    async with trio.open_nursery() as nursery:
        for number in (1, 2, 3):
            await world.come(nursery, number)
        await world.all_linked()
        await world.go(3)
        await world.go(1)
        await world.come(nursery, 1, NEW, 1)
        await world.all_linked()
        await world.come(nursery, 3)
        await world.all_linked()
        assert trio.current_time() < 15
        nursery.cancel_scope.cancel()


async def test_two_that_moved_find_each_other_by_the_one_that_stayed(autojump_clock: object) -> None:
    world = Moving()
    async with trio.open_nursery() as nursery:
        for number in (1, 2, 3):
            await world.come(nursery, number)
        await world.all_linked()
        await world.go(1)
        await world.go(2)
        first = await world.come(nursery, 1, NEW, 1)
        second = await world.come(nursery, 2, NEWER, 1)
        await first.until_linked(2, 3)
        await second.until_linked(1, 3)
        assert trio.current_time() < 10
        # The news was passed on once, and nothing is dialled any more.
        dialled = len(world.wires.dialled)
        await trio.sleep(60)
        assert len(world.wires.dialled) == dialled
        nursery.cancel_scope.cancel()


async def test_all_moved_and_are_found_on_the_network(autojump_clock: object) -> None:
    world = Moving()
    places = {1: NEW, 2: NEWER, 3: Address("10.3.0.3", 7000)}
    async with trio.open_nursery() as nursery:
        for number, place in places.items():
            await world.come(nursery, number, place, 1)
        await trio.sleep(30)
        assert not any(seat.mesh.relay.linked for seat in world.seats.values())
        world.seats[1].mesh.add_addresses(2, [NEWER])
        world.seats[1].mesh.add_addresses(2, [NEWER])
        start = trio.current_time()
        await world.seats[1].until_linked(2)
        world.seats[3].mesh.add_addresses(1, [Address("10.9.9.9", 9), NEW])
        await world.all_linked()
        assert trio.current_time() - start < 1
        nursery.cancel_scope.cancel()


async def test_a_seat_that_moved_while_it_was_linked_does_not_hold_up_the_end(autojump_clock: object) -> None:
    world = Moving()
    async with trio.open_nursery() as nursery:
        for number in (1, 2, 3):
            await world.come(nursery, number, said=1)
        await world.all_linked()
        await wait_all_tasks_blocked()
        for seat in world.seats.values():
            await seat.mesh.close("the game is over")
    assert trio.current_time() < 10


async def test_a_seat_that_nobody_has_an_address_of_is_waited_for(autojump_clock: object) -> None:
    wires = Wires()
    alone = Mesh(replace(table(wires, 3, 3), addresses={}), randomness, dial=wires.dial)
    async with trio.open_nursery() as nursery:
        await nursery.start(Seat(alone, 3).run)
        await trio.sleep(100)
        assert wires.dialled == []
        alone.add_addresses(1, [NEW])
        await wait_all_tasks_blocked()
        assert wires.dialled == [NEW]
        nursery.cancel_scope.cancel()


async def test_a_seat_that_lies_about_another_is_at_fault(autojump_clock: object) -> None:
    world = Moving()
    async with trio.open_nursery() as nursery:
        for number in (1, 2):
            await world.come(nursery, number)
        liar = world.table(3, address_of(3), 0)
        mesh = Mesh(replace(liar, here=None), randomness, dial=world.wires.dial)
        mesh._address_book._heard[2] = encode_message(here(2, 5, NEW, by=3))
        world.seats[3] = Seat(mesh, 3)
        await nursery.start(world.run, 3)
        down = await world.seats[1].until_event(LinkDown, 3)
        assert isinstance(down, LinkDown)
        assert down.fault
        assert "which that seat has not said" in down.reason
        await world.seats[1].until_linked(2)
        assert world.seats[1].mesh._address_book.of(2) == (address_of(2),)
        nursery.cancel_scope.cancel()
