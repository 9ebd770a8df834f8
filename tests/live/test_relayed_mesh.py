"""Meshes whose seats cannot dial each other, over a relay: the real one, and hostile ones with the clock jumping."""

import contextlib
import itertools
import math
from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import replace
from typing import Any

import pytest
import trio
from trio.testing import memory_stream_pair

from seqp2p.crypto.identity import ExchangeKey
from seqp2p.live.mesh import Mesh
from seqp2p.lobby.address_statement import make_statement
from seqp2p.lobby.events import Former
from seqp2p.lobby.host import Hosting, host_table, rematch_listeners
from seqp2p.lobby.join import rejoin_table
from seqp2p.lobby.table import AgreedTable, OwnRelay
from seqp2p.net.addresses import Address, tcp_dial
from seqp2p.net.dialling import Dial
from seqp2p.net.errors import LinkLost
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AddressUpdate
from seqp2p.net.relay import DIAL_GAP_S, LOOK_S, LinkDown, LinkUp
from seqp2p.net.transit import TransitStream
from tests.live.relays import HOSTILE, JoinsAny, MemoryRelay, SaysNonsense, Waits
from tests.live.test_mesh import World
from tests.net.tools import Seat, address_of, agreement, identity, own, randomness, settings
from tests.relay import running_relay

pytestmark = pytest.mark.usefixtures("autojump_clock")

RELAY = Address("relay.example.org", 4001)


class Relayed(World):
    """Seats that use a relay, but for those ``apart``. The ``hidden`` sign no address, ``open_ways`` can be dialled."""

    def __init__(
        self,
        nursery: trio.Nursery,
        players: int,
        relay: Address = RELAY,
        dial: Dial = tcp_dial,
        *,
        apart: Collection[int] = (),
        hidden: Collection[int] = (),
        open_ways: Collection[int] = (),
    ) -> None:
        super().__init__(nursery, players)
        self._relay, self._dial_relay = relay, dial
        self.open_ways = open_ways
        self.dials: list[float] = []
        self.relays = {
            seat: None if seat in apart else OwnRelay(relay, ExchangeKey(bytes([seat]) * 32))
            for seat in range(1, players + 1)
        }
        self.nonces = {seat: entry.nonce for seat, entry in enumerate(agreement(players).seats, 1)}
        self.statements = [
            make_statement(identity(seat), nonce, 1, () if seat in hidden else (address_of(seat),), self.relays[seat])
            for seat, nonce in self.nonces.items()
        ]

    async def dial(self, address: Address) -> trio.abc.Stream:
        if address == self._relay:
            return await self._dial_relay(address)
        self.dials.append(trio.current_time())
        if address not in map(address_of, self.open_ways):
            await trio.lowlevel.checkpoint()
            raise ConnectionRefusedError
        return await super().dial(address)

    def table(self, number: int) -> AgreedTable:
        return replace(super().table(number), addresses={}, statements=self.statements, relay=self.relays[number])

    def hear_of_second(self, number: int, addresses: Sequence[Address]) -> None:
        """Seat 2 has these addresses now."""
        told = make_statement(identity(2), self.nonces[2], number, addresses, self.relays[2])
        self.seats[2].mesh._hear_of(AddressUpdate(told.payload, told.signature))

    def faults(self) -> set[tuple[int, int]]:
        """Each seat and a seat that it blames."""
        return {
            (number, event.seat)
            for number, seat in self.seats.items()
            for event in seat.events
            if isinstance(event, LinkDown) and event.fault
        }


@contextlib.asynccontextmanager
async def world_with(
    kind: type[MemoryRelay] = MemoryRelay, players: int = 2, *, seats: Sequence[int] = (), **more: Any
) -> AsyncGenerator[tuple[Relayed, MemoryRelay]]:
    """These seats (all), running at a relay of this kind, without sockets."""
    async with trio.open_nursery() as nursery:
        relay = kind(nursery)
        world = Relayed(nursery, players, dial=relay.dial, **more)
        await world.start(*seats)
        yield world, relay
        nursery.cancel_scope.cancel()


@pytest.mark.process
async def test_seats_that_cannot_dial_each_other_link_by_the_real_relay(nursery: trio.Nursery) -> None:
    """That it goes away and comes back is told below, and in tests/net/test_transit.py."""
    async with running_relay() as address:
        world = Relayed(nursery, 3, address)
        await world.start()
        await world.until_linked()
        for number, seat in world.seats.items():
            seat.contribute(number, 1)
        for seat in world.seats.values():
            await seat.until_holding(3)
            assert seat.mesh.relayed == seat.mesh.relay.linked
        assert world.faults() == set()


async def test_direct_links_are_preferred() -> None:
    async with world_with(players=3, open_ways={1, 2, 3}) as (world, relay):
        await world.until_linked()
        await trio.sleep(60)
        assert not relay.lines
        assert not world.seats[1].mesh.relayed


async def test_a_seat_that_can_be_dialled_is_linked_directly() -> None:
    async with world_with(players=3, open_ways={1}) as (world, _):
        await world.until_linked()
        assert [seat.mesh.relayed for seat in world.seats.values()] == [set(), {3}, {2}]


async def test_one_who_uses_no_relay_is_not_met_there() -> None:
    async with world_with(players=3, apart={3}) as (world, relay):
        await world.seats[1].until_linked(2)
        await trio.sleep(100)
        assert world.seats[1].mesh.relay.linked == {2}
        assert not world.seats[3].mesh.relay.linked
        assert len(relay.tokens) == 1


async def test_waiting_lines_end_with_a_link() -> None:
    async with world_with() as (world, relay):
        await world.until_linked()
        lines = relay.lines.total()
        await trio.sleep(300)
        assert relay.lines.total() == lines


async def test_a_quiet_line_is_renewed() -> None:
    async with world_with(seats=[1]) as (_, relay):
        await trio.sleep(600)
        assert 9 <= relay.lines.total() <= 11


async def test_links_come_back_with_the_relay() -> None:
    async with world_with(players=3) as (world, relay):
        await world.until_linked()
        await relay.leave()
        await trio.sleep(30)
        assert not any(seat.mesh.relay.linked for seat in world.seats.values())
        relay.come_back()
        back_at = trio.current_time()
        await world.until_linked()
        assert trio.current_time() - back_at <= DEFAULT_LIMITS.dial_max_s + 1
        assert world.faults() == set()


async def test_a_seat_linked_by_the_relay_is_dialled_where_it_moves() -> None:
    async with world_with() as (world, _):
        await world.until_linked()
        assert world.seats[1].mesh.relayed == {2}
        world.open_ways = {2}
        world.hear_of_second(2, [address_of(2)])
        await trio.sleep(60)
        assert not world.seats[1].mesh.relayed
        assert not world.seats[2].mesh.relayed


async def test_new_addresses_by_the_dozen_are_dialled_one_a_second() -> None:
    async with world_with() as (world, _):
        await world.until_linked()
        world.dials.clear()
        one = world.seats[1].mesh
        for number in range(2, 8):
            signed = [Address("10.0.1.1", 5000 + 8 * number + entry) for entry in range(7)]
            world.hear_of_second(number, signed)
            for change in range(25):
                one.add_addresses(2, [Address("10.0.1.2", 5000 + 25 * number + change)])
                await trio.sleep(0.2)
        assert len(world.dials) > 20
        assert all(b - a >= DIAL_GAP_S - 1e-6 for a, b in itertools.pairwise(world.dials))
        assert world.seats[1].mesh.relayed == {2}, "meanwhile the link by the relay is used"
        await trio.sleep(60)
        quiet = len(world.dials)
        await trio.sleep(60)
        assert len(world.dials) == quiet, "addresses that stay as they are are dialled once"


async def test_a_link_of_the_lobby_that_goes_by_the_relay_is_made_again_directly(nursery: trio.Nursery) -> None:
    line, _ = memory_stream_pair()
    world = Relayed(nursery, 2, open_ways={2})
    lobby_link = FrameStream(TransitStream(line, b"", math.inf))
    mesh = Mesh(replace(world.table(1), links={2: lobby_link}), randomness, dial=world.dial)
    await world.start(2)
    await nursery.start(Seat(mesh, 2).run)
    assert mesh.relayed == {2}
    await mesh._peers[2].until(lambda peer: peer.direct)
    assert trio.current_time() < DEFAULT_LIMITS.silence_s, "the link of the lobby is still there"


@pytest.mark.parametrize("kind", HOSTILE)
async def test_a_hostile_relay_blames_no_seat_and_keeps_none_busy(kind: type[MemoryRelay]) -> None:
    players = 3 if kind is JoinsAny else 2
    async with world_with(kind, players) as (world, relay):
        await trio.sleep(60)
        assert world.faults() == set()
        for seat in world.seats.values():
            assert all(not peer.faults and not peer.search.given_up for peer in seat.mesh._peers.values())
        # Each end of a pair waits longer and longer, up to 8 s. A busy one would open thousands of lines.
        assert relay.lines.total() <= players * (players - 1) * 60
        honest = MemoryRelay(trio.lowlevel.current_task().parent_nursery)  # type: ignore[arg-type]
        world._dial_relay = honest.dial
        await relay.leave()
        await world.until_linked()
        await world.seats[1].until_event(LinkUp, 2)


async def sought_s(world: Relayed) -> float:
    """Return how long seat 1 looks for seat 2."""
    began_at = trio.current_time()
    while not world.seats[1].mesh.relay.has_sought(2, began_at):  # noqa: ASYNC110  # a search has no event
        await trio.sleep(0.5)
    return trio.current_time() - began_at


async def test_a_seat_is_looked_for_at_the_relay_before_it_is_voted_out() -> None:
    async with world_with(seats=[1]) as (world, relay):
        assert await sought_s(world) >= LOOK_S + DEFAULT_LIMITS.dial_patience_s
        assert relay.lines.total() == 1


async def test_a_relay_that_is_away_does_not_put_a_vote_off() -> None:
    async with world_with() as (world, relay):
        await world.until_linked()
        await relay.leave()
        assert await sought_s(world) <= LOOK_S + DEFAULT_LIMITS.dial_patience_s + 2


@pytest.mark.parametrize("apart", [set[int](), {2}], ids=["a relay", "no relay"])
async def test_a_seat_without_addresses_that_vanishes_puts_a_vote_off_by_the_look(apart: set[int]) -> None:
    async with world_with(seats=[1], apart=apart, hidden={2}, open_ways={1}) as (world, _):
        await world.start(2)
        await world.until_linked()
        world.scopes[2].cancel()
        one = world.seats[1]
        await one.until_event(LinkDown, 2)
        began_at = trio.current_time()
        await trio.sleep(LOOK_S - 0.1)
        assert not one.mesh.relay.has_sought(2, began_at)
        await trio.sleep(0.2)
        assert one.mesh.relay.has_sought(2, began_at)


@pytest.mark.parametrize("seat", [1, 2], ids=["server", "client"])
@pytest.mark.parametrize("turns", range(10))
async def test_a_joined_line_is_closed_at_once_whenever_its_seat_ends(seat: int, turns: int) -> None:
    """The seat ends so many turns of its tasks after the relay has said ok."""
    said_ok = trio.Event()

    class Tells(SaysNonsense):
        async def welcome(self, new: Waits) -> None:
            await super().welcome(new)
            said_ok.set()

    async with trio.open_nursery() as nursery:
        relay = Tells(nursery)
        async with trio.open_nursery() as seats:
            await Relayed(seats, 2, dial=relay.dial).start(seat)
            await said_ok.wait()
            for _ in range(turns):
                await trio.lowlevel.checkpoint()
            seats.cancel_scope.cancel()
        assert await relay.are_closed()


async def test_the_seats_of_the_last_game_find_the_next_lobby_over_the_relay(nursery: trio.Nursery) -> None:
    tables: dict[int, AgreedTable] = {}
    relay = MemoryRelay(nursery)
    world = Relayed(nursery, 3, dial=relay.dial)
    last = {seat: world.table(seat) for seat in world.relays}

    async def host() -> None:
        former = Former(last[1].game, {identity(seat).public: seat for seat in (2, 3)})
        mine = own(1, relay=RELAY, listeners=rematch_listeners(last[1], (2, 3), relay.dial))
        tables[1] = await host_table(mine, Hosting(settings(3), 7, former=former))

    async def guest(seat: int) -> None:
        tables[seat] = await rejoin_table(own(seat, relay=RELAY), last[seat], dial=world.dial)

    async with trio.open_nursery() as players:
        players.start_soon(guest, 3)
        await trio.sleep(20)  # The host thinks about it.
        players.start_soon(host)
        players.start_soon(guest, 2)
    assert {seat: table.seat for seat, table in tables.items()} == {1: 1, 2: 2, 3: 3}
    used = [table.relay for table in (*tables.values(), *last.values())]
    assert len({own.key.public for own in used if own is not None}) == 6, "each game has keys of its own"


async def test_a_host_whose_relay_is_away_too_is_gone(nursery: trio.Nursery) -> None:
    relay = MemoryRelay(nursery)
    world = Relayed(nursery, 2, dial=relay.dial)
    await relay.leave()
    with pytest.raises(LinkLost, match="The host is gone"):
        await rejoin_table(own(2, relay=RELAY), world.table(2), dial=world.dial)
