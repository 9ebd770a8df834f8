"""One life of a simulated seat: the real ``SeatSession`` in virtual time, until it ends or dies."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from seqp2p.live.asking import Asker, Chosen
from seqp2p.live.inbox import Ending, InboxItem, Tick
from seqp2p.live.recorder import TableEvent
from seqp2p.live.runtime import Runtime
from seqp2p.live.seat_session import OPENINGS_WAIT_S, SeatSession
from seqp2p.live.session import TICK_S
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.net.errors import NetError
from seqp2p.replay.writer import ReplayWriter
from seqp2p.testing.disk import VirtualSidecar
from seqp2p.testing.mesh import Answered, VirtualMesh
from seqp2p.testing.sim_process import Machine, SimProcess
from seqp2p.testing.wires import End


@dataclass(frozen=True)
class SimSeat:
    """All parts of a session."""

    match: Match
    seat: SeatKeys
    mesh: VirtualMesh
    asking: Asker
    writer: ReplayWriter
    tell: Callable[[TableEvent], None]
    journal: VirtualSidecar
    runtime: Runtime

    def make(self, kind: type[SeatSession] = SeatSession) -> SeatSession:
        """Make a session of these parts."""
        relay = self.mesh.relay
        return kind(self.match, self.seat, relay, self.asking, self.writer, self.tell, self.journal, self.runtime)


MakeSession = Callable[[SimSeat], SeatSession]


class SeatMachine(Machine, Protocol):
    """The machine of a seat's process, and its player, both of which outlive it."""

    def think_s(self) -> float:
        """Return the player's time for its next choice."""
        ...

    def dial(self, process: "SimSeatProcess", seat: int, answered: Answered) -> None:
        """Dial a seat."""
        ...

    def tell(self, event: TableEvent) -> None:
        """Note an event of the table."""
        ...

    def looked(self, process: "SimSeatProcess") -> None:
        """Note that the session has taken something: the moment to check invariants."""
        ...

    def ended(self, result: Result) -> None:
        """Note that the process is done."""
        ...


class SimSeatProcess(SimProcess[InboxItem]):
    """A running peer."""

    def __init__(self, machine: SeatMachine) -> None:
        super().__init__(machine)
        self.machine = machine
        self.session: SeatSession
        self.mesh: VirtualMesh
        self._phase: Callable[[InboxItem], None] = self._play
        self._writer: ReplayWriter
        self._sidecar: VirtualSidecar

    def start(self, session: SeatSession, mesh: VirtualMesh, writer: ReplayWriter, sidecar: VirtualSidecar) -> None:
        """Start to dial, and go on with the game."""
        self.session, self.mesh, self._writer, self._sidecar = session, mesh, writer, sidecar
        mesh.begin(session.store)
        self.after(TICK_S, self._tick)
        self._drive(self._begin())

    async def _begin(self) -> None:
        self._linger = await self.session.begin()

    def _tick(self) -> None:
        if not any(isinstance(item, Tick) for item in self._inbox):
            self.put(Tick())
        self.after(TICK_S, self._tick)

    # For the player and the links.

    def answer(self, chosen: Chosen) -> None:
        """Take the player's choice."""
        self.put(chosen)

    def thinks_s(self) -> float:
        """Return the player's time."""
        return self.machine.think_s()

    def dial(self, seat: int, answered: Answered) -> None:
        """Dial a seat."""
        self.machine.dial(self, seat, answered)

    # As Life has it.

    def _hear(self, end: End, data: bytes) -> None:
        self.mesh.receive(end, data)

    def _lose(self, end: End, error: NetError) -> None:
        self.mesh.lost(end, error)

    def _take(self, item: InboxItem) -> None:
        self._phase(item)

    def _play(self, item: InboxItem) -> None:
        self._drive(self.session.take(item))

    def _taken(self) -> None:
        self.machine.looked(self)
        if self.session.ending is not None and self._phase == self._play:
            self._open_hands(self.session.ending)

    # The end.

    def _open_hands(self, ending: Ending) -> None:
        self._phase = lambda item: self._see_hands(ending, item)
        if self.session.open_hands(linger=self._linger):
            self.after(OPENINGS_WAIT_S, lambda: self._close(ending))
        else:
            self._close(ending)

    def _see_hands(self, ending: Ending, item: InboxItem) -> None:
        if not self.session.take_hands(item):
            self._close(ending)

    def _close(self, ending: Ending) -> None:
        if self._phase == self._ignore:
            return
        self._phase = self._ignore
        self.mesh.close(ending.farewell, lambda: self._finish(ending))

    def _ignore(self, _item: InboxItem) -> None:
        """End the session: the game is over."""

    def _finish(self, ending: Ending) -> None:
        session = self.session
        self._writer.finish(session.match, session.seat.identity_key, session.seat.sign)
        self._sidecar.delete()
        self.mesh.abort()
        self.alive = False
        self.machine.ended(ending.result)

    def die(self, *, power: bool) -> None:
        """End without a goodbye. Without power its system does not close the connections either."""
        self._stop()
        for end in self.mesh.ends:
            if power:
                end.vanish()
            else:
                end.cease()


def replay_path(seat: int) -> Path:
    """Return the path of a seat's replay on its own disk."""
    return Path(f"{seat}.seqp2p")
