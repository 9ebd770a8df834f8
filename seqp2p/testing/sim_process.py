"""The common part of simulated processes: alarms on the machine's clock, links, and an inbox."""

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
    """The machine of a process: a clock and a disk, which outlive it."""

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
        """The speed of its clock."""
        ...

    @property
    def stalled_until(self) -> float:
        """The end of the present stall."""
        ...

    def sync_s(self) -> float:
        """Return the disk's time for a sync now."""
        ...

    def work_s(self) -> float:
        """Return the time of a proof."""
        ...


class _Pause:
    """An awaitable that lets virtual time pass."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s

    def __await__(self) -> Generator[float, None, None]:
        yield self._delay_s


class SimProcess(Generic[ItemT]):
    """A running process, until it ends or dies; after that its alarms and links have no effect."""

    def __init__(self, machine: Machine) -> None:
        self._on = machine
        self.alive = True
        self._inbox: deque[ItemT] = deque()
        self._running: Coroutine[Any, Any, object] | None = None

    @property
    def number(self) -> int:
        """Its seat, or a spectator's number."""
        return self._on.number

    # Incoming things.

    @abstractmethod
    def _take(self, item: ItemT) -> None:
        """Handle the next thing of the inbox, perhaps by ``_drive``."""

    @abstractmethod
    def _taken(self) -> None:
        """Go on after the task of ``_drive``."""

    @abstractmethod
    def _hear(self, end: End, data: bytes) -> None:
        """Handle a frame of a link."""

    @abstractmethod
    def _lose(self, end: End, error: NetError) -> None:
        """Handle the end of a link."""

    # The clock and its alarms.

    def now(self) -> float:
        """Return the seconds on this machine's own clock."""
        return 1_000.0 * self._on.number + self._on.agenda.now * self._on.rate

    def after(self, delay_s: float, what: Callable[[], None]) -> Appointment:
        """Set an alarm on this machine's clock; a stalled process gets it when it goes on."""
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
        """See Runtime: slow work takes virtual time."""
        await _Pause(self._on.work_s())
        return work()

    async def on_disk(self, work: Callable[[], None]) -> None:
        """See Runtime: synced bytes are durable after the disk's time."""
        await _Pause(self._on.sync_s())
        work()

    # The inbox.

    def put(self, item: ItemT) -> None:
        """Append something to the inbox."""
        if self.alive:
            self._inbox.append(item)
            self._pump()

    def receive(self, end: End, data: bytes) -> None:
        """Read a frame of a link; a stalled process reads it later."""
        agenda, until = self._on.agenda, self._on.stalled_until
        if not self.alive:
            return
        if until > agenda.now:
            agenda.at(until, lambda: self.receive(end, data))
        elif end.open:
            end.heard()
            self._hear(end, data)

    def lost(self, end: End, error: NetError) -> None:
        """Handle the end of a link."""
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
        """End the process in the middle of any task."""
        self.alive = False
        if self._running is not None:
            self._running.close()
            self._running = None
