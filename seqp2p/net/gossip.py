"""What a neighbour is to be sent: decisions only, no connection and no clock of its own.

Theory of operation. A contribution goes straight from its author to everybody the author is linked with; whoever
accepts one passes it on to those neighbours that have no live link with the author (they announce their links). What
this misses (a link that broke, an author that serves some and not others, a seat that was away) ``have`` finds:
every heartbeat a seat says what it holds of its open step, and each neighbour sends what it lacks. What its author
should be sending it anyway is sent at the second asking only, so that things on their way are not sent twice.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from seqp2p.match.contribution import Contribution
from seqp2p.net.limits import Limits
from seqp2p.net.messages import BallotMessage, ContributionMessage, HeadMessage, encode_message

PlacedItem: TypeAlias = tuple[int, int, Contribution]
"""Step, author's seat, and the contribution."""
VoteMessage: TypeAlias = BallotMessage | HeadMessage


class Store(Protocol):
    """What a session keeps, as the mesh reads it. All are called between checkpoints and must not wait."""

    def have(self) -> tuple[int, frozenset[int]]:
        """The open step (from 1), and the seats whose contributions to it are held."""
        ...

    def missing(self, step: int, seats: frozenset[int]) -> Iterable[PlacedItem]:
        """What is held and lacking for somebody whose ``have`` this is, in order of steps.

        Contributions to ``step`` by other seats, and all to later steps; nothing if that is further than this seat.
        """
        ...

    def votes(self, step: int) -> Iterable["VoteMessage"]:
        """The ballots and heads that concern somebody whose open step this is."""
        ...


def digest(data: bytes) -> bytes:
    """What something is known by: SHA-256 of a contribution's payload, or of another message's frame.

    Of the payload alone, because two valid signatures on one payload are still one contribution.
    """
    return hashlib.sha256(data).digest()


@dataclass(frozen=True, slots=True)
class GossipItem:
    """Something to pass on. ``author`` and ``step`` are a contribution's; anything else has none, and goes to all."""

    key: bytes
    author: int | None = None
    step: int = 0


class Recent:
    """A bounded memory of digests, each with the time it was last put in; the oldest are forgotten first."""

    def __init__(self, size_max: int) -> None:
        self._size_max: Final = size_max
        self._times: dict[bytes, float] = {}

    def add(self, key: bytes, now: float) -> None:
        self._times.pop(key, None)
        self._times[key] = now
        if len(self._times) > self._size_max:
            del self._times[next(iter(self._times))]

    def __contains__(self, key: bytes) -> bool:
        return key in self._times

    def since(self, key: bytes, start: float) -> bool:
        """Whether it was put in at or after that time."""
        return self._times.get(key, float("-inf")) >= start

    def clear(self) -> None:
        self._times.clear()


class PeerState:
    """What one seat knows of a neighbour: what it has, what it was sent, whom it is linked with."""

    def __init__(self, own_seat: int, seat: int, limits: Limits) -> None:
        self._own_seat = own_seat
        self._seat = seat
        self._limits = limits
        self._heard = Recent(limits.known_max)
        self._sent = Recent(limits.known_max)
        self._asked: frozenset[bytes] = frozenset()
        self._open_step = 1
        self._held: frozenset[int] = frozenset()
        self._answer_at = float("-inf")
        self.links: frozenset[int] = frozenset()

    def heard(self, key: bytes, now: float) -> None:
        """The neighbour sent this, so it has it."""
        self._heard.add(key, now)

    def lost(self, *, linked: bool) -> None:
        """A connection ended: what was sent on it may not have arrived. ``linked``: another one is left."""
        self._sent.clear()
        self._asked = frozenset()
        # Whoever comes back may have lost what it said it had.
        self.has(1, frozenset())
        self._answer_at = float("-inf")
        if not linked:
            self.links = frozenset()

    def has(self, step: int, seats: frozenset[int]) -> None:
        """The neighbour said so: everything before its open step, and these seats' contributions to it."""
        self._open_step = step
        self._held = seats

    def wants(self, item: GossipItem, now: float) -> bool:
        """Whether to send it this new thing now; if so it counts as sent."""
        if item.key in self._heard or item.key in self._sent:
            return False
        if item.author is not None and not self._needs(item.author, item.step):
            return False
        self._sent.add(item.key, now)
        return True

    def _needs(self, author: int, step: int) -> bool:
        if author == self._seat or step < self._open_step or (step == self._open_step and author in self._held):
            return False
        return author == self._own_seat or author not in self.links

    def answer_frames(self, store: Store, now: float) -> list[bytes]:
        """The frames of ``answer``, and of the votes that concern it and that it was not sent before."""
        if now < self._answer_at:
            return []
        answer = self.answer(store, now)
        frames = [encode_message(ContributionMessage(each.payload, each.signature)) for each in answer]
        votes = (encode_message(vote) for vote in store.votes(self._open_step))
        return frames + [frame for frame in votes if self.wants(GossipItem(digest(frame)), now)]

    def answer(self, store: Store, now: float) -> list[Contribution]:
        """What to send in answer to its last ``have``; it counts as sent.

        At most ``resync_max`` bytes of payload, or one contribution: the next ``have`` asks for the rest. One that
        asks again before ``answer_pause_s`` is over gets nothing: looking through the store is work that it could
        make us do for free.
        """
        if now < self._answer_at:
            return []
        self._answer_at = now + self._limits.answer_pause_s
        answer: list[Contribution] = []
        deferred: set[bytes] = set()
        size = 0
        for _, author, contribution in store.missing(self._open_step, self._held):
            key = digest(contribution.payload)
            if self._sent.since(key, now - self._limits.resend_s):
                continue
            if author != self._own_seat and author in self.links and key not in self._asked:
                deferred.add(key)
                continue
            size += len(contribution.payload)
            if answer and size > self._limits.resync_max:
                break
            answer.append(contribution)
            self._sent.add(key, now)
        self._asked = frozenset(deferred)
        return answer
