"""The signed things: contributions, ballots, heads, leaves, remarks. docs/protocol.md, section 6.

All are a payload and its seat's Ed25519 signature, each under a label of its own. contribution.py has the contents of
contributions, ballots.py the meaning of ballots, heads and leaves.
"""

import itertools
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal, TypeAlias, TypeVar

import msgspec

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.hashing import BALLOT, CLOSED, CONTRIBUTION, HEAD, LEAVE, tagged_hash
from seqp2p.i18n import message, message_of
from seqp2p.match.ballots import ROUND_MAX, About, Last, Sanction, Vote
from seqp2p.match.checks import CHECKS, Checks
from seqp2p.match.contribution import AtStep, Contribution, Envelope, open_envelope
from seqp2p.match.encoding import DecodeError, Record, decode
from seqp2p.match.errors import Unattributable
from seqp2p.match.table import Agreement, Bytes32, SeatNumber

BALLOT_SIZE_MAX = 512

Round: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=ROUND_MAX)]
WordKind: TypeAlias = Literal["ballot", "head", "leave", "remark"]
Reason: TypeAlias = Literal["late", "absent", "left", "cheated", "joined"]


class LastRecord(Record, frozen=True):
    """The voter's closing of the step so far: the round, and the head after it."""

    round: Round
    head: Bytes32


class BallotPayload(AtStep, frozen=True):
    """A vote to close ``step`` by ``action``; ``about`` are seats, ascending. ``reason`` has no effect."""

    round: Annotated[int, msgspec.Meta(ge=1, le=ROUND_MAX)]
    action: Sanction
    about: Annotated[tuple[SeatNumber, ...], msgspec.Meta(min_length=1, max_length=11)]
    reason: Reason
    last: LastRecord | None

    def __post_init__(self) -> None:
        if any(a >= b for a, b in itertools.pairwise(self.about)) or self.seat in self.about:
            raise ValueError("a ballot is about other seats, in ascending order")
        if self.last is not None and self.last.round >= self.round:
            raise ValueError("what a ballot says of how its seat has closed the step is of an earlier round")

    @property
    def vote(self) -> Vote:
        """Its content, for the decree of its step."""
        last = None if self.last is None else Last(self.last.round, self.last.head)
        return Vote(self.seat, self.round, self.action, frozenset(self.about), last)


class HeadPayload(AtStep, frozen=True):
    """The signer has closed ``step`` in ``round``; ``head`` is the chain's head after it."""

    round: Round
    head: Bytes32


class LeavePayload(Record, frozen=True):
    """The signer leaves this game for good."""

    v: Literal[1]
    game: Bytes32
    seat: SeatNumber


Word: TypeAlias = BallotPayload | HeadPayload | LeavePayload
P = TypeVar("P", bound=Word)


# Unchecked input: the bytes as they were signed, each kind a class of its own (intake.py).


@dataclass(frozen=True, slots=True)
class SignedWord:
    """A signed thing that is no contribution. ``kind`` is its name on links and in files."""

    kind: ClassVar[WordKind]
    bytes: Contribution


class SignedBallot(SignedWord):
    kind: ClassVar[WordKind] = "ballot"
    payload: ClassVar = BallotPayload


class SignedHead(SignedWord):
    kind: ClassVar[WordKind] = "head"
    payload: ClassVar = HeadPayload


class SignedLeave(SignedWord):
    kind: ClassVar[WordKind] = "leave"
    payload: ClassVar = LeavePayload


class SignedRemark(SignedWord):
    kind: ClassVar[WordKind] = "remark"


@dataclass(frozen=True, slots=True)
class OfferedEvidence:
    """Offered evidence: one contribution that should be wrong, or two things that one seat signed for one place."""

    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class ReleasedSecret:
    """The game secret x_i of a seat, 32 bytes big-endian. Unsigned, but it proves itself: x_i·G = X_i."""

    seat: int
    secret: bytes


AnyWord: TypeAlias = SignedBallot | SignedHead | SignedLeave | SignedRemark
WORD_OF_KIND: Final = {word.kind: word for word in (SignedBallot, SignedHead, SignedLeave, SignedRemark)}
SignedThing: TypeAlias = Contribution | AnyWord | OfferedEvidence | ReleasedSecret

LABELS: dict[type[Record], tuple[str, str]] = {
    BallotPayload: (BALLOT, message("ballot")),
    HeadPayload: (HEAD, message("head")),
    LeavePayload: (LEAVE, message("leave")),
}


def open_contribution(signed: Contribution, game: bytes, agreement: Agreement, checks: Checks = CHECKS) -> Envelope:
    """Return the outer map of a contribution of a seat of this game. Raises Unattributable for other bytes."""
    try:
        envelope = open_envelope(signed.payload)
    except DecodeError as error:
        raise Unattributable(message("not a contribution: {reason}", reason=message_of(error))) from None
    _check_signer(envelope, CONTRIBUTION, message("contribution"), signed, game, agreement, checks)
    return envelope


def open_signed(kind: type[P], signed: Contribution, game: bytes, agreement: Agreement, checks: Checks = CHECKS) -> P:
    """Return a payload signed by a seat of this game. Raises Unattributable for other bytes."""
    label, name = LABELS[kind]
    try:
        word = decode(kind, signed.payload, BALLOT_SIZE_MAX)
    except DecodeError as error:
        raise Unattributable(message("not a {name}: {reason}", name=name, reason=message_of(error))) from None
    _check_signer(word, label, name, signed, game, agreement, checks)
    return word


def _check_signer(
    word: Envelope | Word,
    label: str,
    name: str,
    signed: Contribution,
    game: bytes,
    agreement: Agreement,
    checks: Checks,
) -> None:
    if word.game != game:
        raise Unattributable(message("a {name} in another game", name=name))
    if word.seat > len(agreement.seats):
        raise Unattributable(message("there is no seat {seat} at this table", seat=word.seat))
    try:
        checks.signature(agreement.seats[word.seat - 1].key, label, signed.payload, signed.signature)
    except CryptoError:
        raise Unattributable(
            message("the signature of seat {seat} on its {name} does not verify", seat=word.seat, name=name)
        ) from None


def is_ballot(payload: bytes) -> bool:
    """Return True if these bytes are a ballot's, and not a contribution's. The signature is not checked."""
    try:
        decode(BallotPayload, payload, BALLOT_SIZE_MAX)
    except DecodeError:
        return False
    return True


def head_of_action(prev: bytes, action: Sanction, about: About) -> bytes:
    """Return the head after a step closed by an action: H(label ‖ prev ‖ action ‖ seats as bytes, ascending)."""
    return tagged_hash(CLOSED, prev, action.encode(), bytes(sorted(about)))
