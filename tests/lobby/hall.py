"""A party whose first seat lets spectators in, over a network without sockets; and spectators, honest and not."""

import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import trio

from seqp2p.live.absence import Absent, Back
from seqp2p.live.spectator import WatchedGame
from seqp2p.live.spectator_session import WatchEvent
from seqp2p.lobby.door import CodeDoor
from seqp2p.lobby.events import LobbyEvent, Own, SpectatorCame
from seqp2p.lobby.join import WaitingSpectator, watch_table
from seqp2p.lobby.spectators import SpectatorServer
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.events import Event
from seqp2p.match.machine import Match
from seqp2p.match.table import encode_agreement
from seqp2p.net.dialling import Dial, Route, reach
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.serving import Listener
from seqp2p.net.tls import Credentials
from tests.live.parties import WITHOUT_THREADS, Kept, Party, Place, Thinker
from tests.live.parties import credentials as seat_credentials
from tests.net.tools import address_of
from tests.net.tools import credentials as numbered
from tests.table import randomness


def own_key(number: int) -> Credentials:
    """Credentials of no seat."""
    return numbered(100 + number)


def spectator(number: int, limits: Limits = DEFAULT_LIMITS) -> Own:
    return Own(own_key(number), f"spectator {number}", randomness(("watch", number)), lambda _: None, limits=limits)


class Hall(Party):
    """A party whose first seat lets spectators in. ``said`` has the host's events about them."""

    spectators: SpectatorServer
    door: CodeDoor

    def __init__(self, directory: Path, players: int, *, places: int = 50, **more: Any) -> None:
        super().__init__(directory, players, **more)
        self.places_max = places
        self.said: list[LobbyEvent] = []
        self.seen: dict[int, Seen] = {}
        self.first = Thinker(1, 30.0)  # time to come in
        self.more_listeners: Sequence[Listener] = ()  # of the first seat

    @property
    def code(self) -> str:
        return self.door.code

    @property
    def came(self) -> list[str]:
        return [event.name for event in self.said if isinstance(event, SpectatorCame)]

    def table(self, seat: int) -> AgreedTable:
        table = super().table(seat)
        if seat != 1:
            return table
        return replace(table, spectators=self.spectators, listeners=[*table.listeners, *self.more_listeners])

    @contextlib.asynccontextmanager
    async def watched(self, first: Thinker) -> AsyncGenerator["Seen"]:
        """Play with a spectator, and this player in the first seat; the block begins when it thinks."""
        self.first = first
        async with self.open() as nursery:
            nursery.start_soon(self.watch, 1)
            await first.asleep.wait()
            await trio.sleep(5)
            yield self.seen[1]

    @contextlib.asynccontextmanager
    async def open(self, *, alone: bool = False) -> AsyncGenerator[trio.Nursery]:
        """Let spectators in, play, and end with the last seat. ``alone`` the first seat waits until the block ends."""
        async with trio.open_nursery() as doors:
            self.spectators = SpectatorServer(doors, self.places_max, self.limits)
            own = Own(seat_credentials(1), "host", randomness("code"), self.said.append, limits=self.limits)
            self.door = CodeDoor(own, 7)
            self.spectators.open(self.door)
            self.sit(1, self.first)
            if not alone:
                self.sit_others()
            async with self.playing() as nursery:
                yield nursery
                if alone:
                    nursery.cancel_scope.cancel()
            doors.cancel_scope.cancel()

    async def waiting(self, number: int, dial: Dial | None = None, code: str = "") -> WaitingSpectator:
        route = Route(address_of(1), dial or self.wires.dial)
        return await watch_table(spectator(number, self.limits), route, code or self.code)

    def seat_spectator(self, number: int, waiting: WaitingSpectator) -> "Seen":
        seen = Seen(number, waiting, self.directory / f"watch{number}.seqp2p")
        self.seen[number] = seen
        return seen

    async def watch(self, number: int) -> "Seen":
        """Watch from now on to the end."""
        seen = self.seat_spectator(number, await self.waiting(number))
        await seen.run()
        return seen

    async def knock(self, number: int) -> FrameStream:
        """A spectator's connection, let in, that follows no protocol but what a test says."""
        return (await self.waiting(number)).frames

    async def come_back(self, number: int) -> FrameStream:
        game: dict[str, Any] = {"game": self[1].match.game.id, "expected_key": self.agreement.seats[0].key}
        link = await reach(address_of(1), own_key(number), self.wires.dial, self.limits, role="watch", **game)
        return link.frames


@dataclass
class Seen(Kept):
    """One honest spectator: what it was told, how it ended."""

    number: int
    waiting: WaitingSpectator
    path: Path
    limits: Limits = DEFAULT_LIMITS
    told: list[WatchEvent] = field(default_factory=list)
    ended: trio.Event = field(default_factory=trio.Event)

    def __post_init__(self) -> None:
        self.match = Match(encode_agreement(self.waiting.agreement))
        self.spectator = WatchedGame(
            self.waiting,
            self.match,
            self.path,
            randomness(("spectator", self.number)),
            self.limits,
            WITHOUT_THREADS,
        )

    async def run(self) -> None:
        self.result = await self.spectator.run(self.told.append)
        self.ended.set()

    @property
    def events(self) -> list[Event]:
        return [event for event in self.told if not isinstance(event, Absent | Back)]


def same_game(seen: Seen, place: Place) -> None:
    """Require that the spectator saw the seat's game, and that its replay is right and the same."""
    assert seen.result == place.result
    assert seen.events == place.events
    report = seen.report()
    assert (report.verdict, report.result) == ("verified", place.result), report.reason
    assert report.writer == own_key(seen.number).identity.public.hex()
    assert seen.of_kind("StepRecord") == place.of_kind("StepRecord")
