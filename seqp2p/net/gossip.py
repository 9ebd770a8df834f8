"""Gossip: the decision what to send to a neighbour, from the store of a match. No connection and no clock of its own.

Theory of operation. A contribution goes straight from its author to all seats linked with the author. A seat that
accepts one passes it on to those neighbours that have no live link with the author (they announce their links).
Heads take the same way; liveness rests on ballots, so they go from all to all. ``have`` finds the rest (a link that
broke, an author that serves only some, a seat that was away): every heartbeat a seat names the contributions that it
holds of its open step, and each neighbour sends the missing ones, and the heads. A thing whose author should send it
anyway is sent only at the second request, so things on their way are not sent twice.
"""

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from seqp2p.match.contribution import Contribution
from seqp2p.match.intake import Finding, Intake
from seqp2p.match.machine import Match
from seqp2p.match.signed import SignedBallot, SignedHead, SignedLeave, SignedRemark, SignedThing
from seqp2p.net import messages as wire
from seqp2p.net.limits import Limits, Newest, pace_of

PlacedItem: TypeAlias = tuple[int, int, Contribution]
"""Step, author's seat, and the contribution."""
PlacedVote: TypeAlias = tuple[int, wire.BallotMessage | wire.HeadMessage]
"""The author's seat and its head; or 0 and a ballot."""
LOOK_BACK_MAX: Final = 8
"""Steps before the last final one. A seat that signs twice can part a past only as long as it signs on it alone."""
MADE: Final = (Contribution, SignedRemark, SignedBallot, SignedHead)
"""Things that a seat signs at most once for one place."""


class Store(Protocol):
    """A session's store, as the mesh reads it. All methods are called between checkpoints and must not wait."""

    def have(self) -> tuple[int, frozenset[int]]:
        """Return the first step not final yet (from 1), and the seats whose contributions to it are held."""
        ...

    def missing(self, step: int, seats: frozenset[int]) -> Iterable[PlacedItem]:
        """Return the held contributions that a peer with this ``have`` lacks, in order of steps.

        Contributions to ``step`` by other seats, and all to later steps; nothing if that is further than this seat.
        """
        ...

    def votes(self, step: int) -> Iterable[PlacedVote]:
        """Return the ballots and heads that concern a peer with this ``have``."""
        ...

    def early(self, seat: int) -> Iterable[SignedThing]:
        """Return the things of a peer that came too early and wait: if it is resumed, it may lack them."""
        ...


class MatchStore:
    """Reads a match and its intake, and never changes them."""

    def __init__(self, match: Match, intake: Intake | None = None) -> None:
        self._match = match
        self._intake = Intake(match) if intake is None else intake
        self._looked_back = (0, 0)  # the open step, and the earlier one that all are asked for meanwhile

    def have(self) -> tuple[int, frozenset[int]]:
        """The first step that is not final, and the seats whose contributions to it are here; or an earlier step.

        The base, not the open step: the others may have closed it by ballots, which come only from this step on.
        """
        if self._looked_back[0] == self._match.number:
            return self._looked_back[1], frozenset()
        base = self._match.chain.base
        if base is self._match.chain.open and (lot := self._intake.lot()):
            return self._match.number + len(lot), frozenset()  # They are here, and checked soon.
        return self._match.final + 1, frozenset(base.held if base is not None else ())

    def missing(self, step: int, seats: frozenset[int]) -> list[PlacedItem]:
        closed = [
            (closed.number, seat, contribution)
            for closed in self._match.record[step - 1 :]
            for seat, contribution in closed.contributions
        ]
        held = [(self._match.number, seat, contribution) for seat, contribution in self._match.held]
        return [
            (number, seat, contribution)
            for number, seat, contribution in closed + held
            if number > step or (number == step and seat not in seats)
        ]

    def votes(self, step: int) -> list[PlacedVote]:
        closed = self._match.record[step - 1 : self._match.final]
        ballots = [each for step in closed for each in step.ballots]
        base = self._match.chain.base
        if base is not None:
            ballots += base.ballots.values()
        return [
            *((0, wire.BallotMessage(each.payload, each.signature)) for each in ballots),
            *((seat, wire.HeadMessage(each.payload, each.signature)) for seat, each in self._match.shown),
        ]

    def early(self, seat: int) -> list[SignedThing]:
        return [each.thing for kind in MADE for account, each in self._intake.pending.of(kind) if account == (seat,)]

    def changes_nothing(self, finding: Finding) -> bool:
        """Return True for what is here already, or is a vote about a final step."""
        return 0 < finding.step <= self._match.final or finding.thing in self._taken_of(finding.signer)

    def _taken_of(self, seat: int) -> list[SignedThing]:
        match, live = self._match, self._match.chain.live
        heads = [each for by, each in match.shown if by == seat]
        return [
            *(SignedRemark(Contribution(each.payload, each.signature)) for each in match.remarks.of(seat)),
            *(SignedLeave(each) for by, each in match.left.items() if by == seat),
            *(step.held[seat].contribution for step in live if seat in step.held),
            *(SignedBallot(each) for step in live for (_, by), each in step.ballots.items() if by == seat),
            *(SignedHead(each) for each in heads),
        ]

    def look_back(self, step: int) -> None:
        """A neighbour has another past before this step, so some seat has signed two different contributions.

        Nothing is proved by it yet. ``have`` asks for what came one step before, and one more each time that has
        another past too, until both contributions of the one who made two are here. Once the cards are dealt, pasts
        part near the last final step: no seat can make all send the whole game again and again.
        """
        first = 1 if self._match.game.position is None else self._match.final - LOOK_BACK_MAX
        asked = self.have()[0]
        if step >= asked:
            self._looked_back = self._match.number, asked if step > asked else max(1, first, step - 1)

    def look_at(self, step: int) -> None:
        """Ask all for all of a step: a neighbour says that it closed in another way than is known here."""
        if step < self.have()[0] or self._looked_back[0] != self._match.number:
            self._looked_back = self._match.number, step


def digest(data: bytes) -> bytes:
    """Return the digest of an item: SHA-256 of a contribution's payload, or of another message's frame.

    It is of the payload alone, because two valid signatures on one payload are still one contribution.
    """
    return hashlib.sha256(data).digest()


def item_key(message: wire.SignedMessage | wire.Hurry) -> bytes:
    return digest(message.payload if isinstance(message, wire.ContributionMessage) else wire.encode_message(message))


@dataclass(frozen=True, slots=True)
class GossipItem:
    """An item to pass on. A contribution has an ``author`` and a ``step``, a head an ``author``; others go to all."""

    key: bytes
    author: int = 0
    step: int = 0


class PeerState:
    """A seat's knowledge of a neighbour: the things it has, the things sent to it, its links."""

    def __init__(self, own_seat: int, seat: int, limits: Limits) -> None:
        self._own_seat = own_seat
        self._seat = seat
        self._limits = limits
        self._heard = Newest[bytes, float](limits.known_max)  # the time of each digest
        self._sent = Newest[bytes, float](limits.known_max)
        self._put_off: set[bytes] = set()  # at its last request
        self._put_off_before: set[bytes] = set()  # at the one before: sent when it asks again
        self._open_step = 1
        self._held: frozenset[int] = frozenset()
        self._answer_at = -math.inf
        self.links: frozenset[int] = frozenset()
        self.pace = pace_of(limits)

    def heard(self, key: bytes, now: float) -> None:
        self._heard[key] = now

    def lost(self, *, linked: bool) -> None:
        """Note the end of a connection: things sent on it may not have arrived. ``linked``: another one is left."""
        # A peer that reconnects may have lost things that it claimed to have.
        self.begins_with(1, frozenset())
        if not linked:
            self.links = frozenset()

    def begins_with(self, step: int, seats: frozenset[int]) -> None:
        """Note the first ``have`` on a new connection: the peer may have lost all that it had or was sent before."""
        self._sent.clear()
        self._heard.clear()
        self._put_off.clear()
        self._put_off_before.clear()
        self._answer_at = -math.inf
        self.has(step, seats)

    def has(self, step: int, seats: frozenset[int]) -> None:
        """Note the neighbour's ``have``: everything before its open step, and these seats' contributions to it."""
        self._open_step = step
        self._held = seats

    def charge_sent(self, frames: Iterable[bytes], now: float) -> None:
        self.pace.spend(sum(map(len, frames)) * self._limits.resend_cost_ns / 1e9, now)

    def wants(self, item: GossipItem, now: float) -> bool:
        """Return True if it needs this new thing now; then it counts as sent."""
        if item.key in self._heard or item.key in self._sent:
            return False
        author, step = item.author, item.step
        has = step and (step < self._open_step or (step == self._open_step and author in self._held))
        if author and (author == self._seat or has or self._is_linked_with(author)):
            return False
        self._sent[item.key] = now
        return True

    def _is_linked_with(self, author: int) -> bool:
        """Return True if another seat should send its things there itself."""
        return author != self._own_seat and author in self.links

    def _puts_off(self, author: int, key: bytes) -> bool:
        """Return True for a thing that its author should send itself, when it is asked for first."""
        if not self._is_linked_with(author) or key in self._put_off_before:
            return False
        self._put_off.add(key)
        return True

    def answer_frames(self, store: Store, now: float) -> list[bytes]:
        """Return the frames of ``answer``, of the votes that concern it, and of its own things that wait here.

        What it was sent before is left out. A neighbour that asks again within ``answer_pause_s`` gets nothing:
        searching the store is work that it could make us do for free.
        """
        if now < self._answer_at:
            return []
        answer = self.answer(store, now)
        frames = [wire.encode_message(wire.ContributionMessage(each.payload, each.signature)) for each in answer]
        early = ((0, wire.signed_message(each)) for each in store.early(self._seat))
        for author, each in (*store.votes(self._open_step), *early):
            key = item_key(each)
            if not self._puts_off(author, key) and self.wants(GossipItem(key), now):
                frames.append(wire.encode_message(each))
        return frames

    def answer(self, store: Store, now: float) -> list[Contribution]:
        """Return the answer to its last ``have``, which counts as sent.

        At most ``resync_max`` bytes of payload, or one contribution: the next ``have`` asks for the rest.
        """
        self._answer_at = now + self._limits.answer_pause_s
        self._put_off_before, self._put_off = self._put_off, set[bytes]()
        answer: list[Contribution] = []
        size = 0
        for _, author, contribution in store.missing(self._open_step, self._held):
            key = digest(contribution.payload)
            if self._sent.get(key, -math.inf) >= now - self._limits.resend_s or self._puts_off(author, key):
                continue
            size += len(contribution.payload)
            if answer and size > self._limits.resync_max:
                break
            answer.append(contribution)
            self._sent[key] = now
        return answer
