"""A LAN of peers in virtual time: the same seed gives the same game, byte by byte.

Theory of operation. Nothing here waits. An event heap has everything that will happen: frames that arrive, alarms of
each machine's own clock, players that make up their minds, faults. Every peer is the product's own ``Seated`` with its
match, ballots, gossip, replay and seat's file; what trio does for it under ``Session`` (threads, sockets, timers) is
done here by the heap, so that hours of a game on a bad network take a second. Chance comes from the seed alone.

                     ┌── Peer 1 ─ Process ─ Seated ─ Match, OwnSeat, Ballots …      VirtualDisk 1
    Agenda ─ Network ┼── Peer 2 ─ Process ─ Seated …                                VirtualDisk 2
       ▲             ├── …
       │             └── Spectator 101 ─ Visit ─ Onlooker ─ Match                   VirtualDisk 101
       └ Plan: what goes wrong, and when

``Witness`` looks at every step and every frame, and raises ``SafetyViolation`` when something is not as it must be.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from seqp2p.match.table import Agreement, encode_agreement
from seqp2p.net.errors import PeerRefused
from seqp2p.rules import View
from seqp2p.testing.event_queue import EventQueue
from seqp2p.testing.faults import FIRST_SPECTATOR, Plan
from seqp2p.testing.invariants import Invariants
from seqp2p.testing.mesh import Answered
from seqp2p.testing.mini_variant import NAME
from seqp2p.testing.peer import SimPeer
from seqp2p.testing.players import Choose, make_bot
from seqp2p.testing.process import MakeSession, SimSeat
from seqp2p.testing.sim_process import SimProcess
from seqp2p.testing.sim_spectator import SimSpectator
from seqp2p.testing.spectator import MakeVisit, VirtualSpectator
from seqp2p.testing.table import TABLES, TableKey, drawn_from, make_agreement
from seqp2p.testing.trouble import schedule
from seqp2p.testing.wires import End, Network, Tamper, honest_wire

SETTLE_S: Final = 600.0
"""A game has ended, or is closed, so many virtual seconds after the last fault."""
# When spectators come.
_SOON_S: Final = 0.1
_LATE_S: Final = 30.0
_CONNECT_S: Final = 5.0
_STEPS_MAX: Final = 3_000_000


@dataclass(frozen=True)
class Cheats:
    """Seats that do not play by the rules: how each makes its session, and what it does to what it sends; and
    spectators that do not just watch.
    """

    sessions: Mapping[int, MakeSession] = field(default_factory=dict[int, MakeSession])
    tamper: Tamper = honest_wire
    seats: frozenset[int] = frozenset()
    visits: Mapping[int, MakeVisit] = field(default_factory=dict[int, MakeVisit])

    @property
    def all(self) -> frozenset[int]:
        """The seats that nothing is promised of."""
        return self.seats | frozenset(self.sessions)


HONEST: Final = Cheats()


class TooLong(AssertionError):
    """The game has not ended in the time that it has."""


class VirtualLan:
    """``n`` peers at one table. ``run`` plays the game to its end; ``peers`` are by seat.

    ``plan`` is what goes wrong. ``seed`` decides everything else: the table, the moves, the pace. ``bots`` are names
    of ``seqp2p.bots.registry``, in turn by seat; ``choices`` replaces some. The witness looks after all seats but those
    of ``cheats``. ``spectators`` watch, by number from FIRST_SPECTATOR on; who hosts them and when they come follows
    from the seed too, by other dice, so that the seats play the same game with them and without.
    """

    def __init__(
        self,
        n: int,
        seed: int,
        plan: Plan | None = None,
        *,
        variant: str = NAME,
        agreement: Agreement | None = None,
        bots: Collection[str] = ("greedy", "random"),
        choices: Mapping[int, Choose] | None = None,
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
        watching = frozenset(range(FIRST_SPECTATOR, FIRST_SPECTATOR + spectators))
        self.witness = Invariants(
            self.agreement, frozenset(range(1, n + 1)) - cheats.all, watching - cheats.visits.keys()
        )
        self.places = spectators
        self.host = beside.randint(1, n)
        names = list(bots)
        self.peers: dict[int, SimPeer] = {}
        for seat in range(1, n + 1):
            choose = make_bot(names[(seat + seed) % len(names)], drawn_from("bot", seed, seat))
            self.peers[seat] = SimPeer(
                self,
                seat,
                (choices or {}).get(seat, choose),
                cheats.sessions.get(seat, SimSeat.make),
                drawn_from("peer", seed, seat),
            )
        self.spectators = {
            number: VirtualSpectator(
                self, number, drawn_from("spectator", seed, number), cheats.visits.get(number, SimSpectator)
            )
            for number in sorted(watching)
        }
        self._hostile_spectators = frozenset(cheats.visits)
        self.network.watch = self._overhear
        schedule(self.plan, self.agenda, self.network, {**self.peers, **self.spectators})

    @property
    def honest(self) -> list[SimPeer]:
        """The peers that play by the rules."""
        return [peer for seat, peer in self.peers.items() if seat in self.witness.honest]

    @property
    def over(self) -> bool:
        """Whether no peer plays any more, nor will again, and nobody watches.

        Nobody waits for those that cheat, nor for their spectators, from whom a host can keep the end back for ever.
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
        """Play to the end. Raises TooLong, SafetyViolation, and whatever a peer raises that it must not."""
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
        """Half of the spectators come when the game begins, the others at any time; those that cheat miss nothing."""
        for number, spectator in self.spectators.items():
            late_s = spectator.dice.choice((_SOON_S, spectator.dice.uniform(0.0, _LATE_S)))
            self.agenda.after(_SOON_S if number in self._hostile_spectators else late_s, spectator.start)

    @property
    def _spectators(self) -> list[VirtualSpectator]:
        """The spectators that only watch."""
        return [each for number, each in self.spectators.items() if number not in self._hostile_spectators]

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

    def dial(self, process: "SimProcess[Any]", seat: int, answered: Answered, hello: bytes = b"") -> None:
        """A connection from a process to a seat: three ways to be accepted, a fourth to know of it.

        ``hello`` is what a spectator says it comes for.
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
        elif target.process is None or not target.process.alive:
            agenda.after(trips_s, lambda: answer(None))
        else:
            agenda.after(2 * trips_s, accept)

    def looked(self, peer: SimPeer) -> None:
        """A peer's match has taken something."""
        self.witness.looks(peer)

    def see(self, peer: SimPeer, view: View) -> None:
        """A peer's player is shown something."""
        self.witness.sees(peer, view)

    def noticed(self, spectator: VirtualSpectator) -> None:
        """A spectator's match has taken something."""
        if spectator.number not in self._hostile_spectators:
            self.witness.notices(spectator)

    def _overhear(self, sender: int, to: int, data: bytes) -> None:
        if sender in self.peers:
            self.witness.hears(self.peers[sender], to, data)
        else:
            self.witness.overhears(data)
