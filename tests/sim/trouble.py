"""The faults of a plan, applied to the network, the machines and the players."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from seqp2p.live.seat_session import Saying
from tests.sim.event_queue import EventQueue
from tests.sim.faults import Fault, FaultKind, Plan
from tests.sim.peer import SimPeer
from tests.sim.spectator import VirtualSpectator
from tests.sim.transit import VirtualTransit
from tests.sim.wires import Network

# Between two breaks of one link.
_LOSS_EVERY_S: Final = 1.7
_WORDS: Final = ("good game", "my knave is lonely", "one moment", "what about the corner?", "hello")

Node: TypeAlias = SimPeer | VirtualSpectator
Do: TypeAlias = Callable[[], None]
Act: TypeAlias = Callable[[Any, Fault], None]
# The effect of a fault on each of its seats and spectators, and on those the end of it.
_BEGIN: Final[Mapping[FaultKind, Act]] = {
    "crash": lambda node, _: node.kill(power=False),
    "power": lambda node, _: node.kill(power=True),
    "older": lambda peer, _: peer.back_up(),
    "die": lambda node, _: node.die(),
    "stall": lambda node, fault: node.stall(fault.until_s),
    "disk": lambda peer, fault: peer.slow_disk(fault.size),
    "leave": lambda node, _: node.leave(),
    "later": lambda peer, _: peer.stop(),
    "asleep": lambda peer, fault: peer.sleep(fault.until_s),
}
_END: Final[Mapping[FaultKind, Act]] = {
    "crash": lambda node, _: node.restart(),
    "power": lambda node, _: node.restart(),
    "older": lambda peer, _: peer.resume_older(),
    "disk": lambda peer, fault: peer.slow_disk(-fault.size),
    "later": lambda peer, _: peer.restart(),
}


def schedule(
    plan: Plan, agenda: EventQueue, network: Network, transit: VirtualTransit, nodes: Mapping[int, Node]
) -> None:
    """Put all faults of the plan into the event queue."""
    for number, fault in enumerate(plan.faults):
        _Trouble(fault, _WORDS[number % len(_WORDS)], agenda, network, transit, nodes).schedule()


@dataclass(frozen=True, slots=True)
class _Trouble:
    """One fault, the words of a player that talks, and all that the fault can hit."""

    fault: Fault
    words: str
    agenda: EventQueue
    network: Network
    transit: VirtualTransit
    nodes: Mapping[int, Node]

    def schedule(self) -> None:
        fault, network = self.fault, self.network
        match fault.kind:
            case "router":
                pass  # It is there from the beginning.
            case "drift":
                for seat in fault.seats:
                    self.nodes[seat].rate = fault.size
            case "cut":
                self._at(self._snap)
            case "loss":
                for count in range(1 + int(fault.for_s / _LOSS_EVERY_S)):
                    self.agenda.at(fault.at_s + count * _LOSS_EVERY_S, self._snap)
            case "oneway" | "partition":
                for way in self._ways():
                    self._between(partial(network.cut, *way), partial(network.heal, *way))
            case "slow":
                for one, other in self._ways():
                    slowed = one, other, fault.size
                    self._between(partial(network.slow_down, *slowed), partial(network.speed_up, *slowed))
            case "bursts":
                self._read_late()
            case "choke":
                ways = list(itertools.permutations(fault.seats, 2))
                self._between(lambda: network.hold_back(ways), lambda: network.let_through(ways))
            case "relay" | "mispair":
                self._fail_relay()
            case "sever":
                self._at(self._sever)
            case "talk":
                self._at(partial(self._each, lambda peer, _: peer.put(Saying(self.words))))
            case kind:
                self._at(partial(self._each, _BEGIN[kind]))
                if kind in _END:
                    self.agenda.at(fault.until_s, partial(self._each, _END[kind]))

    def _at(self, what: Do) -> None:
        self.agenda.at(self.fault.at_s, what)

    def _between(self, begin: Do, end: Do) -> None:
        self._at(begin)
        self.agenda.at(self.fault.until_s, end)

    def _each(self, act: Act) -> None:
        for number in self.fault.seats:
            act(self.nodes[number], self.fault)

    def _snap(self) -> None:
        for one in self.fault.seats:
            for other in self.nodes:
                if other not in self.fault.seats or len(self.fault.seats) > 1:
                    self.network.snap(one, other)

    def _ways(self) -> list[tuple[int, int]]:
        """The ways that are hindered between these nodes and the others."""
        others = [number for number in self.nodes if number not in self.fault.seats]
        out = [(one, other) for one in self.fault.seats for other in others]
        back = [(other, one) for one, other in out]
        return {"oneway": out, "bursts": back}.get(self.fault.kind, out + back)

    def _fail_relay(self) -> None:
        failures, kind = self.transit.failures, self.fault.kind
        self._between(lambda: failures.update([kind]), lambda: failures.subtract([kind]))
        if kind == "relay":
            self._at(self._sever)

    def _sever(self) -> None:
        for one, other in itertools.combinations(self.fault.seats, 2):
            self.network.snap(one, other)
        self.transit.sever()

    def _read_late(self) -> None:
        """Let them read only every few seconds."""
        ways, at_s, until_s = self._ways(), self.fault.at_s, self.fault.until_s
        while at_s < until_s:
            self.agenda.at(at_s, lambda: self.network.hold_back(ways))
            at_s = min(at_s + self.fault.size, until_s)
            self.agenda.at(at_s, lambda: self.network.let_through(ways))
