"""The meeting place of a table: from the digits in its code to tokens at a relay, and the lines there."""

import itertools

import pytest
import trio
import trio.testing

from seqp2p.lobby import place
from seqp2p.lobby.place import MOVED, HostLines, MeetingPlace, MetLine, meet_host
from seqp2p.net.addresses import Address
from seqp2p.net.dialling import Dial
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.links import Link
from seqp2p.net.serving import serve, source_of
from tests.live.relays import MemoryRelay, SaysNonsense, Waits

pytestmark = pytest.mark.usefixtures("autojump_clock", "cheap_places")

RELAY = Address("relay.example.org", 4001)


async def test_the_line_on_which_a_host_was_met_is_used_once(nursery: trio.Nursery) -> None:
    first, second = trio.testing.memory_stream_pair()

    async def again() -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        return second

    met = MetLine(first, again)
    address = Address("10.9.0.1", 4001)
    assert await met.dial(address) is first
    assert await met.dial(address) is second
    await met.aclose()
    await first.send_all(b"it is open")
    await MetLine(first, again).aclose()
    with pytest.raises(trio.ClosedResourceError):
        await first.send_all(b"it is closed")


class Hosting:
    """A host at meeting places, which takes every line; with ``lets_in`` a link goes by each."""

    def __init__(self, nursery: trio.Nursery, dial: Dial, *, lets_in: bool = False) -> None:
        self.places = list[MeetingPlace]()
        self.told = list[float]()
        self.joined = list[trio.abc.Stream]()
        self._lets_in = lets_in
        self._moved = trio.Event()
        self.lines = HostLines(RELAY, dial, DEFAULT_LIMITS, self._on_place, self._on_away)
        nursery.start_soon(self.lines.run)
        serve(nursery, self.lines.listeners, self._welcome)

    def _on_place(self, place: MeetingPlace) -> None:
        self.places.append(place)
        self._moved.set()

    def _on_away(self, _: object) -> None:
        self.told.append(trio.current_time())

    async def move(self, digits: str) -> MeetingPlace:
        self._moved = trio.Event()
        self.lines.move(digits)
        await self._moved.wait()
        return self.places[-1]

    async def _welcome(self, line: trio.abc.Stream) -> None:
        self.joined.append(line)
        if self._lets_in:
            Link(FrameStream(line), DEFAULT_LIMITS)
        await line.send_all(b"welcome")
        await line.aclose()


async def test_a_relay_that_is_away_is_told_once_for_all_lines_and_used_when_it_is_back(nursery: trio.Nursery) -> None:
    relay = MemoryRelay(nursery)
    host = Hosting(nursery, relay.dial)
    at = await host.move("1")
    await relay.leave()
    await trio.sleep(60)
    assert len(host.told) == 1
    relay.come_back()
    line = await meet_host(RELAY, at, relay.dial, DEFAULT_LIMITS)
    await line.send_all(b"hello")
    assert await line.receive_some() == b"welcome"
    assert len(host.told) == 2, "it is back"


async def test_a_relay_that_joins_at_once_is_soon_left_in_peace(nursery: trio.Nursery) -> None:
    """Each of the four lines soon waits for seconds, and none waits after a client is let in."""
    for lets_in, for_s in ((False, 60), (True, 3)):
        relay = SaysNonsense(nursery)
        await Hosting(nursery, relay.dial, lets_in=lets_in).move("1")
        await trio.sleep(for_s)
        assert (relay.lines.total() > 10 * for_s) if lets_in else (relay.lines.total() <= 2 * for_s)


@pytest.mark.parametrize("wait_s", [0.0, DEFAULT_LIMITS.relay_silence_s + 0.1])
async def test_a_relay_that_lies_is_told_at_most_once_a_second(wait_s: float, nursery: trio.Nursery) -> None:
    """It joins the lines that test it, and says nonsense on the host's lines, at once or after a moment."""
    own = {token.hex().encode() for token in (await place.meeting_place("1")).tokens}

    class Lies(MemoryRelay):
        async def welcome(self, new: Waits) -> None:
            if new.token not in own:
                await super().welcome(new)
                return
            await trio.sleep(wait_s)
            await new.line.send_all(b"no\n")

    relay = Lies(nursery)
    host = Hosting(nursery, relay.dial)
    await host.move("1")
    await trio.sleep(30)
    assert len(host.told) > (1 if wait_s else 0)
    assert all(b - a >= 1 for a, b in itertools.pairwise(host.told))
    assert wait_s or len(host.told) == 1, "it was never back"
    assert relay.lines.total() <= 6 * 30


async def test_a_place_where_someone_was_let_in_stays_open(nursery: trio.Nursery) -> None:
    """Its lines have a source of their own. A place where no one was let in closes."""
    relay, early = MemoryRelay(nursery), trio.Event()
    host = Hosting(nursery, relay.dial, lets_in=True)

    async def is_met(at: MeetingPlace) -> bool:
        with trio.move_on_after(DEFAULT_LIMITS.relay_meet_s):
            line = await meet_host(RELAY, at, relay.dial, DEFAULT_LIMITS)
            await line.send_all(b"hello")
            return await line.receive_some() == b"welcome"
        return False

    @nursery.start_soon
    async def come_before_the_host() -> None:
        assert await is_met(await place.meeting_place("0"))
        early.set()

    await trio.testing.wait_all_tasks_blocked()
    await host.move("0")
    await early.wait()
    assert await is_met(left := await host.move("1"))
    nobodys = await host.move("2")
    assert [await is_met(at) for at in (await host.move("3"), left, nobodys)] == [True, True, False]
    assert [source_of(line) for line in host.joined] == ["", "", "", MOVED]
    for digits in "4567":
        assert await is_met(await host.move(digits))
    assert not await is_met(left), "the last places are enough"
