"""The step machine: signed things go in; events, awaited seats and the record come out.

The same class runs a live seat, a spectator, a resumed game and ``verify``. It has no clock, no socket, no file and
no randomness. docs/protocol.md, "The chain", has every check in order.

    bytes ──signature──▶ envelope ──game, step, prev, seat──▶ body ──the step's check──▶ held ──all in──▶ closed
      │                     │                                   │
      ▼                     ▼                                   ▼
    Unattributable       TooEarly, OtherPast                Violation (the seat signed it: evidence)

chain.py has the chain of steps, ballots.py the consensus that closes a step without its contributor.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, TypeAlias, assert_never

from seqp2p.crypto.elgamal import decode_deck
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import mul_base
from seqp2p.crypto.hashing import STEP, tagged_hash
from seqp2p.crypto.oracle import Context
from seqp2p.i18n import message, message_of
from seqp2p.match.ballots import Last
from seqp2p.match.chain import Chain, Checked, ClosedStep, LiveStep
from seqp2p.match.checks import CHECKS, Checks, ShuffleStatement
from seqp2p.match.contribution import Contribution, Envelope, ShuffleBody, StepKind, open_body, open_envelope
from seqp2p.match.encoding import DecodeError, structure
from seqp2p.match.errors import Failure, OtherPast, Refusal, TooEarly, Violation
from seqp2p.match.events import Event, Finished, Result, Undone, Voted
from seqp2p.match.game import GameState, StepPlan, forfeit, result_of
from seqp2p.match.remark import Remark, RemarkLog, open_remark
from seqp2p.match.signed import (
    BallotPayload,
    HeadPayload,
    LeavePayload,
    P,
    Word,
    is_ballot,
    open_contribution,
    open_signed,
)
from seqp2p.match.steps import STEPS
from seqp2p.match.table import decode_agreement, game_id

# The heads of this many final steps are kept, for seats that are not as far.
HEADS_KEPT = 3
# Verdicts are kept of this many contributions of each seat. It signs one for a step; a cheat crowds out only its own.
VERDICTS_KEPT = 4

# A verdict holds for one payload on one past, with the other payloads held there: the part kept of it, or its fault.
_Statement: TypeAlias = tuple[bytes, bytes, tuple[bytes, ...]]
_Verdict: TypeAlias = tuple[Any, tuple[Failure, str] | None]

TWO_CONTRIBUTIONS = message("it signed two different contributions to it")
TWO_BALLOTS = message("it signed two different ballots of one round")


class Match:
    """One game, from the agreement's bytes on.

    ``receive`` takes contributions in any order within a step and returns the events. ``head`` is the hash of
    everything closed so far, ``record`` the closed steps; the first ``final`` never change. It raises the
    errors of match/errors.py, and then has closed and counted nothing. ``own_seat`` is the seat whose ballots bind it,
    0 for none. A proof that ``checks`` do not refuse counts as right.
    """

    def __init__(self, agreement_bytes: bytes, own_seat: int = 0, checks: Checks = CHECKS) -> None:
        """Raises DecodeError or TableError if these bytes are no agreement that can be played."""
        agreement = decode_agreement(agreement_bytes)
        self.agreement_bytes = agreement_bytes
        self.own_seat = own_seat
        self.chain = Chain(GameState(agreement, game_id(agreement_bytes), checks))
        self.remarks = RemarkLog()
        self.openings: dict[int, int] = {}  # x_i by seat, once the game is over
        self.left: dict[int, Contribution] = {}  # signed leaves, by seat
        self.proven: dict[int, Violation] = {}  # evidence of cheating, by seat; the first of each
        self._heads: list[tuple[int, int, Contribution]] = []  # step, seat
        self._verdicts: dict[int, OrderedDict[_Statement, _Verdict]] = {}

    @property
    def game(self) -> GameState:
        return self.chain.game

    @property
    def head(self) -> bytes:
        return self.chain.head

    @property
    def record(self) -> list[ClosedStep]:
        return self.chain.record

    @property
    def final(self) -> int:
        return self.chain.final

    @property
    def number(self) -> int:
        """The open step's number, counting from 1; after the end, one more than the last step's."""
        return len(self.record) + 1

    @property
    def kind(self) -> StepKind | None:
        """The kind of the open step, or None after the end."""
        return self.plan.kind if self.plan else None

    @property
    def plan(self) -> StepPlan | None:
        """The open step's plan, or None after the end."""
        return self.chain.open.plan if self.chain.open else None

    @property
    def held(self) -> tuple[tuple[int, Contribution], ...]:
        """The contributions held for the open step, in seat order."""
        held = self.chain.open.held if self.chain.open else {}
        return tuple((seat, checked.contribution) for seat, checked in sorted(held.items()))

    @property
    def confirmed(self) -> bool:
        """True if a strict majority (of two: both) has signed the end; until all have, no proven cheat counts."""
        if self.game.result is not None:
            return self.game.result.kind in {"won", "drawn"}
        # A cheat may have won on a past that only some have.
        return self.kind == "over" and 2 * len(dict(self.held).keys() - self.proven) > len(self.game.seats)

    @property
    def awaited(self) -> frozenset[int]:
        """The seats whose contribution the open step still waits for."""
        return self.chain.open.seats.difference(self.chain.open.held) if self.chain.open else frozenset()

    @property
    def may_sign(self) -> bool:
        """True if a seat may sign on top of the closed steps.

        False above a certificate that is not final, against its own ballot, and on a past in which a seat is proved a
        cheat: then the others vote first.
        """
        if any(seat in self.proven for seat in self.game.seats):
            return False
        lower = self.chain.live[:-1] if self.chain.open else self.chain.live
        return all(step.decree.closing and step.decree.closing.round == step.decree.promised == 0 for step in lower)

    @property
    def may_open(self) -> bool:
        """True if hands may be opened: after an end that a majority has signed, at a table that agreed to it."""
        return self.game.result is not None and self.confirmed and self.game.agreement.settings.open_hands

    @property
    def forfeit(self) -> Result | None:
        """The result if all remaining opponents have left or cheated; None if there is an opponent."""
        return forfeit(self.game, self.left.keys(), self.proven.keys())

    @property
    def shown(self) -> list[tuple[int, Contribution]]:
        """The signed heads of the last steps, each with its seat: a peer that lags sees the final steps by them."""
        self._heads = [(step, seat, signed) for step, seat, signed in self._heads if step > self.final - HEADS_KEPT]
        return [(seat, signed) for _, seat, signed in self._heads]

    # Contributions.

    def receive(self, contribution: Contribution) -> tuple[Event, ...]:
        """Take one contribution; a duplicate is taken silently. Raises the errors of match/errors.py."""
        envelope = self.open(contribution)
        self.chain.witness(envelope.seat, envelope.step, envelope.prev)
        checked = self.judge(envelope, contribution)
        return () if checked is None else self.accept(checked)

    def open(self, contribution: Contribution) -> Envelope:
        """Return the outer map of a contribution signed by a seat of this game. Raises Unattributable."""
        return open_contribution(contribution, self.game.id, self.game.agreement, self.game.checks)

    def judge(self, envelope: Envelope, contribution: Contribution) -> Checked | None:
        """Check a contribution, and keep nothing of it.

        None for a duplicate, and for one that is void: its step was closed without it. Raises what match/errors.py
        lists. All that takes long is in here (some 30 ms for a shuffle of a large deck), so it may run in a worker
        thread; what it returns holds as long as the match takes nothing else (intake.py).
        """
        if envelope.step > self.chain.opened:
            raise TooEarly(envelope.step, envelope.seat)
        # A slice, because a step may be undone while a thread is here.
        closed = next(iter(self.record[envelope.step - 1 : envelope.step]), None)
        if envelope.prev != (closed.prev if closed else self.head):
            raise OtherPast(envelope.step, envelope.seat)
        if closed and closed.action:
            return self._judge_late(envelope, contribution)
        first = self._first(envelope)
        if first is None:
            return self._check(envelope, contribution)
        if first.payload != contribution.payload:
            # Two payloads of one seat for one step on one past are evidence, with any content.
            raise Violation(envelope.seat, envelope.step, TWO_CONTRIBUTIONS, (first, contribution))
        return None

    def judge_lot(self, lot: Sequence[Contribution]) -> None:
        """Check shuffles of the open step and the next ones together, and keep their verdicts if all are right.

        Each has to be on top of the one before. If one is wrong, nothing is kept: ``judge`` finds which.
        """
        found: list[tuple[int, _Statement, Any]] = []
        statements: list[ShuffleStatement] = []
        before, prev = self.game.deck.mixing, self.head
        try:
            for number, contribution in enumerate(lot, self.number):
                envelope = open_envelope(contribution.payload)
                body = structure(ShuffleBody, envelope.body)
                after = decode_deck(body.deck, len(before))
                context = Context(self.game.id, number, envelope.seat, prev)
                statements.append((before, after, self.game.joint_key, body.proof, context))
                found.append((envelope.seat, (prev, contribution.payload, ()), after))
                before, prev = after, tagged_hash(STEP, prev, contribution.payload)
            self.game.checks.shuffle_lot(statements)
        except (DecodeError, CryptoError):
            return
        for seat, statement, kept in found:
            self._keep_verdict(seat, statement, (kept, None))

    def accept(self, checked: Checked) -> tuple[Event, ...]:
        """Keep the result of ``judge``, if nothing was accepted since; return the events."""
        step = self.chain.live_step(checked.step)
        assert step is not None, "what is final takes nothing"
        step.held[checked.seat] = checked
        step.note_complete()
        return self.settle()

    def settle(self) -> tuple[Event, ...]:
        """Close and finalise all steps that can be; return the events."""
        events = self.chain.settle()
        if any(isinstance(event, Undone) for event in events):
            self.proven = {seat: proof for seat, proof in self.proven.items() if self._stands(proof)}
        if self.game.result is None and self.game.abandoned and not self.chain.live:
            self.game.result = result_of(self.game, self.left.keys(), self.proven.keys())
            events += (Finished(self.game.result),)
        return events

    def trust(self) -> tuple[Event, ...]:
        """Take all closed steps for final, as a reader of a record must; return the events."""
        return self.chain.trust() + self.settle()

    # Other signed things: ballots, heads, leaves, remarks, openings.

    def receive_word(self, kind: type[Word], signed: Contribution) -> tuple[Event, ...] | None:
        """See ``take_word``. Raises Unattributable, too."""
        return self.take_word(self.open_word(kind, signed), signed)

    def open_word(self, kind: type[P], signed: Contribution) -> P:
        """Return the payload of a ballot, head or leave signed by a seat of this game. Raises Unattributable."""
        return open_signed(kind, signed, self.game.id, self.game.agreement, self.game.checks)

    def take_word(self, word: Word, signed: Contribution) -> tuple[Event, ...] | None:
        """Take a ballot about the base, a head or a leave; None for a known or void one.

        ``word`` is the result of ``open_word``. Raises TooEarly, OtherPast, and Violation for a seat's second vote in
        one round.
        """
        match word:
            case BallotPayload():
                return self._take_ballot(word, signed)
            case HeadPayload():
                return self._take_head(word, signed)
            case LeavePayload():
                if word.seat in self.left:
                    return None
                self.left[word.seat] = signed
                return ()
            case _:
                assert_never(word)

    def _take_ballot(self, word: BallotPayload, signed: Contribution) -> tuple[Event, ...] | None:
        step = self._base_for(word)
        if step is None or not self._counts(word, step):
            return None
        first = step.ballots.get((word.round, word.seat))
        if first is not None:
            if first.payload != signed.payload:
                reason = message("it voted twice in round {round}", round=word.round)
                raise Violation(word.seat, word.step, reason, (first, signed))
            return None
        step.ballots[word.round, word.seat] = signed
        step.decree.vote(word.vote)
        if word.seat == self.own_seat:
            step.decree.bind(word.round, word.vote.last)
        return (Voted(word.seat, word.round, word.action, word.about, word.reason), *self.settle())

    def _take_head(self, word: HeadPayload, signed: Contribution) -> tuple[Event, ...] | None:
        self.chain.witness(word.seat, word.step, word.prev)
        if word.step > self.number:
            raise TooEarly(word.step, word.seat)
        step = self.chain.live_step(word.step)
        if step is None or step.prev != word.prev or word.seat not in step.decree.members:
            return None
        if word.seat == self.own_seat:
            step.decree.bind(word.round, Last(word.round, word.head))
        if not step.decree.show(word.seat, word.round, word.head):
            return None
        self._heads.append((word.step, word.seat, signed))
        return self.settle()

    def may_reassure(self, word: BallotPayload) -> bool:
        """Return True if a ballot is about a step that is final here, and that contributions closed.

        Its seat may hold them all and be kept by its vote from closing the step so: the heads of the others tell it.
        Not where a seat is proved a cheat: this seat may have shown the other closing of a step with two.
        """
        if word.step > self.final or word.seat not in self.game.seats or self.proven:
            return False
        closed = self.record[word.step - 1]
        return closed.action is None and closed.prev == word.prev

    def accuse(self, violation: Violation) -> tuple[Event, ...] | None:
        """Keep evidence; None if it is not new.

        After any earlier evidence, another contribution that is right in itself may still turn out to stand.
        """
        new = not self._is_proven(violation)
        if new:
            self.proven[violation.seat] = violation
        if (step := self._decided_by(violation)) is not None:
            new = self._keep_second(step, violation) or new
        return self.settle() if new else None

    def knows_of(self, violation: Violation) -> bool:
        """Return True if this seat is proved a cheat already, and for this step if that decides its closing."""
        step = self._decided_by(violation)
        return self._is_proven(violation) and (step is None or violation.seat in step.decree.cheats)

    def _decided_by(self, violation: Violation) -> LiveStep | None:
        """Return the step that this evidence has a part in closing: two things signed for a votable step."""
        step = self.chain.live_step(violation.step)
        return step if step is not None and step.votable and len(violation.evidence) > 1 else None

    def _is_proven(self, violation: Violation) -> bool:
        """Return True if its seat is proved a cheat as well as this does: two prove it on any past, one on its own."""
        known = self.proven.get(violation.seat)
        return known is not None and len(known.evidence) >= len(violation.evidence)

    def _stands(self, violation: Violation) -> bool:
        """Return True if the past of a wrong contribution was not undone: on another it may be right."""
        first, *others = violation.evidence
        if others:
            return True
        word = open_envelope(first.payload)
        heads = self.game.heads
        return word.step <= len(heads) and heads[word.step - 1] == word.prev

    def proofs(self, violation: Violation) -> tuple[tuple[Contribution, ...], ...]:
        """Return the evidence, and that of each further version here of a contribution that its seat made twice."""
        step, first = self.chain.live_step(violation.step), violation.evidence[0]
        versions = [] if step is None else step.versions_of(violation.seat)
        known = {each.payload for each in violation.evidence}
        further = [each for each in versions if each.payload not in known]
        if first not in versions:
            return (violation.evidence,)
        return (violation.evidence, *((first, each) for each in further))

    def weigh(self, evidence: tuple[Contribution, ...]) -> None:
        """Judge offered evidence, and keep nothing of it.

        It is one wrong contribution, or two things signed for one place. Raises Violation if it proves something,
        otherwise the errors of ``judge``, or nothing.
        """
        if len(evidence) == 1:
            self.judge(self.open(evidence[0]), evidence[0])
            return
        first, second = (self._place(signed) for signed in evidence)
        if first == second and evidence[0].payload != evidence[1].payload:
            reason = TWO_BALLOTS if is_ballot(evidence[0].payload) else TWO_CONTRIBUTIONS
            raise Violation(first[0], first[1], reason, evidence)

    def _place(self, signed: Contribution) -> tuple[int, int, bytes, int]:
        """Return the place that a seat signs one thing for: seat, step, past, and round of a ballot."""
        if is_ballot(signed.payload):
            word = self.open_word(BallotPayload, signed)
            return word.seat, word.step, word.prev, word.round
        envelope = self.open(signed)
        return envelope.seat, envelope.step, envelope.prev, 0

    def receive_remark(self, payload: bytes, signature: bytes) -> Remark | None:
        """Take the next remark of its seat; None for a known one, or one with a gap before it.

        Raises BadRemark, and TooEarly for one dated beyond ``number``, which speakers name also when no step is open.
        One dated to a past that was undone is still a remark; it can never be called.
        """
        remark = open_remark(payload, signature, self.game.id, self.game.agreement)
        if remark.said.step > self.number:
            raise TooEarly(remark.said.step, remark.said.seat)
        return remark if self.remarks.add(remark) else None

    def open_seat(self, seat: int, secret: int) -> None:
        """Take a seat's released game secret x_i after the end. Raises Refusal unless x_i·G = X_i."""
        if not self.may_open:
            raise Refusal(message("hands are opened only after the end, at a table that agreed to it"))
        if seat not in self.game.keys or mul_base(secret) != self.game.keys[seat]:
            raise Refusal(message("this is not the game secret of seat {seat}", seat=seat))
        self.openings[seat] = secret

    def _first(self, envelope: Envelope) -> Contribution | None:
        """Return this seat's known contribution to this step."""
        step = self.chain.live_step(envelope.step)
        if step is not None:
            return step.held[envelope.seat].contribution if envelope.seat in step.held else None
        closed = (each.contributions for each in self.record[envelope.step - 1 : envelope.step])
        return dict(next(closed, ())).get(envelope.seat)

    def _check(self, envelope: Envelope, contribution: Contribution) -> Checked:
        """Raises Violation if the seat must not sign this contribution to the open step."""
        step, seat = self.chain.open, envelope.seat
        if step is None or envelope.step < step.number or seat not in step.seats:
            raise Violation(seat, envelope.step, message("it was not its step"), (contribution,), "step")
        return self._checked(step, envelope, contribution)

    def _judge_late(self, envelope: Envelope, contribution: Contribution) -> Checked | None:
        """Judge a contribution to a step that an action closed: void, unless a later round may close it so."""
        step, seat = self.chain.live_step(envelope.step), envelope.seat
        if step is None or seat in step.held or seat not in step.seats:
            return None
        try:
            return self._checked(step, envelope, contribution)
        except Violation:
            return None

    def _checked(self, step: LiveStep, envelope: Envelope, contribution: Contribution) -> Checked:
        if envelope.kind != step.plan.kind:
            reason = message("a contribution of a kind other than {kind}", kind=step.plan.kind)
            raise Violation(envelope.seat, envelope.step, reason, (contribution,), "step")
        kept, fault = self._verdict(step, envelope, contribution.payload)
        if fault is not None:
            failure, why = fault
            raise Violation(envelope.seat, envelope.step, why, (contribution,), failure)
        return Checked(step.number, envelope.seat, contribution, kept)

    def _verdict(self, step: LiveStep, envelope: Envelope, payload: bytes) -> _Verdict:
        """Return the verdict on a contribution, from memory if it is known: evidence can be offered again and again."""
        others = {seat: checked for seat, checked in sorted(dict(step.held).items()) if seat != envelope.seat}
        statement = (step.prev, payload, tuple(checked.contribution.payload for checked in others.values()))
        known = self._verdicts.setdefault(envelope.seat, OrderedDict()).get(statement)
        if known is not None:
            return known
        rule = STEPS[step.plan.kind]
        context = Context(self.game.id, step.number, envelope.seat, step.prev)
        held = {seat: checked.kept for seat, checked in others.items()}
        verdict: _Verdict
        try:
            verdict = rule.check(step.before, step.plan, open_body(envelope), context, held), None
        except (DecodeError, CryptoError, Refusal) as error:
            verdict = None, (rule.failure_of(error), message_of(error))
        self._keep_verdict(envelope.seat, statement, verdict)
        return verdict

    def _keep_verdict(self, seat: int, statement: _Statement, verdict: _Verdict) -> None:
        verdicts = self._verdicts.setdefault(seat, OrderedDict())
        verdicts[statement] = verdict
        if len(verdicts) > VERDICTS_KEPT:
            verdicts.popitem(last=False)

    def _keep_second(self, step: LiveStep, violation: Violation) -> bool:
        """Keep two contributions to this step: each may stand in the end. Return True if one is new."""
        kept = False
        for contribution in violation.evidence:
            try:
                envelope = open_envelope(contribution.payload)
                if envelope.prev == step.prev and envelope.seat in step.decree.members:
                    step.decree.cheats.add(envelope.seat)
                    kept = step.keep_second(envelope.seat, self._checked(step, envelope, contribution)) or kept
            except (DecodeError, Violation):
                continue  # Ballots, or a contribution that cannot stand.
        step.note_complete()
        return kept

    def _base_for(self, word: BallotPayload) -> LiveStep | None:
        """Return the step of a ballot, if it is the base."""
        self.chain.witness(word.seat, word.step, word.prev)
        base = self.chain.base
        if word.step <= self.final or base is None:
            return None
        if word.step > base.number:
            raise TooEarly(word.step, word.seat)
        if word.prev != base.prev:
            raise OtherPast(word.step, word.seat)
        return base

    @staticmethod
    def _counts(word: BallotPayload, step: LiveStep) -> bool:
        """Return True if the rules of ballots allow this vote; others do not count."""
        members, about = step.decree.members, set(word.about)
        if not step.votable or word.seat not in members or not about <= members:
            return False
        if not step.decree.majority(members - about):
            return False
        if (word.round, word.seat) not in step.ballots and step.decree.voted_out(word.seat):
            return False
        # The mover that was skipped last time is not skipped again: votes to skip cannot keep a game waiting for good.
        skippable = step.plan.kind == "turn" and step.plan.subject not in step.before.skipped
        return word.action == "drop" or (skippable and about == {step.plan.subject})
