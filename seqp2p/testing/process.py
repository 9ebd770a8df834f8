"""One life of a simulated seat: the real ``Seated`` in virtual time, until it ends or dies."""

from collections import deque
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.seat import OwnSeat
from seqp2p.net.asking import Asker, Chosen
from seqp2p.net.errors import NetError
from seqp2p.net.inbox import Ending, Item, Tick
from seqp2p.net.ledger import TableEvent
from seqp2p.net.openings import OPENINGS_WAIT_S, Openings
from seqp2p.net.runtime import Runtime
from seqp2p.net.seated import Seated
from seqp2p.net.session import TICK_S
from seqp2p.net.store import MatchStore
from seqp2p.replay.writer import ReplayWriter
from seqp2p.testing.agenda import Agenda, Appointment
from seqp2p.testing.disk import VirtualSidecar
from seqp2p.testing.mesh import VirtualMesh
from seqp2p.testing.wires import End

T = TypeVar("T")


class VirtualSession(Seated):
    """``Seated``, opened for whoever runs it by hand. Cheats are made by overriding what it does."""

    async def begin(self) -> bool:
        """See Seated."""
        return await self._begin()

    async def take(self, item: Item) -> None:
        """See Seated."""
        await self._take(item)

    @property
    def ending(self) -> Ending | None:
        """How it has ended."""
        return self._ending

    @property
    def openings(self) -> Openings:
        """What comes after the end."""
        return self._openings

    @property
    def store(self) -> MatchStore:
        """What the mesh reads."""
        return self._store


@dataclass(frozen=True)
class Sitting:
    """All that a session is made of."""

    match: Match
    seat: OwnSeat
    mesh: VirtualMesh
    asking: Asker
    writer: ReplayWriter
    tell: Callable[[TableEvent], None]
    journal: VirtualSidecar
    runtime: Runtime

    def make(self, kind: type[VirtualSession] = VirtualSession) -> VirtualSession:
        """A session of this kind."""
        return kind(self.match, self.seat, self.mesh, self.asking, self.writer, self.tell, self.journal, self.runtime)


MakeSession = Callable[[Sitting], VirtualSession]


class Machine(Protocol):
    """What a process stands on: its machine's clock, disk and player, which outlive it."""

    @property
    def number(self) -> int:
        """Its seat."""
        ...

    @property
    def agenda(self) -> Agenda:
        """Virtual time."""
        ...

    @property
    def rate(self) -> float:
        """How fast its clock runs."""
        ...

    @property
    def stalled_until(self) -> float:
        """The process is stopped until then."""
        ...

    def sync_s(self) -> float:
        """How long the disk takes for a sync now."""
        ...

    def think_s(self) -> float:
        """How long the player takes for its next choice."""
        ...

    def work_s(self) -> float:
        """How long a proof takes."""
        ...

    def dial(self, process: "Process", seat: int, answered: Callable[[End | None], None]) -> None:
        """Try to reach a seat."""
        ...

    def tell(self, event: TableEvent) -> None:
        """Something has happened at the table."""
        ...

    def looked(self, process: "Process") -> None:
        """The session has taken something: time to check that all is well."""
        ...

    def ended(self, result: Result) -> None:
        """The process is done."""
        ...


class _Pause:
    """Awaited, it lets virtual time pass."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s

    def __await__(self) -> Generator[float, None, None]:
        yield self._delay_s


class Process:
    """A running peer: an inbox, one thing taken after the other, and alarms that die with it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.alive = True
        self.session: VirtualSession
        self.mesh: VirtualMesh
        self._inbox: deque[Item] = deque()
        self._running: Coroutine[Any, Any, object] | None = None
        self._phase: Callable[[Item], None] = self._play
        self._writer: ReplayWriter
        self._sidecar: VirtualSidecar

    def start(self, session: VirtualSession, mesh: VirtualMesh, writer: ReplayWriter, sidecar: VirtualSidecar) -> None:
        """The links are looked for, and the game goes on."""
        self.session, self.mesh, self._writer, self._sidecar = session, mesh, writer, sidecar
        mesh.begin(session.store)
        self.after(TICK_S, self._tick)
        self._drive(self._begin())

    async def _begin(self) -> None:
        self._linger = await self.session.begin()

    # The clock, and what waits for it.

    def now(self) -> float:
        """Seconds on this machine's clock, which nobody shares."""
        return 1_000.0 * self.machine.number + self.machine.agenda.now * self.machine.rate

    def after(self, delay_s: float, what: Callable[[], None]) -> Appointment:
        """An alarm on this machine's clock; a process that is stopped hears it when it goes on."""
        agenda = self.machine.agenda
        appointment = Appointment(agenda.now + delay_s / self.machine.rate, what)
        agenda.at(appointment.at, lambda: self._wake(appointment))
        return appointment

    def _wake(self, appointment: Appointment) -> None:
        agenda, until = self.machine.agenda, self.machine.stalled_until
        if not self.alive:
            return
        if until > agenda.now:
            agenda.at(until, lambda: self._wake(appointment))
        else:
            appointment.happen()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """As Runtime has it: what takes long takes virtual time."""
        await _Pause(self.machine.work_s())
        return work()

    async def on_disk(self, work: Callable[[], None]) -> None:
        """As Runtime has it: what is synced is durable when the disk has taken its time."""
        await _Pause(self.machine.sync_s())
        work()

    def _tick(self) -> None:
        if not any(isinstance(item, Tick) for item in self._inbox):
            self.put(Tick())
        self.after(TICK_S, self._tick)

    # What comes in.

    def put(self, item: Item) -> None:
        """Something for the session, behind everything else."""
        if self.alive:
            self._inbox.append(item)
            self._pump()

    def answer(self, chosen: Chosen) -> None:
        """The player has chosen."""
        self.put(chosen)

    def thinks_s(self) -> float:
        """How long the player takes."""
        return self.machine.think_s()

    def receive(self, end: End, data: bytes) -> None:
        """A frame has come; a process that is stopped reads it later."""
        agenda, until = self.machine.agenda, self.machine.stalled_until
        if not self.alive:
            return
        if until > agenda.now:
            agenda.at(until, lambda: self.receive(end, data))
        elif end.open:
            end.heard()
            self.mesh.receive(end, data)

    def lost(self, end: End, error: NetError) -> None:
        """A link has ended."""
        agenda, until = self.machine.agenda, self.machine.stalled_until
        if self.alive and until > agenda.now:
            agenda.at(until, lambda: self.lost(end, error))
        elif self.alive:
            self.mesh.lost(end, error)

    def dial(self, seat: int, answered: Callable[[End | None], None]) -> None:
        """Try to reach a seat."""
        self.machine.dial(self, seat, answered)

    # The session, one thing at a time.

    def _pump(self) -> None:
        while self._inbox and self._running is None and self.alive:
            self._phase(self._inbox.popleft())

    def _play(self, item: Item) -> None:
        self._drive(self.session.take(item))

    def _drive(self, work: Coroutine[Any, Any, object]) -> None:
        self._running = work
        try:
            delay_s: float = work.send(None)
        except StopIteration:
            self._running = None
            self.machine.looked(self)
            if self.session.ending is not None and self._phase == self._play:
                self._open_hands(self.session.ending)
            self._pump()
        else:
            self.after(delay_s, lambda: self._drive(work))

    # The end.

    def _open_hands(self, ending: Ending) -> None:
        self._phase = lambda item: self._see_hands(ending, item)
        if self.session.openings.begin(linger=self._linger):
            self.after(OPENINGS_WAIT_S, lambda: self._close(ending))
        else:
            self._close(ending)

    def _see_hands(self, ending: Ending, item: Item) -> None:
        if not self.session.openings.take(item):
            self._close(ending)

    def _close(self, ending: Ending) -> None:
        if self._phase == self._ignore:
            return
        self._phase = self._ignore
        self.mesh.close(ending.farewell, lambda: self._finish(ending))

    def _ignore(self, _item: Item) -> None:
        """The game is over: nothing else matters any more."""

    def _finish(self, ending: Ending) -> None:
        session = self.session
        self._writer.finish(session.match, session.seat.identity_key, session.seat.sign)
        self._sidecar.delete()
        self.mesh.abort()
        self.alive = False
        self.machine.ended(ending.result)

    def die(self, *, power: bool) -> None:
        """The process is gone: no goodbye. Without power its system does not close its connections either."""
        self.alive = False
        if self._running is not None:
            self._running.close()
            self._running = None
        for end in self.mesh.ends:
            if power:
                end.vanish()
            else:
                end.cease()


def replay_path(seat: int) -> Path:
    """Where a seat's replay is, on its own disk."""
    return Path(f"{seat}.seqp2p")
