"""The meeting place of a table: from the digits in its code to tokens at a relay, and the lines there."""

import pytest
import trio
import trio.testing

from seqp2p.lobby import place
from seqp2p.lobby.place import HostLines, MeetingPlace, MetHost, hash_place, meet_host, meeting_place
from seqp2p.net.addresses import Address, tcp_dial
from seqp2p.net.errors import NetError
from seqp2p.net.limits import DEFAULT_LIMITS
from tests.relay import free_address, running_relay


async def test_a_place_has_four_tokens_and_a_mark() -> None:
    place = await meeting_place("48219375526041")
    assert len(set(place.tokens)) == 4
    assert {len(token) for token in place.tokens} == {32}
    assert len(place.mark) == 16
    assert place == await meeting_place("48219375526041")


async def test_another_digit_is_another_place() -> None:
    one, other = await meeting_place("48219375526041"), await meeting_place("48219375526042")
    assert not set(one.tokens) & set(other.tokens)
    assert one.mark != other.mark


async def meet(relay: Address, digits: str) -> trio.abc.Stream:
    """A joiner's line, which has said hello."""
    line = await meet_host(relay, hash_place(digits), tcp_dial, DEFAULT_LIMITS)
    await line.send_all(b"hello")
    return line


@pytest.mark.process
async def test_host_and_joiners_meet_and_the_host_moves() -> None:
    places = list[MeetingPlace]()
    moved = trio.Event()

    def on_place(place: MeetingPlace) -> None:
        places.append(place)
        if len(places) == 2:
            moved.set()

    async def welcome(listener: trio.abc.Listener[trio.abc.Stream]) -> None:
        while True:
            async with await listener.accept() as line:
                assert await line.receive_some() == b"hello"
                await line.send_all(b"welcome")

    async with running_relay() as relay, trio.open_nursery() as nursery:
        lines = HostLines(relay, tcp_dial, DEFAULT_LIMITS, on_place, lambda _: None)
        nursery.start_soon(lines.run)
        for listener in lines.listeners:
            nursery.start_soon(welcome, listener)
        lines.move("00000000000001")
        for _ in range(3):
            async with await meet(relay, "00000000000001") as line:
                assert await line.receive_some() == b"welcome"
        lines.move("00000000000002")
        await moved.wait()
        async with await meet(relay, "00000000000002") as line:
            assert await line.receive_some() == b"welcome"
        assert places == [hash_place("00000000000001"), hash_place("00000000000002")]
        nursery.cancel_scope.cancel()


@pytest.mark.process
async def test_a_joiner_may_be_there_before_the_host() -> None:
    digits = "00000000000003"
    met = trio.Event()

    async def come(relay: Address) -> None:
        async with await meet(relay, digits) as line:
            assert await line.receive_some() == b"welcome"
            met.set()

    async def welcome(listener: trio.abc.Listener[trio.abc.Stream]) -> None:
        async with await listener.accept() as line:
            await line.send_all(b"welcome")
            await met.wait()

    async with running_relay() as relay, trio.open_nursery() as nursery:
        nursery.start_soon(come, relay)
        await trio.testing.wait_all_tasks_blocked()
        lines = HostLines(relay, tcp_dial, DEFAULT_LIMITS, lambda _: None, lambda _: None)
        nursery.start_soon(lines.run)
        for listener in lines.listeners:
            nursery.start_soon(welcome, listener)
        lines.move(digits)
        await met.wait()
        nursery.cancel_scope.cancel()


async def test_a_relay_that_is_away_is_told_once_for_all_lines(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def known(digits: str) -> MeetingPlace:
        await trio.lowlevel.checkpoint()
        return MeetingPlace((b"",) * 4, digits)

    async def refused(_: Address) -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        raise OSError

    monkeypatch.setattr(place, "meeting_place", known)
    told = list[NetError | None]()
    with trio.move_on_after(60):
        async with trio.open_nursery() as nursery:
            lines = HostLines(free_address(), refused, DEFAULT_LIMITS, lambda _: None, told.append)
            nursery.start_soon(lines.run)
            for listener in lines.listeners:
                nursery.start_soon(listener.accept)
            lines.move("1")
    assert [str(reason) for reason in told] == [str(told[0])]
    assert "cannot be reached" in str(told[0])


async def test_the_line_on_which_a_host_was_met_is_used_once(nursery: trio.Nursery) -> None:
    first, second = trio.testing.memory_stream_pair()

    async def again() -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        return second

    met = MetHost(first, again)
    address = Address("10.9.0.1", 4001)
    assert await met.dial(address) is first
    assert await met.dial(address) is second
    await met.aclose()
    await first.send_all(b"it is open")
    await MetHost(first, again).aclose()
    with pytest.raises(trio.ClosedResourceError):
        await first.send_all(b"it is closed")


async def test_a_relay_that_joins_at_once_does_not_make_the_host_dial_without_end(autojump_clock: object) -> None:
    dialled = 0

    async def dial(_: Address) -> trio.abc.Stream:
        nonlocal dialled
        dialled += 1
        here, there = trio.testing.memory_stream_pair()
        await there.send_all(b"ok\nX")
        return here

    opened = trio.Event()
    lines = HostLines(Address("127.0.0.1", 1), dial, DEFAULT_LIMITS, lambda _: opened.set(), lambda _: None)
    lines.move("48219375526041")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lines.run)
        await opened.wait()
        with trio.move_on_after(10):
            while True:
                await (await lines.listeners[0].accept()).aclose()
        nursery.cancel_scope.cancel()
    assert 10 < dialled <= 10 / DEFAULT_LIMITS.relay_pause_min_s + 1
