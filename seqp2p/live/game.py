"""One seat's game, live, under trio: its links, its player, its clock and its files feed the SeatSession.

Theory of operation. ``play`` runs in the caller's task, from the agreement to the end of the game. One task owns the
match and takes from one inbox: what the mesh received, what the player chose, and the clock's ticks. ``play`` keeps a
replay, and the seat's own file next to it. If the game ends by an error or a crash, that file stays, and the seat can
be resumed.
"""

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import trio

from seqp2p.bots.player import SeatPlayer
from seqp2p.errors import ungrouped
from seqp2p.live.absence import LATER
from seqp2p.live.asking import Asking
from seqp2p.live.mesh import Mesh, look_for_seats
from seqp2p.live.recorder import Recorder, TableEvent
from seqp2p.live.runtime import UNDER_TRIO, Runtime, ignore
from seqp2p.live.seat_session import (
    OPENINGS_WAIT_S,
    Ending,
    GoOn,
    InboxItem,
    Leaving,
    Saying,
    SeatSession,
    Stopping,
    Tick,
)
from seqp2p.lobby.discovery import Warn
from seqp2p.lobby.table import AgreedTable, leave_table
from seqp2p.match.events import Event, Result
from seqp2p.match.machine import Match
from seqp2p.match.names import is_bot_name
from seqp2p.match.seat import SeatKeys
from seqp2p.net.addresses import Address
from seqp2p.replay.sidecar import Sidecar, SidecarError
from seqp2p.replay.writer import ReplayWriter

TICK_S: Final = 1.0
LINKED_S: Final = 3.0
"""For the first link to another seat: a dial by one side or, after ``dial_patience_s``, by the other."""
LINK_POLL_S: Final = 0.05

SeatFiles: TypeAlias = AbstractContextManager[tuple[ReplayWriter, Sidecar | None]]
"""The replay and the seat's own file, open; tests need no own file."""


@dataclass(frozen=True, slots=True)
class Resumption:
    """State of a resumed game.

    ``events`` had happened before; ``torn``: the last record was broken off. ``mapped`` is the port of the router that
    leads here.
    """

    events: tuple[Event, ...]
    torn: bool
    mapped: Address | None = None


class LiveGame:
    """One seat's game: ``play`` it, and meanwhile ``say``, ``go_on`` or ``leave``. Made by a lobby or by ``resume``."""

    make_session: type[SeatSession] = SeatSession

    def __init__(
        self,
        mesh: Mesh,
        match: Match,
        own: SeatKeys,
        replay: Path,
        open_files: Callable[[], SeatFiles],
        resumption: Resumption | None = None,
        runtime: Runtime = UNDER_TRIO,
    ) -> None:
        self.mesh: Final = mesh
        self.match: Final = match
        self.own: Final = own
        self.replay: Final = replay
        self.resumption: Final = resumption
        self._open_files = open_files
        self._runtime = runtime
        self._begun_at = trio.current_time()
        self._playing = trio.Event()
        self._session: SeatSession | None = None
        self._send, self._inbox = trio.open_memory_channel[InboxItem](0)  # Holds none: see Mesh.run.
        self._declined = False
        self._refused = 0

    @property
    def table(self) -> AgreedTable:
        return self.mesh.table

    @property
    def dealt(self) -> bool:
        return self.match.game.position is not None

    def ways(self) -> dict[int, int | str]:
        """Return for each seat that only one other seat can reach, that seat.

        At a table with a relay, return for each linked seat the relay's address, or an empty text for a direct link.
        """
        only_ways = dict[int, int | str](self.mesh.relay.only_ways)
        if self.table.relay is None:
            return only_ways
        linked = dict.fromkeys(self.mesh.relay.linked, "")
        return only_ways | linked | dict.fromkeys(self.mesh.relayed, str(self.table.relay.address))

    @property
    def table_now(self) -> AgreedTable:
        """The table with the addresses at which the other seats can be reached now, as far as this seat knows."""
        book = self.mesh.addresses
        known = {seat: (*book(seat), *self.table.addresses.get(seat, ())) for seat in self.table.others}
        return replace(self.table, addresses=known)

    @property
    def left(self) -> bool:
        return self.own.number in self.match.left

    @property
    def out(self) -> frozenset[int]:
        """The seats that have left the game, are proved to have cheated, or were refused before it."""
        return frozenset(self.match.left) | frozenset(self.match.proven) | ({self._refused} - {0})

    @property
    def stopped(self) -> bool:
        """True once this seat has stopped for now."""
        return self._ending is not None and self._ending.farewell == LATER

    @property
    def resumable(self) -> bool:
        """True once the game has stopped here, and can be resumed."""
        return self._ending is not None and self._ending.resumable

    @property
    def _ending(self) -> Ending | None:
        return None if self._session is None else self._session.ending

    def people(self) -> frozenset[int]:
        """Return the other seats that may have a person."""
        seats = enumerate(self.table.agreement.seats, 1)
        return frozenset(seat for seat, entry in seats if seat != self.own.number and not is_bot_name(entry.name))

    # What this seat's player wants.

    async def leave(self, reason: str) -> None:
        """Leave the game for good, by a signature that the others check; ``play`` returns then."""
        await self._playing.wait()
        # A seat that has just sat down may have no link yet, and one that was just resumed may not sign yet.
        with trio.move_on_at(self._begun_at + LINKED_S):
            while self.own.waits_to_sign or not self.mesh.relay.linked:  # noqa: ASYNC110  # a mesh tells its session alone
                await trio.sleep(LINK_POLL_S)
        await self.put(Leaving(reason))

    async def decline(self, refused: int = 0) -> None:
        """Leave the table before the game, with a goodbye. Does nothing once it is played, or a second time.

        ``refused`` is the seat that this one does not play with, if that is the reason: it is told so, and is out.
        """
        if not self._playing.is_set() and not self._declined:
            self._declined = True
            self._refused = refused
            await leave_table(self.table, refused)

    async def say(self, text: str) -> None:
        """Say something to the table. Does nothing after the end."""
        await self.put(Saying(text))

    async def stop(self) -> None:
        """Stop for now: ``play`` returns, and the seat can be resumed, once the cards are dealt."""
        await self.put(Stopping())

    async def go_on(self, seat: int) -> None:
        """Vote to go on without an absent seat; or, with 0, wait as long again for all of them."""
        await self.put(GoOn(seat))

    async def put(self, item: Leaving | Saying | Stopping | GoOn) -> None:
        """Hand this to the session, once it plays. After the end this does nothing."""
        await self._playing.wait()
        with contextlib.suppress(trio.BrokenResourceError):
            await self._send.send(item)

    # The game.

    async def play(
        self,
        player: SeatPlayer,
        on_event: Callable[[TableEvent], None],
        *,
        asks: bool = False,
        warn: Warn = ignore,
        begun: Callable[[], None] = ignore,
    ) -> Result:
        """Play to the end of the game. The replay is complete and signed when this returns, unless ``resumable``.

        ``on_event`` gets each event while the match is as it is after it. ``asks``: ask the player, a person, before
        the seat votes to go on without another. ``begun`` is called once the files are open.

        Cancelled, or when the player fails, this stops for now, with a goodbye that takes at most ``close_s``, and the
        seat can be resumed. If its session fails, the seat says nothing, and the others wait for it. Raises OSError and
        SidecarError where nothing can be kept.
        """
        # Errors of the network have names of their own: an OSError is of the disk.
        with self._open_files() as (writer, sidecar), ungrouped(OSError, SidecarError):
            questions = Asking(player, self._send.send)
            recorder = Recorder(self.match, writer, on_event, sidecar, self._runtime)
            people = frozenset[int]() if asks else self.people()
            session = self.make_session(self.own, self.mesh.relay, questions, recorder, asks=asks, people=people)
            self._session = session
            begun()  # If it fails, the game is not played, and can be declined.
            self._playing.set()
            try:
                async with trio.open_nursery() as nursery:
                    questions.begin(nursery)
                    # In a new game others have the addresses that this seat signed; the player need not be told.
                    told = ignore if self.resumption is None else warn
                    nursery.start_soon(look_for_seats, self.table, self.mesh, lambda: self.match.game.seats, told)
                    nursery.start_soon(self._tick)
                    await self._play(session, nursery)
                    nursery.cancel_scope.cancel()
            finally:
                self._inbox.close()
                if self._ending is not None and not self._ending.resumable:
                    writer.finish(self.match, self.own.identity_key, self.own.sign)
                    if sidecar is not None:
                        sidecar.delete()  # The game is over for this seat: its secrets are of no use.
        assert session.ending is not None, "the session has ended"
        return session.ending.result

    async def _play(self, session: SeatSession, nursery: trio.Nursery) -> None:
        await nursery.start(self.mesh.run, session.store, self._send)
        self.mesh.scope.shield = True  # The goodbye still needs the links when everything else is cancelled.
        try:
            linger = await session.begin()
            while session.ending is None:
                await session.take(await self._inbox.receive())
                if session.stopped is not None:
                    raise session.stopped
            await self._open_hands(session, linger=linger)
        except trio.Cancelled:
            if session.stopped is None:
                session.stop()
            raise
        finally:
            if session.ending is None:
                self.mesh.scope.cancel()
            else:
                with trio.CancelScope(shield=True):
                    await self.mesh.close(session.ending.farewell)

    async def _open_hands(self, session: SeatSession, *, linger: bool) -> None:
        waits = session.open_hands(linger=linger)
        with trio.move_on_after(OPENINGS_WAIT_S):
            while waits:
                waits = session.take_hands(await self._inbox.receive())

    async def _tick(self) -> None:
        while True:
            await trio.sleep(TICK_S)
            await self._send.send(Tick())
