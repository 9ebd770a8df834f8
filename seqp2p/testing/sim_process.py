"""What every simulated process has: alarms on its machine's clock, links, and one thing taken after the other."""

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Generic, Protocol, TypeVar

from seqp2p.net.errors import NetError
from seqp2p.testing.event_queue import Appointment, EventQueue
from seqp2p.testing.wires import End

ItemT = TypeVar("ItemT")
T = TypeVar("T")


class Machine(Protocol):
    """What a process stands on: its machine's clock and disk, which outlive it."""

    @property
    def number(self) -> int:
        """Its seat, or a spectator's number."""
        ...

    @property
    def agenda(self) -> EventQueue:
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

    def work_s(self) -> float:
        """How long a proof takes."""
        ...


class _Pause:
    """Awaited, it lets virtual time pass."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s

    def __await__(self) -> Generator[float, None, None]:
        yield self._delay_s


class SimProcess(Generic[ItemT]):
    """A running process, until it ends or dies; then its alarms and links are nothing to it any more."""

    def __init__(self, machine: Machine) -> None:
        self._on = machine
        self.alive = True
        self._inbox: deque[ItemT] = deque()
        self._running: Coroutine[Any, Any, object] | None = None

    @property
    def number(self) -> int:
        """Its seat, or a spectator's number."""
        return self._on.number

    # What it does with what comes.

    @abstractmethod
    def _take(self, item: ItemT) -> None:
        """The next thing from the inbox, perhaps by ``_drive``."""

    @abstractmethod
    def _taken(self) -> None:
        """What ``_drive`` was given is done."""

    @abstractmethod
    def _hear(self, end: End, data: bytes) -> None:
        """Something has come on a link."""

    @abstractmethod
    def _lose(self, end: End, error: NetError) -> None:
        """A link has ended."""

    # The clock, and what waits for it.

    def now(self) -> float:
        """Seconds on this machine's clock, which nobody shares."""
        return 1_000.0 * self._on.number + self._on.agenda.now * self._on.rate

    def after(self, delay_s: float, what: Callable[[], None]) -> Appointment:
        """An alarm on this machine's clock; a process that is stopped hears it when it goes on."""
        agenda = self._on.agenda
        appointment = Appointment(agenda.now + delay_s / self._on.rate, what)
        agenda.at(appointment.at, lambda: self._wake(appointment))
        return appointment

    def _wake(self, appointment: Appointment) -> None:
        agenda, until = self._on.agenda, self._on.stalled_until
        if not self.alive:
            return
        if until > agenda.now:
            agenda.at(until, lambda: self._wake(appointment))
        else:
            appointment.happen()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """As Runtime has it: what takes long takes virtual time."""
        await _Pause(self._on.work_s())
        return work()

    async def on_disk(self, work: Callable[[], None]) -> None:
        """As Runtime has it: what is synced is durable when the disk has taken its time."""
        await _Pause(self._on.sync_s())
        work()

    # What comes in.

    def put(self, item: ItemT) -> None:
        """Something to take, behind everything else."""
        if self.alive:
            self._inbox.append(item)
            self._pump()

    def receive(self, end: End, data: bytes) -> None:
        """Something has come on a link; a process that is stopped reads it later."""
        agenda, until = self._on.agenda, self._on.stalled_until
        if not self.alive:
            return
        if until > agenda.now:
            agenda.at(until, lambda: self.receive(end, data))
        elif end.open:
            end.heard()
            self._hear(end, data)

    def lost(self, end: End, error: NetError) -> None:
        """A link has ended."""
        agenda, until = self._on.agenda, self._on.stalled_until
        if self.alive and until > agenda.now:
            agenda.at(until, lambda: self.lost(end, error))
        elif self.alive:
            self._lose(end, error)

    # One thing at a time.

    def _pump(self) -> None:
        while self._inbox and self._running is None and self.alive:
            self._take(self._inbox.popleft())

    def _drive(self, work: Coroutine[Any, Any, object]) -> None:
        self._running = work
        try:
            delay_s: float = work.send(None)
        except StopIteration:
            self._running = None
            self._taken()
            self._pump()
        else:
            self.after(delay_s, lambda: self._drive(work))

    def _stop(self) -> None:
        """The process is gone, in the middle of whatever it did."""
        self.alive = False
        if self._running is not None:
            self._running.close()
            self._running = None
