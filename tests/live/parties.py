"""Whole games between sessions under trio in one process: a network without sockets, and players made to measure.

What a session does in a worker thread is done at once here, so that the clock can jump; shuffles, which are the same in
all games of one table, are made once; and what one seat has checked, another takes for checked if it is the same bytes.
"""

import contextlib
import math
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import trio

from seqp2p.bots.player import SeatPlayer
from seqp2p.crypto import shuffle
from seqp2p.crypto.elgamal import Ciphertext, encode_deck
from seqp2p.crypto.group import Point
from seqp2p.crypto.oracle import Context
from seqp2p.live.game import LiveGame
from seqp2p.live.mesh import Mesh
from seqp2p.live.recorder import TableEvent
from seqp2p.live.runtime import Runtime
from seqp2p.live.seat_session import SeatSession
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.contribution import Body, ShuffleBody
from seqp2p.match.events import Dropped, Redealt, Result, Turned
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.table import Agreement, encode_agreement
from seqp2p.net.addresses import Address
from seqp2p.net.dialling import reach
from seqp2p.net.errors import LinkLost, NetError
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.messages import LinkStage, Ping, WireMessage, decode_message, encode_message
from seqp2p.net.tls import Credentials, make_credentials
from seqp2p.replay.disk import REAL_DISK, Disk
from seqp2p.replay.format import records
from seqp2p.replay.verify import Report, verify
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import Action, View
from tests.net.tools import Wires, address_of
from tests.sim.mini_variant import NAME as MINIATURE
from tests.sim.table import Everything
from tests.table import identity, make_agreement, nearest, randomness

T = TypeVar("T")
LIMITS = DEFAULT_LIMITS
# Nothing in here takes longer, on the clock that jumps: what does is a hang.
HANG_S = 5_000
# By these lots most games are short.
LOTS = 6

Deck = tuple[Ciphertext, ...]


@cache
def shuffled_once(deck: Deck, key: Point, context: Context) -> tuple[Any, bytes]:
    return shuffle.shuffle_and_prove(deck, key, context, randomness(("shuffle", context)))


class RepeatableSeat(SeatKeys):
    """Shuffles to the same order, with the same proof, in every game of one table."""

    def _shuffle_body(self, match: Match) -> Body:
        game = match.game
        deck, proof = shuffled_once(tuple(game.deck.mixing), game.joint_key, self._context(match))
        return ShuffleBody(encode_deck(deck), proof)


class WithoutThreads(Runtime):
    """A runtime that works at once. The clock jumps while a thread is at work, so there is none."""

    def processor_s(self) -> float:
        return 0.0

    async def in_thread(self, work: Callable[[], T]) -> T:
        await trio.lowlevel.checkpoint()
        return work()

    async def on_disk(self, work: Callable[[], None]) -> None:
        await self.in_thread(work)


WITHOUT_THREADS = WithoutThreads()


@cache
def credentials(seat: int) -> Credentials:
    return make_credentials(identity(seat))


class Lottery:
    """One by lot of the legal actions by which a line comes nearest to a sequence: such games are soon over."""

    def __init__(self, seed: object = 0) -> None:
        self.asked: list[tuple[View, str | None]] = []
        self._dice = random.Random(repr(seed))

    async def choose(self, view: View, refused: str | None) -> Action:
        self.asked.append((view, refused))
        await trio.lowlevel.checkpoint()
        return await self.pick(view, refused)

    async def pick(self, view: View, refused: str | None) -> Action:
        assert refused is None, refused
        return self._dice.choice(nearest(view))


class Thinker(Lottery):
    """Takes long over the question after so many; ``asleep`` says when it has come to that. Made for seat 1."""

    def __init__(self, questions: int = 0, sleep_s: float = math.inf) -> None:
        super().__init__((LOTS, 1))
        self._questions = questions
        self._sleep_s = sleep_s
        self.asleep = trio.Event()

    async def pick(self, view: View, refused: str | None) -> Action:
        if len(self.asked) == self._questions + 1:
            self.asleep.set()
            await trio.sleep(self._sleep_s)
        return await super().pick(view, refused)


class Scripted(Lottery):
    """Does what a function says; None is by lot."""

    def __init__(self, script: Callable[[View, str | None], Awaitable[Action | None]], seed: object = 0) -> None:
        super().__init__(seed)
        self._script = script

    async def pick(self, view: View, refused: str | None) -> Action:
        action = await self._script(view, refused)
        return await super().pick(view, None) if action is None else action


class CalmMesh(Mesh):
    """Pauses between looks for a seat to dial also while it closes: else a clock that jumps would stop."""

    def _pause_s(self, peer: Any) -> float:
        return self._limits.close_s if self._closing else super()._pause_s(peer)


Pair = tuple[int, int]


class Scribe(ReplayWriter):
    """Writes a replay, and says when something has been taken: ``moved`` is set, and a new one stands there."""

    def __init__(self, path: Path, match: Match, *, reopened: bool = False, disk: Disk = REAL_DISK) -> None:
        super().__init__(path, match, reopened=reopened, disk=disk)
        self.moved = trio.Event()

    def record(self, match: Match) -> None:
        super().record(match)
        self.moved.set()
        self.moved = trio.Event()


class Kept:
    """One that plays or watches, keeps a replay, and ends with a result."""

    number: int
    path: Path
    result: Result | None = None

    @property
    def reason(self) -> str:
        assert self.result is not None, f"{self.number} has not ended"
        return self.result.reason

    def report(self) -> Report:
        return verify(self.path.read_bytes())

    def of_kind(self, *names: str) -> list[bytes]:
        """The bytes of every record of these kinds."""
        data = self.path.read_bytes()
        return [data[placed.start : placed.end] for placed in records(data) if type(placed.record).__name__ in names]

    def steps(self) -> list[bytes]:
        """The bytes of every final step."""
        return self.of_kind("StepRecord", "CertificateRecord")


@dataclass
class Place(Kept):
    """One seat of a party: its session, its player, what it was told, how it ended."""

    number: int
    game: LiveGame
    player: Any
    writer: "Scribe"
    told: list[tuple[float, TableEvent]] = field(default_factory=list)
    ended_at: float = 0.0
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)

    def __post_init__(self) -> None:
        self.path = self.writer.path

    @property
    def match(self) -> Match:
        return self.game.match

    @property
    def events(self) -> list[TableEvent]:
        return [event for _, event in self.told]

    def actions(self, *kinds: str) -> list[tuple[float, int, str]]:
        """When, by whom and what was done, of these kinds."""
        return [
            (round(when, 2), event.seat, event.action.kind)
            for when, event in self.told
            if isinstance(event, Turned) and event.action.kind in kinds
        ]


class Party:
    """The seats of one game. ``without`` are the pairs that cannot reach each other."""

    def __init__(
        self,
        directory: Path,
        players: int,
        variant: str = MINIATURE,
        *,
        without: Collection[Pair] = (),
        limits: Limits = LIMITS,
        **settings: Any,
    ) -> None:
        self.directory = directory
        self.players = players
        self.agreement: Agreement = make_agreement(players, variant, **settings)
        self.wires = Wires()
        self.limits = limits
        self.without = without
        self.away: set[int] = set()
        self.places: dict[int, Place] = {}

    def __getitem__(self, seat: int) -> Place:
        return self.places[seat]

    @property
    def results(self) -> dict[int, Result | None]:
        return {seat: place.result for seat, place in self.places.items()}

    @property
    def reasons(self) -> dict[int, str]:
        return {seat: place.reason for seat, place in self.places.items()}

    def table(self, seat: int) -> AgreedTable:
        others = [other for other in range(1, self.players + 1) if other != seat]
        addresses = {other: (address_of(other),) for other in others}
        return AgreedTable(credentials(seat), self.agreement, seat, addresses, [self.wires.listen(address_of(seat))])

    def own_seat(self, seat: int) -> SeatKeys:
        return RepeatableSeat(seat, identity(seat), randomness(("seat", 1, seat)))

    def mesh(self, seat: int) -> Mesh:
        """The links of a seat."""

        def may_dial(other: int) -> bool:
            return not {(seat, other), (other, seat)} & set(self.without)

        async def dial(address: Address) -> trio.abc.Stream:
            apart = {other for other in range(1, self.players + 1) if not may_dial(other)} | self.away
            if seat in self.away or address in map(address_of, apart):
                await trio.lowlevel.checkpoint()
                raise ConnectionRefusedError
            return await self.wires.dial(address)

        return CalmMesh(self.table(seat), randomness(("mesh", seat)), self.limits, dial=dial, dial_filter=may_dial)

    def sit(
        self,
        seat: int,
        player: SeatPlayer | None = None,
        *,
        game: type[LiveGame] = LiveGame,
        session: type[SeatSession] = SeatSession,
        runtime: Runtime = WITHOUT_THREADS,
    ) -> None:
        """Seat a player; it plays by lot where none is given."""
        match = Match(encode_agreement(self.agreement), seat)
        path = self.directory / f"{seat}.seqp2p"
        writer = Scribe(path, match)
        own = self.own_seat(seat)
        own.signed = Everything()
        made = game(self.mesh(seat), match, own, path, lambda: contextlib.nullcontext((writer, None)), runtime=runtime)
        made.make_session = session
        self.places[seat] = Place(seat, made, player or Lottery((LOTS, seat)), writer)

    def sit_others(self, **more: Any) -> None:
        """Seat the rest."""
        for seat in range(1, self.players + 1):
            if seat not in self.places:
                self.sit(seat, **more)

    async def run(self, place: Place) -> None:
        def tell(event: TableEvent) -> None:
            place.told.append((trio.current_time(), event))

        with place.scope, place.writer:
            place.result = await place.game.play(place.player, tell)
        place.ended_at = trio.current_time()

    @contextlib.asynccontextmanager
    async def playing(self) -> AsyncGenerator[trio.Nursery]:
        """Everybody who is seated plays; the block ends when all have ended."""
        with trio.fail_after(HANG_S):
            async with trio.open_nursery() as nursery:
                for place in self.places.values():
                    nursery.start_soon(self.run, place)
                yield nursery

    async def play(self) -> None:
        """Seat the rest, and play to the end."""
        self.sit_others()
        async with self.playing():
            pass

    async def until(self, seat: int, reached: Callable[[Match], bool]) -> None:
        """Wait until a seat's match has come so far."""
        place = self[seat]
        while not reached(place.match):
            await place.writer.moved.wait()

    async def raw(self, seat: int, to: int) -> "Raw":
        """A link of this seat that follows no protocol but what a test says."""
        return await raw_link(self.wires, credentials(seat), to, self[to].game.mesh.table)

    def crash(self, seat: int) -> None:
        """This seat's process dies: no goodbye, no end of its replay, and nobody reaches it any more."""
        mesh = self[seat].game.mesh

        async def close(_: str) -> None:
            mesh.scope.cancel()
            await trio.lowlevel.checkpoint()

        self.away.add(seat)
        for other, peer in mesh._peers.items():
            there = self[other].game.mesh._peers[seat] if other in self.places else peer
            for link in (*peer.links, *there.links):
                link.end(LinkLost("The process is gone."))
        cast("Any", mesh).close = close
        cast("Any", self[seat].writer).finish = lambda *_: None
        self[seat].scope.cancel()

    def name(self, seat: int) -> str:
        return f"seat {seat} (player {seat})"


class Raw:
    """A seat's end of a link, by hand."""

    def __init__(self, frames: FrameStream) -> None:
        self.frames = frames
        self._lock = trio.Lock()

    async def say(self, *messages: WireMessage) -> None:
        for message in messages:
            async with self._lock:
                await self.frames.send(encode_message(message))

    async def hear(self) -> WireMessage:
        return decode_message(await self.frames.receive(LIMITS.frame_max), LinkStage.GAME)

    async def expect(self, kind: type[T]) -> T:
        while not isinstance(message := await self.hear(), kind):
            pass
        return message

    async def stay(self) -> None:
        with contextlib.suppress(LinkLost):
            while True:
                await self.say(Ping())
                await trio.sleep(2)

    async def drain(self) -> None:
        """Read until the other side has had enough."""
        with contextlib.suppress(NetError):
            while True:
                await self.hear()


async def raw_link(wires: Wires, own: Credentials, to: int, table: AgreedTable) -> Raw:
    """A link of these credentials to a seat, by hand."""
    key = table.agreement.seats[to - 1].key
    link = await reach(address_of(to), own, wires.dial, LIMITS, role="link", game=table.game, expected_key=key)
    return Raw(link.frames)


def checked(party: Party, verdict: str = "verified") -> list[Report]:
    """All replays say this; their steps are the same bytes, as far as the shortest goes or to where a seat cheated."""
    reports = [place.report() for place in party.places.values()]
    assert [report.verdict for report in reports] == [verdict] * len(reports), [report.reason for report in reports]
    steps = [place.steps() for place in party.places.values()]
    cheated = [report.step - 1 for report in reports if report.step and "broke the rules" in (report.reason or "")]
    same = min([*map(len, steps), *cheated])
    assert all(each[:same] == steps[0][:same] for each in steps)
    # The file of a seat that has stopped for now has no end yet.
    ended = [report.writer for report in reports if report.writer is not None]
    assert len(set(ended)) == len(ended)
    return reports


def went_on(party: Party, *gone: int) -> list[Report]:
    """All but these have played to the end without them, and agree; the others' records are of the same game."""
    stay = [place for seat, place in party.places.items() if seat not in gone]
    assert len({place.result for place in stay}) == 1, party.results
    assert stay[0].result is not None
    assert stay[0].result.kind in {"won", "drawn"}, stay[0].result
    assert not set(stay[0].result.winners) & set(gone)
    reports = [place.report() for place in stay]
    assert [(report.verdict, report.result) for report in reports] == [("verified", stay[0].result)] * len(stay)
    for place in stay:
        assert place.steps() == stay[0].steps()
        dropped = [event.seats for event in place.events if isinstance(event, Dropped)]
        assert sorted(seat for seats in dropped for seat in seats) == sorted(gone)
        assert [event for event in place.events if isinstance(event, Redealt)] == [Redealt()] * len(dropped)
    for seat in gone:
        if seat in party.places:
            steps = party[seat].steps()
            assert steps == stay[0].steps()[: len(steps)]
    return reports
