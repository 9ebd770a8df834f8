"""Meshes of several seats on a network without sockets, with the clock jumping."""

import contextlib
from collections.abc import AsyncGenerator, Collection
from dataclasses import replace
from typing import Any

import pytest
import trio
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from seqp2p.live.mesh import Mesh, MeshEvent
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.signed import OfferedEvidence, ReleasedSecret
from seqp2p.net import messages as wire
from seqp2p.net import tls
from seqp2p.net.addresses import Address
from seqp2p.net.auth import NO_LOBBY, make_proof, prove, receive, send
from seqp2p.net.dialling import reach
from seqp2p.net.errors import LinkLost, PeerRefused
from seqp2p.net.frames import FrameStream, frame
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.relay import LinkDown, LinkUp, Received
from tests.live.parties import Pair, Raw, raw_link
from tests.net.tools import Seat, Wires, address_of, contribution, credentials, identity, randomness, refused, table

pytestmark = pytest.mark.usefixtures("autojump_clock")

LIMITS = DEFAULT_LIMITS


class World:
    """Tables and seats of one game. ``without`` names pairs that cannot reach each other."""

    def __init__(
        self, nursery: trio.Nursery, players: int, *, without: Collection[Pair] = (), limits: Limits = LIMITS
    ) -> None:
        self.nursery = nursery
        self.players = players
        self.wires = Wires()
        self.tables: dict[int, AgreedTable] = {}
        self.without = {*without, *((b, a) for a, b in without)}
        self.limits = limits
        self.seats: dict[int, Seat] = {}
        self.scopes: dict[int, trio.CancelScope] = {}

    def table(self, number: int) -> AgreedTable:
        return self.tables.get(number) or table(self.wires, number, self.players)

    async def dial(self, address: Address) -> trio.abc.Stream:
        return await self.wires.dial(address)

    def make(self, number: int) -> Seat:
        def may_dial(other: int) -> bool:
            return (number, other) not in self.without

        mesh = Mesh(self.table(number), randomness, self.limits, dial=self.dial, dial_filter=may_dial)
        self.seats[number] = Seat(mesh, self.players)
        return self.seats[number]

    async def start(self, *numbers: int) -> None:
        """Start these seats, by default all."""
        for number in numbers or range(1, self.players + 1):
            await self.nursery.start(self.run, self.make(number), number)

    async def run(
        self, seat: Seat, number: int, *, task_status: "trio.TaskStatus[None]" = trio.TASK_STATUS_IGNORED
    ) -> None:
        with trio.CancelScope() as self.scopes[number]:
            await seat.run(task_status=task_status)

    async def until_linked(self) -> None:
        for number, seat in self.seats.items():
            apart = {number, *(other for one, other in self.without if one == number)}
            await seat.until_linked(*self.seats.keys() - apart)

    async def until_all_hold(self, count: int) -> None:
        for seat in self.seats.values():
            await seat.until_holding(count)


@contextlib.asynccontextmanager
async def meshed(players: int, *numbers: int, **more: Any) -> AsyncGenerator[World]:
    """A world whose seats are linked; they end with the block."""
    async with trio.open_nursery() as nursery:
        world = World(nursery, players, **more)
        await world.start(*numbers)
        await world.until_linked()
        await wait_all_tasks_blocked()
        yield world
        nursery.cancel_scope.cancel()


async def test_everybody_links_with_everybody() -> None:
    async with meshed(4) as world:
        assert trio.current_time() == 0
        await wait_all_tasks_blocked()
        for number, seat in world.seats.items():
            others = frozenset({1, 2, 3, 4} - {number})
            assert seat.mesh.relay.linked == seat.mesh.relay.reachable == others
            assert sorted(event.seat for event in seat.events) == sorted(others)
            assert all(isinstance(event, LinkUp) for event in seat.events)
        # the higher seat dials the lower
        assert len(world.wires.dialled) == 6
        await trio.sleep(100)
        assert len(world.wires.dialled) == 6


async def test_the_lower_seat_dials_if_the_higher_one_does_not(nursery: trio.Nursery) -> None:
    world = World(nursery, 2)
    two = Seat(Mesh(world.table(2), randomness, dial=world.dial, dial_filter=lambda _: False), 2)
    await nursery.start(two.run)
    await world.start(1)
    await world.seats[1].until_linked(2)
    assert trio.current_time() == pytest.approx(LIMITS.dial_patience_s, abs=0.1)


async def test_a_pair_without_a_direct_link_is_reached_by_another() -> None:
    async with meshed(3, without={(1, 3)}) as world:
        assert world.seats[1].mesh.relay.linked == {2}
        await trio.sleep(0.1)
        assert world.seats[1].mesh.relay.reachable == {2, 3}
        assert world.seats[1].mesh.relay.only_ways == {3: 2}
        assert world.seats[2].mesh.relay.only_ways == {}


A_LINE = {(a, b) for a in range(1, 7) for b in range(a + 2, 7)}


@pytest.mark.parametrize(("players", "without"), [(4, ()), (3, {(1, 3)}), (6, A_LINE)], ids=["all", "pair", "line"])
async def test_contributions_come_at_once_and_once(players: int, without: Collection[Pair]) -> None:
    """Where there is no direct link, by way of others."""
    async with meshed(players, without=without) as world:
        for step in range(1, 11):
            for number, seat in world.seats.items():
                seat.contribute(number, step)
            await world.until_all_hold(players * step)
        assert trio.current_time() < 1
        await trio.sleep(20)
        assert [seat.copies for seat in world.seats.values()] == [10 * (players - 1)] * players


async def test_a_seat_that_was_away_gets_everything() -> None:
    async with meshed(3, 1, 2) as world:
        for step in range(1, 101):
            for number in (1, 2):
                world.seats[number].contribute(number, step)
            world.seats[1].keep(contribution(step, 3))  # what it once sent, before it forgot
        await world.until_all_hold(300)
        start = trio.current_time()
        await world.start(3)
        await world.seats[3].until_holding(300)
        assert trio.current_time() - start < 10
        assert world.seats[3].copies <= 2 * 300


async def link(world: World, number: int, to: int) -> Raw:
    return await raw_link(world.wires, credentials(number), to, world.seats[to].mesh.table)


async def test_the_first_words_on_a_link() -> None:
    async with meshed(2, 1) as world:
        world.seats[1].contribute(1, 1)
        raw = await link(world, 2, 1)
        assert await raw.hear() == wire.Links((2,))
        assert await raw.hear() == wire.Have(1, (1,))
        await raw.say(wire.Have(1, (2,)))
        assert await raw.hear() == wire.ContributionMessage(contribution(1, 1).payload, bytes([1]) * 64)
        await raw.say(wire.Have(1, (1,)), wire.Links((1,)))
        await trio.sleep(LIMITS.heartbeat_s)
        assert await raw.hear() == wire.Have(1, (1,))


async def test_a_sign_of_life_every_heartbeat() -> None:
    async with meshed(2, 1) as world:
        raw = await link(world, 2, 1)
        world.nursery.start_soon(raw.stay)
        await trio.sleep(10.5)
        before = await heard(raw)
        await raw.say(wire.Have(1, ()))
        await trio.sleep(10.5)
        # Its second ``have`` says that the first of the other side is answered.
        assert (before, await heard(raw)) == ([wire.Have, *[wire.Ping] * 5], [wire.Have] * 6)


async def heard(raw: Raw) -> list[type[wire.WireMessage]]:
    """The signs of life that have come."""
    found: list[type[wire.WireMessage]] = []
    with trio.move_on_after(0.1):
        while True:
            message = await raw.hear()
            found += [type(message)] if isinstance(message, wire.Have | wire.Ping) else []
    return found


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (frame(b"rubbish"), "The other side sent"),
        (wire.encode_message(wire.Accepted()), "a message of type accepted out of place"),
    ],
)
async def test_what_no_seat_may_send_is_a_fault_of_the_seat(bad: bytes, why: str) -> None:
    async with meshed(3, 1, 2) as world:
        raw = await link(world, 3, 1)
        await raw.frames.send(bad)
        down = await world.seats[1].until_down(3)
        assert down.fault
        assert down.reason.startswith("seat 3 (player 3): ")
        assert why in down.reason
        # And the others go on.
        world.seats[1].contribute(1, 1)
        await world.seats[2].until_holding(1)


async def test_three_faults_and_no_more_links() -> None:
    async with meshed(2, 1) as world:
        for _ in range(LIMITS.faults_max):
            raw = await link(world, 2, 1)
            await raw.frames.send(b"\0\0\0\0")
            await wait_all_tasks_blocked()
        with refused("faulty"):
            await link(world, 2, 1)
        world.wires.listen(address_of(2))
        dialled = len(world.wires.dialled)
        await trio.sleep(100)
        assert len(world.wires.dialled) <= dialled + 1


async def test_a_session_can_find_fault() -> None:
    async with meshed(3) as world:
        one = world.seats[1]
        one.mesh.relay.fault(2, "It passed on bytes that nobody signed.")
        told = "seat 2 (player 2): It passed on bytes that nobody signed."
        assert await one.until_down(2) == LinkDown(2, told, fault=True)
        await one.until_linked(2)  # it is linked again, for once
        one.mesh.relay.fault(2, "Again.")
        one.mesh.relay.fault(2, "Again.")
        await wait_all_tasks_blocked()
        one.mesh.relay.fault(2, "And when there is no link.")
        await trio.sleep(60)
        assert one.mesh.relay.linked == {3}
        assert [event.fault for event in one.events if isinstance(event, LinkDown)] == [True, True]


async def test_a_link_that_breaks_is_made_again() -> None:
    async with meshed(3) as world:
        one = world.seats[1]
        (link,) = one.mesh._peers[2].links
        await trio.sleep(20)
        link.end(LinkLost("cable"))
        assert await one.until_down(2) == LinkDown(2, "seat 2 (player 2): cable", fault=False)
        one.contribute(1, 1)
        await world.seats[2].until_linked(1)
        await world.until_all_hold(1)
        assert trio.current_time() < 20 + 2 * LIMITS.heartbeat_s


async def test_what_was_sent_into_a_dying_link_is_sent_again() -> None:
    async with meshed(2, 1) as world:
        raw = await link(world, 2, 1)
        world.seats[1].contribute(1, 1)
        await raw.frames.abort()
        await world.start(2)
        await world.seats[2].until_holding(1)


async def test_pauses_between_attempts_grow(nursery: trio.Nursery) -> None:
    world = World(nursery, 2)
    await world.start(2)
    await trio.sleep(120)
    # about 4 + 120 / (8 × 0.75) attempts
    assert 16 <= len(world.wires.dialled) <= 36
    start = trio.current_time()
    await world.start(1)
    await world.seats[1].until_linked(2)
    assert trio.current_time() - start < 10


async def test_a_seat_falls_silent_and_comes_back() -> None:
    async with meshed(3) as world:
        await trio.sleep(30)
        world.scopes[3].cancel()
        for number in (1, 2):
            assert not (await world.seats[number].until_down(3)).fault
        await trio.sleep(30)
        assert world.seats[1].mesh.relay.reachable == {2}
        world.seats[1].contribute(1, 1)
        await world.start(3)
        await world.seats[3].until_holding(1)


async def test_two_links_are_kept_and_the_third_pushes_out_the_oldest() -> None:
    async with meshed(2, 1) as world:
        raws = []
        for _ in range(3):
            raws.append(await link(world, 2, 1))
            await wait_all_tasks_blocked()
        one = world.seats[1]
        assert len(one.mesh._peers[2].links) == 2
        assert [type(event) for event in one.events] == [LinkUp]
        with pytest.raises(LinkLost):
            await raws[0].expect(wire.Bye)
        one.contribute(1, 1)
        assert isinstance(await raws[2].expect(wire.ContributionMessage), wire.ContributionMessage)
        for raw in raws[1:]:  # both are read
            world.nursery.start_soon(raw.stay)
            await raw.say(wire.ContributionMessage(contribution(1, 2).payload, bytes(64)))
        await wait_all_tasks_blocked()
        assert one.copies == 2
        await raws[2].frames.abort()
        await wait_all_tasks_blocked()
        assert [type(event) for event in one.events if not isinstance(event, Received)] == [LinkUp]
        await raws[1].say(wire.Have(1, (2,)))  # what went into the broken one is sent on the other
        assert isinstance(await raws[1].expect(wire.ContributionMessage), wire.ContributionMessage)


async def test_a_fault_on_one_link_ends_both() -> None:
    async with meshed(2, 1) as world:
        raws = [await link(world, 2, 1) for _ in range(2)]
        await wait_all_tasks_blocked()
        await raws[0].frames.send(b"\0\0\0\0")
        assert (await world.seats[1].until_down(2)).fault
        with pytest.raises(LinkLost):
            await raws[1].expect(wire.Bye)
        assert world.seats[1].mesh._peers[2].faults == 1


async def test_openings_and_evidence_reach_everybody_also_those_who_come_later() -> None:
    async with meshed(3, 1, 2) as world:
        one = world.seats[1]
        one.mesh.relay.pass_on(ReleasedSecret(1, bytes([1]) * 32))
        one.mesh.relay.pass_on(OfferedEvidence((contribution(1, 2), contribution(1, 3))))
        one.mesh.relay.pass_on(OfferedEvidence((contribution(1, 2), contribution(1, 3))))
        await trio.sleep(1)
        await world.start(3)
        await trio.sleep(5)
        signed = tuple(wire.Signed(each.payload, each.signature) for each in (contribution(1, 2), contribution(1, 3)))
        for number in (2, 3):
            # Once on each link, and two seats that have both dialled have two.
            events = dict.fromkeys(event for event in world.seats[number].events if isinstance(event, Received))
            words = (wire.OpeningMessage(1, bytes([1]) * 32), wire.EvidenceMessage(signed))
            assert [*events] == [Received(1, word) for word in words]
        # whoever it came from is not sent it back
        world.seats[2].mesh.relay.pass_on(ReleasedSecret(1, bytes([1]) * 32))
        await trio.sleep(1)
        assert not [event for event in one.events if isinstance(event, Received)]


async def test_a_polite_end() -> None:
    async with meshed(3) as world:
        one = world.seats[1]
        for step in range(1, 20):
            one.contribute(1, step, 20_000)
        await one.mesh.close("good night")
        assert trio.current_time() < 0.1
        for number in (2, 3):
            told = "seat 1 (player 1): It has left: good night"
            assert await world.seats[number].until_down(1) == LinkDown(1, told, fault=False)
            assert Received(1, wire.Bye("good night")) in world.seats[number].events
            assert len(world.seats[number].held) == 19
        assert one.mesh.relay.linked == frozenset()


async def test_all_leave_at_once() -> None:
    async with meshed(4) as world, trio.open_nursery() as nursery:
        for number, seat in world.seats.items():
            seat.contribute(number, 1)
            nursery.start_soon(seat.mesh.close, "the game is over")
    assert trio.current_time() < 0.1


async def test_an_end_that_nobody_answers_takes_two_seconds() -> None:
    async with meshed(2, 1) as world:
        await link(world, 2, 1)
        await world.seats[1].until_linked(2)
        start = trio.current_time()
        await world.seats[1].mesh.close("")
        assert trio.current_time() - start == pytest.approx(LIMITS.close_s, abs=0.01)


async def test_a_session_that_no_longer_reads_can_still_close() -> None:
    send, inbox = trio.open_memory_channel[MeshEvent](1)
    async with trio.open_nursery() as nursery:
        world = World(nursery, 2)
        mesh = world.make(1).mesh
        await nursery.start(mesh.run, world.seats[1], send)
        raw = await link(world, 2, 1)
        await raw.say(*(wire.OpeningMessage(seat, bytes(32)) for seat in (1, 2, 3)))
        await wait_all_tasks_blocked()
        nursery.start_soon(mesh.close, "enough")
        assert await raw.expect(wire.Bye) == wire.Bye("enough")
        await raw.say(wire.Bye(""))
    assert trio.current_time() < 0.1
    assert inbox.receive_nowait() == LinkUp(2)
    with pytest.raises(trio.WouldBlock):
        inbox.receive_nowait()


async def test_a_session_that_is_slow_stops_nobody_for_good(nursery: trio.Nursery) -> None:
    world = World(nursery, 2)
    mesh = world.make(1).mesh
    send, inbox = trio.open_memory_channel[MeshEvent](0)
    await nursery.start(mesh.run, world.seats[1], send)
    raw = await link(world, 2, 1)
    nursery.start_soon(raw.stay)
    words = [wire.OpeningMessage(seat, bytes(32)) for seat in range(1, 13)]
    await raw.say(*words)
    for _ in range(30):  # a minute: neither side takes the link for dead meanwhile
        with trio.fail_after(LIMITS.silence_s):
            await raw.hear()
    assert mesh.relay.linked == {2}
    assert [await inbox.receive() for _ in range(13)] == [LinkUp(2), *(Received(2, word) for word in words)]


async def test_a_neighbour_that_reads_nothing_blocks_nobody() -> None:
    limits = Limits(unsent_max=500_000, resync_max=100_000)
    async with meshed(3, 1, 2, limits=limits) as world:
        one = world.seats[1]
        stalled = await stalled_link(world, 3, 1)
        await one.until_linked(3)
        for step in range(1, 40):
            one.contribute(1, step, 20_000)
            await world.seats[2].until_holding(step)
        assert trio.current_time() < 1
        down = await one.until_down(3)
        assert "keep up" in down.reason
        assert not down.fault
        await stalled.abort()


async def stalled_link(world: World, number: int, to: int) -> FrameStream:
    """A link whose other end reads the handshake and then nothing, without the endless buffer of a memory stream."""
    here, there = memory_stream_pair()
    assert isinstance(there, trio.StapledStream)
    world.wires._queues[address_of(to)].send_nowait(there)
    link = await tls.connect(here, credentials(number), None)
    game = world.seats[to].mesh.table.game
    await prove(link, identity(number), "link", game, LIMITS)
    there.send_stream.send_all_hook = trio.sleep_forever
    return link.frames


@pytest.mark.parametrize(
    ("role", "number", "game", "code"),
    [
        ("link", 9, None, "not_seated"),
        ("link", 2, bytes(32), "wrong_game"),
        ("join", 2, NO_LOBBY, "game_started"),
        ("join", 9, NO_LOBBY, "game_started"),
    ],
)
async def test_strangers_are_told_why_not(role: str, number: int, game: bytes | None, code: str) -> None:
    async with meshed(2, 1) as world:
        link = await tls.connect(await world.wires.dial(address_of(1)), credentials(number), None)
        own_game = world.seats[1].mesh.table.game
        with refused(code):
            await prove(link, identity(number), role, game or own_game, LIMITS)  # type: ignore[arg-type]  # a parameter
        assert world.seats[1].events == []


async def test_a_joiner_that_does_not_look_at_the_hello() -> None:
    async with meshed(2, 1) as world:
        link = await tls.connect(await world.wires.dial(address_of(1)), credentials(9), None)
        hello = await receive(link.frames, wire.LinkStage.AUTH_CLIENT, LIMITS)
        assert isinstance(hello, wire.Hello)
        await send(link.frames, make_proof(identity(9), "join", link, hello.nonce, hello.lobby))
        with pytest.raises(PeerRefused, match="has started"):
            await receive(link.frames, wire.LinkStage.AUTH_CLIENT, LIMITS)


async def test_all_addresses_of_a_seat_are_tried(nursery: trio.Nursery) -> None:
    wires = Wires()
    one = Seat(Mesh(table(wires, 1, 2), randomness, dial=wires.dial, dial_filter=lambda _: False), 2)
    several = replace(table(wires, 2, 2), addresses={1: (address_of(7), address_of(8), address_of(1))})
    two = Seat(Mesh(several, randomness, dial=wires.dial), 2)
    for seat in (one, two):
        await nursery.start(seat.run)
    await two.until_linked(1)
    assert wires.dialled == [address_of(7), address_of(8), address_of(1)]


async def test_half_open_connections_by_the_hundred() -> None:
    async with meshed(3, 1, 2) as world:
        held = [await world.wires.dial(address_of(1)) for _ in range(500)]
        raw = await link(world, 3, 1)
        await raw.say(wire.OpeningMessage(3, bytes(32)))
        await world.seats[1].until_event(Received, 3)
        assert len(world.seats[1].mesh._gate._places) <= LIMITS.handshakes_max
        await trio.sleep(LIMITS.authenticate_s + 1)
        assert not world.seats[1].mesh._gate._places
        world.seats[1].contribute(1, 1)
        await world.seats[2].until_holding(1)
        for stream in held:
            await stream.aclose()


@pytest.mark.parametrize(("number", "lasts_s"), [(9, 3.0), (2, 0.0)])
async def test_handshakes_of_one_source_have_a_games_pace(number: int, lasts_s: float) -> None:
    """Strangers have ten at once, then ten a second; a seat that is linked gets the price back."""
    async with meshed(2, 1, limits=replace(LIMITS, cost_burst_s=0.02, link_cost_ms=0)) as world:
        for _ in range(40):
            with contextlib.suppress(PeerRefused):
                game = world.seats[1].mesh.table.game
                await reach(address_of(1), credentials(number), world.wires.dial, LIMITS, role="link", game=game)
        assert trio.current_time() == pytest.approx(lasts_s, abs=0.3)


async def test_duplicates_are_not_passed_on() -> None:
    async with meshed(3, 1, 2) as world:
        raw = await link(world, 3, 1)
        payload = contribution(1, 3).payload
        signed_twice = [wire.ContributionMessage(payload, bytes([which]) * 64) for which in (0, 1)]
        await raw.say(*signed_twice * 50)
        await world.seats[2].until_holding(1)
        await wait_all_tasks_blocked()
        assert world.seats[1].copies == 100
        assert world.seats[2].copies == 1
