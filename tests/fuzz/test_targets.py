"""The saved inputs, and thousands that are nearly like them, through every target; ``make fuzz`` goes on from there."""

import contextlib
import random
import ssl
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Collection
from functools import cache
from typing import Final

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from seqp2p.crypto.hashing import CONTRIBUTION
from seqp2p.i18n import message_of
from seqp2p.lobby.join import join_table
from seqp2p.lobby.pake import Exchange, give_code
from seqp2p.match.contribution import TurnBody, make_payload
from seqp2p.match.encoding import DecodeError, decode, encode, unpack
from seqp2p.match.machine import Match
from seqp2p.match.table import Agreement
from seqp2p.net import messages as wire
from seqp2p.net import tls
from seqp2p.net.auth import check_client, prove, receive, send
from seqp2p.net.dialling import Route
from seqp2p.net.errors import NetError, PeerError
from seqp2p.net.frames import HEADER_SIZE, FrameStream
from seqp2p.net.frames import frame as framed
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.replay.format import RECORD_SIZE_MAX
from seqp2p.replay.verify import verify
from tests.fuzz.door import LOBBY, door_of_host
from tests.fuzz.forging import FORGERIES
from tests.fuzz.kept import inputs, target_names
from tests.fuzz.mutate import mutated
from tests.fuzz.pieces import Pieces
from tests.fuzz.targets import TARGETS
from tests.lobby.house import House
from tests.net.test_messages import SAMPLES
from tests.net.tools import Wires, address_of, credentials, own, randomness
from tests.sim import Cheats, SimSeat, VirtualLan
from tests.sim.peer import SimSeatProcess

# How many inputs each target gets here, where one takes about a millisecond; where it takes more, fewer.
TRIED = 150
SLOW = {"door": 10}
BATCH = 10


def test_every_target_has_a_corpus() -> None:
    assert target_names() == sorted(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_the_saved_inputs(name: str) -> None:
    saved = inputs(name)
    assert saved
    for data in (b"", *saved.values()):
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_that_are_nearly_right(name: str) -> None:
    saved = list(inputs(name).values())

    @settings(max_examples=SLOW.get(name, TRIED) // BATCH, database=None)
    @given(seed=st.integers(0, 2**32))
    def try_some(seed: int) -> None:
        for number in range(BATCH):
            dice = random.Random(f"{seed} {number}")
            TARGETS[name](mutated(dice.choice(saved), saved, dice))

    try_some()


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in SLOW])
def test_any_bytes_at_all(name: str) -> None:
    @settings(max_examples=25, database=None)
    @given(data=st.binary(max_size=300))
    def try_it(data: bytes) -> None:
        TARGETS[name](data)

    try_it()


# What is large does not grow, and takes no long time.

BOMBS: dict[str, Callable[[int], bytes]] = {
    "empty arrays": lambda size: b"\xdd" + (size - 5).to_bytes(4, "big") + b"\x90" * (size - 5),
    "empty maps": lambda size: b"\xdd" + (size - 5).to_bytes(4, "big") + b"\x80" * (size - 5),
    "nested arrays": lambda size: b"\x91" * size,
    "nested maps": lambda size: b"\x81\xa0" * (size // 2),
    "an array that does not come": lambda size: b"\xdd\xff\xff\xff\xff" + bytes(size - 5),
    "a map that does not come": lambda size: b"\xdf\xff\xff\xff\xff" + bytes(size - 5),
    "bytes that do not come": lambda size: b"\xc6\xff\xff\xff\xff" + bytes(size - 5),
    "a wide map": lambda size: (
        b"\xdf"
        + (size // 6).to_bytes(4, "big")
        + b"".join(b"\xa4%04x\xc0" % (number % 65_536) for number in range(size // 6))
    ),
    "one long text": lambda size: b"\xdb" + (size - 5).to_bytes(4, "big") + b"x" * (size - 5),
    "zeros": bytes,
}
# Bytes held for each byte that came, at most: an empty map takes 64, and its place in a list 8.
GROWTH_MAX = 100
WEIGHED = 50_000  # weighing makes everything slow
SPARE = 1_000_000  # what a library keeps from its first use on
SECONDS_MAX = 10.0  # half a second on an idle machine; what grows with the square of the size takes minutes


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_takes_little_memory_and_time(bomb: str) -> None:
    """In a frame of a known peer, and in a record of a file."""
    for size, read in ((DEFAULT_LIMITS.frame_max, _read_message), (RECORD_SIZE_MAX, _read_record)):
        data = BOMBS[bomb](size)
        start = time.process_time()
        read(data)
        assert time.process_time() - start < SECONDS_MAX
        smaller = BOMBS[bomb](WEIGHED)
        tracemalloc.start()
        try:
            read(smaller)
            assert tracemalloc.get_traced_memory()[1] < GROWTH_MAX * WEIGHED + SPARE
        finally:
            tracemalloc.stop()


def _read_message(data: bytes) -> None:
    for stage in (wire.LinkStage.GAME, wire.LinkStage.AUTH_SERVER):
        with pytest.raises(PeerError):
            wire.decode_message(data, stage)


def _read_record(data: bytes) -> None:
    assert verify(b"seqp2p replay 1\n" + len(data).to_bytes(4, "big") + data).verdict == "invalid"
    with pytest.raises(DecodeError):
        decode(Agreement, data, len(data))
    with pytest.raises(DecodeError):
        unpack(data, len(data) - 1)


# A seat that says anything to live sessions: the others come to one end, with all invariants of tests.sim.


FOE = 2
GAME_SAMPLES = [
    sample
    for sample in SAMPLES
    if isinstance(sample, wire.ALLOWED[wire.LinkStage.GAME]) and not isinstance(sample, wire.Bye)
]
MESSAGES: dict[str, Callable[[bytes, bytes], wire.WireMessage]] = {
    "ballot": wire.BallotMessage,
    "contribution": wire.ContributionMessage,
    "head": wire.HeadMessage,
    "remark": wire.RemarkMessage,
}


def contribution(match: Match, dice: random.Random) -> bytes:
    """One of the foe's own, old or new, or one that it could have made, as it is or a little changed."""
    own = [held.payload for step in match.record[-4:] for seat, held in step.contributions if seat == FOE]
    step = max(1, match.number + dice.choice([-2, -1, 0, 0, 1, 2]))
    own.append(make_payload(match.game.id, step, match.head, FOE, match.kind or "over", TurnBody("pass", (), b"", b"")))
    payload = dice.choice(own)
    return payload if dice.random() < 0.5 else mutated(payload, own, dice)[:32_768]


def evidence(match: Match, said: Collection[wire.Signed], dice: random.Random) -> wire.EvidenceMessage:
    """Evidence of one or two of the foe's words, or of others' contributions to the last step."""
    last = match.record[-1].contributions if match.record else ()
    things = [*said, *(wire.Signed(held.payload, held.signature) for _, held in last)]
    return wire.EvidenceMessage(tuple(dice.choice(things) for _ in range(dice.choice([1, 2, 2]))))


class Foe:
    """Say anything: a message of the game, a forgery or a contribution that it signs, evidence, or changed bytes."""

    def __init__(self, dice: random.Random) -> None:
        self.said: list[wire.Signed] = []
        self._dice = dice

    def frame(self, process: SimSeatProcess | None) -> bytes:
        data = wire.encode_message(self._message(process))
        return data if self._dice.random() < 0.5 else framed(mutated(data[HEADER_SIZE:], [], self._dice)[:100_000])

    def _message(self, process: SimSeatProcess | None) -> wire.WireMessage:
        dice, kinds = self._dice, ["sample", "contribution", "evidence", *sorted(FORGERIES)]
        kind = "sample" if process is None else dice.choice(kinds)
        if process is None or kind == "sample" or (kind == "evidence" and not self.said):
            return dice.choice(GAME_SAMPLES)
        match = process.session.match
        if kind == "evidence":
            return evidence(match, self.said, dice)
        label, make = FORGERIES.get(kind, (CONTRIBUTION, lambda match, _seat, dice: contribution(match, dice)))
        payload = make(match, FOE, dice)
        self.said.append(wire.Signed(payload, process.session.seat.sign(label, payload)))
        return MESSAGES[kind](payload, self.said[-1].signature)


@pytest.mark.simulation
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), players=st.integers(2, 4))
def test_whatever_a_seat_says_the_others_come_to_one_end(seed: int, players: int) -> None:
    dice = random.Random(seed)
    foe = Foe(dice)

    def tamper(sender: int, _to: int, frame: bytes) -> tuple[bytes, ...]:
        if sender != FOE or dice.random() > 0.3:
            return (frame,)
        return frame, foe.frame(lan.peers[FOE].process)

    lan = VirtualLan(players, seed, cheats=Cheats({FOE: SimSeat.make}, tamper))
    lan.run()
    assert foe.said
    assert len({peer.result and (peer.result.kind, peer.result.winners) for peer in lan.honest}) == 1


# Hostile ends of real links: strangers at a host's door and in its lobby, and a host that lies to a guest.


SEEDS = st.integers(0, 2**32)
LIMITS: Final = DEFAULT_LIMITS
STRANGER, GUEST, HOST = 20, 12, 1
STAGES = ("tls", "proof", "pake_a", "confirm", "sit", "lobby")


def run(work: Callable[[], Awaitable[None]]) -> None:
    """In a loop of its own, on a clock that jumps."""
    trio.run(work, clock=MockClock(autojump_threshold=0))


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


async def say_wrongly(frames: FrameStream, stage: wire.LinkStage, dice: random.Random) -> None:
    """A few messages, most of them of this stage, nearly right or out of place; some frames lie of their size."""
    samples = [sample for sample in SAMPLES if isinstance(sample, wire.ALLOWED[stage])] * 3 + SAMPLES
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
            await receive(link.frames, wire.LinkStage.AUTH_CLIENT, LIMITS)
            return await say_wrongly(link.frames, wire.LinkStage.AUTH_SERVER, self.dice)
        await prove(link, self.own.identity, "join", None, LIMITS)
        if self.stage == "pake_a":
            return await say_wrongly(link.frames, wire.LinkStage.CODE_HOST, self.dice)
        public = self.own.identity.public
        exchange = Exchange(self.house.code, public, link.server_key, link.certificate_hash, randomness, host=False)
        if self.stage == "confirm":
            await send(link.frames, wire.PakeA(7, 2, exchange.message))
            await receive(link.frames, wire.LinkStage.CODE_JOINER, LIMITS)
            return await say_wrongly(link.frames, wire.LinkStage.CODE_HOST, self.dice)
        await give_code(link.frames, exchange, LIMITS)
        if self.stage == "sit":
            return await say_wrongly(link.frames, wire.LinkStage.CODE_HOST, self.dice)
        await send(link.frames, wire.Sit("stranger"))
        return await say_wrongly(link.frames, wire.LinkStage.LOBBY_HOST, self.dice)


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
            return await say_wrongly(frames, wire.LinkStage.AUTH_CLIENT, self.dice)
        own = credentials(HOST)
        dice = random.Random(1).randbytes
        proof = await check_client(frames, own, lobby=LOBBY, admit=lambda _: None, randomness=dice, limits=LIMITS)
        if self.stage == "pake_a":
            return await say_wrongly(frames, wire.LinkStage.CODE_JOINER, self.dice)
        key, certificate = own.identity.public, own.certificate_hash
        if self.stage == "confirm":
            exchange = Exchange(self.code, proof.key, key, certificate, dice, host=True)
            await send(frames, wire.PakeB(exchange.message))
            return await say_wrongly(frames, wire.LinkStage.CODE_JOINER, self.dice)
        await self.door.check(frames, proof.key, "")
        if self.stage == "sit":
            await receive(frames, wire.LinkStage.CODE_HOST, LIMITS)
        else:
            await send(frames, wire.Gather(1))
        return await say_wrongly(frames, wire.LinkStage.LOBBY_JOINER, self.dice)


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
