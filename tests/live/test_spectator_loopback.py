"""Spectators over real sockets and on the real clock: fifty of them, and one that does not read.

tests/lobby/test_spectator_feed.py and test_spectator_server.py have all that needs neither.
"""

import contextlib
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
import trio

from seqp2p.crypto.identity import Identity
from seqp2p.live.mesh import Mesh, MeshEvent
from seqp2p.lobby.door import CodeDoor
from seqp2p.lobby.events import LobbyEvent, Own, SpectatorCame
from seqp2p.lobby.join import WaitingSpectator, watch_table
from seqp2p.lobby.spectators import SpectatorServer
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.signed import ReleasedSecret, SignedThing
from seqp2p.net.addresses import Address, listening_addresses, open_listeners
from seqp2p.net.dialling import Route
from seqp2p.net.frames import FrameStream
from seqp2p.net.gossip import PlacedItem, PlacedVote
from seqp2p.net.limits import Limits
from seqp2p.net.messages import More
from seqp2p.net.serving import Listener
from seqp2p.net.tls import make_credentials
from tests.live.parties import credentials
from tests.lobby.hall import Seen, say
from tests.table import Played, played, randomness

pytestmark = [pytest.mark.simulation, pytest.mark.process]

# No test here waits longer, on a machine that is busy with others.
LIMIT_S = 120.0

GAME = played(2, "kids")
LIMITS = Limits(heartbeat_s=0.5, code_rest_s=0.0, authenticate_s=2)
# On a busy machine fifty take longer than two do.
PATIENT = replace(LIMITS, authenticate_s=30, code_exchange_s=30, code_hurry_s=30)


class Stage:
    """A host that serves a game that was played before, step by step, as if it were going on now."""

    def __init__(
        self, game: Played, listeners: list[trio.SocketListener], spectators: SpectatorServer, limits: Limits
    ) -> None:
        self.game = game
        self.step = 0
        doors: list[Listener] = list(listeners)
        table = AgreedTable(credentials(1), game.match.game.agreement, 1, {}, doors, spectators=spectators)
        self.mesh = Mesh(table, randomness("mesh"), limits)

    def have(self) -> tuple[int, frozenset[int]]:
        return self.step + 1, frozenset()

    def votes(self, step: int) -> list[PlacedVote]:
        return []

    def early(self, seat: int) -> list[SignedThing]:
        return []

    def missing(self, step: int, seats: frozenset[int]) -> list[PlacedItem]:
        return [
            (closed.number, seat, each)
            for closed in self.game.match.record[: self.step]
            for seat, each in closed.contributions
            if closed.number > step or (closed.number == step and seat not in seats)
        ]

    def play(self, steps: int) -> None:
        for closed in self.game.match.record[self.step : self.step + steps]:
            self.step = closed.number
            for seat, contribution in closed.contributions:
                self.mesh.relay.pass_on(contribution, seat, closed.number)

    def open_hands(self) -> None:
        for seat in self.game.seats:
            self.mesh.relay.pass_on(ReleasedSecret(seat.number, seat.release().to_bytes(32, "big")))


class Theatre:
    """The stage, the code, and the way there."""

    def __init__(
        self, stage: Stage, spectators: SpectatorServer, door: CodeDoor, address: Address, limits: Limits
    ) -> None:
        self.stage = stage
        self.spectators = spectators
        self.door = door
        self.address = address
        self.limits = limits
        self.frames: list[FrameStream] = []
        self.came = 0
        self.changed = trio.Event()

    async def waiting(self, number: int, code: str | None = None) -> WaitingSpectator:
        key = make_credentials(Identity(bytes([7, number]) * 16))
        mine = Own(key, f"spectator {number}", randomness(number), lambda _: None, limits=self.limits)
        found = await watch_table(mine, Route(self.address), code or self.door.code)
        self.frames.append(found.frames)
        return found

    def tell(self, event: LobbyEvent) -> None:
        self.came += isinstance(event, SpectatorCame)
        self.changed.set()
        self.changed = trio.Event()

    async def let_in(self, count: int) -> None:
        while self.came < count:
            await self.changed.wait()


@contextlib.asynccontextmanager
async def theatre(places: int, limits: Limits = LIMITS) -> AsyncGenerator[Theatre]:
    listeners = await open_listeners(Address("127.0.0.1", 0))
    try:
        async with trio.open_nursery() as nursery:
            spectators = SpectatorServer(nursery, places, limits)
            door = CodeDoor(Own(credentials(1), "host", randomness("code"), lambda _: None, limits=limits), 7)
            stage = Stage(GAME, listeners, spectators, limits)
            await nursery.start(stage.mesh.run, stage, trio.open_memory_channel[MeshEvent](0)[0])
            made = Theatre(stage, spectators, door, (await listening_addresses(listeners))[0], limits)
            door.on_event = made.tell
            spectators.open(door)
            yield made
            nursery.cancel_scope.cancel()
        for frames in made.frames:
            await frames.abort()
    finally:
        for listener in listeners:
            await trio.aclose_forcefully(listener)


@pytest.mark.slow
async def test_fifty_spectators(tmp_path: Path) -> None:
    """Half of them before the first step, half in the middle; each sees it all, and no step has much to do for them.

    What is measured is the host's own work for a step. That it waits for nobody needs no clock: ``play`` is no
    coroutine, and hands frames to queues. Seconds that pass would say how busy this machine is.
    """
    seen: list[Seen] = []

    async def watch(house: Theatre, number: int) -> None:
        seen.append(Seen(number, await house.waiting(number), tmp_path / f"{number}.seqp2p", PATIENT))
        await seen[-1].run()

    with trio.fail_after(LIMIT_S):
        async with theatre(50, PATIENT) as house, trio.open_nursery() as nursery:
            for number in range(25):
                nursery.start_soon(watch, house, number)
            await house.let_in(25)
            middle = len(GAME.match.record) // 2
            work_s = list[float]()
            for _ in range(middle):
                begun = time.thread_time()
                house.stage.play(1)
                work_s.append(time.thread_time() - begun)
                await trio.sleep(0.01)
            # Not in each step: a collection of garbage may come in one.
            assert median(work_s) < 0.05, "a step is added to the log, and no more"
            for number in range(25, 50):
                nursery.start_soon(watch, house, number)
            await house.let_in(50)
            for _ in range(middle, len(GAME.match.record)):
                house.stage.play(1)
                await trio.sleep(0.01)
            house.stage.open_hands()
            await house.stage.mesh.close("the game is over")
    assert len(seen) == 50
    for each in seen:
        assert each.result == GAME.match.game.result
        assert each.match.head == GAME.match.head
        assert each.match.openings.keys() == {1, 2}
    assert seen[0].report().verdict == "verified"


async def test_one_that_does_not_read(tmp_path: Path) -> None:
    """It asks all the time, and takes nothing: nobody waits for it."""
    limits = replace(LIMITS, answer_pause_s=0.0, watch_batch_max=50_000)
    async with theatre(5, limits) as house:
        lazy = (await house.waiting(1)).frames
        (reader,) = house.spectators.feed.readers
        honest = Seen(2, await house.waiting(2), tmp_path / "2.seqp2p", LIMITS)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(honest.run)
            house.stage.play(len(GAME.match.record) - 2)
            for _ in range(100):
                await say(lazy, More(0))
                assert reader.link.unsent < 2 * limits.watch_batch_max
            house.stage.play(2)
            house.stage.open_hands()
            with trio.fail_after(LIMIT_S):
                await house.stage.mesh.close("the game is over")
        assert honest.result == GAME.match.game.result
