"""The invariants of every simulated game, checked by an observer who sees everything.

During a game:

- a step that is final with one honest peer is final with the same value with all of them, for ever;
- no honest seat signs two different things for one place, with any crashes (for a seat whose files are replaced by an
  older copy: no other seats get two; a thing that was lost with a link is nowhere, and binds no seat);
- everything that a seat signs is durable on its own disk before it is sent;
- no honest seat or spectator is blamed for its messages, and no honest seat is proved a cheat;
- no player or spectator is shown a card of another hand that was not put on the table.

At the end referee.py plays the record again with all cards known, and secrecy.py searches the sent bytes for secrets.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from seqp2p.crypto import identity
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.hashing import BALLOT, CONTRIBUTION, HEAD, LEAVE, REMARK
from seqp2p.live.absence import LATER
from seqp2p.match.ballots import Sanction
from seqp2p.match.chain import ClosedStep
from seqp2p.match.contribution import open_envelope
from seqp2p.match.encoding import decode
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.remark import RemarkPayload
from seqp2p.match.signed import BALLOT_SIZE_MAX, BallotPayload, HeadPayload
from seqp2p.match.table import Agreement
from seqp2p.net import messages as wire
from seqp2p.net.errors import PeerError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.replay.sidecar import sidecar_path
from seqp2p.replay.verify import Follow, Report, follows_nothing, verify
from seqp2p.rules import UNKNOWN, Card, View
from tests.sim.faults import FIRST_SPECTATOR
from tests.sim.memory import REMEMBERING, decoded, pieces
from tests.sim.peer import SimPeer
from tests.sim.referee import Referee
from tests.sim.secrecy import look_for_secrets
from tests.sim.spectator import VirtualSpectator
from tests.sim.violation import SafetyViolation

Final: TypeAlias = tuple[bytes, tuple[bytes, ...], Sanction | None, tuple[int, ...]]
"""A final step: the head before it, its payloads, and the action and the seats that ballots closed it by."""

_BLAME = "the host passed on", "the host came back with"
"""The first words of a spectator's complaint about a dishonest host."""

_SIGNED = wire.ContributionMessage | wire.BallotMessage | wire.HeadMessage | wire.LeaveMessage | wire.RemarkMessage


@lru_cache(10_000)
def _place(message: _SIGNED) -> tuple[int, str, object]:
    """Return the place of a signed message: author, kind, step and so on. A seat signs one thing for one place."""
    payload = message.payload
    match message:
        case wire.ContributionMessage():
            envelope = open_envelope(payload)
            return envelope.seat, "contribution", (envelope.step, envelope.prev)
        case wire.BallotMessage():
            ballot = decode(BallotPayload, payload, BALLOT_SIZE_MAX)
            return ballot.seat, "ballot", (ballot.step, ballot.prev, ballot.round)
        case wire.HeadMessage():
            head = decode(HeadPayload, payload, BALLOT_SIZE_MAX)
            return head.seat, "head", (head.step, head.prev, head.round)
        case wire.RemarkMessage():
            remark = decode(RemarkPayload, payload, BALLOT_SIZE_MAX * 2)
            return remark.seat, "remark", remark.number
        case _:
            return 0, "leave", payload


_LABELS: dict[type[_SIGNED], str] = {
    wire.ContributionMessage: CONTRIBUTION,
    wire.BallotMessage: BALLOT,
    wire.HeadMessage: HEAD,
    wire.LeaveMessage: LEAVE,
    wire.RemarkMessage: REMARK,
}


def _is_signed(message: _SIGNED, key: bytes) -> bool:
    try:
        identity.verify(key, _LABELS[type(message)], message.payload, message.signature)
    except CryptoError:
        return False
    return True


def _shower(message: wire.WireMessage) -> int:
    """Return the seat that shows cards of its own hand by this message, or 0."""
    if isinstance(message, wire.ContributionMessage):
        envelope = open_envelope(message.payload)
        return envelope.seat if envelope.kind in {"turn", "late", "discard"} else 0
    return 0


def _is_played_out(result: Result | None) -> bool:
    return result is not None and result.kind in {"won", "drawn"}


def _opens_a_hand(frame: bytes) -> bool:
    try:
        return isinstance(decoded(frame), wire.OpeningMessage)
    except PeerError:
        return False


@dataclass
class Invariants:
    """The observer of the seats ``honest`` and of ``spectators``. ``frames`` are all frames that were sent, each once,
    without openings, each with the seat that shows cards of its own by it, or 0. ``older``: the seats whose files are
    replaced by an older copy.
    """

    agreement: Agreement
    honest: frozenset[int]
    spectators: frozenset[int] = frozenset()
    older: frozenset[int] = frozenset()
    final: list[Final] = field(default_factory=list[Final])
    frames: dict[bytes, int] = field(default_factory=dict[bytes, int])
    parted: int = 0  # the step before play, if any, at which a cheat equivocated
    reports: dict[int, Report] = field(default_factory=dict[int, Report])
    _signed: dict[tuple[int, str, object], bytes] = field(default_factory=dict[tuple[int, str, object], bytes])
    _looked: dict[int, tuple[Match, int]] = field(default_factory=dict[int, tuple[Match, int]])

    def looks(self, peer: SimPeer) -> None:
        if peer.number not in self.honest or peer.match is None:
            return
        self._follows(f"seat {peer.number}", peer.number, peer.match)
        for seat, reason in peer.faulted:
            if seat in self.honest | self.spectators:
                kind = "seat" if seat in self.honest else "spectator"
                raise SafetyViolation(f"seat {peer.number} blames honest {kind} {seat}: {reason}")

    def notices(self, spectator: VirtualSpectator) -> None:
        match, name = spectator.match, f"spectator {spectator.number}"
        if match is None or spectator.number not in self.spectators:
            return
        self._follows(name, spectator.number, match)
        if match.game.position is not None:
            self._sees_shown_cards(name, 0, match, match.game.position.hands)

    def _follows(self, name: str, number: int, match: Match) -> None:
        """Check that its final steps are those of all others, for ever, and that it blames no honest seat."""
        before, count = self._looked.get(number, (match, 0))
        count = count if before is match else 0
        if match.final < count:
            raise SafetyViolation(f"what was final with {name} is so no more, from step {match.final + 1}")
        # Of two seats, one may have lost both the step and its own signature that closed it.
        last = min(match.final, len(self.final)) if number in self.older else match.final
        for closed in match.record[count:last]:
            self._agrees(name, closed)
        self._looked[number] = match, max(count, last)
        if wronged := self.honest & match.proven.keys():
            proof = match.proven[min(wronged)]
            raise SafetyViolation(f"{name} takes honest seat {min(wronged)} for a cheat: {proof}")

    def _agrees(self, name: str, closed: ClosedStep) -> None:
        payloads = tuple(contribution.payload for _, contribution in closed.contributions)
        value = closed.prev, payloads, closed.action, closed.about
        if closed.number > len(self.final):
            self.final.append(value)
        elif self.parted and closed.number >= self.parted:
            pass
        elif self.final[closed.number - 1] != value and self._parts(closed):
            self.parted = closed.number
        elif self.final[closed.number - 1] != value:
            raise SafetyViolation(f"step {closed.number} is final with {name} in another way than with others")

    def _parts(self, closed: ClosedStep) -> bool:
        """Return True if a cheat has signed two things before the first deal.

        No vote is possible there, so each honest seat takes the version that it got, and the game ends with the proof.
        """
        before_play = closed.number <= 3 + len(self.agreement.seats)  # seat, reveal, shuffles, deal
        two = set(self.final[closed.number - 1][1]) ^ {contribution.payload for _, contribution in closed.contributions}
        return before_play and bool(two) and self.honest.isdisjoint(open_envelope(payload).seat for payload in two)

    def hears(self, sender: SimPeer, to: int, data: bytes) -> None:
        """Check a message to a seat or a spectator; the latter get several frames in one piece."""
        if to < FIRST_SPECTATOR:
            self._hears(sender, data, wire.LinkStage.GAME)
            return
        for frame in pieces(data, DEFAULT_LIMITS.frame_max):
            self._hears(sender, frame, wire.LinkStage.SPECTATOR)

    def arrives(self, to: int, frame: bytes) -> None:
        """Check a message that a seat has got. Words of seats without an older copy were checked when sent."""
        if not self.older or to >= FIRST_SPECTATOR:
            return
        try:
            message = decoded(frame)
        except PeerError:
            return
        if not isinstance(message, _SIGNED):
            return
        author = _place(message)[0]
        if author in self.older & self.honest and _is_signed(message, self.agreement.seats[author - 1].key):
            self._signs_once(message)

    def overhears(self, data: bytes) -> None:
        """Keep any frame that a spectator sends: it is on the wire."""
        self.frames.setdefault(data, 0)

    def _hears(self, sender: SimPeer, frame: bytes, stage: wire.LinkStage) -> None:
        if frame in self.frames:
            return
        if sender.number not in self.honest:
            if not _opens_a_hand(frame):
                self.frames[frame] = 0  # It may be no message, and still give away another's secret.
            return
        message = decoded(frame, stage)
        if isinstance(message, wire.OpeningMessage):
            self._opens(sender, message)
            return
        self.frames[frame] = _shower(message)
        if isinstance(message, _SIGNED):
            self._signs(sender, message)

    def _opens(self, sender: SimPeer, message: wire.OpeningMessage) -> None:
        match = sender.match
        own = message.seat == sender.number and sender.number in self.honest
        if own and (match is None or match.game.result is None or not match.confirmed):
            raise SafetyViolation(f"seat {sender.number} opens its hand before the end is signed by a majority")

    def _signs(self, sender: SimPeer, message: _SIGNED) -> None:
        place = _place(message)
        author = place[0]
        if author not in self.honest:
            return
        if author not in self.older:
            self._signs_once(message)
        if author == sender.number:
            stored = sender.disk.files.get(sidecar_path(sender.path))
            if stored is not None and stored.data.find(message.payload, 0, stored.synced) < 0:
                raise SafetyViolation(f"seat {author} sent a {place[1]} that is not on its disk: {place[1:]}")

    def _signs_once(self, message: _SIGNED) -> None:
        place = _place(message)
        if self._signed.setdefault(place, message.payload) != message.payload:
            raise SafetyViolation(f"honest seat {place[0]} has signed two different things: {place[1:]}")

    def sees(self, peer: SimPeer, view: View) -> None:
        if peer.number in self.honest and peer.match is not None:
            self._sees_shown_cards(f"the player of seat {peer.number}", peer.number, peer.match, view.position.hands)

    def _sees_shown_cards(self, name: str, own: int, match: Match, hands: Sequence[Sequence[Card]]) -> None:
        deck = match.game.deck
        for seat, hand in enumerate(hands, 1):
            if seat != own:
                known = Counter(card for card in hand if card != UNKNOWN)
                shown = Counter(deck.face(deck.shown[at]) for at in deck.hand(seat) if at in deck.shown)
                if not known <= shown:
                    raise SafetyViolation(f"{name} sees a card of seat {seat}")

    def at_the_end(self, peers: Collection[SimPeer], spectators: Collection[VirtualSpectator] = ()) -> None:
        """Verify every record, play the longest again with open cards, and search all sent bytes for secrets."""
        ended = [peer for peer in peers if peer.number in self.honest and peer.state == "ended"]
        if self.parted and any(_is_played_out(peer.result) for peer in ended):
            raise SafetyViolation(f"a game was played out though its past parts at step {self.parted}")
        played_out = {peer.result for peer in ended if _is_played_out(peer.result)}
        if len(played_out) > 1:
            raise SafetyViolation(f"different results: {played_out}")
        known = {peer.number: peer.process.session.seat.release() for peer in peers if peer.process is not None}
        referee = Referee(known)
        longest = max(ended, key=lambda peer: peer.steps, default=None)
        for peer in ended:
            follow = referee.follow if peer is longest and len(known) == len(peers) else follows_nothing
            self._verifies(f"seat {peer.number}", peer, follow)
        for spectator in spectators:
            if spectator.state == "ended":
                self._has_seen(spectator, ended)
        look_for_secrets(referee, known, self.honest, self._sent())

    def _sent(self) -> dict[int, bytes]:
        """Return all sent bytes, under 0; by seat without the cards that this seat showed itself."""
        sent = {0: b"".join(self.frames)}
        for seat in self.honest:
            sent[seat] = b"".join(frame for frame, shower in self.frames.items() if shower != seat)
        return sent

    def _has_seen(self, spectator: VirtualSpectator, ended: Collection[SimPeer]) -> None:
        """Check the end of a spectator: the result of the seats, or a reason for less."""
        name, result = f"spectator {spectator.number}", spectator.result
        self._verifies(name, spectator, follows_nothing)
        if result and spectator.lan.host in self.honest and result.reason.startswith(_BLAME):
            raise SafetyViolation(f"{name} blames its honest host: {result.reason}")
        played_out = {peer.result for peer in ended if _is_played_out(peer.result)}
        if _is_played_out(result) and played_out and result not in played_out:
            raise SafetyViolation(f"{name} ended with {result}, the seats with {played_out}")
        host = [peer.result for peer in ended if peer.number == spectator.lan.host and peer.result in played_out]
        # A host that had stopped for now said goodbye before the end.
        stops = {LATER, *(stop for peer in ended if peer.number == spectator.lan.host for stop in peer.stops)}
        saw_all = spectator.farewell is not None and spectator.farewell not in stops
        if host and saw_all and result not in host:
            raise SafetyViolation(f"{name} has read its host's farewell, and ended with {result}, its host with {host}")
        proven = {
            seat for peer in ended if peer.number == spectator.lan.host and peer.match for seat in peer.match.proven
        }
        if saw_all and spectator.match and not proven <= spectator.match.proven.keys():
            raise SafetyViolation(f"{name} has read its host's farewell, and not the proof against {proven}")

    def _verifies(self, name: str, peer: SimPeer | VirtualSpectator, follow: Follow) -> None:
        report = self.reports[peer.number] = verify(peer.record, follow, REMEMBERING)
        result = peer.result
        if report.verdict == "invalid":
            raise SafetyViolation(f"the record of {name} is invalid: {report.reason}")
        won = _is_played_out(result)
        if won != (report.verdict == "verified"):
            raise SafetyViolation(f"{name} ended with {result}, its record with {report}")
        if won and report.result != result:
            raise SafetyViolation(f"{name} ended with {result}, its record says {report.result}")
        if not won and not report.reason:
            raise SafetyViolation(f"the record of {name} does not say why it is not finished")
