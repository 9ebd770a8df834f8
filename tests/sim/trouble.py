"""The faults of a plan, applied to the network, the machines and the players."""

import itertools
from collections.abc import Mapping
from typing import Final, TypeAlias

from seqp2p.live.seat_session import Saying
from tests.sim.event_queue import EventQueue
from tests.sim.faults import RELAY_KINDS, Fault, Plan
from tests.sim.peer import SimPeer
from tests.sim.spectator import VirtualSpectator
from tests.sim.transit import VirtualTransit
from tests.sim.wires import Network

# Between two breaks of one link.
_LOSS_EVERY_S: Final = 1.7
Node: TypeAlias = SimPeer | VirtualSpectator
_WORDS: Final = ("good game", "my knave is lonely", "one moment", "what about the corner?", "hello")


def schedule(
    plan: Plan, agenda: EventQueue, network: Network, transit: VirtualTransit, nodes: Mapping[int, Node]
) -> None:
    """Put all faults of the plan into the event queue."""
    for number, fault in enumerate(plan.faults):
        trouble = _Trouble(fault, number, agenda, network, transit, nodes)
        if fault.kind in RELAY_KINDS:
            trouble.schedule_at_relay()
        else:
            trouble.schedule()


class _Trouble:
    """One fault and its targets."""

    def __init__(
        self,
        fault: Fault,
        number: int,
        agenda: EventQueue,
        network: Network,
        transit: VirtualTransit,
        nodes: Mapping[int, Node],
    ) -> None:
        self._fault = fault
        self._number = number
        self._agenda = agenda
        self._network = network
        self._transit = transit
        self._nodes = nodes
        self._others = [seat for seat in nodes if seat not in fault.seats]

    def schedule(self) -> None:
        at_s, until_s = self._fault.at_s, self._fault.until_s
        match self._fault.kind:
            case "drift":
                for node in self._hit():
                    node.rate = self._fault.size
            case "cut":
                self._agenda.at(at_s, self._snap)
            case "loss":
                for count in range(1 + int(self._fault.for_s / _LOSS_EVERY_S)):
                    self._agenda.at(at_s + count * _LOSS_EVERY_S, self._snap)
            case "oneway" | "partition" | "slow":
                for one, other in self._ways():
                    self._hinder(one, other)
            case "bursts":
                self._read_late()
            case "crash" | "power" | "later":
                self._agenda.at(at_s, self._end)
                self._agenda.at(until_s, self._restart)
            case "older":
                self._agenda.at(at_s, self._back_up)
                self._agenda.at(until_s, self._put_back)
            case "disk":
                self._agenda.at(at_s, lambda: self._slow_disk(self._fault.size))
                self._agenda.at(until_s, lambda: self._slow_disk(-self._fault.size))
            case _:
                self._agenda.at(at_s, self._once)

    def _hit(self) -> list[Node]:
        return [self._nodes[number] for number in self._fault.seats]

    def _seats(self) -> list[SimPeer]:
        return [node for node in self._hit() if isinstance(node, SimPeer)]

    def _snap(self) -> None:
        for one in self._fault.seats:
            for other in self._nodes:
                if other not in self._fault.seats or len(self._fault.seats) > 1:
                    self._network.snap(one, other)

    def _ways(self) -> list[tuple[int, int]]:
        out = [(one, other) for one in self._fault.seats for other in self._others]
        return out if self._fault.kind == "oneway" else out + [(other, one) for one, other in out]

    def _hinder(self, one: int, other: int) -> None:
        at_s, until_s, network = self._fault.at_s, self._fault.until_s, self._network
        if self._fault.kind == "slow":
            self._agenda.at(at_s, lambda: network.slow_down(one, other, self._fault.size))
            self._agenda.at(until_s, lambda: network.speed_up(one, other, self._fault.size))
        else:
            self._agenda.at(at_s, lambda: network.cut(one, other))
            self._agenda.at(until_s, lambda: network.heal(one, other))

    def schedule_at_relay(self) -> None:
        at_s, until_s = self._fault.at_s, self._fault.until_s
        ways = list(itertools.permutations(self._fault.seats, 2))
        match self._fault.kind:
            case "choke":
                self._agenda.at(at_s, lambda: self._network.hold_back(ways))
                self._agenda.at(until_s, lambda: self._network.let_through(ways))
            case "mispair":
                self._agenda.at(at_s, lambda: self._mix(1))
                self._agenda.at(until_s, lambda: self._mix(-1))
            case "relay":
                self._agenda.at(at_s, lambda: self._keep_away(1))
                self._agenda.at(at_s, self._sever)
                self._agenda.at(until_s, lambda: self._keep_away(-1))
            case "sever":
                self._agenda.at(at_s, self._sever)
            case _:
                pass  # A router is there from the beginning.

    def _sever(self) -> None:
        for one, other in itertools.combinations(self._fault.seats, 2):
            self._network.snap(one, other)
        self._transit.sever()

    def _mix(self, more: int) -> None:
        self._transit.mixing += more

    def _keep_away(self, more: int) -> None:
        self._transit.away += more

    def _read_late(self) -> None:
        """Let them read only every few seconds."""
        at_s, until_s = self._fault.at_s, self._fault.until_s
        ways = [(other, one) for one in self._fault.seats for other in self._others]
        while at_s < until_s:
            next_s = min(at_s + self._fault.size, until_s)
            self._agenda.at(at_s, lambda: self._network.hold_back(ways))
            self._agenda.at(next_s, lambda: self._network.let_through(ways))
            at_s = next_s

    def _end(self) -> None:
        for node in self._hit():
            if self._fault.kind == "later" and isinstance(node, SimPeer):
                node.stop()
            else:
                node.kill(power=self._fault.kind == "power")

    def _restart(self) -> None:
        for node in self._hit():
            node.restart()

    def _back_up(self) -> None:
        for peer in self._seats():
            peer.back_up()

    def _put_back(self) -> None:
        for peer in self._seats():
            peer.put_back()
            peer.restart()

    def _slow_disk(self, by_s: float) -> None:
        for peer in self._seats():
            peer.slow_sync_s += by_s

    def _once(self) -> None:
        for node in self._hit():
            match self._fault.kind:
                case "die":
                    node.die()
                case "stall":
                    node.stalled_until = max(node.stalled_until, self._fault.until_s)
                case "leave":
                    node.leave()
                case _:
                    pass  # Faults of players.
        for peer in self._seats():
            match self._fault.kind:
                case "asleep":
                    peer.asleep_until = max(peer.asleep_until, self._fault.until_s)
                case "talk":
                    peer.put(Saying(_WORDS[self._number % len(_WORDS)]))
                case _:
                    pass
