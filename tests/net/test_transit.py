"""Lines through the transit relay: joined, closed, silent, and relays that are none."""

import contextlib
import dataclasses
import secrets
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


def waiting(
    relay: Address, side: Side, token: bytes, on_away: Callable[[NetError | None], None] = lambda _: None
) -> Waiting:
    return Waiting(relay, token, side, tcp_dial, DEFAULT_LIMITS, on_away)


async def welcome(waiting: Waiting) -> None:
    """Be a server that welcomes a client that says hello."""
    async with await waiting.join() as server:
        assert await server.receive_some() == b"hello"
        await server.send_all(b"welcome")


async def speak(relay: Address, token: bytes) -> None:
    """Be a client that says hello, until it is welcomed."""
    async with await waiting(relay, "client", token).join() as client:
        await client.send_all(b"hello")
        assert await client.receive_some() == b"welcome"
        assert line_of(client) is client
        assert line_of(client.transport_stream) is None


@pytest.mark.process
async def test_two_sides_at_one_token_are_joined(relay: Address) -> None:
    await check_relay(relay, tcp_dial, DEFAULT_LIMITS)
    token = secrets.token_bytes(32)
    async with trio.open_nursery() as joining:
        joining.start_soon(speak, relay, token)
        async with await RelayListener(waiting(relay, "server", token).join).accept() as server:
            assert isinstance(server, TransitStream)
            assert await server.receive_some(2) == b"he"
            assert await server.receive_some() == b"llo"
            assert source_of(server) == "127.0.0.1"
            await server.send_all(b"welcome")


@pytest.mark.process
async def test_two_of_one_side_never_meet(relay: Address) -> None:
    token = secrets.token_bytes(32)
    with trio.move_on_after(0.2) as scope:
        async with trio.open_nursery() as nursery:
            for _ in range(2):
                nursery.start_soon(open_line, relay, token, "client", tcp_dial, DEFAULT_LIMITS)
    assert scope.cancelled_caught


@pytest.mark.process
async def test_a_server_does_without_a_client_that_is_silent(relay: Address) -> None:
    limits, token = dataclasses.replace(DEFAULT_LIMITS, relay_silence_s=0.1), secrets.token_bytes(32)
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def be_silent_then_speak() -> None:
            async with await open_line(relay, token, "client", tcp_dial, limits) as silent:
                assert await silent.transport_stream.receive_some() == b"", "the server gives the silent line up"
            await speak(relay, token)

        await welcome(Waiting(relay, token, "server", tcp_dial, limits))


@pytest.mark.process
async def test_a_relay_that_comes_late_is_found_and_told_before_a_line_is_joined(nursery: trio.Nursery) -> None:
    address = free_address()
    told: list[NetError | None] = []
    away, back = trio.Event(), trio.Event()

    def on_away(error: NetError | None) -> None:
        told.append(error)
        (away if error else back).set()

    nursery.start_soon(welcome, waiting(address, "server", TOKEN, on_away))
    await away.wait()
    async with running_relay(address):
        await back.wait()
        await speak(address, TOKEN)
    assert isinstance(told[0], Unreachable)
    assert told[1:] == [None]


async def serve(answer: Callable[[trio.SocketStream], Awaitable[None]], nursery: trio.Nursery) -> Address:
    """Another program in the relay's place, which answers when something has come."""

    async def take(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some()
            await answer(stream)

    listeners = await nursery.start(trio.serve_tcp, take, 0)
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
async def test_another_program_in_the_relays_place(nursery: trio.Nursery, answer: bytes, error: type[NetError]) -> None:
    async def say(stream: trio.SocketStream) -> None:
        with contextlib.suppress(trio.BrokenResourceError):  # The rest of a long answer is not read.
            await stream.send_all(answer)

    relay = await serve(say, nursery)
    with pytest.raises(error):
        await open_line(relay, TOKEN, "client", tcp_dial, DEFAULT_LIMITS)
    with pytest.raises(error):
        await check_relay(relay, tcp_dial, DEFAULT_LIMITS)


async def test_what_follows_ok_is_kept(nursery: trio.Nursery) -> None:
    relay = await serve(lambda stream: stream.send_all(b"ok\nhello"), nursery)
    async with await open_line(relay, TOKEN, "client", tcp_dial, DEFAULT_LIMITS) as stream:
        assert await stream.receive_some() == b"hello"


async def test_a_program_that_says_nothing_is_no_relay(nursery: trio.Nursery) -> None:
    async def keep_still(_: object) -> None:
        await trio.sleep_forever()

    limits = dataclasses.replace(DEFAULT_LIMITS, relay_check_s=0.1)
    relay = await serve(keep_still, nursery)
    with pytest.raises(PeerError, match="is not a relay"):
        await check_relay(relay, tcp_dial, limits)


async def test_no_relay_there() -> None:
    with pytest.raises(Unreachable, match="cannot be reached"):
        await open_line(free_address(), TOKEN, "client", tcp_dial, DEFAULT_LIMITS)
