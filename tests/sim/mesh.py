"""The links of one simulated seat: the work of ``seqp2p.live.mesh`` with virtual sockets.

The product's own ``Relay`` and ``PeerState`` decide the messages. This file has trio's part: when to dial, when a link
is dead, and how to say goodbye; the rules and the times are those of mesh.py, links.py and dialling.py.
"""

import random
from collections.abc import Callable

from seqp2p.i18n import message, message_of
from seqp2p.live.seat_session import InboxItem
from seqp2p.match.contribution import Contribution
from seqp2p.match.signed import SignedHead
from seqp2p.match.table import Agreement
from seqp2p.net.addresses import DEFAULT_PORT, Address
from seqp2p.net.dialling import pause_s
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.frames import announced
from seqp2p.net.gossip import GossipItem, PeerState, Store, item_key
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import Bye, bye, encode_message, signed_message
from seqp2p.net.relay import FirstHave, LinkDown, LinkUp, Neighbour, Received, Relay
from tests.sim.event_queue import Appointment
from tests.sim.memory import decoded
from tests.sim.sim_process import SimProcess
from tests.sim.spectator_server import VirtualSpectatorServer
from tests.sim.wires import End, keep_alive


class Other(Neighbour[End]):
    """The state that a simulated seat keeps about another."""

    def __init__(self, own_seat: int, seat: int, faulted: list[tuple[int, str]]) -> None:
        super().__init__(seat, message("seat {seat}", seat=seat), PeerState(own_seat, seat, DEFAULT_LIMITS))
        self._faulted = faulted
        self.failures = 0
        self.dialling: Appointment | None = None
        self.waits_at_relay = False
        self.since: dict[int, float] = {}  # when each link was made, by its identity

    def blame(self, error: PeerError) -> None:
        self._faulted.append((self.seat, message_of(error)))
        super().blame(error)


class VirtualMesh:
    """The links of one incarnation of a seat, and those to its ``spectators`` if it is the host.

    ``faulted`` gets the peers that it blames, or refuses, with the reason.
    """

    def __init__(
        self,
        own_seat: int,
        agreement: Agreement,
        process: SimProcess[InboxItem],
        dice: random.Random,
        faulted: list[tuple[int, str]],
        spectators: VirtualSpectatorServer | None = None,
    ) -> None:
        players = len(agreement.seats)
        others = (seat for seat in range(1, players + 1) if seat != own_seat)
        self._others = {seat: Other(own_seat, seat, faulted) for seat in others}
        self.relay = Relay(own_seat, self._others, process.now)
        self._own_seat = own_seat
        self._process = process
        self._dice = dice
        self._limits = DEFAULT_LIMITS
        self._agreement = agreement
        self._spectators = spectators
        self._closing: Callable[[], None] | None = None
        self._faulted = faulted

    def begin(self, store: Store) -> None:
        feed = None if self._spectators is None else self._spectators.feed
        if feed is not None:
            feed.begin(self._agreement)
        self.relay.begin(store, feed)
        for other in self._others.values():
            other.search.lost(self._process.now())
            other.search.signed = frozenset({Address(f"10.0.0.{other.seat}", DEFAULT_PORT)})
            self._dial_later(other)

    def _dial_later(self, other: Other) -> None:
        other.search.given_up = other.faults >= self._limits.faults_max
        if other.links or other.search.given_up or self._closing or other.dialling:
            return
        if other.failures:
            delay_s = pause_s(other.failures, 0.5 + self._dice.random() / 2, self._limits)
        else:
            delay_s = 0.0 if self._own_seat > other.seat else self._limits.dial_patience_s
        other.dialling = self._process.after(delay_s, lambda: self._dial(other))

    def _dial(self, other: Other) -> None:
        if other.links or self._closing:
            other.dialling = None
            return

        began_at = self._process.now()

        def answered(end: End | PeerRefused | None) -> None:
            other.dialling = None
            if not isinstance(end, End) or not end.open:
                other.failures += 1
                other.search.failed(began_at, other.search.signed)
                self._dial_later(other)
                self._wait_at_relay(other)
            else:
                self.adopt(end)

        self._process.dial(other.seat, answered)

    def _wait_at_relay(self, other: Other) -> None:
        """Wait there for a seat that cannot be dialled, until there is a link."""
        if other.links or other.search.given_up or self._closing or other.waits_at_relay:
            return

        def answered(end: End | PeerRefused | None) -> None:
            other.waits_at_relay = False
            if isinstance(end, End) and end.open:
                self.adopt(end)
            else:
                self._process.after(self._limits.relay_pause_max_s, lambda: self._wait_at_relay(other))

        other.waits_at_relay = self._process.meet(other.seat, answered)

    def turns_away(self, number: int, hello: bytes) -> PeerRefused | None:
        """Return the reason to refuse a link from that seat or spectator, or None."""
        if number in self._others:
            return PeerRefused("faulty") if self._others[number].faults >= self._limits.faults_max else None
        return self._spectators.turns_away(number, hello) if self._spectators else PeerRefused("no_spectators")

    def adopt(self, end: End) -> None:
        if end.seat in self._others:
            self._adopt(end)
        elif self._spectators:
            self._spectators.adopt(end)

    def _adopt(self, end: End) -> None:
        other = self._others[end.seat]
        other.links.append(end)
        other.since[id(end)] = self._process.now()
        if len(other.links) > self._limits.links_per_seat:
            other.links[0].end(LinkLost(message("A newer connection has taken its place.")))
        if not other.up:
            other.up = True
            self.relay.announce_links(but=end)
            self._process.put(LinkUp(other.seat))
        self.relay.greet(end)
        keep_alive(end, self._process.after, self._limits, lambda: self.relay.alive(other, end))

    def lost(self, end: End, error: NetError) -> None:
        if end.seat in self._others:
            self._lost(end, error)
        elif self._spectators:
            self._spectators.lost(end, error)
            if isinstance(error, PeerError):
                self._faulted.append((end.seat, message_of(error)))
        if self._closing and not self._awaited:
            self._closing()

    def _lost(self, end: End, error: NetError) -> None:
        other = self._others[end.seat]
        if end not in other.links:
            return
        other.lost(end)
        if isinstance(error, PeerError):
            other.blame(error)
        lived = self._process.now() - other.since.pop(id(end)) >= self._limits.silence_s
        other.failures = 0 if lived else other.failures + 1
        if other.up and not other.links:
            other.up = False
            other.search.lost(self._process.now())
            blamed, other.blamed = other.blamed, None
            self.relay.announce_links()
            if not self._closing:
                self._process.put(LinkDown(other.seat, message_of(blamed or error), blamed is not None))
        self._dial_later(other)

    @property
    def _awaited(self) -> bool:
        """Return True if a peer has not closed its link yet."""
        return bool(self.relay.linked) or bool(self._spectators and self._spectators.ends)

    def receive(self, end: End, data: bytes) -> None:
        if self._spectators and end.seat not in self._others:
            self._spectators.receive(end, data)
            return
        other = self._others[end.seat]
        try:
            announced(data, self._limits.frame_max)
            received = decoded(data)
        except PeerError as error:
            end.end(error)
            return
        if isinstance(received, Bye):
            self._hand_on(Received(other.seat, received))
            end.end(LinkLost(message("It has left.")))
        elif (heard := self.relay.handle(other, end, received)) is not None:
            self._hand_on(heard)

    def _hand_on(self, received: Received | FirstHave) -> None:
        if not self._closing:
            self._process.put(received)
        elif isinstance(received, FirstHave):
            self.relay.answer_first(received.seat)

    def close(self, reason: str, closed: Callable[[], None]) -> None:
        """Say goodbye; ``closed`` is called once, when all have read it or after ``close_s``."""
        waiting = [closed]

        def close_once() -> None:
            if waiting:
                waiting.pop()()

        self._closing = close_once
        for other in self._others.values():
            self.relay.answer_first(other.seat)  # The session has not come to it.
            for link in other.links:
                link.send_frame(encode_message(bye(reason)))
        if self._spectators:
            self._spectators.say_goodbye(reason)
        self._process.after(self._limits.close_s if self._awaited else 0.0, close_once)

    def abort(self) -> None:
        """Close the connections of a process that has ended in order."""
        for link in self.ends:
            link.end(LinkLost(message("It has left.")))

    # For seats that cheat.

    def send_to(self, seat: int, frame: bytes) -> None:
        for link in self._others[seat].links[-1:]:
            link.send_frame(frame)

    def hold_back(self, thing: Contribution | SignedHead) -> None:
        """Count a message as sent to all, so that ``publish`` sends it to no one."""
        for other in self._others.values():
            other.view.wants(GossipItem(item_key(signed_message(thing))), self._process.now())

    @property
    def ends(self) -> list[End]:
        own = [end for other in self._others.values() for end in other.links]
        return own + self._spectators.ends if self._spectators else own
