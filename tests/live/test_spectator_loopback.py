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

from seqp2p.live.mesh import Mesh, MeshEvent
from seqp2p.lobby.door import CodeDoor
from seqp2p.lobby.events import LobbyEvent, Own, SpectatorCame
from seqp2p.lobby.join import WaitingSpectator, watch_table
from seqp2p.lobby.spectators import SpectatorServer
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.signed import ReleasedSecret
from seqp2p.net.addresses import listening_addresses
from seqp2p.net.auth import send
from seqp2p.net.dialling import Route
from seqp2p.net.frames import FrameStream
from seqp2p.net.gossip import MatchStore
from seqp2p.net.limits import Limits
from seqp2p.net.messages import More
from tests.live.parties import credentials
from tests.lobby.hall import Seen, spectator
from tests.net.tools import listening
from tests.table import played, randomness

pytestmark = [pytest.mark.simulation, pytest.mark.process]

# No test here waits longer, on a machine that is busy with others.
LIMIT_S = 120.0

GAME = played(2, "kids")
LIMITS = Limits(heartbeat_s=0.5, code_rest_s=0.0, authenticate_s=2)
# On a busy machine fifty take longer than two do.
PATIENT = replace(LIMITS, authenticate_s=30, code_exchange_s=30, code_hurry_s=30)


class Theatre:
    """A host that serves a game that was played before, step by step, as if it were going on now."""

    def __init__(self, spectators: SpectatorServer, limits: Limits, listeners: list[trio.SocketListener]) -> None:
        self.spectators = spectators
        self.limits = limits
        self.listeners = listeners
        self.came = 0
        self.changed = trio.Event()
        self.door = CodeDoor(Own(credentials(1), "host", randomness("code"), self.tell, limits=limits), 7)
        table = AgreedTable(credentials(1), GAME.match.game.agreement, 1, {}, [*listeners], spectators=spectators)
        self.mesh = Mesh(table, randomness("mesh"), limits)
        self.step = 0
        self.frames: list[FrameStream] = []

    def play(self, steps: int) -> None:
        for closed in GAME.match.record[self.step : self.step + steps]:
            self.step = closed.number
            for seat, contribution in closed.contributions:
                self.mesh.relay.pass_on(contribution, seat, closed.number)

    async def close(self) -> None:
        """Open the hands, and go."""
        for seat in GAME.seats:
            self.mesh.relay.pass_on(ReleasedSecret(seat.number, seat.release().to_bytes(32, "big")))
        await self.mesh.close("the game is over")

    async def waiting(self, number: int) -> WaitingSpectator:
        (address,) = await listening_addresses(self.listeners)
        found = await watch_table(spectator(number, self.limits), Route(address), self.door.code)
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
    async with listening() as listeners, trio.open_nursery() as nursery:
        made = Theatre(SpectatorServer(nursery, places, limits), limits, listeners)
        await nursery.start(made.mesh.run, MatchStore(GAME.match), trio.open_memory_channel[MeshEvent](0)[0])
        made.spectators.open(made.door)
        yield made
        nursery.cancel_scope.cancel()
    for frames in made.frames:
        await frames.abort()


@pytest.mark.slow
async def test_fifty_spectators(tmp_path: Path) -> None:
    """Half of them before the first step, half in the middle; each sees it all, and no step has much to do for them."""
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
                house.play(1)
                work_s.append(time.thread_time() - begun)
                await trio.sleep(0.01)
            # The host's own work: seconds would say how busy this machine is. Garbage may be collected in one step.
            assert median(work_s) < 0.05, "a step is added to the log, and no more"
            for number in range(25, 50):
                nursery.start_soon(watch, house, number)
            await house.let_in(50)
            for _ in range(middle, len(GAME.match.record)):
                house.play(1)
                await trio.sleep(0.01)
            await house.close()
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
            house.play(len(GAME.match.record) - 2)
            for _ in range(100):
                await send(lazy, More(0))
                assert reader.link.unsent < 2 * limits.watch_batch_max
            house.play(2)
            nursery.start_soon(house.close)
            with trio.fail_after(LIMIT_S):
                await honest.ended.wait()
            nursery.cancel_scope.cancel()
        assert honest.result == GAME.match.game.result
