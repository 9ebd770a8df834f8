"""The host against spectators that do what they must not, and against those who would like to be some."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from seqp2p.live.absence import Absent, Back
from seqp2p.lobby import place
from seqp2p.lobby.events import Strangers
from seqp2p.lobby.join import knock
from seqp2p.lobby.place import HostLines, meet_host
from seqp2p.net import messages as wire
from seqp2p.net.addresses import Address
from seqp2p.net.auth import receive, send
from seqp2p.net.dialling import Route, reach
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.net.frames import HEADER_SIZE, FrameStream, frame
from seqp2p.net.limits import DEFAULT_LIMITS, Limits, message_price_s
from tests.live.parties import Thinker, checked
from tests.live.relays import MemoryRelay
from tests.lobby.hall import Hall, own_key, same_game, spectator
from tests.net.tools import address_of, refused

pytestmark = pytest.mark.usefixtures("cheap_codes", "cheap_places")

SPECTATOR = wire.LinkStage.SPECTATOR


@asynccontextmanager
async def waiting_host(tmp_path: Path, **more: Any) -> AsyncGenerator[Hall]:
    """A host whose game waits for the other seat."""
    hall = Hall(tmp_path, 2, **more)
    async with hall.open(alone=True):
        yield hall


async def settled(frames: FrameStream) -> None:
    """Read until the host refuses or ends the link; raises its NetError."""
    while True:
        await receive(frames, SPECTATOR, DEFAULT_LIMITS)


async def test_nothing_that_spectators_say_reaches_the_game(virtual_time: object, tmp_path: Path) -> None:
    """A spectator that says more than it may is cut off, and needs the code again. Others watch on."""
    # tests/net/test_messages.py has all messages that are out of place on a spectator's link.
    forbidden: list[wire.WireMessage] = [
        wire.ContributionMessage(b"payload", bytes(64)),
        wire.Have(1, ()),
        wire.Watch("again"),
        wire.Sit("me"),
    ]
    rubbish = [b"\xff" * 50, bytes(5_000), wire.encode_message(wire.Bye("x" * 200))[4:] + b"\0"]
    hall, inbox = Hall(tmp_path, 2), list[object]()
    hall.first = Thinker(2, 60.0)
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 99)
        await hall.first.asleep.wait()
        note(hall[1].game, inbox)
        for number, data in enumerate([*map(wire.encode_message, forbidden), *map(frame, rubbish)]):
            frames = await hall.knock(number)
            await send(frames, wire.More(0))
            await frames.send(data)
            with trio.fail_after(30), pytest.raises(NetError):
                await settled(frames)
            with refused("not_watching"):
                await settled(await hall.come_back(number))
        await trio.sleep(0.1)
        assert len(hall.spectators.feed.readers) == 1
        assert not [item for item in inbox if type(item).__name__ != "Tick"]
    checked(hall)
    same_game(hall.seen[99], hall[1])


def note(game: Any, inbox: list[object]) -> None:
    """Keep what the session of a game takes from now on."""
    take = game._session.take

    async def noting(item: object) -> None:
        inbox.append(item)
        await take(item)

    game._session.take = noting


async def test_new_links_begin_with_no_burst(virtual_time: object, tmp_path: Path) -> None:
    """A spectator that comes again all the time gets four links at once, and then one a second."""
    async with waiting_host(tmp_path, limits=Limits(watch_known_max=1)) as hall:
        await (await hall.knock(2)).abort()
        await (await hall.knock(1)).abort()
        assert len(hall.spectators._paces) == 1, "only so many paces are kept"
        served, begun = 0, trio.current_time()
        while trio.current_time() < begun + 10:
            frames = await hall.come_back(1)
            with trio.move_on_after(0.1), suppress(NetError):
                served += isinstance(await receive(frames, SPECTATOR, DEFAULT_LIMITS), wire.Watching)
            await frames.abort()
            await trio.sleep(0.1)
        assert 6 <= served <= 15


async def test_a_flood_on_one_link_is_read_at_its_pace(virtual_time: object, tmp_path: Path) -> None:
    more, read, limits = wire.More(0), list[object](), DEFAULT_LIMITS
    async with waiting_host(tmp_path) as hall:
        frames = await hall.knock(1)
        feed: Any = hall.spectators.feed
        feed.handle = lambda _, message: read.append(message)
        begun = trio.current_time()
        with trio.move_on_after(20):
            while True:
                await frames.send(wire.encode_message(more) * 100)
                await trio.sleep(0.5)
        most_s = limits.watch_cost_burst_s + limits.watch_cost_rate * (trio.current_time() - begun)
        price_s = message_price_s(limits, len(wire.encode_message(more)) - HEADER_SIZE)
        assert 20 < len(read) <= most_s / price_s + 1


async def test_wrong_codes_are_counted_and_burn_the_code_during_the_game(virtual_time: object, tmp_path: Path) -> None:
    async with waiting_host(tmp_path) as hall:
        right = hall.code
        wrong = "7-acorn-acorn" if right != "7-acorn-acorn" else "7-acorn-amber"
        for code, why in ((wrong, "wrong_code"), (wrong, "wrong_code"), (wrong, "code_burned"), (right, "code_burned")):
            with refused(why):
                await hall.waiting(1, code=code)
        await trio.sleep(1.5)
        assert [event for event in hall.said if isinstance(event, Strangers)][-1] == Strangers(4, 4)
        await hall.knock(1)
        assert hall.came == ["spectator 1"], "the new code is good for watching"


@pytest.mark.parametrize("again", [False, True])
async def test_of_those_who_come_at_once_for_the_last_place_one_gets_it(
    virtual_time: object, tmp_path: Path, again: bool
) -> None:
    """All give the code at the same time, or come back at the same time; the others are told why."""
    codes: list[str] = []

    async def come(hall: Hall, number: int) -> None:
        with suppress(NetError):
            try:
                await settled(await (hall.come_back(number) if again else hall.knock(number)))
            except PeerRefused as refusal:
                codes.append(refusal.code)

    async with waiting_host(tmp_path, places=1) as hall, trio.open_nursery() as nursery:
        for number in (1, 2, 3) if again else ():
            await (await hall.knock(number)).abort()
            await trio.sleep(1)
        for number in (1, 2, 3):
            nursery.start_soon(come, hall, number)
        await trio.sleep(1)
        assert codes == ["no_spectators"] * 2
        assert len(hall.spectators.feed.readers) == 1
        assert len(hall.came) == (3 if again else 1)
        nursery.cancel_scope.cancel()


async def test_one_connection_of_each_key(virtual_time: object, tmp_path: Path) -> None:
    async with waiting_host(tmp_path) as hall:
        first = await hall.knock(1)
        second = await hall.come_back(1)
        watching = await receive(second, SPECTATOR, DEFAULT_LIMITS)
        assert watching == wire.Watching(hall[1].match.agreement_bytes)
        with trio.fail_after(30), pytest.raises(NetError):
            await settled(first)
        assert len(hall.spectators.feed.readers) == 1


@pytest.mark.parametrize(
    ("message", "code"),
    [(wire.Watch("\x1b[31m"), "bad_name"), (wire.Sit("me"), ""), (None, "")],
    ids=["name", "sit", "silent"],
)
async def test_after_the_code(
    virtual_time: object, tmp_path: Path, message: wire.WireMessage | None, code: str
) -> None:
    async with waiting_host(tmp_path) as hall:
        link = await knock(spectator(1, limits=hall.limits), Route(address_of(1), hall.wires.dial), hall.code, "watch")
        if message is not None:
            await send(link.frames, message)
        with pytest.raises(NetError) as error, trio.fail_after(30):
            await receive(link.frames, SPECTATOR, DEFAULT_LIMITS)
        assert (error.value.code if isinstance(error.value, PeerRefused) else "") == code
        assert hall.came == []


async def test_a_spectator_by_a_relay_comes_back_after_the_place_has_moved(
    virtual_time: object, tmp_path: Path
) -> None:
    moved = trio.Event()
    async with trio.open_nursery() as outside:
        relay = MemoryRelay(outside)
        lines = HostLines(address_of(9), relay.dial, DEFAULT_LIMITS, lambda _: moved.set(), lambda _: None)
        lines.move("1")
        outside.start_soon(lines.run)
        here = await place.meeting_place("1")

        async def dial(_: Address) -> trio.abc.Stream:
            return await meet_host(address_of(9), here, relay.dial, DEFAULT_LIMITS)

        hall = Hall(tmp_path, 2)
        hall.more_listeners = lines.listeners
        async with hall.open(alone=True) as nursery:
            seen = hall.seat_spectator(1, await hall.waiting(1, dial))
            nursery.start_soon(seen.run)
            await trio.sleep(1)
            moved = trio.Event()
            lines.move("2")
            await moved.wait()
            await relay.leave()
            relay.come_back()
            with refused("code_burned"):  # There nobody gives the code any more.
                await hall.waiting(2, dial)
            await trio.sleep(1)
            assert seen.told == [Absent(1, 120), Back(1)]
        outside.cancel_scope.cancel()


async def test_a_table_without_spectators(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    async with hall.open(alone=True) as nursery:
        hall.sit(2)
        nursery.start_soon(hall.run, hall[2])
        with refused("no_spectators"):
            await reach(address_of(2), own_key(1), hall.wires.dial, hall.limits, role="watch")
