import contextlib

import pytest
import trio
from trio.testing import lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from seqp2p.net.errors import LinkLost, NetError, PeerError
from seqp2p.net.frames import HEADER_SIZE, FrameStream
from seqp2p.net.limits import Limits
from seqp2p.net.links import Link
from seqp2p.net.messages import (
    Bye,
    ContributionMessage,
    LinkStage,
    OpeningMessage,
    Ping,
    WireMessage,
    decode_message,
    encode_message,
)
from seqp2p.net.pace import Pace, pace_of

LIMITS = Limits()
BLOB = ContributionMessage(bytes(20_000), bytes(64))


class End:
    """One side of a connection: its link, what came in, how it ended."""

    def __init__(self, stream: trio.abc.Stream, limits: Limits = LIMITS, pace: Pace | None = None) -> None:
        self.link = Link(FrameStream(stream), limits, pace)
        self.messages: list[WireMessage] = []
        self.error: NetError | None = None
        self.done = False

    async def handle(self, message: WireMessage) -> None:
        await trio.lowlevel.checkpoint()
        if not isinstance(message, Ping):
            self.messages.append(message)
        if isinstance(message, Bye):
            raise LinkLost(message.reason)

    async def run(self) -> None:
        self.error = await self.link.run(LinkStage.GAME, self.handle, Ping)
        self.done = True


async def read_some(frames: FrameStream, count: int) -> list[WireMessage]:
    return [decode_message(await frames.receive(LIMITS.frame_max), LinkStage.GAME) for _ in range(count)]


async def test_messages_both_ways_and_signs_of_life(autojump_clock: object) -> None:
    here, there = memory_stream_pair()
    one, two = End(here), End(there)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.run)
        nursery.start_soon(two.run)
        one.link.send(OpeningMessage(1, bytes(32)))
        two.link.send(OpeningMessage(2, bytes(32)))
        await trio.sleep(100)
        assert not one.done
        one.link.send(Bye("good night"))
    assert two.messages == [OpeningMessage(1, bytes(32)), Bye("good night")]
    assert str(two.error) == "good night"
    assert isinstance(one.error, LinkLost)


async def test_silence_ends_a_link(autojump_clock: object) -> None:
    one = End(memory_stream_pair()[0])
    await one.run()
    assert trio.current_time() == pytest.approx(LIMITS.silence_s, abs=0.1)
    assert "silent for 8 s" in str(one.error)
    assert not isinstance(one.error, PeerError)


async def test_a_frame_in_drops_is_silence_too(autojump_clock: object) -> None:
    here, there = memory_stream_pair()
    one = End(here)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.run)
        await there.send_all(b"\0\0\x10\0")
        with contextlib.suppress(trio.BrokenResourceError):
            while True:
                await trio.sleep(1)
                await there.send_all(b"x")
    assert "silent" in str(one.error)


async def test_a_neighbour_that_reads_nothing(autojump_clock: object) -> None:
    here, there = lockstep_stream_pair()
    one = End(here)
    one.link.send(Ping())

    async def talk_only() -> None:
        with contextlib.suppress(trio.BrokenResourceError):
            while True:
                await trio.sleep(1)
                await there.send_all(encode_message(Ping()))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(talk_only)
        await one.run()
        nursery.cancel_scope.cancel()
    assert "read nothing for 8 s" in str(one.error)


async def test_a_full_queue_ends_a_link() -> None:
    here, _ = lockstep_stream_pair()
    one = End(here)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.run)
        for _ in range(LIMITS.unsent_max // 20_000 + 1):
            one.link.send(BLOB)
    assert "does not keep up" in str(one.error)


async def test_invalid_bytes_end_a_link_with_a_fault() -> None:
    here, there = memory_stream_pair()
    one = End(here)
    await there.send_all(b"\0\0\0\x05hello")
    await one.run()
    assert isinstance(one.error, PeerError)
    with pytest.raises(trio.ClosedResourceError):
        await here.send_all(b"x")


async def test_the_first_reason_counts() -> None:
    one = End(memory_stream_pair()[0])
    one.link.end(LinkLost("first"))
    one.link.end(LinkLost("second"))
    await one.run()
    assert str(one.error) == "first"


async def test_stop_sends_what_is_queued_and_frees_the_connection(autojump_clock: object) -> None:
    here, there = memory_stream_pair()
    one = End(here)
    other = FrameStream(there)
    for _ in range(5):
        one.link.send(BLOB)
    one.link.stop()
    await one.run()
    assert one.error is None
    assert await read_some(other, 5) == [BLOB] * 5
    await other.send(encode_message(OpeningMessage(1, bytes(32))) + encode_message(OpeningMessage(2, bytes(32))))
    assert await read_some(one.link.frames, 2) == [OpeningMessage(1, bytes(32)), OpeningMessage(2, bytes(32))]


async def test_stop_from_within_leaves_what_comes_after(autojump_clock: object) -> None:
    here, there = memory_stream_pair()
    link = Link(FrameStream(here), LIMITS)

    async def handle(message: WireMessage) -> None:
        await trio.lowlevel.checkpoint()
        assert message == OpeningMessage(1, bytes(32))
        link.stop()

    await there.send_all(b"".join(encode_message(OpeningMessage(seat, bytes(32))) for seat in (1, 2, 3)))
    assert await link.run(LinkStage.GAME, handle, Ping) is None
    assert await read_some(link.frames, 2) == [OpeningMessage(2, bytes(32)), OpeningMessage(3, bytes(32))]


async def test_stop_while_a_sign_of_life_is_on_its_way(autojump_clock: object) -> None:
    here, there = lockstep_stream_pair()
    one = End(here)
    other = FrameStream(there)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.run)
        await trio.sleep(LIMITS.heartbeat_s + 0.1)
        one.link.stop()
        assert await read_some(other, 1) == [Ping()]
    assert one.error is None
    nothing_more = True
    with trio.move_on_after(5):
        await other.receive(10)
        nothing_more = False
    assert nothing_more


async def test_a_cancelled_link_closes_its_connection() -> None:
    here, _ = memory_stream_pair()
    one = End(here)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.run)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert not one.done
    with pytest.raises(trio.ClosedResourceError):
        await here.send_all(b"x")


async def test_small_messages_go_out_together() -> None:
    here, there = memory_stream_pair()
    one = End(here)
    for _ in range(100):
        one.link.send(OpeningMessage(1, bytes(32)))
    one.link.stop()
    writes = 0
    send_all = here.send_all

    async def count(data: bytes) -> None:
        nonlocal writes
        writes += 1
        await send_all(data)

    here.send_all = count  # type: ignore[method-assign,assignment]  # counts the writes
    await one.run()
    assert writes == 1
    assert len(await read_some(FrameStream(there), 100)) == 100


async def test_whoever_sends_too_fast_is_read_later(autojump_clock: object) -> None:
    limits = Limits(cost_rate=0.01, cost_burst_s=0.02, message_cost_us=1_000, byte_cost_ns=0)
    here, there = memory_stream_pair()
    one = End(here, limits)
    await there.send_all(encode_message(OpeningMessage(1, bytes(32))) * 120)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.run)
        await trio.lowlevel.checkpoint()
        await wait_all_tasks_blocked()
        assert len(one.messages) == 20
        await trio.sleep(1.01)
        assert 27 <= len(one.messages) <= 31
        await trio.sleep(9.3)
        assert len(one.messages) == 120
        nursery.cancel_scope.cancel()


async def test_two_links_of_one_peer_have_one_pace(autojump_clock: object) -> None:
    """Nor does a new link begin with a burst of its own."""
    limits = Limits(cost_rate=0.01, cost_burst_s=0.02, message_cost_us=1_000, byte_cost_ns=0)
    pace, ends = pace_of(limits), []
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            here, there = memory_stream_pair()
            ends.append(End(here, limits, pace))
            await there.send_all(encode_message(OpeningMessage(1, bytes(32))) * 40)
            nursery.start_soon(ends[-1].run)
            await wait_all_tasks_blocked()
        assert [len(end.messages) for end in ends] == [20, 0, 0]
        await trio.sleep(6.01)
        assert 75 <= sum(len(end.messages) for end in ends) <= 81
        nursery.cancel_scope.cancel()


def test_a_rest_fills_the_bucket_again() -> None:
    pace = Pace(10, 20)
    pace.spend(20, 100)
    assert pace.wait_s(100) == 0
    pace.spend(5, 100)
    assert pace.wait_s(100) == pytest.approx(0.7), "a little longer than it must"
    assert pace.wait_s(100.4) == pytest.approx(0.3)
    assert pace.wait_s(1000) == 0
    pace.spend(21, 1000)
    assert pace.wait_s(1000) == pytest.approx(0.3)
    pace.spend(-1, 1000)
    assert pace.wait_s(1000) == 0


def test_a_frame_has_a_header() -> None:
    assert encode_message(Ping())[:HEADER_SIZE] == (len(encode_message(Ping())) - HEADER_SIZE).to_bytes(4, "big")
