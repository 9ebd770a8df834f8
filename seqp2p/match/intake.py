"""The intake of everything signed: contributions, ballots, heads, leaves, remarks, evidence, game secrets.

A live seat, a spectator and a resumed game hand in one thing after the other and read its outcome:

    thing ──check──▶ Finding ──take──▶ Applied     the match has changed: record it, pass it on, tell its events
             slow                  ├─▶ Deferred    too early: in the pending buffer until ``due`` returns it
                                   ├─▶ Ignored     known already, void, or signed on another past
                                   ├─▶ BadSender   no seat's word: the neighbour that sent it is to blame
                                   └─▶ Cheating    evidence: record it, pass it on, vote

``check`` keeps nothing, so it may run in a thread while steps close or are undone. Its finding holds for one state of
the match: it names the step and the head before it, and the number of things that the intake had taken. ``take``
compares, and checks again if any has changed. Only bugs raise.

``take`` applies one thing. Things that become due by it come from ``due``, one after the other, because a proof that
waited takes as long to check as any other: the caller's loop runs ``check`` where it likes.

A record is read without an intake: there, an early or void thing is as wrong as a false signature, and the report names
the failure of each (replay/reading.py).

Early things wait in the pending buffer until their step opens. Every place is on the account of the seat that signed
the thing in it, separately for each kind of thing. A full account keeps the nearest steps. So a seat that signs too
much loses its own things, and never another seat's.

Two kinds have a longer account. Evidence is on the account of its signer *and* of the seat that offers it: otherwise a
cheat could fill its own account, and so crowd out the evidence against itself. A game secret is unsigned, so it is on
the account of its sender until the seat's game key is known; from then on a false one is not kept at all.
"""

from bisect import insort
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final, TypeAlias, assert_never

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_scalar, mul_base
from seqp2p.crypto.hashing import STEP, tagged_hash
from seqp2p.i18n import message, message_of
from seqp2p.match.chain import Checked
from seqp2p.match.contribution import Contribution, Envelope, open_envelope
from seqp2p.match.errors import OtherPast, TooEarly, Unattributable, Violation
from seqp2p.match.events import Event, Remarked
from seqp2p.match.machine import Match
from seqp2p.match.remark import REMARKS_MAX, BadRemark, Remark, RemarkPayload, open_remark, open_word
from seqp2p.match.signed import (
    BallotPayload,
    HeadPayload,
    LeavePayload,
    OfferedEvidence,
    ReleasedSecret,
    SignedBallot,
    SignedHead,
    SignedLeave,
    SignedRemark,
    SignedThing,
    Word,
)

Account: TypeAlias = tuple[int, ...]
WORDS: Final[tuple[type[SignedThing], ...]] = (SignedRemark, SignedBallot, SignedHead)
"""Things that are checked at once, by a signature alone."""
EVERYTHING: Final[tuple[type[SignedThing], ...]] = (*WORDS, Contribution, OfferedEvidence, ReleasedSecret)
NOTHING_NEW: Final = "nothing new"


# The outcomes of a thing.


@dataclass(frozen=True, slots=True)
class Applied:
    """The match has taken it. ``seat`` signed it, for ``step`` (0 if it has none)."""

    thing: SignedThing
    seat: int
    step: int
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Deferred:
    """It is too early. ``kept``: it waits now. The head that its signer shows may have made steps final: ``events``."""

    events: tuple[Event, ...] = ()
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Ignored:
    """It changes nothing. ``other_past`` is the step of a contribution that was signed on another past, or 0."""

    why: str
    events: tuple[Event, ...] = ()
    other_past: int = 0


@dataclass(frozen=True, slots=True)
class BadSender:
    """No seat of this game signed it so. No honest program passes it on."""

    why: str


@dataclass(frozen=True, slots=True)
class Cheating:
    """New evidence: a seat signed something that it must not sign. ``first``: the record needs it."""

    violation: Violation
    first: bool
    events: tuple[Event, ...] = ()


Outcome: TypeAlias = Applied | Deferred | Ignored | BadSender | Cheating


# The findings of a check.


@dataclass(frozen=True, slots=True)
class _Judged:
    """``verdict`` is None for a duplicate, for a void contribution, and for evidence that proves nothing.

    ``envelope`` is None for evidence of two contributions.
    """

    thing: Contribution | OfferedEvidence
    envelope: Envelope | None
    verdict: Checked | TooEarly | OtherPast | Violation | None


@dataclass(frozen=True, slots=True)
class _Said:
    """A ballot, head or leave with a right signature."""

    thing: SignedBallot | SignedHead | SignedLeave
    word: Word


@dataclass(frozen=True, slots=True)
class _Released:
    """``fits``: it is the secret of the seat's game key. If not, that key is not known yet."""

    secret: ReleasedSecret
    scalar: int
    fits: bool


_Found: TypeAlias = _Judged | _Said | Remark | _Released | BadSender


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of a check, and the state of the match that it holds for: step, head, number of things taken."""

    thing: SignedThing
    found: _Found = field(repr=False)
    place: tuple[int, bytes, int]

    @property
    def signer(self) -> int:
        """The seat that has signed a contribution that counts, a vote, a leave or a remark; 0 for anything else."""
        counts = not isinstance(self.found, _Judged) or isinstance(self.found.verdict, Checked)
        return self.signed[0] if counts else 0

    @property
    def signed(self) -> tuple[int, bytes]:
        """The seat that has signed a single thing, and the bytes, whether they count or not; (0, b"") without one."""
        match self.found:
            case _Judged(thing=Contribution(payload), envelope=Envelope(seat=seat)):
                return seat, payload
            case _Said(thing=thing, word=word):
                return word.seat, thing.bytes.payload
            case Remark(payload=payload, said=word):
                return word.seat, payload
            case _Judged() | _Released() | BadSender():
                return 0, b""
            case _:
                assert_never(self.found)

    @property
    def step(self) -> int:
        """The step of a ballot or a head; 0 for anything else."""
        word = self.found.word if isinstance(self.found, _Said) else None
        return word.step if isinstance(word, BallotPayload | HeadPayload) else 0


@dataclass(frozen=True, slots=True)
class Room:
    """The room for one kind in an account: ``places`` in all, and ``versions`` of them for one step."""

    places: int
    versions: int


# An honest seat is at most a round of shuffles ahead, unless we are catching up. Two different contributions for one
# step are proof of cheating, and more prove no more. A remark's step is its number.
ROOMS: Final[dict[type[SignedThing], Room]] = {
    Contribution: Room(64, 2),
    SignedBallot: Room(64, 64),
    SignedHead: Room(64, 64),
    SignedRemark: Room(REMARKS_MAX, 1),
    # An honest seat offers a proof or two of each cheat, and each pair of signer and offerer has an account.
    OfferedEvidence: Room(4, 2),
    ReleasedSecret: Room(12, 1),
}


@dataclass(frozen=True, slots=True)
class PendingThing:
    """A waiting thing: ``step`` is the one it waits for, ``sender`` the neighbour that sent it."""

    step: int
    thing: SignedThing
    sender: int


class PendingBuffer:
    """Early things by kind, each with its account, the nearest steps first."""

    def __init__(self) -> None:
        self._kept: dict[type[SignedThing], list[tuple[Account, PendingThing]]] = {kind: [] for kind in ROOMS}

    def keep(self, account: Account, step: int, thing: SignedThing, sender: int) -> bool:
        """Keep a thing that waits for a step. Return False if it is kept already, or its account has no room."""
        room, kept = ROOMS[type(thing)], self._kept[type(thing)]
        own = [each for by, each in kept if by == account]
        same_step = [each for each in own if each.step == step]
        if len(same_step) >= room.versions or any(_payloads(each.thing) == _payloads(thing) for each in same_step):
            return False
        if len(own) >= room.places:
            if own[-1].step <= step:
                return False
            self.remove(account, own[-1])
        insort(kept, (account, PendingThing(step, thing, sender)), key=lambda each: (each[1].step, each[0]))
        return True

    def of(self, kind: type[SignedThing]) -> Sequence[tuple[Account, PendingThing]]:
        """Return all waiting things of one kind, the nearest steps first. They must not change while it is read."""
        return self._kept[kind]

    def remove(self, account: Account, waiting: PendingThing) -> None:
        """Give up a place."""
        self._kept[type(waiting.thing)].remove((account, waiting))

    def __len__(self) -> int:
        return sum(map(len, self._kept.values()))


class Intake:
    """The intake of one match.

    ``may_hear(seat)`` returns False while further remarks of that seat have to wait, ``may_wait()`` while no shuffle
    has to wait for others. ``keeps``: without it, early things are not kept, and ``due`` never returns anything.
    """

    def __init__(
        self,
        match: Match,
        may_hear: Callable[[int], bool] = lambda _: True,
        may_wait: Callable[[], bool] = lambda: False,
        *,
        keeps: bool = True,
    ) -> None:
        self.match = match
        self.pending = PendingBuffer()
        self._may_hear = may_hear
        self._may_wait = may_wait
        self._keeps = keeps
        self._taken = 0
        self._checked_to = 0  # the last step of the lots of shuffles that were checked

    # Checking: slow, and without effect.

    def check(self, thing: SignedThing) -> Finding:
        """Check a thing against the present match. It changes and raises nothing."""
        place = self._place
        return Finding(thing, self._find(thing), place)

    @property
    def _place(self) -> tuple[int, bytes, int]:
        return self.match.number, self.match.head, self._taken

    def _find(self, thing: SignedThing) -> _Found:
        try:
            match thing:
                case Contribution():
                    return self._judge(thing)
                case OfferedEvidence():
                    return self._weigh(thing)
                case SignedBallot() | SignedHead() | SignedLeave():
                    return _Said(thing, self.match.open_word(thing.payload, thing.bytes))
                case SignedRemark():
                    game = self.match.game
                    return open_remark(thing.bytes.payload, thing.bytes.signature, game.id, game.agreement)
                case ReleasedSecret():
                    return self._open(thing)
                case _:
                    assert_never(thing)
        except (Unattributable, BadRemark) as error:
            return BadSender(message_of(error))

    def _judge(self, contribution: Contribution) -> _Judged:
        envelope = self.match.open(contribution)
        if envelope.prev == self.match.head and self._waits_for_lot(envelope.step):
            return _Judged(contribution, envelope, TooEarly(envelope.step, envelope.seat))
        try:
            return _Judged(contribution, envelope, self.match.judge(envelope, contribution))
        except (TooEarly, OtherPast, Violation) as verdict:
            return _Judged(contribution, envelope, verdict)

    def _weigh(self, evidence: OfferedEvidence) -> _Judged | BadSender:
        if len(evidence.contributions) not in {1, 2}:
            return BadSender(message("not a contribution"))
        single = len(evidence.contributions) == 1
        envelope = self.match.open(evidence.contributions[0]) if single else None
        try:
            self.match.weigh(evidence.contributions)
        except (TooEarly, OtherPast, Violation) as verdict:
            return _Judged(evidence, envelope, verdict)
        return _Judged(evidence, envelope, None)

    def _open(self, secret: ReleasedSecret) -> _Released | BadSender:
        game = self.match.game
        if not game.agreement.settings.open_hands:
            return BadSender(message("hands are opened only after the end, at a table that agreed to it"))
        wrong = message("this is not the game secret of seat {seat}", seat=secret.seat)
        try:
            scalar = decode_scalar(secret.secret)
        except CryptoError:
            return BadSender(wrong)
        if secret.seat > game.players:
            return BadSender(wrong)
        key = game.keys.get(secret.seat)
        return _Released(secret, scalar, key is not None) if key in {None, mul_base(scalar)} else BadSender(wrong)

    # Taking: quick, and final.

    def take(self, finding: Finding, sender: int) -> Outcome:
        """Apply a checked thing; ``sender`` is the seat that it came from, 0 for a record or a host."""
        if finding.place != self._place:
            finding = self.check(finding.thing)
        outcome: Outcome
        match finding.found:
            case BadSender() as outcome:
                pass
            case _Judged() as found:
                outcome = self._take_judged(found, sender)
            case _Said() as found:
                outcome = self._take_word(found, sender)
            case Remark() as remark:
                outcome = self._take_remark(remark, sender)
            case _Released() as found:
                outcome = self._take_secret(found, sender)
            case _:
                assert_never(finding.found)
        if isinstance(outcome, Applied | Cheating) or (not isinstance(outcome, BadSender) and outcome.events):
            self._taken += 1
        return outcome

    def _take_judged(self, found: _Judged, sender: int) -> Outcome:
        thing, envelope = found.thing, found.envelope
        if envelope is not None:
            self.match.chain.witness(envelope.seat, envelope.step, envelope.prev)
        match found.verdict:
            case Checked() as checked:
                return Applied(thing, checked.seat, checked.step, self.match.accept(checked))
            case None:
                return Ignored(NOTHING_NEW)
            case TooEarly() as early:
                account = (early.seat,) if isinstance(thing, Contribution) else (early.seat, sender)
                return self._defer(account, early.step, thing, sender)
            case OtherPast() as other:
                step = envelope.step if envelope is not None and isinstance(thing, Contribution) else 0
                return Ignored(message_of(other), self.match.settle(), step)
            case Violation() as violation:
                return self._accuse(violation)
            case _:
                assert_never(found.verdict)

    def _take_word(self, found: _Said, sender: int) -> Outcome:
        thing, word = found.thing, found.word
        try:
            events = self.match.take_word(word, thing.bytes)
        except TooEarly as early:
            return self._defer((word.seat,), early.step, thing, sender)
        except OtherPast as other:
            return Ignored(message_of(other), self.match.settle())
        except Violation as violation:
            return self._accuse(violation)
        step = 0 if isinstance(word, LeavePayload) else word.step
        return Ignored(NOTHING_NEW) if events is None else Applied(thing, word.seat, step, events)

    def _take_remark(self, remark: Remark, sender: int) -> Outcome:
        word, thing = remark.said, SignedRemark(Contribution(remark.payload, remark.signature))
        number, _ = self.match.remarks.next_of(word.seat)
        if word.number > number or not self._may_be_heard(word):
            return self._defer((word.seat,), word.number, thing, sender)
        if not self.match.remarks.add(remark):
            return Ignored(NOTHING_NEW)
        heard = Remarked(word.seat, word.number, word.text, word.courtesy)
        return Applied(thing, word.seat, word.step, (heard,))

    def _take_secret(self, found: _Released, sender: int) -> Outcome:
        secret = found.secret
        if secret.seat in self.match.openings:
            return Ignored(NOTHING_NEW)
        if not found.fits:
            return self._defer((sender,), secret.seat, secret, sender)
        if not self.match.may_open:
            return self._defer((), secret.seat, secret, sender)
        self.match.open_seat(secret.seat, found.scalar)
        return Applied(secret, secret.seat, 0)

    def _accuse(self, violation: Violation) -> Outcome:
        first = not self.match.knows_of(violation)
        events = self.match.accuse(violation)
        return Ignored(NOTHING_NEW) if events is None else Cheating(violation, first, events)

    # Early things.

    def _defer(self, account: Account, step: int, thing: SignedThing, sender: int) -> Deferred:
        kept = self._keeps and self.pending.keep(account, step, thing, sender)
        # If it is signed on top of a step that is closed here, it may show that this step is final.
        return Deferred(self.match.settle(), kept)

    def due(
        self, kinds: Collection[type[SignedThing]] = EVERYTHING, account_of: Account | None = None
    ) -> PendingThing | None:
        """Take the next thing of these kinds out of the pending buffer, if its time has come: check and take it now.

        ``account_of``: only from this account.
        """
        for kind in kinds:
            for account, waiting in self.pending.of(kind):
                if account_of in {None, account} and self._is_due(account, waiting):
                    self.pending.remove(account, waiting)
                    return waiting
        return None

    def _is_due(self, account: Account, waiting: PendingThing) -> bool:
        match waiting.thing:
            case Contribution():
                return waiting.step <= self.match.chain.opened and not self._waits_for_lot(waiting.step)
            case OfferedEvidence():
                return waiting.step <= self.match.chain.opened
            case SignedBallot():
                return waiting.step <= self.match.final + 1
            case SignedHead():
                return waiting.step <= self.match.number
            case SignedRemark():
                (seat,) = account
                is_next = waiting.step <= self.match.remarks.next_of(seat)[0]
                return is_next and self._may_be_heard(open_word(waiting.thing.bytes.payload))
            case ReleasedSecret(seat):
                return self.match.may_open if not account else seat in self.match.game.keys
            case SignedLeave():
                raise AssertionError("it is never too early")
            case _:
                assert_never(waiting.thing)

    # Shuffles that come long before this seat signs again are checked together: a sum of four costs two thirds.

    def lot(self) -> list[Contribution]:
        """Return the shuffles that wait for the open step and the next ones, each on top of the one before."""
        lot: list[Contribution] = []
        prev = self.match.head
        for _, waiting in self.pending.of(Contribution) if self._waits_for_lot(self.match.number) else ():
            if waiting.step == self.match.number + len(lot) and isinstance(waiting.thing, Contribution):
                if open_envelope(waiting.thing.payload).prev != prev:
                    continue
                lot.append(waiting.thing)
                prev = tagged_hash(STEP, prev, waiting.thing.payload)
        return lot

    def due_lot(self) -> list[Contribution]:
        """Return the lot if it is large enough to be checked now, or else nothing."""
        lot = self.lot()
        return lot if len(lot) >= self._lot_size else []

    def check_lot(self, lot: Sequence[Contribution]) -> None:
        """Check shuffles together; then ``due`` returns them. It is slow, and the match must not change meanwhile."""
        self.match.judge_lot(lot)
        self._checked_to = self.match.number + len(lot) - 1

    def _waits_for_lot(self, step: int) -> bool:
        return step == self.match.number and step > self._checked_to and self._lot_size > 1

    @property
    def _lot_size(self) -> int:
        """The number of shuffles to check together: not the last two before this seat signs, nor out of a full mesh."""
        size_max = self.match.game.checks.lot_max
        if size_max == 1 or self.match.kind != "shuffle" or not self._may_wait():
            return 1
        plans = (self.match.plan, *self.match.game.plans)
        others = takewhile(lambda plan: plan and plan.kind == "shuffle" and plan.subject != self.match.own_seat, plans)
        return min(size_max, len(list(others)) - 1)

    def _may_be_heard(self, word: RemarkPayload) -> bool:
        # Not ``chain.opened``, as for contributions: a speaker dates with its ``number`` also where no step is open, at
        # the end or while what closed the last one is not final. Nothing later would let such a remark in.
        return word.step <= self.match.number and self._may_hear(word.seat)


def _payloads(thing: SignedThing) -> tuple[bytes, ...]:
    """Return the part that tells things apart: two valid signatures of one payload are one thing."""
    match thing:
        case Contribution(payload):
            return (payload,)
        case OfferedEvidence(contributions):
            return tuple(each.payload for each in contributions)
        case ReleasedSecret(_, secret):
            return (secret,)
        case _:
            return (thing.bytes.payload,)
