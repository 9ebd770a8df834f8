"""One simulated peer: its machine, which may crash and restart, and one process after the other that plays its seat."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path

from seqp2p.live.asking import Asker
from seqp2p.live.game import TICK_S
from seqp2p.live.recorder import Recorder, TableEvent
from seqp2p.live.seat_session import OPENINGS_WAIT_S, Ending, InboxItem, Leaving, SeatSession, Stopping, Tick
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys, SeatSecrets
from seqp2p.match.table import game_id
from seqp2p.net.errors import NetError
from seqp2p.replay.resume import GameOver, feed, load
from seqp2p.replay.sidecar import SidecarDamaged, SidecarSecrets, parse, sidecar_path
from seqp2p.replay.writer import ReplayWriter
from tests.sim.disk import VirtualSidecar
from tests.sim.memory import REMEMBERING
from tests.sim.mesh import VirtualMesh
from tests.sim.players import Choose, VirtualAsking
from tests.sim.sim_process import Machine, SimProcess
from tests.sim.spectator_server import VirtualSpectatorServer
from tests.sim.table import VirtualSeat, drawn_from
from tests.sim.wires import End


@dataclass(frozen=True)
class SimSeat:
    """All parts of a session."""

    seat: SeatKeys
    mesh: VirtualMesh
    asking: Asker
    recorder: Recorder

    def make(
        self, kind: type[SeatSession] = SeatSession, *, asks: bool = False, people: AbstractSet[int] = frozenset()
    ) -> SeatSession:
        """Make a session of these parts."""
        return kind(self.seat, self.mesh.relay, self.asking, self.recorder, asks=asks, people=people)


MakeSession = Callable[[SimSeat], SeatSession]


class SimSeatProcess(SimProcess[InboxItem]):
    def __init__(self, machine: "SimPeer") -> None:
        super().__init__(machine)
        self.machine = machine
        self.session: SeatSession
        self.mesh: VirtualMesh
        self._phase: Callable[[InboxItem], None] = self._play
        self._writer: ReplayWriter
        self._sidecar: VirtualSidecar

    def start(self, session: SeatSession, mesh: VirtualMesh, writer: ReplayWriter, sidecar: VirtualSidecar) -> None:
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

    @property
    def ends(self) -> list[End]:
        return self.mesh.ends

    def _hear(self, end: End, data: bytes) -> None:
        self.mesh.receive(end, data)

    def _lose(self, end: End, error: NetError) -> None:
        self.mesh.lost(end, error)

    def _take(self, item: InboxItem) -> None:
        self._phase(item)

    def _play(self, item: InboxItem) -> None:
        self._drive(self.session.take(item))

    def _taken(self) -> None:
        if self is self.machine.process:
            self.machine.lan.witness.looks(self.machine)
        if self.session.stopped:
            self.die(power=False)
            self.machine.state, self.machine.gone = "gone", str(self.session.stopped)
            return
        if self.session.ending is not None and self._phase == self._play:
            self._open_hands(self.session.ending)

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
        if ending.resumable:
            self.die(power=False)
            self.machine.ended(ending.result, resumable=True)
            return
        self._writer.finish(session.match, session.seat.identity_key, session.seat.sign)
        self._sidecar.delete()
        self.mesh.abort()
        self.alive = False
        self.machine.ended(ending.result)


@dataclass(kw_only=True)
class SimPeer(Machine):
    """A machine and its player. ``events`` is its history (virtual seconds, event)."""

    choose: Choose
    make_session: MakeSession
    asleep_until: float = 0.0
    slow_sync_s: float = 0.0
    backup: dict[Path, bytes] = field(default_factory=dict[Path, bytes])
    think_mean_s: float = 1.0
    process: SimSeatProcess | None = None
    ended_at: float = 0.0
    events: list[tuple[float, TableEvent]] = field(default_factory=list[tuple[float, TableEvent]])
    faulted: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    stops: list[str] = field(default_factory=list[str])  # why it stopped before the end

    @property
    def match(self) -> Match | None:
        return None if self.process is None else self.process.session.match

    def start(self) -> None:
        """Sit down for the first time."""
        match = Match(self.lan.agreement_bytes, self.number, REMEMBERING)
        seat = VirtualSeat(self.lan.table, self.number, self.lives)
        writer = ReplayWriter(self.path, match, disk=self.disk)
        sidecar = VirtualSidecar(self.disk, sidecar_path(self.path), new=self._secrets(seat.secrets))
        self._run(match, seat, writer, sidecar)

    def restart(self) -> None:
        """Resume the seat from the files on the disk, as ``seqp2p resume`` does."""
        if self.state != "down":
            return
        try:
            secrets, logged, whole = parse(self.disk.read(sidecar_path(self.path)), sidecar_path(self.path))
        except SidecarDamaged as damaged:
            self.state, self.gone = "gone", str(damaged)
            return
        self.disk.truncate(sidecar_path(self.path), whole)
        try:
            loaded = load(self.path, secrets.agreement, secrets.seat, disk=self.disk, checks=REMEMBERING)
        except GameOver as over:
            self.state, self.gone = "gone", str(over)
            return
        kept = SeatSecrets(int.from_bytes(secrets.secret, "big"), secrets.nonce)
        seat = VirtualSeat(self.lan.table, self.number, self.lives, kept)
        assert seat.belongs(loaded.match), "a seat's own secrets"
        writer = ReplayWriter(self.path, loaded.match, reopened=True, disk=self.disk)
        feed(loaded.match, logged, writer, seat)
        sidecar = VirtualSidecar(self.disk, sidecar_path(self.path))
        sidecar.sync()
        self._run(loaded.match, seat, writer, sidecar)

    def back_up(self) -> None:
        if self.state == "playing":
            self.backup = self.disk.copied()

    def put_back(self) -> None:
        """End the process, and put the copied files in the place of those that it wrote."""
        self.kill(power=False)
        if self.state == "down" and self.backup:
            self.disk.put_back(self.backup)

    def resume_older(self) -> None:
        self.put_back()
        self.restart()

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
        asking = VirtualAsking(self.choose, process, self.think_s, lambda view: self.lan.witness.sees(self, view))
        recorder = Recorder(match, writer, self.emit, sidecar, process)
        sitting = SimSeat(seat, mesh, asking, recorder)
        process.start(self.make_session(sitting), mesh, writer, sidecar)

    def _spectators(self, process: SimSeatProcess) -> VirtualSpectatorServer | None:
        """Return the spectators' server, if this is the host; a seat that has resumed has none."""
        if not self.lan.places or self.number != self.lan.host or self.lives > 1:
            return None
        return VirtualSpectatorServer(self.lan.places, process)

    def kill(self, *, power: bool) -> None:
        was = self.state
        super().kill(power=power)
        if power and was == "playing":
            self.disk.lose_power(self.dice)

    def leave(self) -> None:
        self.put(Leaving("had enough"))

    def sleep(self, until_s: float) -> None:
        """Keep the player from choosing until then."""
        self.asleep_until = max(self.asleep_until, until_s)

    def slow_disk(self, by_s: float) -> None:
        """Add this to the time of each sync."""
        self.slow_sync_s += by_s

    def stop(self) -> None:
        self.put(Stopping())

    def put(self, item: InboxItem) -> None:
        if self.state == "playing" and self.process is not None:
            self.process.put(item)

    def sync_s(self) -> float:
        """Return the disk's time for a sync: the usual one and the present delay."""
        return super().sync_s() * self.dice.uniform(0.5, 3.0) + self.slow_sync_s

    def think_s(self) -> float:
        asleep_s = max(0.0, self.asleep_until - self.lan.agenda.now)
        return asleep_s + self.dice.expovariate(1 / self.think_mean_s)

    def emit(self, event: TableEvent) -> None:
        self.events.append((self.lan.agenda.now, event))

    def ended(self, result: Result, *, resumable: bool = False) -> None:
        """Note that the game is over for this peer, or that it has stopped."""
        self.state, self.result, self.ended_at = "down" if resumable else "ended", result, self.lan.agenda.now
        if resumable:
            self.stops.append(result.reason)
