"""Hostile ends of real links: strangers at a host's door and in its lobby, and a host that lies to a guest.

TLS and lobbies are real. A stranger harms only itself, at any stage and in any pieces.
"""

import contextlib
import random
import ssl
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Final

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from seqp2p.i18n import message_of
from seqp2p.lobby.join import join_table
from seqp2p.lobby.pake import Exchange, give_code
from seqp2p.match.encoding import encode
from seqp2p.net import tls
from seqp2p.net.auth import check_client, prove, receive, send
from seqp2p.net.dialling import Route
from seqp2p.net.errors import NetError
from seqp2p.net.frames import FrameStream
from seqp2p.net.frames import frame as framed
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import ALLOWED, Gather, LinkStage, PakeA, PakeB, Sit
from tests.fuzz.door import LOBBY, door_of_host
from tests.fuzz.mutate import mutated
from tests.fuzz.pieces import Pieces
from tests.lobby.house import House
from tests.net.test_messages import SAMPLES
from tests.net.tools import Wires, address_of, credentials, own, randomness

SEEDS = st.integers(0, 2**32)
LIMITS: Final = DEFAULT_LIMITS
STRANGER, GUEST, HOST = 20, 12, 1
STAGES = ("tls", "proof", "pake_a", "confirm", "sit", "lobby")


def run(work: Callable[[], Awaitable[None]]) -> None:
    """In a loop of its own, on a clock that jumps."""
    trio.run(work, clock=MockClock(autojump_threshold=0))


# TLS.


@cache
def flights() -> tuple[bytes, bytes]:
    """The first bytes of both sides of a handshake."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = credentials(STRANGER).client.wrap_bio(to_client, to_server)
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    hello = to_server.read()
    to_server.write(hello)
    server = credentials(HOST).server.wrap_bio(to_server, to_client, server_side=True)
    with contextlib.suppress(ssl.SSLWantReadError):
        server.do_handshake()
    return hello, to_client.read()


@pytest.mark.parametrize("side", ["server", "client"])
@settings(max_examples=40)
@given(seed=SEEDS, size=st.integers(2, 600))
def test_a_damaged_handshake_is_a_lost_link_in_whatever_pieces_it_comes(side: str, seed: int, size: int) -> None:
    dice = random.Random(seed)
    data = mutated(flights()[side == "client"], flights(), dice)

    async def outcome(size: int) -> str:
        stream = Pieces(data, size)
        try:
            if side == "server":
                await tls.accept(stream, credentials(HOST))
            else:
                await tls.connect(stream, credentials(GUEST), None)
        except NetError as error:
            return f"{type(error).__name__}: {message_of(error)}"
        raise AssertionError("a handshake of one side alone")

    assert len({trio.run(outcome, each) for each in (len(data) + 1, size, 1)}) == 1


async def say_wrongly(frames: FrameStream, stage: LinkStage, dice: random.Random) -> None:
    """A few messages, most of them of this stage, nearly right or out of place; some frames lie of their size."""
    samples = [sample for sample in SAMPLES if isinstance(sample, ALLOWED[stage])] * 3 + SAMPLES
    kept = [encode(sample) for sample in SAMPLES]
    for _ in range(dice.randint(1, 4)):
        data = encode(dice.choice(samples))
        data = mutated(data, kept, dice)[:9_000] if dice.random() < 0.7 else data
        data = framed(data) if dice.random() < 0.8 else mutated(framed(data), [], dice)
        await say(frames.stream, data, dice)
        await wait_all_tasks_blocked()


async def say(stream: trio.abc.Stream, data: bytes, dice: random.Random) -> None:
    size = dice.choice([1, 7, len(data) + 1])
    for at in range(0, min(len(data), 600), size):
        await stream.send_all(data[at : at + size])


# A host's lobby.


class Stranger:
    """Comes to a lobby and follows the protocol up to a stage; then it says what it likes, and goes."""

    def __init__(self, house: House, number: int, stage: str, seed: int) -> None:
        self.house = house
        self.own = credentials(number)
        self.stage = stage
        self.dice = random.Random(seed)

    async def come(self) -> None:
        stream = await self.house.wires.dial(address_of(HOST))
        with contextlib.suppress(NetError, trio.BrokenResourceError, trio.ClosedResourceError):
            if self.stage == "tls":
                await say(stream, mutated(flights()[0], [], self.dice), self.dice)
            else:
                await self.go_in(stream)
        await trio.aclose_forcefully(stream)

    async def go_in(self, stream: trio.abc.Stream) -> None:
        link = await tls.connect(stream, self.own, None)
        if self.stage == "proof":
            await receive(link.frames, LinkStage.AUTH_CLIENT, LIMITS)
            return await say_wrongly(link.frames, LinkStage.AUTH_SERVER, self.dice)
        await prove(link, self.own.identity, "join", None, LIMITS)
        if self.stage == "pake_a":
            return await say_wrongly(link.frames, LinkStage.CODE_HOST, self.dice)
        public = self.own.identity.public
        exchange = Exchange(self.house.code, public, link.server_key, link.certificate_hash, randomness, host=False)
        if self.stage == "confirm":
            await send(link.frames, PakeA(7, 2, exchange.message))
            await receive(link.frames, LinkStage.CODE_JOINER, LIMITS)
            return await say_wrongly(link.frames, LinkStage.CODE_HOST, self.dice)
        await give_code(link.frames, exchange, LIMITS)
        if self.stage == "sit":
            return await say_wrongly(link.frames, LinkStage.CODE_HOST, self.dice)
        await send(link.frames, Sit("stranger"))
        return await say_wrongly(link.frames, LinkStage.LOBBY_HOST, self.dice)


@settings(max_examples=12)
@given(seed=SEEDS, stages=st.lists(st.sampled_from(STAGES), min_size=1, max_size=5))
def test_a_lobby_stands_whoever_comes_to_it(seed: int, stages: list[str]) -> None:
    """Strangers one after the other and at once; then those who are waited for come, and the game begins."""

    async def come_and_go() -> None:
        async with trio.open_nursery() as nursery:
            house = House(nursery, 3)
            await house.open()
            async with trio.open_nursery() as strangers:
                for number, stage in enumerate(stages):
                    strangers.start_soon(Stranger(house, STRANGER + number, stage, seed + number).come)
                    if number % 2:
                        await wait_all_tasks_blocked()
            await trio.sleep(60)
            assert house.names == ["host", None, None]
            for number in (GUEST, GUEST + 1):
                await house.enter(number)
            await trio.sleep(60)
            assert sorted(house.tables) == [HOST, GUEST, GUEST + 1], house.errors
            assert all(reason.isprintable() for reason in house.turned_away)

    run(come_and_go)


# A guest's host.


class Liar:
    """A host that follows the protocol up to a stage, and then says what it likes."""

    def __init__(self, stage: str, seed: int) -> None:
        self.stage = stage
        self.dice = random.Random(seed)
        self.door = door_of_host(random.Random(1).randbytes)
        self.code = self.door.code

    async def serve(self, stream: trio.abc.Stream) -> None:
        with contextlib.suppress(NetError, trio.BrokenResourceError, trio.ClosedResourceError):
            await self.lie(await tls.accept(stream, credentials(HOST)))
        await trio.aclose_forcefully(stream)

    async def lie(self, frames: FrameStream) -> None:
        if self.stage == "proof":
            return await say_wrongly(frames, LinkStage.AUTH_CLIENT, self.dice)
        own = credentials(HOST)
        dice = random.Random(1).randbytes
        proof = await check_client(frames, own, lobby=LOBBY, admit=lambda _: None, randomness=dice, limits=LIMITS)
        if self.stage == "pake_a":
            return await say_wrongly(frames, LinkStage.CODE_JOINER, self.dice)
        key, certificate = own.identity.public, own.certificate_hash
        if self.stage == "confirm":
            exchange = Exchange(self.code, proof.key, key, certificate, dice, host=True)
            await send(frames, PakeB(exchange.message))
            return await say_wrongly(frames, LinkStage.CODE_JOINER, self.dice)
        await self.door.check(frames, proof.key, "")
        if self.stage == "sit":
            await receive(frames, LinkStage.CODE_HOST, LIMITS)
        else:
            await send(frames, Gather(1))
        return await say_wrongly(frames, LinkStage.LOBBY_JOINER, self.dice)


@settings(max_examples=25)
@given(seed=SEEDS, stage=st.sampled_from(STAGES[1:]))
def test_a_guest_of_a_liar_gets_a_typed_error(seed: int, stage: str) -> None:
    async def visit() -> None:
        wires, liar = Wires(), Liar(stage, seed)
        listener = wires.listen(address_of(HOST))
        async with trio.open_nursery() as nursery:

            async def serve() -> None:
                await liar.serve(await listener.accept())

            nursery.start_soon(serve)
            with pytest.raises(NetError) as error:
                await join_table(own(GUEST, "guest"), Route(address_of(HOST), wires.dial), liar.code)
            assert message_of(error.value).isprintable()

    run(visit)
