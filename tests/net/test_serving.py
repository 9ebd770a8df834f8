import contextlib
import errno
import socket
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
import trio
import trio.testing
from trio.testing import lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from seqp2p.net import messages as wire
from seqp2p.net import tls
from seqp2p.net.addresses import Address
from seqp2p.net.dialling import Dial, pause_s, reach
from seqp2p.net.errors import LinkLost, NetError, PeerError, Unreachable, WrongKey
from seqp2p.net.frames import FrameStream, frame
from seqp2p.net.limits import Limits, Pace, pace_of
from seqp2p.net.links import Link
from seqp2p.net.serving import Gate, Handshakes, serve, source_of, source_of_address
from tests.net.tools import Wires, address_of, credentials, identity

pytestmark = pytest.mark.usefixtures("autojump_clock")

LIMITS = Limits()
FIRST = address_of(1)

ANN, BEN, EVE = "10.0.0.1", "10.0.0.3", "10.6.6.6"


@pytest.mark.parametrize(
    ("places", "strangers", "expected"),
    [
        (2, [("sent", ANN, True, 0), *((name, ANN, False, 0) for name in ("old", "new", "newer"))], ["old", "new"]),
        (3, [("slow", ANN, True, 1.5), ("a", EVE, True, 0), ("b", EVE, True, 0), ("c", BEN, False, 0)], ["slow"]),
        (3, [("a", ANN, True, 0.1), *((name, EVE, True, 0.1) for name in ("old", "new", "newer"))], ["old"]),
    ],
    ids=["the oldest that is silent", "then one that makes no progress", "then the oldest of the largest source"],
)
async def test_who_makes_room_for_a_newcomer(
    nursery: trio.Nursery, places: int, strangers: list[tuple[str, str, bool, float]], expected: list[str]
) -> None:
    """Of each stranger: its name and source, True if it sends something, and the seconds until the next one comes."""
    gate, ended = Gate(places, 5), list[str]()

    async def dawdle(name: str, source: str, sends: bool) -> None:
        with gate.enter(memory_stream_pair()[0], source) as place:
            if sends:
                place.progress()
            await trio.sleep(1000)
        ended.append(name)

    for name, source, sends, wait_s in strangers:
        nursery.start_soon(dawdle, name, source, sends)
        await wait_all_tasks_blocked()
        await trio.sleep(wait_s)
    assert ended == expected


async def test_what_comes_is_progress() -> None:
    here, there = memory_stream_pair()
    with Gate(1, 5).enter(here) as place:
        heard = [place.has_sent]
        await there.send_all(b"x")
        assert await place.receive_some() == b"x"
        heard.append(place.has_sent)
        assert heard == [False, True]
        await place.wait_send_all_might_not_block()
        await place.send_all(b"y")
        assert await there.receive_some() == b"y"
        await place.aclose()


async def test_handshakes_of_one_source_have_a_pace() -> None:
    limits = replace(LIMITS, handshake_cost_ms=10, cost_burst_s=0.05, sources_max=2)
    handshakes = Handshakes(limits, 0.1)
    for _ in range(10):
        await handshakes.begin("10.6.6.6")
    assert 0.3 < trio.current_time() < 0.8, "five at once, then ten a second"
    begun = trio.current_time()
    await handshakes.begin("10.0.0.1")
    assert trio.current_time() == begun, "another source does not wait"
    for _ in range(5):
        handshakes.forgive("10.6.6.6")
        await handshakes.begin("10.6.6.6")
    assert trio.current_time() - begun < 0.4, "those of clients that pay otherwise are free"
    for source in ("10.0.0.2", "10.0.0.3", "10.6.6.6"):
        await handshakes.begin(source)
    assert len(handshakes._paces) == 2


async def test_those_of_one_source_that_wait_go_on_one_by_one() -> None:
    handshakes = Handshakes(replace(LIMITS, handshake_cost_ms=100, cost_burst_s=0.1), 0.5)
    went: list[tuple[int, float]] = []

    async def begin(number: int) -> None:
        await handshakes.begin("10.6.6.6")
        went.append((number, trio.current_time()))

    async with trio.open_nursery() as nursery:
        for number in range(20):
            nursery.start_soon(begin, number)
            await wait_all_tasks_blocked()
    assert [number for number, _ in went] == [*range(20)]
    assert max(Counter(when for _, when in went).values()) <= 2
    assert went[-1][1] == pytest.approx(20 * 0.1 / 0.5, abs=0.5)


async def test_a_client_waits_for_the_pace_of_its_source() -> None:
    handshakes = Handshakes(replace(LIMITS, handshake_cost_ms=1_000, cost_burst_s=0.0), 0.5)
    paced = Gate(5, 10, handshakes)
    for gate, waits_s in ((Gate(5, 10), 0), (paced, 0), (paced, 2.2), (paced, 4.4)):
        here, there = memory_stream_pair()
        async with trio.open_nursery() as nursery:
            with gate.enter(here, "10.6.6.6") as place:
                nursery.start_soon(tls.connect, there, credentials(2), None)
                frames = await place.accept(credentials(1))
                assert place.has_sent
                assert trio.current_time() == pytest.approx(waits_s, abs=0.1)
        await frames.abort()
        await there.aclose()


@pytest.mark.parametrize("data", [b"", b"GET / HTTP/1.1", b"\x16\x03\x01\xff\xff", b"\x16\x03\x01\x00\x05half"])
async def test_what_is_no_hello_costs_no_tls(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    async def accept(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(tls, "accept", accept)
    here, there = memory_stream_pair()
    with Gate(1, 5).enter(here) as place:
        for byte in data:
            await there.send_all(bytes([byte]))
        await there.aclose()
        with pytest.raises(LinkLost):
            await place.accept(credentials(1))
        await here.aclose()
        with pytest.raises(LinkLost):
            await place.accept(credentials(1))


async def test_no_stranger_stays_long() -> None:
    with Gate(2, 5).enter(memory_stream_pair()[0]) as place:
        await trio.sleep(1000)
    assert place.scope.cancelled_caught
    assert trio.current_time() == pytest.approx(5, abs=0.01)


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("10.0.0.7", "10.0.0.7"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
        ("fd00:1:2:3:4:5:6:7", "fd00:1:2:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("no address", ""),
    ],
)
def test_sources(address: str, source: str) -> None:
    assert source_of_address(address) == source


async def test_a_source_that_is_gone() -> None:
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    stream = await trio.testing.open_stream_to_socket_listener(listener)
    assert source_of(stream) == "127.0.0.1"
    await stream.aclose()
    assert source_of(stream) == ""
    await listener.aclose()


class Failing(trio.abc.Listener[trio.abc.Stream]):
    """Raises these errors one after the other, then gives one connection, then nothing."""

    def __init__(self, codes: Sequence[int]) -> None:
        self._codes = list(codes)
        self._given = False

    async def accept(self) -> trio.abc.Stream:
        if self._codes:
            raise OSError(self._codes.pop(0), "no")
        if self._given:
            await trio.sleep_forever()
        self._given = True
        return memory_stream_pair()[0]

    async def aclose(self) -> None:
        raise AssertionError


async def test_accepting_goes_on_when_the_machine_is_exhausted(nursery: trio.Nursery) -> None:
    welcomed = trio.Event()

    async def welcome(_: trio.abc.Stream) -> None:
        welcomed.set()

    serve(nursery, [Failing([errno.EMFILE, errno.ENFILE])], welcome)
    await welcomed.wait()
    assert trio.current_time() == pytest.approx(0.2, abs=0.01)


async def test_a_broken_listener_is_an_error() -> None:
    async def welcome(_: trio.abc.Stream) -> None:
        raise AssertionError

    with pytest.raises(ExceptionGroup) as group:
        async with trio.open_nursery() as nursery:
            serve(nursery, [Failing([errno.EBADF])], welcome)
    assert group.group_contains(OSError)


async def join(dial: Dial, address: Address = FIRST) -> None:
    """Try to join the host at this address, by its key."""
    await reach(address, credentials(2), dial, LIMITS, role="join", expected_key=identity(1).public)


async def test_nobody_there() -> None:
    with pytest.raises(Unreachable, match=r"Nobody answers at 10\.0\.0\.1:4610\.") as error:
        await join(Wires().dial)
    assert "firewall" in error.value.hint


async def test_a_name_without_an_address() -> None:
    async def resolve(_: Address) -> trio.abc.Stream:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    name = r"The name no\.lan cannot be resolved: Name or service not known\."
    with pytest.raises(Unreachable, match=name) as error:
        await join(resolve, Address("no.lan", 1))
    assert "IP address" in error.value.hint


async def test_nothing_comes_back() -> None:
    async def hang(_: Address) -> trio.abc.Stream:
        await trio.sleep_forever()
        raise AssertionError

    with pytest.raises(Unreachable):
        await join(hang)
    assert trio.current_time() == pytest.approx(LIMITS.connect_s, abs=0.01)
    wires = Wires()
    wires.listen(FIRST)
    with pytest.raises(LinkLost, match="takes too long"):
        await join(wires.dial)


async def test_somebody_else_there(nursery: trio.Nursery) -> None:
    wires = Wires()

    async def answer(stream: trio.abc.Stream) -> None:
        await trio.SSLStream(stream, credentials(3).server, server_side=True).do_handshake()

    serve(nursery, [wires.listen(FIRST)], answer)
    with pytest.raises(WrongKey):
        await join(wires.dial)


def test_pauses_double_up_to_the_longest() -> None:
    pauses = [pause_s(failures, 1.0, LIMITS) for failures in range(1, 9)]
    assert pauses == [0.25, 0.5, 1, 2, 4, 8, 8, 8]
    assert pause_s(10**9, 0.5, LIMITS) == 4


# Frames on a stream, and links of frames: order, silence, pace and end.


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


async def test_cancelled_receive_loses_nothing() -> None:
    here, there = memory_stream_pair()
    frames = FrameStream(there)
    await here.send_all(frame(b"abc")[:5])
    with trio.move_on_after(1):
        await frames.receive(1000)
    await here.send_all(frame(b"abc")[5:])
    assert await frames.receive(1000) == b"abc"


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


async def test_messages_both_ways_and_signs_of_life() -> None:
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
async def test_silence_ends_a_link(nursery: trio.Nursery, begin: bytes, slowly: bytes, reason: str) -> None:
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


async def test_stop_sends_what_is_queued_and_frees_the_connection() -> None:
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


async def test_stop_from_within_leaves_what_comes_after() -> None:
    here, there = memory_stream_pair()
    one = End(here)
    await there.send_all(b"".join(wire.encode_message(opening(seat)) for seat in (9, 2, 3)))
    await one.run()
    assert one.error is None
    assert await read_some(one.link.frames, 2) == [opening(2), opening(3)]


async def test_stop_while_a_sign_of_life_is_on_its_way() -> None:
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
async def test_whoever_sends_too_fast_is_read_later(nursery: trio.Nursery, links: int) -> None:
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
