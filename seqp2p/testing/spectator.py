"""A simulated spectator: its machine, on which it may die and watch again, and its history."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias

from seqp2p.crypto.identity import sign
from seqp2p.live.spectator_session import WatchEvent
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.replay.writer import ReplayWriter
from seqp2p.testing.disk import VirtualDisk
from seqp2p.testing.event_queue import EventQueue
from seqp2p.testing.memory import REMEMBERING
from seqp2p.testing.mesh import Answered
from seqp2p.testing.sim_spectator import SimSpectator, SpectatorMachine, Ticket
from seqp2p.testing.table import TableKey, identity

SimSpectatorState: TypeAlias = Literal["watching", "down", "ended", "gone"]
"""``down``: it is not watching now. ``gone``: it will not watch again, and has not seen an end."""
MakeVisit: TypeAlias = Callable[[SpectatorMachine, Ticket, random.Random], SimSpectator]

_SYNC_S: Final = 0.002
_WORK_S: Final = 0.01


class Hall(Protocol):
    """The part of the network that a spectator uses."""

    agenda: EventQueue
    table: TableKey
    agreement_bytes: bytes
    host: int

    def dial(self, process: SimSpectator, seat: int, answered: Answered, hello: bytes) -> None:
        """Dial a seat."""
        ...

    def noticed(self, spectator: "VirtualSpectator") -> None:
        """Note that a spectator's match has taken something."""
        ...


@dataclass
class VirtualSpectator:
    """A machine, its files, and its spectator. ``events`` is its history (virtual seconds, event)."""

    lan: Hall
    number: int
    dice: random.Random
    make_visit: MakeVisit = SimSpectator
    rate: float = 1.0
    stalled_until: float = 0.0
    disk: VirtualDisk = field(default_factory=VirtualDisk)
    process: SimSpectator | None = None
    state: SimSpectatorState = "down"
    result: Result | None = None
    gone: str = ""
    lives: int = 0
    events: list[tuple[float, WatchEvent]] = field(default_factory=list[tuple[float, WatchEvent]])

    @property
    def agenda(self) -> EventQueue:
        """Virtual time."""
        return self.lan.agenda

    @property
    def match(self) -> Match | None:
        """The match of the last process, also after its end."""
        return None if self.process is None else self.process.spectator.match

    @property
    def steps(self) -> int:
        """The number of its final steps."""
        return 0 if self.match is None else self.match.final

    @property
    def parted(self) -> bool:
        """True if it has read its host's goodbye."""
        return self.process is not None and self.process.spectator.farewell is not None

    @property
    def record(self) -> bytes:
        """The last replay on its disk."""
        return self.disk.read(self._path) if self._path in self.disk.files else b""

    @property
    def _path(self) -> Path:
        """The path of the replay; every process has its own."""
        return Path(f"{self.number}.{self.lives}.seqp2p")

    # Lives.

    def start(self) -> None:
        """Dial the host, with the code."""
        if self.state != "down":
            return
        self.lives += 1
        self.state = "watching"
        match = Match(self.lan.agreement_bytes, checks=REMEMBERING)
        own = identity(self.lan.table, self.number)
        writer = ReplayWriter(self._path, match, disk=self.disk)
        ticket = Ticket(match, self.lan.host, writer, self.tell, own.public, partial(sign, own))
        self.process = self.make_visit(self, ticket, self.dice)
        self.process.start()

    def restart(self) -> None:
        """Watch again, from the beginning."""
        if self.lives:
            self.start()

    def kill(self, *, power: bool) -> None:
        """End the process by a crash; with ``power`` of its machine."""
        if self.state == "watching" and self.process is not None:
            self.process.die(power=power)
            self.state = "down"

    def die(self) -> None:
        """End for good."""
        self.kill(power=False)
        if self.state == "down":
            self.state, self.gone = "gone", "it died"

    def leave(self) -> None:
        """Stop watching by choice."""
        if self.state == "watching" and self.process is not None:
            self.process.leave("had enough")

    # As SpectatorMachine has it.

    def sync_s(self) -> float:
        """Return the disk's usual time for a sync."""
        return _SYNC_S

    def work_s(self) -> float:
        """Return the time of a proof."""
        return _WORK_S * self.dice.uniform(0.5, 2.0)

    def dial(self, visit: SimSpectator, hello: bytes, answered: Answered) -> None:
        """Dial the host."""
        self.lan.dial(visit, self.lan.host, answered, hello)

    def tell(self, event: WatchEvent) -> None:
        """Note an event."""
        self.events.append((self.agenda.now, event))

    def looked(self, visit: SimSpectator) -> None:
        """Note that it has taken something."""
        if visit is self.process:
            self.lan.noticed(self)

    def ended(self, visit: SimSpectator, result: Result | None, reason: str) -> None:
        """Note that the process is done."""
        if visit is not self.process:
            return
        self.state, self.result, self.gone = ("gone" if result is None else "ended"), result, reason
        if result is None:
            self.disk.delete(self._path)  # It was never let in, and has nothing to keep.
