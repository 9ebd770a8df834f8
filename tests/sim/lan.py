"""A LAN of peers in virtual time: the same seed gives the same game, byte by byte.

Theory of operation. Nothing here waits. An event heap has everything that will happen: frames that arrive, alarms of
each machine's own clock, players' choices, faults. Every peer is the product's own ``SeatSession`` with its match,
ballots, gossip, replay and seat's file. The heap does for it what trio does under ``LiveGame`` (threads, sockets,
timers), so hours of a game on a bad network take a second. All randomness comes from the seed.

                         ┌── SimPeer 1 ─ SimSeatProcess ─ SeatSession ─ Match, SeatKeys …         VirtualDisk 1
    EventQueue ─ Network ┼── SimPeer 2 ─ SimSeatProcess ─ SeatSession …                           VirtualDisk 2
       ▲                 ├── …
       │                 └── VirtualSpectator 101 ─ SimSpectator ─ SpectatorSession ─ Match       VirtualDisk 101
       └ Plan: the faults

``Invariants`` checks every step and every frame, and raises ``SafetyViolation``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from seqp2p.match.table import Agreement, encode_agreement
from seqp2p.net.errors import PeerRefused
from tests.sim.event_queue import EventQueue
from tests.sim.faults import FIRST_SPECTATOR, Plan
from tests.sim.invariants import Invariants
from tests.sim.mini_variant import NAME
from tests.sim.peer import MakeSession, SimPeer, SimSeat
from tests.sim.players import make_bot
from tests.sim.sim_process import Answered, SimProcess
from tests.sim.spectator import MakeVisit, SimSpectator, VirtualSpectator
from tests.sim.table import TABLES, TableKey, drawn_from, make_agreement
from tests.sim.transit import VirtualTransit
from tests.sim.trouble import schedule
from tests.sim.wires import End, Network, Tamper, honest_wire

SETTLE_S: Final = 600.0
"""The time for a game to end, or to be closed, in virtual seconds after the last fault."""
# The arrival of spectators.
_SOON_S: Final = 0.1
_LATE_S: Final = 30.0
_CONNECT_S: Final = 5.0
_STEPS_MAX: Final = 3_000_000
_BOTS: Final = ("greedy", "random")


@dataclass(frozen=True)
class Cheats:
    """Dishonest seats and spectators: their sessions (``sessions``, ``visits``), and ``tamper``, which changes frames
    on their way.
    """

    sessions: Mapping[int, MakeSession] = field(default_factory=dict[int, MakeSession])
    tamper: Tamper = honest_wire
    visits: Mapping[int, MakeVisit] = field(default_factory=dict[int, MakeVisit])


HONEST: Final = Cheats()


class TooLong(AssertionError):
    """The game has not ended in its time."""


class VirtualLan:
    """``n`` peers at one table. ``run`` plays the game to its end; ``peers`` are by seat.

    ``plan`` has the faults. ``seed`` decides everything else: the table, the moves, the pace. The invariants hold for
    all seats but those of ``cheats``. ``spectators`` watch, by number from FIRST_SPECTATOR on. Their hosts and their
    times follow from the seed too, with randomness of their own: the seats play the same game with them and without.
    """

    def __init__(
        self,
        n: int,
        seed: int,
        plan: Plan | None = None,
        *,
        variant: str = NAME,
        agreement: Agreement | None = None,
        cheats: Cheats = HONEST,
        spectators: int = 0,
    ) -> None:
        self.seed = seed
        self.plan = Plan() if plan is None else plan
        self.table = TableKey(seed % TABLES, n, variant)
        self.agreement = make_agreement(self.table) if agreement is None else agreement
        self.agreement_bytes = encode_agreement(self.agreement)
        self.agenda = EventQueue()
        beside = drawn_from("beside", seed)
        self.network = Network(self.agenda, self.plan, drawn_from("network", seed), beside, cheats.tamper)
        self.transit = VirtualTransit(self.agenda, self.network)
        watching = frozenset(range(FIRST_SPECTATOR, FIRST_SPECTATOR + spectators))
        older = frozenset(seat for fault in self.plan.of_kind("older") for seat in fault.seats)
        self.witness = Invariants(
            self.agreement, frozenset(range(1, n + 1)) - cheats.sessions.keys(), watching - cheats.visits.keys(), older
        )
        self.places = spectators
        self.host = beside.randint(1, n)
        self.peers = {
            seat: SimPeer(
                self,
                seat,
                drawn_from("peer", seed, seat),
                choose=make_bot(_BOTS[(seat + seed) % len(_BOTS)], drawn_from("bot", seed, seat)),
                make_session=cheats.sessions.get(seat, SimSeat.make),
            )
            for seat in range(1, n + 1)
        }
        self.spectators = {
            number: VirtualSpectator(
                self, number, drawn_from("spectator", seed, number), make_visit=cheats.visits.get(number, SimSpectator)
            )
            for number in sorted(watching)
        }
        self.network.watch = self._overhear
        self.network.arrived = self.witness.arrives
        schedule(self.plan, self.agenda, self.network, self.transit, {**self.peers, **self.spectators})

    @property
    def honest(self) -> list[SimPeer]:
        return [peer for seat, peer in self.peers.items() if seat in self.witness.honest]

    @property
    def over(self) -> bool:
        """True if no honest peer plays or watches any more, nor will again.

        Cheats and their spectators do not count: a host can keep the end back from its spectators for ever.
        """
        last_s = self.plan.last_s
        served = self._spectators if self.host in self.witness.honest else []
        if any(spectator.state not in {"ended", "gone"} for spectator in served):
            return False
        return all(
            peer.state in {"ended", "gone"} or (peer.state == "down" and peer.lives and self.agenda.now > last_s)
            for peer in self.honest
        )

    def run(self, settle_s: float = SETTLE_S) -> None:
        """Play to the end. Raises TooLong, SafetyViolation, and any error that a peer raises by a bug."""
        for peer in self.peers.values():
            self.agenda.after(drawn_from("start", self.seed, peer.number).random() * 0.05, peer.start)
        self._invite()
        until = self.plan.last_s + settle_s
        while self.agenda.step():
            if self.over:
                break
            if self.agenda.now > until or self.agenda.done > _STEPS_MAX:
                raise TooLong(self._where())
        self.witness.at_the_end(self.peers.values(), self._spectators)

    def _invite(self) -> None:
        """Half of the spectators come at the beginning of the game, the others at any time; cheats come first."""
        for number, spectator in self.spectators.items():
            late_s = spectator.dice.choice((_SOON_S, spectator.dice.uniform(0.0, _LATE_S)))
            self.agenda.after(late_s if number in self.witness.spectators else _SOON_S, spectator.start)

    @property
    def _spectators(self) -> list[VirtualSpectator]:
        return [each for number, each in self.spectators.items() if number in self.witness.spectators]

    def _where(self) -> str:
        matches = {seat: peer.match for seat, peer in self.peers.items()}
        steps = {
            seat: (self.peers[seat].state, match.number, match.kind, match.final, sorted(match.awaited))
            for seat, match in matches.items()
            if match is not None
        }
        watching = {number: (each.state, each.steps) for number, each in self.spectators.items()}
        return f"after {self.agenda.now:.0f} virtual seconds: {steps}{watching or ''}"

    # For the peers and spectators.

    def dial(self, process: SimProcess[Any], seat: int, answered: Answered, hello: bytes = b"") -> None:
        """Connect a process to a seat: three ways for the handshake, a fourth to know of it.

        ``hello`` is the id that a spectator gives.
        """
        own, agenda, network = process.number, self.agenda, self.network
        trips_s = network.takes_s(own, seat) + network.takes_s(seat, own)
        blocked = network.is_cut(own, seat) or network.is_cut(seat, own)
        target = self.peers[seat]

        def answer(answer: End | PeerRefused | None) -> None:
            if process.alive:
                answered(answer)
            elif isinstance(answer, End):
                answer.cease()

        def accept() -> None:
            there = target.process
            blocked_now = network.is_cut(own, seat) or network.is_cut(seat, own)
            alive = not blocked_now and there is not None and there.alive
            refused = there.mesh.turns_away(own, hello) if there is not None and alive else None
            if there is None or not alive or refused:
                agenda.after(trips_s, lambda: answer(refused))
                return
            here_end, there_end = network.link(own, process, seat, there)
            agenda.after(network.takes_s(seat, own), lambda: answer(here_end))
            there.mesh.adopt(there_end)

        if blocked or target.stalled_until > agenda.now:
            agenda.after(_CONNECT_S, lambda: answer(None))
        elif target.process is None or not target.process.alive or self._refuses(own, seat):
            agenda.after(trips_s, lambda: answer(None))
        else:
            agenda.after(2 * trips_s, accept)

    def _refuses(self, own: int, seat: int) -> bool:
        """Return True if a seat's router lets no dial in. Spectators come by the host's meeting place."""
        return seat in self.plan.routers and own < FIRST_SPECTATOR

    def _overhear(self, sender: int, to: int, data: bytes) -> None:
        if sender in self.peers:
            self.witness.hears(self.peers[sender], to, data)
        else:
            self.witness.overhears(data)
