"""One simulated peer: its machine, which may crash and restart, and the process that plays its seat."""

import random
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, TypeAlias

from seqp2p.live.inbox import InboxItem, Leaving
from seqp2p.live.recorder import TableEvent
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatSecrets
from seqp2p.match.table import Agreement, game_id
from seqp2p.replay.resume import GameOver, feed, load
from seqp2p.replay.sidecar import SidecarDamaged, SidecarSecrets, parse, sidecar_path
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import View
from seqp2p.testing.disk import VirtualDisk, VirtualSidecar
from seqp2p.testing.event_queue import EventQueue
from seqp2p.testing.memory import REMEMBERING
from seqp2p.testing.mesh import Answered, VirtualMesh
from seqp2p.testing.players import Choose, VirtualAsking
from seqp2p.testing.process import MakeSession, SimSeat, SimSeatProcess, replay_path
from seqp2p.testing.spectator_server import VirtualSpectatorServer
from seqp2p.testing.table import TableKey, VirtualSeat, drawn_from

SimPeerState: TypeAlias = Literal["playing", "down", "ended", "gone"]
"""``down``: its machine or process is not running. ``gone``: it will not run again, having nothing to start from."""

_SYNC_S: Final = 0.002
_WORK_S: Final = 0.01


class Lan(Protocol):
    """The part of the network that a peer uses."""

    agenda: EventQueue
    table: TableKey
    agreement: Agreement
    agreement_bytes: bytes
    places: int
    host: int

    def dial(self, process: SimSeatProcess, seat: int, answered: Answered) -> None:
        """Dial a seat."""
        ...

    def looked(self, peer: "SimPeer") -> None:
        """Note that a peer's match has taken something."""
        ...

    def see(self, peer: "SimPeer", view: View) -> None:
        """Note that a peer's player is shown a view."""
        ...


@dataclass
class SimPeer:
    """A machine, its files and its player. ``events`` is its history (virtual seconds, event)."""

    lan: Lan
    number: int
    choose: Choose
    make_session: MakeSession
    dice: random.Random
    rate: float = 1.0
    stalled_until: float = 0.0
    asleep_until: float = 0.0
    slow_sync_s: float = 0.0
    think_mean_s: float = 1.0
    disk: VirtualDisk = field(default_factory=VirtualDisk)
    process: SimSeatProcess | None = None
    state: SimPeerState = "down"
    result: Result | None = None
    gone: str = ""
    lives: int = 0
    ended_at: float = 0.0
    events: list[tuple[float, TableEvent]] = field(default_factory=list[tuple[float, TableEvent]])
    faulted: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    @property
    def agenda(self) -> EventQueue:
        """Virtual time."""
        return self.lan.agenda

    @property
    def match(self) -> Match | None:
        """The match of the last process, also after its end."""
        return None if self.process is None else self.process.session.match

    @property
    def steps(self) -> int:
        """The number of its final steps."""
        return 0 if self.match is None else self.match.final

    @property
    def record(self) -> bytes:
        """The replay on its disk."""
        path = replay_path(self.number)
        return self.disk.read(path) if path in self.disk.files else b""

    # Lives.

    def start(self) -> None:
        """Sit down for the first time."""
        path = replay_path(self.number)
        match = Match(self.lan.agreement_bytes, self.number, REMEMBERING)
        seat = VirtualSeat(self.lan.table, self.number, self.lives)
        writer = ReplayWriter(path, match, disk=self.disk)
        sidecar = VirtualSidecar(self.disk, sidecar_path(path), new=self._secrets(seat.secrets))
        self._run(match, seat, writer, sidecar)

    def restart(self) -> None:
        """Resume the seat from the files on the disk, as ``seqp2p resume`` does."""
        if self.state != "down":
            return
        path = replay_path(self.number)
        try:
            secrets, logged, whole = parse(self.disk.read(sidecar_path(path)), sidecar_path(path))
        except SidecarDamaged as damaged:
            self._be_gone(str(damaged))
            return
        self.disk.truncate(sidecar_path(path), whole)
        try:
            loaded = load(path, secrets.agreement, secrets.seat, disk=self.disk, checks=REMEMBERING)
        except GameOver as over:
            self._be_gone(str(over))
            return
        kept = SeatSecrets(int.from_bytes(secrets.secret, "big"), secrets.nonce)
        seat = VirtualSeat(self.lan.table, self.number, self.lives, kept)
        assert seat.belongs(loaded.match), "a seat's own secrets"
        writer = ReplayWriter.reopen(path, loaded.match, self.disk)
        feed(loaded.match, logged, writer, seat)
        sidecar = VirtualSidecar(self.disk, sidecar_path(path))
        sidecar.sync()
        self._run(loaded.match, seat, writer, sidecar)

    def _secrets(self, kept: SeatSecrets) -> SidecarSecrets:
        agreement = self.lan.agreement_bytes
        addresses = ((),) * self.lan.table.players
        secret = kept.secret.to_bytes(32, "big")
        return SidecarSecrets(game_id(agreement), agreement, self.number, "identity", secret, kept.nonce, "", addresses)

    def _run(self, match: Match, seat: VirtualSeat, writer: ReplayWriter, sidecar: VirtualSidecar) -> None:
        self.lives += 1
        self.state = "playing"
        process = self.process = SimSeatProcess(self)
        dice = drawn_from(self.dice.random(), "mesh")
        spectators = self._spectators(process)
        mesh = VirtualMesh(self.number, self.lan.agreement, process, dice, self.faulted, spectators=spectators)
        asking = VirtualAsking(self.choose, process, self.see)
        sitting = SimSeat(match, seat, mesh, asking, writer, self.tell, sidecar, process)
        process.start(self.make_session(sitting), mesh, writer, sidecar)

    def _spectators(self, process: SimSeatProcess) -> VirtualSpectatorServer | None:
        """Return the spectators' server, if this is the host; a seat that has resumed has none."""
        if not self.lan.places or self.number != self.lan.host or self.lives > 1:
            return None
        return VirtualSpectatorServer(self.lan.places, process)

    def kill(self, *, power: bool) -> None:
        """End the process by a crash; with ``power`` of its machine."""
        if self.state != "playing" or self.process is None:
            return
        self.process.die(power=power)
        self.state = "down"
        if power:
            self.disk.lose_power(self.dice)

    def die(self) -> None:
        """End the process for good."""
        self.kill(power=False)
        if self.state == "down":
            self._be_gone("it died")

    def leave(self) -> None:
        """Let the player leave."""
        self.put(Leaving("had enough"))

    def put(self, item: InboxItem) -> None:
        """Give the session something, if it runs."""
        if self.state == "playing" and self.process is not None:
            self.process.put(item)

    def _be_gone(self, why: str) -> None:
        self.state, self.gone = "gone", why

    # As Machine has it.

    def sync_s(self) -> float:
        """Return the disk's time for a sync: the usual one and the present delay."""
        return _SYNC_S * self.dice.uniform(0.5, 3.0) + self.slow_sync_s

    def work_s(self) -> float:
        """Return the time of a proof."""
        return _WORK_S * self.dice.uniform(0.5, 2.0)

    def think_s(self) -> float:
        """Return the player's time, at least until it wakes up."""
        asleep_s = max(0.0, self.asleep_until - self.agenda.now)
        return asleep_s + self.dice.expovariate(1 / self.think_mean_s)

    def dial(self, process: SimSeatProcess, seat: int, answered: Answered) -> None:
        """Dial a seat."""
        self.lan.dial(process, seat, answered)

    def tell(self, event: TableEvent) -> None:
        """Note an event."""
        self.events.append((self.agenda.now, event))

    def see(self, view: View) -> None:
        """Note a view that the player is shown."""
        self.lan.see(self, view)

    def looked(self, process: SimSeatProcess) -> None:
        """Note that the session has taken something."""
        if process is self.process:
            self.lan.looked(self)

    def ended(self, result: Result) -> None:
        """Note that the game is over for this peer."""
        self.state, self.result, self.ended_at = "ended", result, self.agenda.now
