"""The relay: messages to and from each neighbour. No connection, no task and no clock of its own.

Messages go to the session unverified. The session checks them, and gives those that it accepts to ``pass_on``, for the
neighbours that lack them. live/mesh.py makes the links, gossip.py decides what a neighbour lacks; a simulated network
has links of its own (tests/sim).
"""

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar, assert_never

from seqp2p.i18n import message
from seqp2p.match.contribution import Contribution
from seqp2p.match.signed import (
    OfferedEvidence,
    ReleasedSecret,
    SignedBallot,
    SignedHead,
    SignedLeave,
    SignedRemark,
    SignedThing,
)
from seqp2p.net import messages as wire
from seqp2p.net.addresses import Address
from seqp2p.net.errors import LinkLost, NetError, PeerError
from seqp2p.net.gossip import GossipItem, PeerState, Store, digest, item_key

DIAL_GAP_S: Final = 1.0
"""Between two dials of one seat: no peer can make this machine connect more often to addresses of its choice."""
LOOK_S: Final = 8.0
"""To look on the network: up to 3 s until the look has begun, and 5 s of looking."""
SEARCH_MAX_S: Final = 30.0
"""How far a search may put off a vote after the grace: an absent seat cannot stall the table with new addresses."""

GameMessage: TypeAlias = wire.SignedMessage | wire.Hurry | wire.Have | wire.Bye


@dataclass(frozen=True, slots=True)
class Received:
    """A message for the session, from a neighbour: not necessarily of its making.

    A ``have`` here is a later one on its link: it says that this seat's first was answered.
    """

    seat: int
    message: GameMessage


@dataclass(frozen=True, slots=True)
class FirstHave:
    """A seat has sent its first ``have`` on a link. It is answered after all that came from it before."""

    seat: int


@dataclass(frozen=True, slots=True)
class LinkUp:
    """There is a link to a seat that had none."""

    seat: int


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The last link to a seat is gone. ``fault``: because of a message that no honest program sends."""

    seat: int
    reason: str
    fault: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """A seat has signed new addresses."""

    seat: int
    statement: wire.AddressStatement


class Wire(Protocol):
    """A live link, as far as a relay and a feed use it."""

    @property
    def unsent(self) -> int:
        """Bytes that are queued, or on their way to the system."""
        ...

    def send_frame(self, data: bytes) -> None:
        """Queue an encoded message; never waits."""

    def end(self, error: NetError) -> None:
        """End the link, for this reason."""


class Feed(Protocol):
    """The host's log for its spectators, of all that it signs or accepts."""

    def append(self, frame: bytes) -> None: ...


class Search:
    """The search of one seat for another without a direct link, as evidence that it cannot be reached.

    Others may say that a seat is gone, or keep back what it sends. So no seat votes against another without evidence
    before it has looked for the other itself: since the wait began it has dialled every address that the other had
    signed, has waited for it at the relay that both use, if there is one, and has looked for it on the network. A relay
    that does not answer counts as well: it must not stall the table. Times are seconds on the caller's clock.
    """

    def __init__(self) -> None:
        self.signed: frozenset[Address] = frozenset()
        self.has_relay = False
        """True if both seats use one relay."""
        self.given_up = False
        """True if this seat does not link with the other any more, because of its invalid messages."""
        self._dialled_at = -math.inf
        self._lost_at = -math.inf
        self._meets_since = math.inf
        self._rounds: deque[tuple[float, frozenset[Address]]] = deque(maxlen=2)
        """The last rounds of dials that have all failed: when each began, and what was dialled."""

    def lost(self, now: float) -> None:
        """Note that there is no link any more, or none yet: the look on the network begins."""
        self._lost_at = now
        self._meets_since = math.inf

    def meets(self, now: float) -> None:
        """Note that this seat waits for the other at their relay, or tries to, from now on."""
        self._meets_since = min(self._meets_since, now)

    def plan_s(self, now: float) -> float:
        """Take the time of the next dial. Return the seconds until then."""
        self._dialled_at = max(now, self._dialled_at + DIAL_GAP_S)
        return self._dialled_at - now

    def failed(self, began_at: float, dialled: Collection[Address]) -> None:
        self._rounds.append((began_at, frozenset(dialled)))

    def is_done(self, since: float, now: float) -> bool:
        """Return True if the seat has been looked for since then, everywhere that it had signed.

        Addresses that it signs later extend the search once, by one round.
        """
        if self.given_up:
            return True
        if now < max(since, self._lost_at, self._meets_since if self.has_relay else since) + LOOK_S:
            return False
        rounds = [dialled for began_at, dialled in self._rounds if began_at >= since]
        return not self.signed or len(rounds) > 1 or any(dialled >= self.signed for dialled in rounds)


W = TypeVar("W", bound=Wire)


class Neighbour(Generic[W]):
    """Another seat: its live links, the newest last, its state, and its faults."""

    def __init__(self, seat: int, name: str, view: PeerState) -> None:
        self.seat = seat
        self.name = name
        self.view = view
        self.links: list[W] = []
        self.first_haves: dict[W, wire.Have | None] = {}  # its first ``have`` on each link; None once that is answered
        self.faults = 0
        self.blamed: PeerError | None = None
        self.up = False
        self.search = Search()

    def blame(self, error: PeerError) -> None:
        """Count a fault and end all links: this neighbour sent a message that no honest program sends."""
        if self.blamed is None:
            self.faults += 1
            self.blamed = error if self.up else None
        for link in tuple(self.links):
            link.end(LinkLost(message("It sent an invalid message.")))

    def lost(self, link: W) -> None:
        self.links.remove(link)
        self.first_haves.pop(link, None)
        self.view.lost(linked=bool(self.links))


class Relay(Generic[W]):
    """The sending side of one seat. ``now`` is its clock; ``store`` is read, never written."""

    def __init__(self, own_seat: int, neighbours: Mapping[int, Neighbour[W]], now: Callable[[], float]) -> None:
        self._own_seat = own_seat
        self._neighbours = neighbours
        self._now = now
        self._store: Store
        self._sticky: dict[bytes, bytes] = {}
        self._feed: Feed | None = None

    def begin(self, store: Store, feed: Feed | None) -> None:
        """Set what the game is read from, and the log of the host's spectators, before the first link."""
        self._store = store
        self._feed = feed

    @property
    def linked(self) -> frozenset[int]:
        return frozenset(seat for seat, peer in self._neighbours.items() if peer.links)

    @property
    def reachable(self) -> frozenset[int]:
        """The seats with a live link to this one or, by their own claim, to one of its neighbours."""
        further = (peer.view.links for peer in self._neighbours.values() if peer.links)
        return self.linked.union(*further) - {self._own_seat}

    @property
    def all_linked(self) -> bool:
        """True if each seat has a link with every other, by its own claim: no thing needs to be passed on."""
        seats = self._neighbours.keys() | {self._own_seat}
        return all(peer.links and peer.view.links | {seat} >= seats for seat, peer in self._neighbours.items())

    @property
    def only_ways(self) -> dict[int, int]:
        """The seats without a direct link that one neighbour alone claims a link with, and that neighbour."""
        links = {seat: peer.view.links for seat, peer in self._neighbours.items() if peer.links}
        ways = {
            seat: [each for each, claimed in links.items() if seat in claimed] for seat in self.reachable - self.linked
        }
        return {seat: found[0] for seat, found in sorted(ways.items()) if len(found) == 1}

    def claimed_links(self, seat: int) -> frozenset[int]:
        """Return the seats that a neighbour claims links with; none for a seat without a link."""
        peer = self._neighbours[seat]
        return peer.view.links if peer.links else frozenset()

    def has_sought(self, seat: int, since: float) -> bool:
        """Return True if this seat has a direct link to another, or has looked for it everywhere since then."""
        peer = self._neighbours[seat]
        return bool(peer.links) or peer.search.is_done(since, self._now())

    def pass_on(self, thing: SignedThing, author: int = 0, step: int = 0) -> None:
        """Send what the session has signed or accepted; ``author`` and ``step`` are a contribution's or a head's.

        A contribution goes to the neighbours that lack it and have no link to its author, and so does a head, unless
        ``author`` is 0; ballots go to those linked now: all others get them in answer to their ``have``. All other
        things go to all, also to neighbours that are linked later. All of it goes into the spectators' feed.
        """
        frame = wire.encode_message(wire.signed_message(thing))
        match thing:
            case Contribution():
                item = GossipItem(digest(thing.payload), author, step)
            case SignedHead():
                item = GossipItem(digest(frame), author)
            case SignedBallot():
                item = GossipItem(digest(frame))
            case SignedLeave() | SignedRemark() | OfferedEvidence() | ReleasedSecret():
                item = GossipItem(digest(frame))
                if item.key in self._sticky:
                    return
                self._sticky[item.key] = frame
            case _:
                assert_never(thing)
        self._send(item, frame)
        if self._feed is not None:
            self._feed.append(frame)

    def send_hurry(self, step: int) -> None:
        """Tell all linked seats that a draw still owed at this step is not waited for."""
        frame = wire.encode_message(wire.Hurry(step))
        self._send(GossipItem(digest(frame)), frame)

    def fault(self, seat: int, reason: str) -> None:
        """Blame a neighbour for a message that no honest program sends: its links end, and count against it."""
        self._neighbours[seat].blame(PeerError(reason))

    def charge(self, seat: int, cost_s: float) -> None:
        """Charge a neighbour for processor time that it has cost, or give back what it has paid."""
        self._neighbours[seat].view.pace.spend(cost_s, self._now())

    # A link and its messages.

    def greet(self, link: W, addresses: Iterable[bytes] = ()) -> None:
        """Send the first messages on a new link, with the frames of address statements."""
        link.send_frame(wire.encode_message(wire.Links(tuple(sorted(self.linked)))))
        link.send_frame(wire.encode_message(self._have()))
        for frame in addresses:
            link.send_frame(frame)

    def handle(self, peer: Neighbour[W], link: W, message: wire.WireMessage) -> Received | FirstHave | None:
        """Answer or note a message from a neighbour. Return a message for the game."""
        if isinstance(message, wire.SignedMessage | wire.Hurry):
            peer.view.heard(item_key(message), self._now())
            return Received(peer.seat, message)
        if not isinstance(message, wire.SeatMessage) or isinstance(message, wire.AddressUpdate | wire.Bye):
            return None  # a ping, or what the mesh takes itself
        match message:
            case wire.Have() if link not in peer.first_haves:
                peer.first_haves[link] = message
                return FirstHave(peer.seat)
            case wire.Have(step, seats):
                peer.view.has(step, frozenset(seats))
                self._answer(peer, link)
                return Received(peer.seat, message)
            case wire.Links(seats):
                peer.view.links = frozenset(seats)
            case _:
                assert_never(message)
        return None

    def answer_first(self, seat: int) -> None:
        """Answer a neighbour's first ``have`` on each link, and say by a second one that this is done."""
        peer = self._neighbours[seat]
        for link, have in tuple(peer.first_haves.items()):
            if have is not None:
                peer.first_haves[link] = None
                peer.view.begins_with(have.step, frozenset(have.seats))
                now = self._now()
                to_all = [frame for key, frame in self._sticky.items() if peer.view.wants(GossipItem(key), now)]
                self._answer(peer, link, to_all)
                link.send_frame(wire.encode_message(self._have()))

    def _answer(self, peer: Neighbour[W], link: W, more: Sequence[bytes] = ()) -> None:
        frames = [*peer.view.answer_frames(self._store, self._now()), *more]
        peer.view.charge_sent(frames, self._now())
        for frame in frames:
            link.send_frame(frame)

    def alive(self, peer: Neighbour[W], link: W) -> wire.Have | wire.Ping:
        """Return the sign of life on a link: ``have``, but ``ping`` before the neighbour's first is answered."""
        is_answered = link in peer.first_haves and peer.first_haves[link] is None
        return self._have() if is_answered else wire.Ping()

    def _have(self) -> wire.Have:
        """Return the first step not final yet, and the seats with contributions to it here."""
        step, seats = self._store.have()
        return wire.Have(step, tuple(sorted(seats)))

    def announce_links(self, but: W | None = None) -> None:
        """Send the seats that are linked to all neighbours, but not on that link."""
        frame = wire.encode_message(wire.Links(tuple(sorted(self.linked))))
        for peer in self._neighbours.values():
            if peer.links and peer.links[-1] is not but:
                peer.links[-1].send_frame(frame)

    def _send(self, item: GossipItem, frame: bytes) -> None:
        now = self._now()
        for peer in self._neighbours.values():
            if peer.links and peer.view.wants(item, now):
                peer.links[-1].send_frame(frame)


AnyRelay: TypeAlias = Relay[Any]
"""A relay over links of any kind."""
