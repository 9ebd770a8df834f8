"""One seat at one table, live, under trio: its mesh, its player and its clock feed the SeatSession.

Theory of operation. One task owns the match and takes from one inbox: what the mesh received, what the player chose,
and the clock's ticks.
"""

import contextlib
from collections.abc import Callable
from collections.abc import Set as AbstractSet

import trio

from seqp2p.bots.player import SeatPlayer
from seqp2p.live.asking import Asking
from seqp2p.live.mesh import Mesh
from seqp2p.live.recorder import Journal, TableEvent
from seqp2p.live.runtime import UNDER_TRIO, Runtime
from seqp2p.live.seat_session import OPENINGS_WAIT_S, GoOn, InboxItem, Leaving, Saying, SeatSession, Stopping, Tick
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.net.messages import LATER
from seqp2p.replay.writer import ReplayWriter

TICK_S = 1.0


class SeatRunner:
    """Plays one seat to the end of its game. ``emit`` gets every event of the match, in order, as it happens.

    ``core`` decides; this carries.
    """

    def __init__(
        self,
        match: Match,
        seat: SeatKeys,
        mesh: Mesh,
        player: SeatPlayer,
        writer: ReplayWriter,
        emit: Callable[[TableEvent], None],
        journal: Journal | None = None,
        *,
        runtime: Runtime = UNDER_TRIO,
        asks: bool = False,
        people: AbstractSet[int] = frozenset(),
        core: type[SeatSession] = SeatSession,
    ) -> None:
        """See SeatSession for ``asks`` and ``people``. Tests need no journal."""
        self.mesh = mesh
        self._send, self._inbox = trio.open_memory_channel[InboxItem](0)
        self._questions = Asking(player, self._send.send)
        self._writer = writer
        self.core = core(
            match, seat, mesh.relay, self._questions, writer, emit, journal, runtime, asks=asks, people=people
        )

    @property
    def match(self) -> Match:
        return self.core.match

    async def put(self, item: Leaving | Stopping | Saying | GoOn) -> None:
        """Do what this seat's player wants. After the end this does nothing."""
        with contextlib.suppress(trio.BrokenResourceError):
            await self._send.send(item)

    @property
    def stopped(self) -> bool:
        """True once this seat has stopped for now."""
        return self.core.ending is not None and self.core.ending.farewell == LATER

    @property
    def resumable(self) -> bool:
        """True once the game has ended for this seat and can go on later: ``run`` has returned."""
        return self.core.ending is not None and self.core.ending.resumable

    @property
    def is_over(self) -> bool:
        """True once the game has ended for this seat for good."""
        return self.core.ending is not None and not self.core.ending.resumable

    async def run(self) -> Result:
        """Play until the game is over, or cannot go on. The replay is complete and signed then, unless ``resumable``.

        Cancelled, it stops for now, with a goodbye that takes at most ``close_s``. When it fails it says nothing. The
        others wait for the seat, which can be resumed.
        """
        links = trio.CancelScope()
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                self._questions.begin(nursery)
                await nursery.start(self._keep_links, links)
                links.shield = True
                nursery.start_soon(self._forward)
                nursery.start_soon(self._tick)
                try:
                    linger = await self.core.begin()
                    while self.core.ending is None:
                        await self.core.take(await self._inbox.receive())
                        self._check_stopped()
                    await self._open_hands(linger=linger)
                except trio.Cancelled:
                    if self.core.stopped is None:
                        self.core.stop()
                    raise
                finally:
                    await self._say_goodbye(links)
                nursery.cancel_scope.cancel()
        finally:
            self._inbox.close()
            if self.is_over:
                self._writer.finish(self.match, self.core.seat.identity_key, self.core.seat.sign)
        assert self.core.ending is not None, "the loop ends with an ending"
        return self.core.ending.result

    async def _open_hands(self, *, linger: bool) -> None:
        waits = self.core.open_hands(linger=linger)
        with trio.move_on_after(OPENINGS_WAIT_S):
            while waits:
                waits = self.core.take_hands(await self._inbox.receive())

    async def _say_goodbye(self, links: trio.CancelScope) -> None:
        if self.core.ending is None:
            links.cancel()
            return
        with trio.CancelScope(shield=True):
            await self.mesh.close(self.core.ending.farewell)

    def _check_stopped(self) -> None:
        if self.core.stopped is not None:
            raise self.core.stopped

    # Tasks that feed the inbox.

    async def _keep_links(self, scope: trio.CancelScope, *, task_status: "trio.TaskStatus[None]") -> None:
        # A scope of their own: the goodbye still needs the links when everything else is cancelled.
        with scope:
            await self.mesh.run(self.core.store, task_status=task_status)

    async def _forward(self) -> None:
        async for item in self.mesh.incoming:
            await self._send.send(item)

    async def _tick(self) -> None:
        while True:
            await trio.sleep(TICK_S)
            await self._send.send(Tick())
