"""The host against spectators that do what they must not, and against those who would like to be some."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from seqp2p.live.absence import Absent, Back
from seqp2p.lobby import place
from seqp2p.lobby.events import Strangers
from seqp2p.lobby.join import knock
from seqp2p.lobby.place import HostLines, meet_host
from seqp2p.lobby.spectator_join import watch_table
from seqp2p.net.addresses import Address
from seqp2p.net.auth import receive, send
from seqp2p.net.dialling import reach
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.net.frames import HEADER_SIZE, FrameStream, frame
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.messages import (
    Bye,
    ContributionMessage,
    EvidenceMessage,
    Have,
    Hurry,
    Links,
    LinkStage,
    OpeningMessage,
    Ping,
    RemarkMessage,
    Signed,
    Sit,
    Watch,
    Watching,
    WireMessage,
    encode_message,
)
from seqp2p.net.pace import message_price_s
from tests.live.parties import Thinker, checked
from tests.live.parties import credentials as seat_credentials
from tests.live.relays import MemoryRelay
from tests.lobby.hall import Hall, hear, own_key, same_game, say
from tests.net.tools import address_of
from tests.table import randomness as seeded

A32, A64 = bytes(32), bytes(64)


def hall_of(tmp_path: Path, sleep_s: float = 60.0, **more: Any) -> tuple[Hall, trio.Event]:
    """A hall whose first seat sleeps over its third turn, and the event that says when."""
    hall = Hall(tmp_path, 2, **more)
    hall.first = Thinker(2, sleep_s)
    return hall, hall.first.asleep


async def ended(frames: FrameStream) -> bool:
    """Whether the other side ends the connection, whatever it still sends."""
    try:
        with trio.fail_after(30):
            while True:
                await frames.receive(DEFAULT_LIMITS.frame_max)
    except NetError:
        return True
    except trio.TooSlowError:
        return False


@pytest.mark.parametrize(
    "message",
    [
        ContributionMessage(b"payload", A64),
        EvidenceMessage((Signed(b"one", A64),)),
        OpeningMessage(1, A32),
        RemarkMessage(b"payload", A64),
        Hurry(1),
        Links(()),
        Watch("again"),
        Watching(b"agreement"),
        Sit("me"),
    ],
    ids=lambda message: type(message).__name__,
)
async def test_a_spectator_that_speaks(virtual_time: object, tmp_path: Path, message: WireMessage) -> None:
    hall, asleep = hall_of(tmp_path)
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 2)
        await asleep.wait()
        inbox: list[object] = []
        note(hall[1].session, inbox)
        frames = await hall.knock(1)
        await say(frames, Have(1, ()), message)
        assert await ended(frames)
        await trio.sleep(0.1)
        assert len(hall.spectators.feed.readers) == 1, "the other one is not touched"
        with pytest.raises(PeerRefused) as refused:
            await _settled(await hall.come_back(1))
        assert refused.value.code == "not_watching", "it needs the code again"
        assert not [item for item in inbox if type(item).__name__ != "Tick"], "nothing of it reaches the session"
    checked(hall)
    same_game(hall.seen[2], hall[1])


def note(session: Any, inbox: list[object]) -> None:
    """Keep what the session takes from now on."""
    take = session.core.take

    async def noting(item: object) -> None:
        inbox.append(item)
        await take(item)

    session.core.take = noting


async def _settled(frames: FrameStream) -> None:
    """Wait for what the host says to somebody who comes back; raises Refused."""
    while True:
        await receive(frames, LinkStage.SPECTATOR, DEFAULT_LIMITS)


@pytest.mark.parametrize("data", [b"\xff" * 50, bytes(5_000), encode_message(Bye("x" * 200))[4:] + b"\0"])
async def test_a_spectator_that_sends_rubbish(virtual_time: object, tmp_path: Path, data: bytes) -> None:
    hall, asleep = hall_of(tmp_path)
    async with hall.open():
        await asleep.wait()
        frames = await hall.knock(1)
        await frames.send(frame(data))
        assert await ended(frames)
    checked(hall)


async def test_a_spectator_that_says_goodbye(virtual_time: object, tmp_path: Path) -> None:
    hall, asleep = hall_of(tmp_path)
    async with hall.open():
        await asleep.wait()
        frames = await hall.knock(1)
        await say(frames, Ping(), Bye(""))
        assert await ended(frames)
        await hear(await hall.come_back(1))  # No fault: it may come back.
    checked(hall)


async def test_a_flood_is_read_at_its_pace(virtual_time: object, tmp_path: Path) -> None:
    hall, asleep = hall_of(tmp_path)
    async with hall.open():
        await asleep.wait()
        frames = await hall.knock(1)
        handled: list[float] = []
        feed: Any = hall.spectators.feed
        feed._answer = lambda _: handled.append(trio.current_time())
        begun = trio.current_time()
        with trio.move_on_after(20):
            async with trio.open_nursery() as reading:
                reading.start_soon(ended, frames)
                while True:
                    await say(frames, *[Have(1, ())] * 100)
                    await trio.sleep(0.5)
        burst, rate = DEFAULT_LIMITS.watch_cost_burst_s, DEFAULT_LIMITS.watch_cost_rate
        price = message_price_s(DEFAULT_LIMITS, len(encode_message(Have(1, ()))) - HEADER_SIZE)
        assert len(handled) <= (burst + rate * (trio.current_time() - begun)) / price + 1
    checked(hall)


async def test_new_links_begin_with_no_burst(virtual_time: object, tmp_path: Path) -> None:
    """A spectator that comes again all the time gets four links at once, and then one a second."""
    hall, asleep = hall_of(tmp_path)
    async with hall.open():
        await asleep.wait()
        served, begun = 0, trio.current_time()
        await (await hall.waiting(1)).frames.abort()
        while trio.current_time() < begun + 20:
            frames = await hall.come_back(1)
            with trio.move_on_after(0.1), suppress(NetError):
                served += isinstance(await hear(frames), Watching)
            await frames.abort()
            await trio.sleep(0.1)
        assert 10 <= served <= 25
    checked(hall)


async def test_wrong_codes_burn_it_and_the_game_goes_on(virtual_time: object, tmp_path: Path) -> None:
    hall, asleep = hall_of(tmp_path)
    async with hall.open() as nursery:
        await asleep.wait()
        right = hall.code
        wrong = "7-acorn-acorn" if right != "7-acorn-acorn" else "7-acorn-amber"
        codes: list[str] = []
        for _ in range(3):
            with pytest.raises(PeerRefused) as refused:
                await hall.waiting(1, code=wrong)
            codes.append(refused.value.code)
        assert codes == ["wrong_code", "wrong_code", "code_burned"]
        assert hall.code != right
        with pytest.raises(PeerRefused) as refused:
            await hall.waiting(1, code=right)
        assert refused.value.code == "code_burned"
        await trio.sleep(1.5)
        assert hall.strangers[-1] == Strangers(4, 3)
        nursery.start_soon(hall.watch, 2)  # The new code is good for watching.
    same_game(hall.seen[2], hall[1])


async def test_who_has_a_seat_cannot_watch(virtual_time: object, tmp_path: Path) -> None:
    hall, asleep = hall_of(tmp_path)
    async with hall.open():
        await asleep.wait()
        for seat in (1, 2):
            with pytest.raises(PeerRefused) as refused:
                await hall.knock(1, seat_credentials(seat))
            assert refused.value.code == "same_key"
        with pytest.raises(PeerRefused) as refused:
            await reach(address_of(1), own_key(1), hall.wires.dial, hall.limits, role="watch", game=bytes([1]) * 32)
        assert refused.value.code == "wrong_game"
    checked(hall)


async def test_a_full_house(virtual_time: object, tmp_path: Path) -> None:
    hall, asleep = hall_of(tmp_path, places=2)
    async with hall.open() as nursery:
        await asleep.wait()
        for number in (1, 2):
            nursery.start_soon(hall.watch, number)
        await trio.sleep(3)
        with pytest.raises(PeerRefused) as refused:
            await hall.knock(3)
        assert refused.value.code == "no_spectators"
        await hall.seen[1].spectator.leave("")
        await trio.sleep(1)
        nursery.start_soon(hall.watch, 3)
    same_game(hall.seen[3], hall[1])


async def test_both_in_the_exchange_for_the_last_place(virtual_time: object, tmp_path: Path) -> None:
    hall, asleep = hall_of(tmp_path, places=1)
    async with hall.open():
        await asleep.wait()
        codes: list[str] = []

        async def come(number: int) -> None:
            try:
                await hall.knock(number)
            except PeerRefused as refused:
                codes.append(refused.code)

        async with trio.open_nursery() as nursery:
            for number in range(1, 5):
                nursery.start_soon(come, number)
        assert codes == ["no_spectators"] * 3
        assert len(hall.spectators.feed.readers) == 1
    assert len(hall.came) == 1


async def test_all_come_back_for_the_last_place(virtual_time: object, tmp_path: Path) -> None:
    hall, asleep = hall_of(tmp_path, places=1)
    async with hall.open():
        await asleep.wait()
        for number in (1, 2, 3):
            await (await hall.knock(number)).abort()
            await trio.sleep(1)
        codes: list[str] = []

        async def come_back(number: int) -> None:
            try:
                await _settled(await hall.come_back(number))
            except PeerRefused as refused:
                codes.append(refused.code)

        async with trio.open_nursery() as nursery:
            for number in (1, 2, 3):
                nursery.start_soon(come_back, number)
            await trio.sleep(1)
            assert len(hall.spectators.feed.readers) == 1
            assert codes == ["no_spectators"] * 2, "the others were told why"
            nursery.cancel_scope.cancel()


async def test_one_connection_of_each_key(virtual_time: object, tmp_path: Path) -> None:
    hall, asleep = hall_of(tmp_path)
    async with hall.open():
        await asleep.wait()
        first = await hall.knock(1)
        second = await hall.come_back(1)
        assert await hear(second) == Watching(hall[1].match.agreement_bytes)
        assert await ended(first)
        assert len(hall.spectators.feed.readers) == 1
    checked(hall)


@pytest.mark.parametrize(
    ("message", "code"),
    [(Watch("\x1b[31m"), "bad_name"), (Sit("me"), ""), (None, "")],
    ids=["name", "sit", "silent"],
)
async def test_after_the_code(virtual_time: object, tmp_path: Path, message: WireMessage | None, code: str) -> None:
    hall, asleep = hall_of(tmp_path)
    async with hall.open():
        await asleep.wait()
        link = await knock(
            own_key(1), hall.code, address_of(1), seeded(1), hall.limits, hall.wires.dial, print, role="watch"
        )
        if message is not None:
            await send(link.frames, message)
        with pytest.raises(NetError) as error, trio.fail_after(30):
            await receive(link.frames, LinkStage.SPECTATOR, DEFAULT_LIMITS)
        assert (error.value.code if isinstance(error.value, PeerRefused) else "") == code
        assert hall.came == []
    checked(hall)


async def test_a_spectator_by_a_relay_comes_back_after_the_place_has_moved(
    virtual_time: object, tmp_path: Path, cheap_places: None
) -> None:
    hall, asleep = hall_of(tmp_path)
    moved = trio.Event()
    async with trio.open_nursery() as outside:
        relay = MemoryRelay(outside)
        lines = HostLines(address_of(9), relay.dial, DEFAULT_LIMITS, lambda _: moved.set(), lambda _: None)
        lines.move("1")
        outside.start_soon(lines.run)
        hall.more_listeners = lines.listeners
        here = await place.meeting_place("1")

        async def dial(_: Address) -> trio.abc.Stream:
            return await meet_host(address_of(9), here, relay.dial, DEFAULT_LIMITS)

        async with hall.open() as nursery:
            await asleep.wait()
            seen = hall.seat_spectator(1, await hall.waiting(1, dial))
            nursery.start_soon(seen.run)
            await trio.sleep(1)
            moved = trio.Event()
            lines.move("2")
            await moved.wait()
            await relay.leave()
            relay.come_back()
            with pytest.raises(PeerRefused) as refused:
                await hall.waiting(2, dial)
            assert refused.value.code == "code_burned", "there nobody gives the code any more"
        outside.cancel_scope.cancel()
    assert [type(event) for event in seen.told if isinstance(event, Absent | Back)] == [Absent, Back]
    same_game(seen, hall[1])


async def test_only_so_many_are_remembered(virtual_time: object, tmp_path: Path) -> None:
    hall, asleep = hall_of(tmp_path, limits=Limits(watch_known_max=2))
    async with hall.open():
        await asleep.wait()
        for number in (1, 2, 3):
            frames = await hall.knock(number)
            await say(frames, Bye(""))
            assert await ended(frames)
        await hear(await hall.come_back(3))
        with pytest.raises(PeerRefused) as refused:
            await _settled(await hall.come_back(1))
        assert refused.value.code == "not_watching"
    checked(hall)


async def test_a_table_without_spectators(virtual_time: object, tmp_path: Path) -> None:
    hall, asleep = hall_of(tmp_path)
    async with hall.open():
        await asleep.wait()
        with pytest.raises(PeerRefused) as refused:
            await watch_table(own_key(1), "ann", hall.code, address_of(2), seeded(1), hall.limits, dial=hall.wires.dial)
        assert refused.value.code == "no_spectators"
    checked(hall)
