"""A spectator before there is a table, and against a host that lies."""

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.lowlevel

from seqp2p.live.mesh import Mesh
from seqp2p.live.spectator import Backlog
from seqp2p.lobby.door import CodeDoor
from seqp2p.lobby.events import CodeShown, LobbyEvent
from seqp2p.lobby.host import host_table
from seqp2p.lobby.join import join_table
from seqp2p.lobby.spectator_join import WaitingSpectator, watch_table
from seqp2p.lobby.spectators import SpectatorServer, spectator_server
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.events import Remarked
from seqp2p.match.signed import SignedThing
from seqp2p.match.table import encode_agreement
from seqp2p.net import tls
from seqp2p.net.addresses import Address
from seqp2p.net.auth import NO_LOBBY, check_client, receive
from seqp2p.net.errors import BadCode, LinkLost, NetError, PeerError, PeerRefused, Unreachable
from seqp2p.net.frames import FrameStream
from seqp2p.net.gossip import PlacedItem, PlacedVote
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import (
    BallotMessage,
    Bye,
    ContributionMessage,
    EvidenceMessage,
    HeadMessage,
    Hurry,
    LeaveMessage,
    LinkStage,
    OpeningMessage,
    Ping,
    RemarkMessage,
    Signed,
    Watching,
    WireMessage,
    bye,
    encode_message,
    refusal,
)
from tests.live.parties import credentials as seat_credentials
from tests.lobby.hall import Seen, own_key
from tests.net.tools import Wires, address_of, credentials, settings
from tests.table import make_agreement, played, randomness

pytestmark = pytest.mark.usefixtures("cheap_codes")

A32, A64 = bytes(32), bytes(64)
AGREEMENT = make_agreement(2, "kids", grace_s=5)
TABLE = Watching(encode_agreement(AGREEMENT))


# The lobby


class House:
    """A host whose lobby is open, and lets spectators in."""

    def __init__(self, nursery: trio.Nursery, places: int = 5) -> None:
        self.nursery = nursery
        self.wires = Wires()
        self.events: list[LobbyEvent] = []
        self.spectators = SpectatorServer(nursery, places)
        self.tables: list[AgreedTable] = []
        self.scope = trio.CancelScope()

    @property
    def code(self) -> str:
        return [event.code for event in self.events if isinstance(event, CodeShown)][-1]

    async def host(self) -> None:
        with self.scope:
            self.tables.append(
                await host_table(
                    credentials(1),
                    "host",
                    settings(2),
                    [self.wires.listen(address_of(1))],
                    [address_of(1)],
                    randomness("host"),
                    self.events.append,
                    spectators=self.spectators,
                )
            )

    async def join(self, number: int) -> None:
        self.tables.append(
            await join_table(
                credentials(number),
                "guest",
                self.code,
                address_of(1),
                [],
                [address_of(2)],
                randomness("guest"),
                lambda _: None,
                dial=self.wires.dial,
            )
        )

    async def watch(self, number: int, name: str = "eve") -> WaitingSpectator:
        return await watch_table(
            credentials(number), name, self.code, address_of(1), randomness(number), dial=self.wires.dial
        )


@contextlib.asynccontextmanager
async def house() -> AsyncGenerator[House]:
    async with trio.open_nursery() as nursery:
        made = House(nursery)
        nursery.start_soon(made.host)
        await trio.sleep(0.1)
        yield made
        nursery.cancel_scope.cancel()


async def test_a_spectator_that_waits_is_told(autojump_clock: object, monkeypatch: pytest.MonkeyPatch) -> None:
    check, refusals = CodeDoor.check, iter(["busy", "busy"])

    async def busy_at_first(self: CodeDoor, frames: FrameStream, key: bytes, source: str, **more: float) -> None:
        for code in refusals:
            await self._refuse(frames, code)
        await check(self, frames, key, source, **more)

    monkeypatch.setattr(CodeDoor, "check", busy_at_first)
    told: list[str] = []
    async with house() as made:
        arguments = (credentials(20), "eve", made.code, address_of(1), randomness(20))
        made.nursery.start_soon(partial(watch_table, *arguments, dial=made.wires.dial, on_wait=told.append))
        await trio.sleep(5)
        assert len(made.spectators.feed.readers) == 1
    assert told == ["The table lets you wait for your turn at the code, at most 25 s."]


async def test_let_in_before_the_start(autojump_clock: object) -> None:
    async with house() as made:
        galleries: list[WaitingSpectator] = []

        async def watch(number: int) -> None:
            galleries.append(await made.watch(number))

        made.nursery.start_soon(watch, 20)
        made.nursery.start_soon(watch, 21)
        await trio.sleep(60)  # The lobby may take long: both sides show that they are there.
        assert len(made.spectators.feed.readers) == 2
        assert galleries == []
        await made.join(2)
        await trio.sleep(1)
        assert len(made.spectators.feed.readers) == 2, "the end of the lobby is nothing to them"
        table = next(table for table in made.tables if table.seat == 1)
        assert table.spectators is made.spectators


async def test_at_the_door_when_the_lobby_closes(autojump_clock: object) -> None:
    """Who is about to say its name when the game begins is let in by the game."""
    async with house() as made:
        begun = trio.Event()

        async def dial(address: Address) -> trio.abc.Stream:
            stream = await made.wires.dial(address)
            await begun.wait()
            return stream

        made.nursery.start_soon(
            partial(watch_table, dial=dial), credentials(20), "eve", made.code, address_of(1), randomness(20)
        )
        await trio.sleep(1)
        await made.join(2)
        await trio.sleep(1)
        table = next(table for table in made.tables if table.seat == 1)
        begun.set()
        await made.nursery.start(Mesh(table, randomness("mesh")).run, Nothing())
        await trio.sleep(1)
        assert len(made.spectators.feed.readers) == 1
        assert made.wires.dialled.count(address_of(1)) == 3


async def test_who_sits_down_watches_no_longer(autojump_clock: object) -> None:
    async with house() as made:
        ended = trio.Event()

        async def watch() -> None:
            with pytest.raises(LinkLost):
                await made.watch(2)
            ended.set()

        made.nursery.start_soon(watch)
        await trio.sleep(1)
        await made.join(2)
        await trio.sleep(1)
        table = next(table for table in made.tables if table.seat == 1)
        made.spectators.feed.begin(table.agreement)
        await ended.wait()
        await trio.lowlevel.checkpoint()
        assert len(made.spectators.feed.readers) == 0
        with pytest.raises(PeerRefused) as refused:
            made.spectators.feed.require_room(credentials(2).identity.public)
        assert refused.value.code == "same_key"


class Nothing:
    """A store with nothing in it."""

    def have(self) -> tuple[int, frozenset[int]]:
        return 1, frozenset()

    def missing(self, step: int, seats: frozenset[int]) -> list[PlacedItem]:
        return []

    def votes(self, step: int) -> list[PlacedVote]:
        return []

    def early(self, seat: int) -> list[SignedThing]:
        return []


async def test_for_as_long_as_there_is_a_table() -> None:
    async with spectator_server(0) as spectators:
        assert spectators is None
    async with spectator_server(3) as spectators:
        assert spectators is not None
        assert len(spectators.feed.readers) == 0


async def test_what_is_too_much_to_keep_is_not_read(autojump_clock: object) -> None:
    backlog = Backlog[int](10)
    taken: list[int] = []
    async with trio.open_nursery() as nursery:

        async def fill() -> None:
            for number in range(10):
                await backlog.put(number, 6)
                taken.append(-number)

        nursery.start_soon(fill)
        await trio.sleep(1)
        assert taken == [0, -1]
        backlog.push(99)
        assert [await backlog.take() for _ in range(11)] == [99, *range(10)]


async def test_the_lobby_closes(autojump_clock: object) -> None:
    async with trio.open_nursery() as nursery:
        made = House(nursery)
        nursery.start_soon(made.host)
        await trio.sleep(0.1)

        async def watch() -> None:
            with pytest.raises(LinkLost):
                await made.watch(20)
            done.set()

        done = trio.Event()
        async with trio.open_nursery() as watching:
            watching.start_soon(watch)
            await trio.sleep(5)
            made.spectators.say_goodbye("no game tonight")
            await done.wait()
        nursery.cancel_scope.cancel()


async def test_what_is_refused_in_the_lobby(autojump_clock: object) -> None:
    async with house() as made:
        with pytest.raises(PeerRefused) as refused:
            await made.watch(1)
        assert refused.value.code == "same_key"
        with pytest.raises(ValueError, match="name"):
            await made.watch(20, "\x1b")
        with pytest.raises(BadCode):
            await watch_table(credentials(20), "eve", "no code", address_of(1), randomness(1), dial=made.wires.dial)
        with pytest.raises(Unreachable):
            await watch_table(credentials(20), "eve", made.code, address_of(9), randomness(1), dial=made.wires.dial)


# A host that lies

Script = Callable[["Liar", FrameStream], Awaitable[None]]


class Liar:
    """A host that lets everybody in, and then does what each script says, one connection after the other."""

    def __init__(self, *scripts: Script) -> None:
        self.wires = Wires()
        self._scripts = iter(scripts)
        own = seat_credentials(1)
        key, certificate = own.identity.public, own.certificate_hash
        self._door = CodeDoor(7, key, certificate, randomness("code"), DEFAULT_LIMITS, lambda _: None)
        self.code = self._door.code
        self.connections = 0

    async def run(self) -> None:
        listener = self.wires.listen(address_of(1))
        for script in self._scripts:
            stream = await listener.accept()
            self.connections += 1
            own = seat_credentials(1)
            frames = await tls.accept(stream, own)
            proof = await check_client(
                frames,
                own,
                lobby=NO_LOBBY,
                admit=lambda _: None,
                randomness=randomness(self.connections),
                limits=DEFAULT_LIMITS,
            )
            if proof.id == NO_LOBBY:
                await self._door.check(frames, proof.key, "")
                await receive(frames, LinkStage.CODE_HOST, DEFAULT_LIMITS)
            with contextlib.suppress(NetError):
                await script(self, frames)
            await frames.abort()


async def tell(frames: FrameStream, *messages: WireMessage) -> None:
    await frames.send(b"".join(map(encode_message, messages)))


def telling(*messages: WireMessage) -> Script:
    """Say this, and read until the other side has had enough."""

    async def script(_: Liar, frames: FrameStream) -> None:
        await tell(frames, *messages)
        with contextlib.suppress(NetError), trio.move_on_after(30):
            while True:
                await frames.receive(DEFAULT_LIMITS.frame_max)
                await tell(frames, Ping())

    return script


async def waiting(liar: Liar) -> WaitingSpectator:
    return await watch_table(own_key(1), "eve", liar.code, address_of(1), randomness("eve"), dial=liar.wires.dial)


async def watched(tmp_path: Path, *scripts: Script) -> Seen:
    """What a spectator makes of a host with these scripts."""
    async with trio.open_nursery() as nursery:
        liar = Liar(*scripts)
        nursery.start_soon(liar.run)
        await trio.lowlevel.checkpoint()
        seen = Seen(1, await waiting(liar), tmp_path / "seen.seqp2p")
        with trio.fail_after(300):
            await seen.run()
        nursery.cancel_scope.cancel()
    assert seen.result is not None
    return seen


ELSEWHERE = Watching(encode_agreement(make_agreement(3, "kids", seed=2)))


@pytest.mark.parametrize(
    ("messages", "error", "text"),
    [
        ([Watching(b"agreement")], PeerError, "a table that cannot be"),
        ([ELSEWHERE], PeerError, "a table at which it has no seat"),
        ([ContributionMessage(b"payload", A64)], PeerError, "before it showed the table"),
        ([Ping(), refusal("no_spectators")], PeerRefused, "no more spectators"),
        ([bye("another\x1b[31m time")], LinkLost, r"has closed the table: another\[31m time"),
    ],
)
async def test_before_the_table(
    autojump_clock: object, messages: list[WireMessage], error: type[NetError], text: str
) -> None:
    async with trio.open_nursery() as nursery:
        liar = Liar(telling(*messages))
        nursery.start_soon(liar.run)
        await trio.lowlevel.checkpoint()
        with pytest.raises(error, match=text):
            await waiting(liar)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (ContributionMessage(b"payload", A64), "the host passed on not a contribution"),
        (RemarkMessage(b"payload", A64), "the host passed on"),
        (BallotMessage(b"payload", A64), "the host passed on"),
        (HeadMessage(b"payload", A64), "the host passed on"),
        (LeaveMessage(b"payload", A64), "the host passed on"),
        (EvidenceMessage((Signed(b"one", A64),)), "the host passed on"),
        (ELSEWHERE, "the host came back with another table"),
        (Bye("good night"), "the host says: good night"),
        (Bye(""), "seat 1 (player 1) has left"),
        (refusal("same_key"), "This identity already sits at the table."),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_what_nobody_signed(virtual_time: object, tmp_path: Path, message: WireMessage, reason: str) -> None:
    seen = await watched(tmp_path, telling(TABLE, TABLE, message))
    assert seen.result is not None
    assert seen.result.kind == "unfinished"
    assert seen.reason.startswith(reason)
    assert seen.report().verdict == "unfinished"


async def test_bytes_that_are_no_message(virtual_time: object, tmp_path: Path) -> None:
    async def script(_: Liar, frames: FrameStream) -> None:
        await tell(frames, TABLE)
        await frames.send(b"\0\0\0\1\xff")
        await trio.sleep(1)

    seen = await watched(tmp_path, script)
    assert "bytes that are no message" in seen.reason


async def test_a_host_that_forgets_its_spectators(virtual_time: object, tmp_path: Path) -> None:
    async def lost(_: Liar, frames: FrameStream) -> None:
        await tell(frames, TABLE)

    seen = await watched(tmp_path, lost, telling(refusal("not_watching")))
    assert "does not know this spectator" in seen.reason


GAME = played(2, "kids")


def contributions() -> list[WireMessage]:
    made = [each for step in GAME.match.record for _, each in step.contributions]
    return [ContributionMessage(each.payload, each.signature) for each in made]


async def test_in_any_order(virtual_time: object, tmp_path: Path) -> None:
    """What comes too early waits, and nothing counts twice."""
    sent = contributions()
    table = Watching(GAME.agreement)
    seen = await watched(tmp_path, telling(table, *sent[:4][::-1], *sent[:4], *sent[4:], *sent, bye("over")))
    assert seen.result is not None
    assert seen.result.kind in ("won", "drawn")
    assert seen.report().verdict == "verified"


async def test_what_is_ahead_waits(virtual_time: object, tmp_path: Path) -> None:
    """A remark and a head of a step that is not open yet; somebody's leave; a contribution on another past."""
    match = GAME.match
    seat = GAME.seats[0]
    payload, signature = seat.say(match, "well played")
    other = played(2, "kids", policy="peaceful").match.record[-1].contributions[0][1]
    early: list[WireMessage] = [
        RemarkMessage(payload, signature),
        ContributionMessage(other.payload, other.signature),
        Hurry(1),
    ]
    seen = await watched(tmp_path, telling(Watching(GAME.agreement), *early, *contributions()))
    assert [event.text for event in seen.events if isinstance(event, Remarked)] == ["well played"]
    assert seen.report().verdict == "verified"


async def test_hands_that_are_made_up(virtual_time: object, tmp_path: Path) -> None:
    """A secret before the end waits for it; a wrong one opens nothing."""
    table = Watching(GAME.agreement)
    wrong = OpeningMessage(1, b"\0" * 31 + b"\1")
    seen = await watched(tmp_path, telling(table, wrong, *contributions()))
    assert seen.match.openings == {}
    assert seen.report().verdict == "verified"


async def test_hands_that_come_after_made_up_ones(virtual_time: object, tmp_path: Path) -> None:
    """The right ones are waited for still."""
    table = Watching(GAME.agreement)
    wrong = OpeningMessage(1, b"\0" * 31 + b"\1")
    right = [OpeningMessage(seat.number, seat.release().to_bytes(32, "big")) for seat in GAME.seats]
    seen = await watched(tmp_path, telling(table, wrong, *contributions(), right[1], wrong, right[0]))
    assert seen.match.openings.keys() == {1, 2}
    assert seen.report().verdict == "verified"
