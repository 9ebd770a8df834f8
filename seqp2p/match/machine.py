"""The step machine: what seats have signed goes in; events, awaited seats and the record come out.

The same class runs a live seat, a spectator, a resumed game and ``verify``. It has no clock, no socket, no file and
no randomness. docs/protocol.md, "The chain", has every check in order.

    bytes ──signature──▶ envelope ──game, step, prev, seat──▶ body ──the step's check──▶ held ──all in──▶ closed
      │                     │                                   │
      ▼                     ▼                                   ▼
    Unattributable       TooEarly, OtherPast                Violation (the seat signed it: evidence)

chain.py has the steps and what becomes of them, ballots.py how a step closes without its contributor.
"""

from typing import TypeVar

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import mul_base
from seqp2p.crypto.oracle import Context
from seqp2p.i18n import message, message_of
from seqp2p.match.ballots import Last
from seqp2p.match.chain import Chain, Checked, ClosedStep, Judged, LiveStep
from seqp2p.match.checks import CHECKS, Checks
from seqp2p.match.contribution import Contribution, Envelope, StepKind, open_body, open_envelope
from seqp2p.match.encoding import DecodeError
from seqp2p.match.errors import Failure, OtherPast, Refusal, TooEarly, Violation
from seqp2p.match.events import Event, Result, Undone, Voted
from seqp2p.match.game import Game, StepPlan
from seqp2p.match.outcome import forfeit, result_of
from seqp2p.match.remark import Remark, RemarkLog, open_remark
from seqp2p.match.signed import BallotPayload, HeadPayload, LeavePayload, is_ballot, open_contribution, open_signed
from seqp2p.match.steps import STEPS
from seqp2p.match.table import decode_agreement, game_id

# Of so many steps that are final the heads are kept, for seats that are not as far.
HEADS_KEPT = 3

TWO_CONTRIBUTIONS = message("it signed two different contributions to it")
TWO_BALLOTS = message("it signed two different ballots of one round")

P = TypeVar("P", BallotPayload, HeadPayload, LeavePayload)


class Match:
    """One game, from the agreement's bytes on.

    ``receive`` takes contributions in any order within a step and returns the events that follow. ``head`` is the
    hash of everything closed so far, ``record`` the closed steps, of which the first ``final`` never change. Raises
    what match/errors.py lists, and nothing is closed or counted that should not be whenever it does.
    ``own_seat`` is the seat whose ballots bind it, 0 for none. What ``checks`` do not refuse counts as proved.
    """

    def __init__(self, agreement_bytes: bytes, own_seat: int = 0, checks: Checks = CHECKS) -> None:
        """Raises DecodeError or TableError where these bytes are no agreement that can be played."""
        agreement = decode_agreement(agreement_bytes)
        self.agreement_bytes = agreement_bytes
        self.own_seat = own_seat
        self.chain = Chain(Game(agreement, game_id(agreement_bytes), checks))
        self.remarks = RemarkLog()
        self.openings: dict[int, int] = {}  # x_i by seat, once the game is over
        self.left: dict[int, Contribution] = {}  # signed leaves, by seat
        self.proven: dict[int, Violation] = {}  # proofs of cheating, by seat; the first of each
        self._heads: list[tuple[int, Contribution]] = []

    @property
    def game(self) -> Game:
        """The state of the game after all that is closed."""
        return self.chain.game

    @property
    def head(self) -> bytes:
        """The hash of everything closed so far."""
        return self.chain.head

    @property
    def record(self) -> list[ClosedStep]:
        """The closed steps, in order."""
        return self.chain.record

    @property
    def final(self) -> int:
        """How many steps of the record are final."""
        return self.chain.final

    @property
    def number(self) -> int:
        """The open step's number, counting from 1; after the end, one more than the last step's."""
        return len(self.record) + 1

    @property
    def kind(self) -> StepKind | None:
        """What the open step takes, or None after the end."""
        return self.plan.kind if self.plan else None

    @property
    def plan(self) -> StepPlan | None:
        """The open step's plan, or None after the end."""
        return self.chain.open.plan if self.chain.open else None

    @property
    def held(self) -> tuple[tuple[int, Contribution], ...]:
        """What is in for the open step, in seat order."""
        held = self.chain.open.held if self.chain.open else {}
        return tuple((seat, checked.contribution) for seat, checked in sorted(held.items()))

    @property
    def confirmed(self) -> bool:
        """Whether a strict majority (of two: both) has signed the end; until all have, no proven cheat counts."""
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
        """Whether a seat may sign on top of what is closed.

        Not above a certificate that is not final, not against its own ballot, and not on a past in which somebody has
        signed twice or signed what is wrong: then the others vote first.
        """
        if any(seat in self.proven for seat in self.game.seats):
            return False
        lower = self.chain.live[:-1] if self.chain.open else self.chain.live
        return all(step.decree.closing and step.decree.closing.round == step.decree.promised == 0 for step in lower)

    @property
    def may_open(self) -> bool:
        """True where hands may be opened: after an end that a majority has signed, at a table that agreed to it."""
        return self.game.result is not None and self.confirmed and self.game.agreement.settings.open_hands

    @property
    def forfeit(self) -> Result | None:
        """The result where all that are left to play against have left or cheated; None where there is an opponent."""
        return forfeit(self.game, self.left.keys(), self.proven.keys())

    @property
    def shown(self) -> list[Contribution]:
        """What seats have said of how they closed the last steps: whoever is behind can see by it what is final."""
        self._heads = [(step, signed) for step, signed in self._heads if step > self.final - HEADS_KEPT]
        return [signed for _, signed in self._heads]

    # Contributions.

    def receive(self, contribution: Contribution) -> tuple[Event, ...]:
        """Take one contribution; a duplicate is taken silently. Raises what match/errors.py lists."""
        envelope = self.open(contribution)
        self.chain.witness(envelope.seat, envelope.step, envelope.prev)
        judged = self.judge(envelope, contribution)
        return () if judged is None else self.accept(judged)

    def open(self, contribution: Contribution) -> Envelope:
        """The outer map of a contribution that a seat of this game has signed; raises Unattributable."""
        return open_contribution(contribution, self.game.id, self.game.agreement, self.game.checks)

    def judge(self, envelope: Envelope, contribution: Contribution) -> Judged | None:
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
            raise OtherPast(
                message("seat {seat} has another past at step {step}", seat=envelope.seat, step=envelope.step)
            )
        if closed and closed.action:
            return self._judge_late(envelope, contribution)
        first = self._first(envelope)
        if first is None:
            return self._check(envelope, contribution)
        if first.payload != contribution.payload:
            # Two payloads of one seat for one step on one past are proof of cheating, whatever they say.
            raise self._violation(envelope, "equivocation", TWO_CONTRIBUTIONS, first, contribution)
        return None

    def accept(self, judged: Judged) -> tuple[Event, ...]:
        """Keep what ``judge`` returned, nothing having been accepted in between; returns the events that follow."""
        step = self.chain.live_step(judged.step)
        assert step is not None, "what is final takes nothing"
        step.held[judged.seat] = judged.checked
        step.note_complete()
        return self.settle()

    def settle(self) -> tuple[Event, ...]:
        """Close and make final what can be by now; returns the events that follow."""
        events = self.chain.settle()
        if any(isinstance(event, Undone) for event in events):
            self.proven = {seat: proof for seat, proof in self.proven.items() if self._stands(proof)}
        if self.game.result is None and self.game.abandoned and not self.chain.live:
            self.game.result, finished = result_of(self.game, self.left.keys(), self.proven.keys())
            events += (finished,)
        return events

    def trust(self) -> tuple[Event, ...]:
        """Take all that is closed for final, as whoever reads a record must; returns the events that follow."""
        return self.chain.trust() + self.settle()

    # What else seats sign: ballots, heads, leaves, remarks, openings.

    def receive_ballot(self, signed: Contribution) -> tuple[Event, ...] | None:
        """Take a ballot about the first step that is not final; None for one that is here already or does not count.

        Raises Unattributable, TooEarly, OtherPast, and Violation for a seat's second vote in one round.
        """
        return self.take_ballot(self.open_word(BallotPayload, signed), signed)

    def open_word(self, kind: type[P], signed: Contribution) -> P:
        """What a seat of this game has signed: a ballot, a head or a leave. Raises Unattributable for other bytes."""
        return open_signed(kind, signed, self.game.id, self.game.agreement, self.game.checks)

    def take_ballot(self, word: BallotPayload, signed: Contribution) -> tuple[Event, ...] | None:
        """See ``receive_ballot``; ``word`` is what ``open_word`` has found in it."""
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

    def receive_head(self, signed: Contribution) -> tuple[Event, ...] | None:
        """Take a seat's word on how it closed a step; None where it is of no use. Raises Unattributable, TooEarly."""
        return self.take_head(self.open_word(HeadPayload, signed), signed)

    def take_head(self, word: HeadPayload, signed: Contribution) -> tuple[Event, ...] | None:
        """See ``receive_head``; ``word`` is what ``open_word`` has found in it."""
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
        self._heads.append((word.step, signed))
        return self.settle()

    def receive_leave(self, signed: Contribution) -> tuple[Event, ...] | None:
        """Take a seat's signed leave; None for one that is here already. Raises Unattributable."""
        return self.take_leave(self.open_word(LeavePayload, signed), signed)

    def take_leave(self, word: LeavePayload, signed: Contribution) -> tuple[Event, ...] | None:
        """See ``receive_leave``; ``word`` is what ``open_word`` has found in it."""
        if word.seat in self.left:
            return None
        self.left[word.seat] = signed
        return ()

    def accuse(self, violation: Violation) -> tuple[Event, ...] | None:
        """Remember a proof of cheating; None where it tells nothing new.

        Whatever was proved before, another contribution that is right in itself may turn out to stand.
        """
        before = self.proven.get(violation.seat)
        new = before is None
        if before is None or len(before.evidence) < len(violation.evidence):
            self.proven[violation.seat] = violation  # Two contributions prove it on any past, a wrong one on its own.
        step = self.chain.live_step(violation.step)
        if step is not None and step.votable and len(violation.evidence) > 1:
            new = self._keep_second(step, violation) or new
        return self.settle() if new else None

    def knows_of(self, violation: Violation) -> bool:
        """Whether this seat is proved a cheat already, and for this very step where that decides how it closes."""
        step = self.chain.live_step(violation.step)
        decides = step is not None and step.votable and len(violation.evidence) > 1
        return violation.seat in self.proven and not (decides and step and violation.seat not in step.decree.cheats)

    def _stands(self, violation: Violation) -> bool:
        """Whether the past that a wrong contribution was signed on has not been undone: on another it may be right."""
        first, *others = violation.evidence
        if others:
            return True
        word = open_envelope(first.payload)
        heads = self.game.heads
        return word.step <= len(heads) and heads[word.step - 1] == word.prev

    def proofs(self, violation: Violation) -> tuple[tuple[Contribution, ...], ...]:
        """The evidence, and what shows each further version here of a contribution that its seat made twice."""
        step, first = self.chain.live_step(violation.step), violation.evidence[0]
        versions = [] if step is None else step.versions_of(violation.seat)
        known = {each.payload for each in violation.evidence}
        further = [each for each in versions if each.payload not in known]
        if first not in versions:
            return (violation.evidence,)
        return (violation.evidence, *((first, each) for each in further))

    def weigh(self, evidence: tuple[Contribution, ...]) -> None:
        """Look at what somebody offers as proof of cheating, and keep nothing of it.

        One contribution that is wrong, or two things signed for one place. Raises Violation if it proves something,
        else what ``judge`` raises, or nothing.
        """
        if len(evidence) == 1:
            self.judge(self.open(evidence[0]), evidence[0])
            return
        first, second = (self._place(signed) for signed in evidence)
        if first == second and evidence[0].payload != evidence[1].payload:
            reason = TWO_BALLOTS if is_ballot(evidence[0].payload) else TWO_CONTRIBUTIONS
            raise Violation(first[0], first[1], reason, evidence)

    def _place(self, signed: Contribution) -> tuple[int, int, bytes, int]:
        """Seat, step, past, and round of a ballot: for one such place a seat signs one thing. Raises Unattributable."""
        if is_ballot(signed.payload):
            word = self.open_word(BallotPayload, signed)
            return word.seat, word.step, word.prev, word.round
        envelope = self.open(signed)
        return envelope.seat, envelope.step, envelope.prev, 0

    def receive_remark(self, payload: bytes, signature: bytes) -> Remark | None:
        """Take a remark that is the next of its seat; None for one that is here already, or that has a gap before it.

        Raises BadRemark, and TooEarly for one dated beyond ``number``: speakers name that also where no step is open.
        One dated to a past that did not stand is a remark all the same; it can never be called.
        """
        remark = open_remark(payload, signature, self.game.id, self.game.agreement)
        if remark.said.step > self.number:
            raise TooEarly(remark.said.step, remark.said.seat)
        return remark if self.remarks.add(remark) else None

    def open_seat(self, seat: int, secret: int) -> None:
        """Take a seat's released game secret x_i, once the game is over; raises Refusal unless x_i·G = X_i."""
        if not self.may_open:
            raise Refusal(message("hands are opened only after the end, at a table that agreed to it"))
        if seat not in self.game.keys or mul_base(secret) != self.game.keys[seat]:
            raise Refusal(message("this is not the game secret of seat {seat}", seat=seat))
        self.openings[seat] = secret

    def _first(self, envelope: Envelope) -> Contribution | None:
        """The contribution of this seat to this step that is here already."""
        step = self.chain.live_step(envelope.step)
        if step is not None:
            return step.held[envelope.seat].contribution if envelope.seat in step.held else None
        closed = (each.contributions for each in self.record[envelope.step - 1 : envelope.step])
        return dict(next(closed, ())).get(envelope.seat)

    def _check(self, envelope: Envelope, contribution: Contribution) -> Judged:
        """What the step keeps of a contribution; raises Violation where the seat should not have signed it."""
        step, seat = self.chain.open, envelope.seat
        if step is None or envelope.step < step.number or seat not in step.seats:
            raise self._violation(envelope, "step", message("it was not its step"), contribution)
        return Judged(step.number, seat, contribution, self._checked(step, envelope, contribution))

    def _judge_late(self, envelope: Envelope, contribution: Contribution) -> Judged | None:
        """One to a step that was closed by an action: void, unless a later round may yet close the step by it."""
        step, seat = self.chain.live_step(envelope.step), envelope.seat
        if step is None or seat in step.held or seat not in step.seats:
            return None
        try:
            return Judged(step.number, seat, contribution, self._checked(step, envelope, contribution))
        except Violation:
            return None

    def _checked(self, step: LiveStep, envelope: Envelope, contribution: Contribution) -> Checked:
        if envelope.kind != step.plan.kind:
            reason = message("a contribution of another kind than {kind}", kind=step.plan.kind)
            raise self._violation(envelope, "step", reason, contribution)
        rule = STEPS[step.plan.kind]
        context = Context(self.game.id, step.number, envelope.seat, step.prev)
        held = {seat: checked.kept for seat, checked in dict(step.held).items() if seat != envelope.seat}
        try:
            kept = rule.check(step.before, step.plan, open_body(envelope), context, held)
        except (DecodeError, CryptoError, Refusal) as error:
            raise self._violation(envelope, rule.failure_of(error), message_of(error), contribution) from error
        return Checked(contribution, kept)

    def _violation(self, envelope: Envelope, failure: Failure, reason: str, *evidence: Contribution) -> Violation:
        return Violation(envelope.seat, envelope.step, reason, evidence, failure)

    def _keep_second(self, step: LiveStep, violation: Violation) -> bool:
        """Two contributions to this step: each may have closed it somewhere, and turn out to stand; is one new here?"""
        kept = False
        for contribution in violation.evidence:
            try:
                envelope = open_envelope(contribution.payload)
                if envelope.prev == step.prev and envelope.seat in step.decree.members:
                    step.decree.cheats.add(envelope.seat)
                    kept = step.keep_second(envelope.seat, self._checked(step, envelope, contribution)) or kept
            except (DecodeError, Violation):
                continue  # Ballots, or a contribution that could not stand anyway.
        step.note_complete()
        return kept

    def _base_for(self, word: BallotPayload) -> LiveStep | None:
        """The step that a ballot is about, if it is the first that is not final."""
        self.chain.witness(word.seat, word.step, word.prev)
        base = self.chain.base
        if word.step <= self.final or base is None:
            return None
        if word.step > base.number:
            raise TooEarly(word.step, word.seat)
        if word.prev != base.prev:
            raise OtherPast(message("seat {seat} has another past at step {step}", seat=word.seat, step=word.step))
        return base

    @staticmethod
    def _counts(word: BallotPayload, step: LiveStep) -> bool:
        """Whether this is a vote that the rules of ballots allow; any other is as good as none."""
        members, about = step.decree.members, set(word.about)
        if not step.votable or word.seat not in members or not about <= members:
            return False
        if not step.decree.majority(members - about):
            return False
        if (word.round, word.seat) not in step.ballots and step.decree.voted_out(word.seat):
            return False
        return word.action == "drop" or (step.plan.kind == "turn" and about == {step.plan.subject})
