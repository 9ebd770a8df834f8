"""Lines through the transit relay: joined, closed, silent, and relays that are none."""

import contextlib
import dataclasses
from collections.abc import Awaitable, Callable

import pytest
import trio

from seqp2p.net.addresses import Address, tcp_dial
from seqp2p.net.errors import LinkLost, NetError, PeerError, Unreachable
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.serving import source_of
from seqp2p.net.transit import RelayListener, Side, TransitStream, Waiting, check_relay, line_of, open_line
from tests.relay import free_address, running_relay

TOKEN = bytes(range(32))


def waiting(relay: Address, side: Side, on_away: Callable[[NetError | None], None] = lambda _: None) -> Waiting:
    return Waiting(relay, TOKEN, side, tcp_dial, DEFAULT_LIMITS, on_away)


async def open_both(relay: Address) -> tuple[TransitStream, TransitStream]:
    """A server's and a client's end of one line; the client has said hello."""
    ends: dict[str, TransitStream] = {}

    async def server() -> None:
        stream = await RelayListener(waiting(relay, "server").join).accept()
        assert isinstance(stream, TransitStream)
        ends["server"] = stream

    async def client() -> None:
        ends["client"] = await waiting(relay, "client").join()
        await ends["client"].send_all(b"hello")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(server)
        nursery.start_soon(client)
    return ends["server"], ends["client"]


@pytest.mark.process
async def test_two_sides_at_one_token_are_joined() -> None:
    async with running_relay() as relay:
        server, client = await open_both(relay)
        async with server, client:
            assert await server.receive_some(2) == b"he"
            assert await server.receive_some() == b"llo"
            await server.send_all(b"welcome")
            assert await client.receive_some() == b"welcome"
            assert source_of(server) == "127.0.0.1"
            assert line_of(client) is client
            assert line_of(client.line) is None


@pytest.mark.process
async def test_two_of_one_side_never_meet() -> None:
    async with running_relay() as relay:
        with trio.move_on_after(0.5) as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(open_line, relay, TOKEN, "client", tcp_dial, DEFAULT_LIMITS)
                nursery.start_soon(open_line, relay, TOKEN, "client", tcp_dial, DEFAULT_LIMITS)
        assert scope.cancelled_caught


@pytest.mark.process
async def test_a_server_does_without_a_client_that_is_silent() -> None:
    limits = dataclasses.replace(DEFAULT_LIMITS, relay_silence_s=0.1)
    async with running_relay() as relay, trio.open_nursery() as nursery:

        async def be_silent_then_speak() -> None:
            silent = await open_line(relay, TOKEN, "client", tcp_dial, limits)
            async with silent:
                assert await silent.line.receive_some() == b"", "the server gives the silent line up"
            async with await Waiting(relay, TOKEN, "client", tcp_dial, limits).join() as client:
                await client.send_all(b"hello")
                await trio.sleep_forever()

        nursery.start_soon(be_silent_then_speak)
        async with await Waiting(relay, TOKEN, "server", tcp_dial, limits).join() as server:
            assert await server.receive_some() == b"hello"
        nursery.cancel_scope.cancel()


async def serve(answer: Callable[[trio.SocketStream], Awaitable[None]], nursery: trio.Nursery) -> Address:
    """Another program in the relay's place."""
    listeners = await nursery.start(trio.serve_tcp, answer, 0)
    return Address("127.0.0.1", listeners[0].socket.getsockname()[1])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n", PeerError),
        (b"impatient\n", PeerError),
        (b"okay", PeerError),
        (b"o" * 100_000, PeerError),
        (b"ok", PeerError),
        (b"", LinkLost),
    ],
)
async def test_another_program_in_the_relays_place(answer: bytes, error: type[NetError]) -> None:
    async def say(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        if answer:
            with contextlib.suppress(trio.BrokenResourceError):  # The rest of a long answer is not read.
                await stream.send_all(answer)
        await stream.aclose()

    async with trio.open_nursery() as nursery:
        relay = await serve(say, nursery)
        with pytest.raises(error):
            await open_line(relay, TOKEN, "client", tcp_dial, DEFAULT_LIMITS)
        with pytest.raises(error):
            await check_relay(relay, tcp_dial, DEFAULT_LIMITS)
        nursery.cancel_scope.cancel()


async def test_what_follows_ok_is_kept() -> None:
    async def say(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some()
            await stream.send_all(b"ok\nhello")

    async with trio.open_nursery() as nursery:
        relay = await serve(say, nursery)
        async with await open_line(relay, TOKEN, "client", tcp_dial, DEFAULT_LIMITS) as stream:
            assert await stream.receive_some() == b"hello"
        nursery.cancel_scope.cancel()


async def test_a_program_that_says_nothing_is_no_relay() -> None:
    async def keep_still(stream: trio.SocketStream) -> None:
        async with stream:
            await trio.sleep_forever()

    limits = dataclasses.replace(DEFAULT_LIMITS, relay_check_s=0.1)
    async with trio.open_nursery() as nursery:
        with pytest.raises(PeerError, match="is no relay"):
            await check_relay(await serve(keep_still, nursery), tcp_dial, limits)
        nursery.cancel_scope.cancel()


async def test_no_relay_there() -> None:
    with pytest.raises(Unreachable, match="cannot be reached"):
        await open_line(free_address(), TOKEN, "client", tcp_dial, DEFAULT_LIMITS)


@pytest.mark.process
async def test_a_relay_is_seen_to_be_one() -> None:
    async with running_relay() as relay:
        await check_relay(relay, tcp_dial, DEFAULT_LIMITS)


@pytest.mark.process
async def test_a_relay_that_comes_late_is_found_and_told() -> None:
    address = free_address()
    told: list[NetError | None] = []
    away = trio.Event()

    def on_away(error: NetError | None) -> None:
        told.append(error)
        away.set()

    async with trio.open_nursery() as nursery:

        async def client() -> None:
            await away.wait()
            async with running_relay(address), await waiting(address, "client").join() as stream:
                await stream.send_all(b"hello")
                await trio.sleep_forever()

        nursery.start_soon(client)
        async with await waiting(address, "server", on_away).join() as stream:
            assert await stream.receive_some() == b"hello"
        nursery.cancel_scope.cancel()
    assert isinstance(told[0], Unreachable)
    assert told[1:] == [None]


@pytest.mark.process
async def test_a_relay_that_is_back_is_told_before_a_line_is_joined() -> None:
    address = free_address()
    away, back = trio.Event(), trio.Event()
    async with trio.open_nursery() as nursery:
        on_away = lambda reason: (away if reason else back).set()  # noqa: E731
        nursery.start_soon(waiting(address, "server", on_away).join)
        await away.wait()
        async with running_relay(address):
            await back.wait()
            nursery.cancel_scope.cancel()
