import pytest
import trio
from trio.testing import memory_stream_pair

from seqp2p.net.errors import LinkLost, PeerError
from seqp2p.net.frames import FrameStream, frame

MAX = 1000


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


async def test_cancelled_receive_loses_nothing(autojump_clock: object) -> None:
    here, there = memory_stream_pair()
    frames = FrameStream(there)
    await here.send_all(frame(b"abc")[:5])
    with trio.move_on_after(1):
        await frames.receive(MAX)
    await here.send_all(frame(b"abc")[5:])
    assert await frames.receive(MAX) == b"abc"
