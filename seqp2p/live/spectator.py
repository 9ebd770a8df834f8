"""A spectator: let in by the join code, it plays the same match as the seats do, and checks everything itself.

Theory of operation. One task keeps the link to the host and reads it into a backlog; one asks for more while there is
more; one owns the match and takes from the backlog. The checks of contributions and evidence run in worker threads.
spectator_session.py decides.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import trio

from seqp2p.crypto.group import Randomness
from seqp2p.crypto.identity import sign
from seqp2p.errors import ungrouped
from seqp2p.live.absence import Absent, Back
from seqp2p.live.runtime import UNDER_TRIO, Runtime, ignore
from seqp2p.live.spectator_session import ASK_S, OPENINGS_WAIT_S, Gone, SpectatorSession, WatchEvent, WatchItem
from seqp2p.lobby.join import WaitingSpectator
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.net import messages as wire
from seqp2p.net import tls
from seqp2p.net.dialling import pause_s, reach
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS, Limits, Pace
from seqp2p.net.links import Link
from seqp2p.net.messages import LinkStage, WireMessage
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import View, view


class Backlog:
    """Things that were read and not taken yet; with too many bytes of them, reading waits."""

    def __init__(self, size_max: int) -> None:
        self._size_max = size_max
        self._items: deque[tuple[WatchItem, int]] = deque()
        self._size = 0
        self._changed = trio.lowlevel.ParkingLot()

    async def put(self, item: WatchItem, size: int = 0) -> None:
        """Append something, when there is room."""
        while self._size > self._size_max:
            await self._changed.park()
        self._items.append((item, size))
        self._add(size)

    def push(self, item: WatchItem) -> None:
        """Put something in front, at once."""
        self._items.appendleft((item, 0))
        self._add(0)

    async def take(self) -> WatchItem:
        while not self._items:
            await self._changed.park()
        item, size = self._items.popleft()
        self._add(-size)
        return item

    def _add(self, size: int) -> None:
        self._size += size
        self._changed.unpark_all()


class WatchedGame:
    """A game that a spectator watches: ``run`` it, and ``leave`` meanwhile."""

    def __init__(
        self,
        waiting: WaitingSpectator,
        match: Match,
        replay: Path,
        randomness: Randomness,
        limits: Limits = DEFAULT_LIMITS,
        runtime: Runtime = UNDER_TRIO,
    ) -> None:
        self.match: Final = match
        self.replay: Final = replay
        self._waiting = waiting
        self._randomness = randomness
        self._limits = limits
        self._runtime = runtime
        self._backlog = Backlog(limits.watch_backlog_max)
        self._link: Link | None = None

    @property
    def view(self) -> View | None:
        """The view of a spectator; None before the cards are dealt."""
        position = self.match.game.position
        return None if position is None else view(position, 0)

    async def leave(self, reason: str) -> None:
        """Watch no longer; ``run`` returns, and the replay is completed as it is."""
        await trio.lowlevel.checkpoint()
        self._backlog.push(Gone(reason))

    async def run(self, on_event: Callable[[WatchEvent], None], begun: Callable[[], None] = ignore) -> Result:
        """Watch until the game is over or cannot be watched further. The replay is complete and signed after this.

        ``on_event`` gets each event while the match is as it is after it; ``begun`` is called once the replay is open.
        Raises OSError where the replay cannot be kept.
        """
        try:
            writer = ReplayWriter(self.replay, self.match)
        except OSError:
            await self._waiting.frames.abort()
            raise
        with writer, ungrouped(OSError):  # Errors of the network have names of their own: this is the disk.
            game = self._game = SpectatorSession(self.match, self._waiting.host_seat, writer, on_event, self._runtime)
            begun()
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._keep_linked)
                    nursery.start_soon(self._ask)
                    while game.ending is None:
                        await game.take(await self._backlog.take())
                    waits = game.see_hands()
                    with trio.move_on_after(OPENINGS_WAIT_S):
                        while waits:
                            waits = game.take_hands(await self._backlog.take())
                    nursery.cancel_scope.cancel()
            finally:
                identity = self._waiting.credentials.identity
                writer.finish(self.match, identity.public, partial(sign, identity))
        assert game.ending is not None, "it has ended"
        return game.ending

    # The link to the host.

    async def _keep_linked(self) -> None:
        frames: FrameStream | None = self._waiting.frames
        while frames is not None:
            pace = Pace(self._limits.feed_cost_rate, self._limits.cost_burst_s)
            self._link = Link(frames, self._limits, pace)
            self._link.send(self._game.ask())
            error = await self._link.run(LinkStage.SPECTATOR, self._handle, wire.Ping)
            self._link = None
            lost = self._game.lose(error)
            await self._backlog.put(lost)
            if not isinstance(lost, Absent):
                return
            frames = await self._reach_again()

    async def _reach_again(self) -> FrameStream | None:
        """The host once more: known by its key, as this spectator is to it, so that no code is tried again."""
        waiting = self._waiting
        failures = 0
        with trio.move_on_after(self._game.grace_s):
            while True:
                failures += 1
                await trio.sleep(pause_s(failures, 0.5 + self._randomness(1)[0] / 510, self._limits))
                try:
                    link = await reach(
                        waiting.route.host,
                        waiting.credentials,
                        waiting.route.dial,
                        self._limits,
                        role="watch",
                        game=self.match.game.id,
                        expected_key=waiting.host_key,
                    )
                except PeerRefused as refused:
                    await self._backlog.put(self._game.turned_away(refused))
                    return None
                except NetError:
                    continue  # Not there yet, or another program at that address.
                async with tls.closing_on_error(link.frames.stream):
                    await self._backlog.put(Back(waiting.host_seat))
                    return link.frames
        await self._backlog.put(self._game.give_up())
        return None

    async def _ask(self) -> None:
        while True:
            await trio.sleep(ASK_S)
            if self._link is not None:
                self._link.send(self._game.ask())

    async def _handle(self, message: WireMessage) -> None:
        heard = self._game.handle(message)
        if heard is None:
            await trio.lowlevel.checkpoint()
            return
        await self._backlog.put(heard, len(wire.encode_message(heard)))
        self._game.note(heard)  # Not before: if the link ends meanwhile, this is asked for again.
