"""The step machine: contributions in; events, awaited seats and the record out.

The same class runs a live seat, a spectator, a resumed game and ``verify``. It has no clock, no socket, no file and
no randomness. docs/protocol.md, "The chain", has every check in order.

    bytes ──signature──▶ envelope ──game, step, prev, seat──▶ body ──the step's check──▶ held ──all in──▶ closed
      │                     │                                   │
      ▼                     ▼                                   ▼
    Unattributable       TooEarly, OtherPast                Violation (the seat signed it: evidence)
"""

from dataclasses import dataclass, field
from typing import Any

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import mul_base
from seqp2p.crypto.hashing import CONTRIBUTION, tagged_hash
from seqp2p.crypto.identity import verify
from seqp2p.crypto.oracle import Context
from seqp2p.match import labels
from seqp2p.match.contribution import PAYLOAD_SIZE_MAX, Contribution, Envelope, Kind, open_body, open_envelope
from seqp2p.match.encoding import DecodeError
from seqp2p.match.errors import OtherPast, Refusal, TooEarly, Unattributable, Violation
from seqp2p.match.events import Event
from seqp2p.match.game import Game, Plan
from seqp2p.match.remark import Remark, RemarkLog, open_remark
from seqp2p.match.steps import STEPS, awaited_seats, next_plan
from seqp2p.match.table import decode_agreement, game_id


@dataclass
class OpenStep:
    """The step that contributions are taken for now, and those that are in and checked."""

    number: int
    plan: Plan
    seats: frozenset[int]
    held: dict[int, Contribution] = field(default_factory=dict)
    kept: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClosedStep:
    """A step of the record: its number, the head before it, and its contributions in seat order."""

    number: int
    prev: bytes
    contributions: tuple[tuple[int, Contribution], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A contribution that passed every check of its step, and what the step keeps of it."""

    step: int
    seat: int
    contribution: Contribution
    kept: Any


class Match:
    """One game, from the agreement's bytes on.

    ``receive`` takes contributions in any order within a step and returns the events that follow. ``head`` is the
    hash of everything closed so far, ``record`` the closed steps. Raises what match/errors.py lists, and is unchanged
    whenever it does.
    """

    def __init__(self, agreement_bytes: bytes) -> None:
        """Raises DecodeError or TableError where these bytes are no agreement that can be played."""
        agreement = decode_agreement(agreement_bytes)
        self.agreement_bytes = agreement_bytes
        self.head = game_id(agreement_bytes)
        self.game = Game(agreement, self.head)
        self.record: list[ClosedStep] = []
        self.remarks = RemarkLog()
        self.openings: dict[int, int] = {}  # x_i by seat, once the game is over
        self._open: OpenStep | None = None
        self._open_next()

    @property
    def number(self) -> int:
        """The open step's number, counting from 1; after the end, one more than the last step's."""
        return len(self.record) + 1

    @property
    def kind(self) -> Kind | None:
        """What the open step takes, or None after the end."""
        return self._open.plan.kind if self._open else None

    @property
    def plan(self) -> Plan | None:
        """The open step's plan, or None after the end."""
        return self._open.plan if self._open else None

    @property
    def held(self) -> tuple[tuple[int, Contribution], ...]:
        """What is in for the open step, in seat order."""
        return tuple(sorted(self._open.held.items())) if self._open else ()

    @property
    def confirmed(self) -> bool:
        """Whether a strict majority of the seats (of two: both) has signed the final position."""
        return self.game.result is not None or (self.kind == "over" and 2 * len(self.held) > self.game.players)

    @property
    def awaited(self) -> frozenset[int]:
        """The seats whose contribution the open step still waits for."""
        return self._open.seats.difference(self._open.held) if self._open else frozenset()

    def receive(self, contribution: Contribution) -> tuple[Event, ...]:
        """Take one contribution; a duplicate is taken silently. Raises what match/errors.py lists."""
        judged = self.judge(contribution)
        return () if judged is None else self.accept(judged)

    def judge(self, contribution: Contribution) -> Judged | None:
        """Check a contribution and change nothing; None for a duplicate. Raises what match/errors.py lists.

        All that takes long is in here (some 30 ms for a shuffle of a large deck), so that a live seat can run it in
        a worker thread and ``accept`` what comes back.
        """
        envelope = self._authentic(contribution)
        if envelope.step > self.number or (self._open is None and envelope.step == self.number):
            raise TooEarly(envelope.step, envelope.seat)
        prev = self.head if envelope.step == self.number else self.record[envelope.step - 1].prev
        if envelope.prev != prev:
            raise OtherPast(f"seat {envelope.seat} has another past at step {envelope.step}")
        if (first := self._first(envelope)) is not None:
            if first.payload != contribution.payload:
                # Two payloads of one seat for one step on one past are proof of cheating, whatever they say.
                raise self._violation(envelope, "it signed two different contributions to it", first, contribution)
            return None
        return self._check(envelope, contribution)

    def accept(self, judged: Judged) -> tuple[Event, ...]:
        """Keep what ``judge`` returned, nothing having been accepted in between; returns the events that follow."""
        assert self._open is not None, "the game is over"
        assert judged.step == self.number, "judged for another step"
        self._open.kept[judged.seat] = judged.kept
        self._open.held[judged.seat] = judged.contribution
        return () if self.awaited else self._close(self._open)

    def receive_remark(self, payload: bytes, signature: bytes) -> Remark | None:
        """Take a remark that is the next of its seat; None for one that is here already, or that has a gap before it.

        Raises BadRemark, TooEarly for one dated to a step that is not open yet, OtherPast for one on another past.
        """
        remark = open_remark(payload, signature, self.game.id, self.game.agreement)
        said = remark.said
        if said.step > self.number:
            raise TooEarly(said.step, said.seat)
        if self.game.heads[said.step - 1] != said.prev:
            raise OtherPast(f"seat {said.seat} has another past at step {said.step}")
        return remark if self.remarks.add(remark) else None

    def open_seat(self, seat: int, secret: int) -> None:
        """Take a seat's released game secret x_i, once the game is over; raises Refusal unless x_i·G = X_i."""
        if self.game.result is None or not self.game.agreement.settings.open_hands:
            raise Refusal("hands are opened only after the end, at a table that agreed to it")
        if seat not in self.game.keys or mul_base(secret) != self.game.keys[seat]:
            raise Refusal(f"this is not the game secret of seat {seat}")
        self.openings[seat] = secret

    def _authentic(self, contribution: Contribution) -> Envelope:
        """The envelope of a contribution that its seat signed for this game."""
        if len(contribution.payload) > PAYLOAD_SIZE_MAX:
            raise Unattributable("a contribution is too long")
        try:
            envelope = open_envelope(contribution.payload)
        except DecodeError as error:
            raise Unattributable(f"not a contribution: {error}") from None
        if envelope.game != self.game.id:
            raise Unattributable("a contribution to another game")
        if envelope.seat > self.game.players:
            raise Unattributable(f"there is no seat {envelope.seat} at this table")
        key = self.game.agreement.seats[envelope.seat - 1].key
        try:
            verify(key, CONTRIBUTION, contribution.payload, contribution.signature)
        except CryptoError:
            raise Unattributable(f"the signature of seat {envelope.seat} does not verify") from None
        return envelope

    def _first(self, envelope: Envelope) -> Contribution | None:
        """The contribution of this seat to this step that is here already."""
        if self._open is not None and envelope.step == self.number:
            return self._open.held.get(envelope.seat)
        return dict(self.record[envelope.step - 1].contributions).get(envelope.seat)

    def _check(self, envelope: Envelope, contribution: Contribution) -> Judged:
        """What the step keeps of a contribution; raises Violation where the seat should not have signed it."""
        step, seat = self._open, envelope.seat
        if step is None or envelope.step < step.number or seat not in step.seats:
            raise self._violation(envelope, "it was not its step", contribution)
        if envelope.kind != step.plan.kind:
            raise self._violation(envelope, f"a contribution of another kind than {step.plan.kind}", contribution)
        context = Context(self.game.id, step.number, seat, self.head)
        try:
            body = open_body(envelope)
            kept = STEPS[step.plan.kind].check(self.game, step.plan, body, context, step.kept)
        except (DecodeError, CryptoError, Refusal) as error:
            raise self._violation(envelope, str(error), contribution) from error
        return Judged(step.number, seat, contribution, kept)

    def _violation(self, envelope: Envelope, reason: str, *evidence: Contribution) -> Violation:
        return Violation(envelope.seat, envelope.step, reason, evidence)

    def _close(self, step: OpenStep) -> tuple[Event, ...]:
        """Everything is in: the game changes, the head moves on, the next step opens."""
        events = STEPS[step.plan.kind].close(self.game, step.plan, step.kept)
        contributions = tuple(sorted(step.held.items()))
        self.record.append(ClosedStep(step.number, self.head, contributions))
        self.head = tagged_hash(labels.STEP, self.head, *(held.payload for _, held in contributions))
        self._open_next()
        return tuple(events)

    def _open_next(self) -> None:
        self.game.heads.append(self.head)
        plan = next_plan(self.game)
        self._open = None if plan is None else OpenStep(self.number, plan, awaited_seats(self.game, plan))
