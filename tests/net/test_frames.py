import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from seqp2p.net.errors import LinkLost, PeerError
from seqp2p.net.frames import FrameStream, frame

MAX = 1000


async def test_whole_frames_in_one_go() -> None:
    here, there = memory_stream_pair()
    await here.send_all(frame(b"one") + frame(b"two") + frame(b"three"))
    frames = FrameStream(there)
    assert [await frames.receive(MAX) for _ in range(3)] == [b"one", b"two", b"three"]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.binary(min_size=1, max_size=40), max_size=5), st.integers(1, 9))
def test_any_cut_gives_the_same_frames(parts: list[bytes], chunk: int) -> None:
    async def run() -> None:
        here, there = memory_stream_pair()
        data = b"".join(map(frame, parts))
        frames = FrameStream(there)

        async def write() -> None:
            for start in range(0, len(data), chunk):
                await here.send_all(data[start : start + chunk])
                await trio.lowlevel.checkpoint()
            await here.aclose()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write)
            assert [await frames.receive(MAX) for _ in parts] == parts
            with pytest.raises(LinkLost, match="closed"):
                await frames.receive(MAX)

    trio.run(run)


@pytest.mark.parametrize("size", [0, MAX + 1, 2**32 - 1])
async def test_size_is_refused_before_the_bytes_come(size: int) -> None:
    here, there = memory_stream_pair()
    await here.send_all(size.to_bytes(4, "big"))
    with pytest.raises(PeerError, match=f"frame of {size} bytes"):
        await FrameStream(there).receive(MAX)


@pytest.mark.parametrize("cut", [1, 3, 4, 6])
async def test_orderly_end_inside_a_frame(cut: int) -> None:
    here, there = memory_stream_pair()
    await here.send_all(frame(b"abc")[:cut])
    await here.send_eof()
    with pytest.raises(PeerError, match="middle of a frame"):
        await FrameStream(there).receive(MAX)


async def test_lost_connection_is_nobodys_fault() -> None:
    here, there = memory_stream_pair()
    frames = FrameStream(here)
    await FrameStream(there).abort()
    with pytest.raises(LinkLost):
        await frames.send(frame(b"x"))
    await frames.close()
    with pytest.raises(LinkLost):
        await frames.receive(MAX)
    with pytest.raises(LinkLost):
        await frames.send(frame(b"x"))


async def test_cancelled_receive_loses_nothing() -> None:
    here, there = memory_stream_pair()
    frames = FrameStream(there)
    await here.send_all(frame(b"abc")[:5])
    async with trio.open_nursery() as nursery:

        async def receive() -> None:
            await frames.receive(MAX)

        nursery.start_soon(receive)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    await here.send_all(frame(b"abc")[5:])
    assert await frames.receive(MAX) == b"abc"
