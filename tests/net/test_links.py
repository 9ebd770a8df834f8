"""Frames on a stream, and links of frames: order, silence, pace and end."""

import contextlib

import pytest
import trio
from trio.testing import lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from seqp2p.net import messages as wire
from seqp2p.net.errors import LinkLost, NetError, PeerError
from seqp2p.net.frames import FrameStream, frame
from seqp2p.net.limits import Limits, Pace, pace_of
from seqp2p.net.links import Link

LIMITS = Limits()
BLOB = wire.ContributionMessage(bytes(20_000), bytes(64))


@pytest.mark.parametrize("size", [0, 1001, 2**32 - 1])
async def test_size_is_refused_before_the_bytes_come(size: int) -> None:
    here, there = memory_stream_pair()
    await here.send_all(size.to_bytes(4, "big"))
    with pytest.raises(PeerError, match=f"frame of {size} bytes"):
        await FrameStream(there).receive(1000)


@pytest.mark.parametrize("cut", [1, 3, 4, 6])
async def test_orderly_end_inside_a_frame(cut: int) -> None:
    here, there = memory_stream_pair()
    await here.send_all(frame(b"abc")[:cut])
    await here.send_eof()
    with pytest.raises(PeerError, match="middle of a frame"):
        await FrameStream(there).receive(1000)


async def test_lost_connection_is_nobodys_fault() -> None:
    here, there = memory_stream_pair()
    frames = FrameStream(here)
    await FrameStream(there).abort()
    with pytest.raises(LinkLost):
        await frames.send(frame(b"x"))
    await frames.close()
    with pytest.raises(LinkLost):
        await frames.receive(1000)
    with pytest.raises(LinkLost):
        await frames.send(frame(b"x"))


async def test_cancelled_receive_loses_nothing(autojump_clock: object) -> None:
    here, there = memory_stream_pair()
    frames = FrameStream(there)
    await here.send_all(frame(b"abc")[:5])
    with trio.move_on_after(1):
        await frames.receive(1000)
    await here.send_all(frame(b"abc")[5:])
    assert await frames.receive(1000) == b"abc"


# Links.


def opening(seat: int) -> wire.OpeningMessage:
    return wire.OpeningMessage(seat, bytes(32))


class End:
    """One side of a connection: its link, its messages and its end."""

    def __init__(self, stream: trio.abc.Stream, limits: Limits = LIMITS, pace: Pace | None = None) -> None:
        self.link = Link(FrameStream(stream), limits, pace)
        self.messages: list[wire.WireMessage] = []
        self.error: NetError | None = None
        self.done = False

    async def handle(self, message: wire.WireMessage) -> None:
        await trio.lowlevel.checkpoint()
        if not isinstance(message, wire.Ping):
            self.messages.append(message)
        if isinstance(message, wire.Bye):
            raise LinkLost(message.reason)
        if message == opening(9):
            self.link.stop()

    async def run(self) -> None:
        self.error = await self.link.run(wire.LinkStage.GAME, self.handle, wire.Ping)
        self.done = True


async def read_some(frames: FrameStream, count: int) -> list[wire.WireMessage]:
    return [wire.decode_message(await frames.receive(LIMITS.frame_max), wire.LinkStage.GAME) for _ in range(count)]


async def test_messages_both_ways_and_signs_of_life(autojump_clock: object) -> None:
    one, two = map(End, memory_stream_pair())
    async with trio.open_nursery() as nursery:
        for end in (one, two):
            nursery.start_soon(end.run)
        one.link.send(opening(1))
        two.link.send(opening(2))
        await trio.sleep(100)
        assert not one.done
        one.link.send(wire.Bye("good night"))
    assert two.messages == [opening(1), wire.Bye("good night")]
    assert str(two.error) == "good night"
    assert isinstance(one.error, LinkLost)


async def send_slowly(stream: trio.abc.Stream, data: bytes) -> None:
    with contextlib.suppress(trio.BrokenResourceError):
        while True:
            await trio.sleep(1)
            await stream.send_all(data)


@pytest.mark.parametrize(
    ("begin", "slowly", "reason"),
    [
        (b"", b"", "silent for 8 s"),
        (b"\0\0\x10\0", b"x", "silent"),  # a frame in drops
        (b"", wire.encode_message(wire.Ping()), "read nothing for 8 s"),
    ],
)
async def test_silence_ends_a_link(
    autojump_clock: object, nursery: trio.Nursery, begin: bytes, slowly: bytes, reason: str
) -> None:
    here, there = lockstep_stream_pair() if "read" in reason else memory_stream_pair()
    one = End(here)
    if begin:
        await there.send_all(begin)
    if slowly:
        nursery.start_soon(send_slowly, there, slowly)
    await one.run()
    assert reason in str(one.error)
    assert not isinstance(one.error, PeerError)
    assert trio.current_time() == pytest.approx(LIMITS.silence_s, abs=2.1)


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
    one, other = End(here), FrameStream(there)
    for _ in range(5):
        one.link.send(BLOB)
    one.link.stop()
    await one.run()
    assert one.error is None
    assert await read_some(other, 5) == [BLOB] * 5
    await other.send(b"".join(wire.encode_message(opening(seat)) for seat in (1, 2)))
    assert await read_some(one.link.frames, 2) == [opening(1), opening(2)]


async def test_stop_from_within_leaves_what_comes_after(autojump_clock: object) -> None:
    here, there = memory_stream_pair()
    one = End(here)
    await there.send_all(b"".join(wire.encode_message(opening(seat)) for seat in (9, 2, 3)))
    await one.run()
    assert one.error is None
    assert await read_some(one.link.frames, 2) == [opening(2), opening(3)]


async def test_stop_while_a_sign_of_life_is_on_its_way(autojump_clock: object) -> None:
    here, there = lockstep_stream_pair()
    one, other = End(here), FrameStream(there)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.run)
        await trio.sleep(LIMITS.heartbeat_s + 0.1)
        one.link.stop()
        assert await read_some(other, 1) == [wire.Ping()]
    assert one.error is None
    with trio.move_on_after(5) as nothing_more:
        await other.receive(10)
    assert nothing_more.cancelled_caught


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


async def test_small_messages_go_out_together(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = memory_stream_pair()
    one, writes = End(here), list[bytes]()
    for _ in range(100):
        one.link.send(opening(1))
    one.link.stop()
    send_all = here.send_all

    async def note(data: bytes) -> None:
        writes.append(data)
        await send_all(data)

    monkeypatch.setattr(here, "send_all", note)
    await one.run()
    assert len(writes) == 1
    assert await read_some(FrameStream(there), 100) == [opening(1)] * 100


@pytest.mark.parametrize("links", [1, 3])
async def test_whoever_sends_too_fast_is_read_later(autojump_clock: object, nursery: trio.Nursery, links: int) -> None:
    """The links of one peer share one pace, so a new link brings no burst of its own."""
    limits = Limits(cost_rate=0.01, cost_burst_s=0.02, message_cost_us=1_000, byte_cost_ns=0)
    pace, ends = pace_of(limits), list[End]()
    for _ in range(links):
        here, there = memory_stream_pair()
        ends.append(End(here, limits, pace))
        await there.send_all(wire.encode_message(opening(1)) * (120 // links))
        nursery.start_soon(ends[-1].run)
        await wait_all_tasks_blocked()
    assert [len(end.messages) for end in ends] == [20, 0, 0][:links]
    await trio.sleep(6.01)
    assert 75 <= sum(len(end.messages) for end in ends) <= 81
    await trio.sleep(5)
    assert sum(len(end.messages) for end in ends) == 120


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
