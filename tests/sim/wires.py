"""The network between the peers: connections that lose nothing and keep their order, until they break.

TCP and TLS are assumed to work: bytes arrive in order or the link ends. Everything else is here: every link has a pace
of its own, directions are cut and heal, ends break unseen and are found dead by silence.
"""

import random
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Final

from seqp2p.i18n import message
from seqp2p.net.errors import LinkLost, NetError
from seqp2p.net.limits import Limits
from seqp2p.net.messages import WireMessage, encode_message
from tests.sim.event_queue import EventQueue
from tests.sim.faults import FIRST_SPECTATOR, Plan

if TYPE_CHECKING:
    from tests.sim.sim_process import SimProcess

# The buffer of the systems for unread bytes: a few steps of a small game, and all signs of life.
_BUFFERS_SIZE: Final = 2_048
_CLOSED: Final = b""
"""The end of the stream, after everything sent before."""


class End:
    """One end of a link, as ``seqp2p.net.relay.Wire``.

    ``heard_at``: the virtual time of the last frame; ``under_way``: bytes sent from here and not read yet.
    """

    def __init__(self, network: "Network", own: int, seat: int, host: "SimProcess[Any]") -> None:
        self.own = own
        self.seat = seat
        self.heard_at = network.now
        self.open = True
        self.under_way = 0
        self._network = network
        self._host = host
        self._arrives_at = 0.0
        self._held: deque[bytes] = deque()
        self.other: End

    def send_frame(self, data: bytes) -> None:
        """Queue a frame (or several in one piece); frames on a link that has ended are lost."""
        if self.open:
            self.under_way += len(data)
            self._network.carry(self, data)

    def end(self, error: NetError) -> None:
        """Close this end for this reason; the other end learns of it if the way there is free."""
        if self.open:
            self.send_frame(_CLOSED)
            self.vanish()
            self._host.lost(self, error)

    @property
    def unsent(self) -> int:
        """The number of bytes that the systems on the way have no room for."""
        return max(0, self.under_way - _BUFFERS_SIZE)

    @property
    def silent_s(self) -> float:
        return self._network.now - self.heard_at

    def heard(self) -> None:
        self.heard_at = self._network.now

    def cease(self) -> None:
        """Close the connection for a process that has died, as its system does."""
        if self.open:
            self.send_frame(_CLOSED)
            self.vanish()

    def vanish(self) -> None:
        """End silently: the process or the wire is gone."""
        self.open = False
        self._held.clear()

    def arriving(self, now: float, takes_s: float) -> float:
        """Return the arrival time of a frame sent now: not before that of earlier frames."""
        self._arrives_at = max(self._arrives_at, now + takes_s)
        return self._arrives_at

    def hold(self, data: bytes) -> None:
        """Keep a frame while the way is cut, until it heals or the link ends."""
        self._held.append(data)

    def release(self) -> None:
        held, self._held = self._held, deque[bytes]()
        for data in held:
            self._network.arrive(self, data)

    def broken(self) -> None:
        """End by a reset, which this end notices."""
        if self.open:
            self.vanish()
            self._host.lost(self, LinkLost(message("The connection is lost.")))

    def deliver(self, data: bytes) -> None:
        if not self.open:
            return
        if data == _CLOSED:
            self.vanish()
            self._host.lost(self, LinkLost(message("The other side has closed the connection.")))
        else:
            self._network.arrived(self.own, data)
            self._host.receive(self, data)


Tamper = Callable[[int, int, bytes], "tuple[bytes, ...]"]
"""A function from a frame between two seats to the frames that arrive: none, itself, or others. Spectators are sent
several frames in one piece.
"""

Way = tuple[int, int]
"""A direction, from one seat or spectator to another."""
After = Callable[[float, Callable[[], None]], object]
"""A function that sets an alarm on a process's clock: the seconds, and the action."""


def keep_alive(end: End, after: After, limits: Limits, alive: Callable[[], WireMessage]) -> None:
    """Send signs of life on this link, and end it when the other end is silent."""

    def beat() -> None:
        if not end.open:
            return
        if end.silent_s >= limits.silence_s:
            end.end(LinkLost("The other side has been silent."))
            return
        end.send_frame(encode_message(alive()))
        after(limits.heartbeat_s, beat)

    after(limits.heartbeat_s, beat)


def honest_wire(_sender: int, _to: int, frame: bytes) -> tuple[bytes, ...]:
    return (frame,)


class Network:
    """All links. A cut direction between two seats holds back its frames.

    ``dice`` is for the links between seats, ``beside`` (dice) for spectators': the randomness of seats is the same
    with spectators and without.
    """

    def __init__(
        self, agenda: EventQueue, plan: Plan, dice: random.Random, beside: random.Random, tamper: Tamper = honest_wire
    ) -> None:
        self._agenda = agenda
        self._plan = plan
        self._dice = dice
        self._beside = beside
        self._tamper = tamper
        self._ends: list[End] = []
        self._cuts = Counter[Way]()
        self._unread = Counter[Way]()
        self._slow = defaultdict[Way, list[float]](list)
        self._usual: dict[Way, float] = {}
        self.watch: Callable[[int, int, bytes], None] = lambda _sender, _to, _frame: None
        self.arrived: Callable[[int, bytes], None] = lambda _to, _frame: None

    @property
    def now(self) -> float:
        return self._agenda.now

    def link(self, one: int, host: "SimProcess[Any]", other: int, other_host: "SimProcess[Any]") -> tuple[End, End]:
        """Return a new connection; its maker gives the ends to the hosts."""
        here, there = End(self, one, other, host), End(self, other, one, other_host)
        here.other, there.other = there, here
        self._ends = [end for end in self._ends if end.open or end.other.open]
        self._ends += [here, there]
        return here, there

    def takes_s(self, sender: int, to: int) -> float:
        """Return the time from one seat to another now: a pace for each pair, and chance for each message."""
        pair = min(sender, to), max(sender, to)
        dice = self._dice if pair[1] < FIRST_SPECTATOR else self._beside
        if pair not in self._usual:
            self._usual[pair] = self._plan.latency_s * dice.uniform(0.5, 2.0)
        further = sum(self._slow[sender, to])
        return self._usual[pair] + self._plan.jitter_s * dice.random() ** 3 + further

    def carry(self, end: End, data: bytes) -> None:
        if data != _CLOSED:
            self.watch(end.own, end.seat, data)
        self._agenda.at(end.arriving(self.now, self.takes_s(end.own, end.seat)), lambda: self.arrive(end, data))

    def arrive(self, end: End, data: bytes) -> None:
        """Deliver it, unless it is not read yet or the way is cut: then the sender's system tries until it heals."""
        if self.is_held(end.own, end.seat):
            end.hold(data)
            return
        end.under_way -= len(data)
        if data == _CLOSED:
            end.other.deliver(data)
        else:
            for each in self._tamper(end.own, end.seat, data):
                end.other.deliver(each)

    def is_cut(self, sender: int, to: int) -> bool:
        return self._cuts[sender, to] > 0

    def cut(self, sender: int, to: int) -> None:
        """Cut the way. Several cuts heal one by one."""
        self._cuts[sender, to] += 1

    def heal(self, sender: int, to: int) -> None:
        self._cuts[sender, to] -= 1
        self._release(sender, to)

    def hold_back(self, ways: Collection[Way]) -> None:
        """Stop reading on these ways, each from one to another; a connection can still be made."""
        self._unread.update(ways)

    def let_through(self, ways: Collection[Way]) -> None:
        """Read again, unless another fault prevents it."""
        self._unread.subtract(ways)
        for way in ways:
            self._release(*way)

    def is_held(self, sender: int, to: int) -> bool:
        """Return True if frames that way wait."""
        return self.is_cut(sender, to) or self._unread[sender, to] > 0

    def _release(self, sender: int, to: int) -> None:
        if not self.is_held(sender, to):
            for end in self._ends:
                if (end.own, end.seat) == (sender, to):
                    end.release()

    def slow_down(self, sender: int, to: int, by_s: float) -> None:
        self._slow[sender, to].append(by_s)

    def speed_up(self, sender: int, to: int, by_s: float) -> None:
        self._slow[sender, to].remove(by_s)

    def snap(self, one: int, other: int) -> None:
        """Break the links between these two; both ends notice."""
        for end in [end for end in self._ends if {end.own, end.seat} == {one, other} and end.open]:
            end.broken()
