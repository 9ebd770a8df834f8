"""The common part of simulated seats and spectators: the machine, and a process with alarms, links and an inbox."""

import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypeVar

from seqp2p.live.runtime import Runtime
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.net.errors import NetError, PeerRefused
from tests.sim.disk import VirtualDisk
from tests.sim.event_queue import Appointment
from tests.sim.wires import End

if TYPE_CHECKING:
    from tests.sim.lan import VirtualLan

ItemT = TypeVar("ItemT")
T = TypeVar("T")

Answered: TypeAlias = Callable[[End | PeerRefused | None], None]
"""A function of the answer to a dial: a link, the reason for none, or None for no answer."""
SimState: TypeAlias = Literal["playing", "watching", "down", "ended", "gone"]
"""``down``: no process is running. ``gone``: none will run again, and it has seen no end."""
_SYNC_S: Final = 0.002
_WORK_S: Final = 0.01


@dataclass
class Machine(ABC):
    """A clock and a disk, which outlive the processes on them. ``gone`` has the reason if none will run again."""

    lan: "VirtualLan"
    number: int
    dice: random.Random
    rate: float = 1.0
    stalled_until: float = 0.0
    disk: VirtualDisk = field(default_factory=VirtualDisk)
    state: SimState = "down"
    result: Result | None = None
    gone: str = ""
    lives: int = 0
    process: "SimProcess[Any] | None" = None
    """The last process."""

    @property
    @abstractmethod
    def match(self) -> Match | None:
        """The match of the last process, also after its end."""

    @property
    def steps(self) -> int:
        return 0 if self.match is None else self.match.final

    @property
    def path(self) -> Path:
        """The path of its last replay, on its own disk."""
        return Path(f"{self.number}.seqp2p")

    @property
    def record(self) -> bytes:
        return self.disk.read(self.path) if self.path in self.disk.files else b""

    def kill(self, *, power: bool) -> None:
        """End the process by a crash; with ``power`` of its machine."""
        if self.state in {"playing", "watching"} and self.process is not None:
            self.process.die(power=power)
            self.state = "down"

    def die(self) -> None:
        self.kill(power=False)
        if self.state == "down":
            self.state, self.gone = "gone", "it died"

    def stall(self, until_s: float) -> None:
        """Stop the process until then."""
        self.stalled_until = max(self.stalled_until, until_s)

    def sync_s(self) -> float:
        return _SYNC_S

    def work_s(self) -> float:
        return _WORK_S * self.dice.uniform(0.5, 2.0)


class _Pause:
    """An awaitable that lets virtual time pass."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s

    def __await__(self) -> Generator[float, None, None]:
        yield self._delay_s


class SimProcess(Runtime, Generic[ItemT]):
    """A running process, until it ends or dies; after that its alarms and links have no effect."""

    def __init__(self, machine: Machine) -> None:
        self._on = machine
        self.alive = True
        self._inbox: deque[ItemT] = deque()
        self._running: Coroutine[Any, Any, object] | None = None
        self._pumping = False

    @property
    def number(self) -> int:
        return self._on.number

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

    @property
    @abstractmethod
    def ends(self) -> list[End]:
        """This side's ends of all its links."""

    def now(self) -> float:
        """Return the seconds on this machine's own clock."""
        return 1_000.0 * self._on.number + self._on.lan.agenda.now * self._on.rate

    def after(self, delay_s: float, what: Callable[[], None]) -> Appointment:
        """Set an alarm on this machine's clock; a stalled process gets it when it goes on."""
        agenda = self._on.lan.agenda
        appointment = Appointment(agenda.now + delay_s / self._on.rate, what)
        agenda.at(appointment.at, lambda: self._awake(appointment.happen))
        return appointment

    def _awake(self, do: Callable[[], None]) -> None:
        """Do this now, or when a stalled process goes on."""
        agenda, until = self._on.lan.agenda, self._on.stalled_until
        if self.alive and until > agenda.now:
            agenda.at(until, lambda: self._awake(do))
        elif self.alive:
            do()

    def processor_s(self) -> float:
        return 0.0

    async def in_thread(self, work: Callable[[], T]) -> T:
        """See Runtime: slow work takes virtual time."""
        await _Pause(self._on.work_s())
        return work()

    async def on_disk(self, work: Callable[[], None]) -> None:
        """See Runtime: synced bytes are durable after the disk's time."""
        await _Pause(self._on.sync_s())
        work()

    def dial(self, seat: int, answered: Answered, hello: bytes = b"") -> None:
        """Dial a seat; the answer comes later. A spectator gives the id in ``hello``."""
        self._on.lan.dial(self, seat, answered, hello)

    def meet(self, seat: int, answered: Answered) -> bool:
        """Wait at the relay for a seat; the answer comes later. Return False if one of the two can be dialled."""
        lan = self._on.lan
        if not {self.number, seat} <= lan.plan.routers:
            return False
        lan.transit.wait(self, seat, answered)
        return True

    def put(self, item: ItemT) -> None:
        if self.alive:
            self._inbox.append(item)
            self._pump()

    def receive(self, end: End, data: bytes) -> None:
        """Read a frame of a link; a stalled process reads it later."""

        def read() -> None:
            if end.open:
                end.heard()
                self._hear(end, data)

        self._awake(read)

    def lost(self, end: End, error: NetError) -> None:
        self._awake(lambda: self._lose(end, error))

    def _pump(self) -> None:
        if self._pumping:
            return  # Below on the stack: a long inbox must not make a deep one.
        self._pumping = True
        while self._inbox and self._running is None and self.alive:
            self._take(self._inbox.popleft())
        self._pumping = False

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

    def die(self, *, power: bool) -> None:
        """End without a goodbye, in any task. Without power its system does not close the connections either."""
        self.alive = False
        if self._running is not None:
            self._running.close()
            self._running = None
        for end in self.ends:
            end.vanish() if power else end.cease()
