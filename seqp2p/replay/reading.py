"""Playing a replay's records again, one by one, for ``verify`` and ``resume``. No I/O.

The records go to the match itself, not to an intake (match/intake.py): in a record nothing may be early, void or a
duplicate, and the failure of each check has a name that every verifier must find.

A wrong record raises Invalid, or MatchError, BadRemark, DecodeError, TableError (``WRONG`` has them all).
"""

from dataclasses import dataclass
from typing import Final

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_scalar
from seqp2p.crypto.hashing import FILE
from seqp2p.crypto.identity import verify as verify_signature
from seqp2p.i18n import message, message_of
from seqp2p.match.checks import CHECKS, Checks
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import DecodeError
from seqp2p.match.errors import Failure, MatchError, Refusal, Violation
from seqp2p.match.events import Event, Remarked
from seqp2p.match.machine import Match
from seqp2p.match.remark import BadRemark
from seqp2p.match.signed import BallotPayload, LeavePayload
from seqp2p.match.table import TableError
from seqp2p.replay import format as form


class Invalid(Exception):
    """A fault of the file: ``failure`` and the text describe it, ``step`` is its place, if not the open step."""

    def __init__(self, failure: Failure, reason: str, step: int | None = None) -> None:
        super().__init__(reason)
        self.failure: Failure = failure
        self.step = step


# The errors of reading a wrong record.
WRONG: Final = (Invalid, MatchError, BadRemark, DecodeError, TableError)


def failure_of(error: Exception) -> Failure:
    """Return the kind of check that fails, by the error of WRONG that was raised."""
    if isinstance(error, Invalid | MatchError):
        return error.failure
    if isinstance(error, BadRemark):
        return "remark"
    if isinstance(error, TableError):
        return "table"
    return "file" if isinstance(error, form.NotAReplay) else "encoding"


@dataclass
class Reading:
    """The state of a reading. ``stage`` only grows: table, steps, open steps, openings, end.

    ``signatures`` counts those of the right records.
    """

    match: Match
    stage: int = 0
    writer: bytes | None = None
    signatures: int = 0


# The order of records; a stage can have several, except the end.
STAGES: dict[type, int] = {
    form.StepRecord: 1,
    form.CertificateRecord: 1,
    form.OpenRecord: 2,
    form.OpeningRecord: 3,
    form.EndRecord: 4,
}
# These may be among the steps, closed or open.
BESIDE = frozenset({form.RemarkRecord, form.LeaveRecord, form.EvidenceRecord})
BESIDE_STAGE_MAX = 2


def begin(placed: form.Placed, checks: Checks = CHECKS) -> Reading:
    """Begin with the first record. Raises Invalid, or the errors of the match for an agreement.

    ``checks`` are those of all later records.
    """
    if not isinstance(placed.record, form.TableRecord):
        raise Invalid("order", message("the first record is not the table agreement"))
    return Reading(Match(placed.record.agreement, checks=checks))


def read(reading: Reading, placed: form.Placed, data: bytes) -> tuple[Event, ...]:
    """Check one record after the header and return its events. Raises Invalid, or the errors of the match."""
    record = placed.record
    if isinstance(record, form.TableRecord):
        raise Invalid("order", message("a second table agreement"))
    stage = max(reading.stage, 1) if type(record) in BESIDE else STAGES[type(record)]
    if stage < reading.stage or reading.writer or (type(record) in BESIDE and stage > BESIDE_STAGE_MAX):
        raise Invalid("order", message("a record is where none of its kind may be"))
    reading.stage = stage
    match record:
        case form.StepRecord():
            return _read_step(reading.match, record)
        case form.CertificateRecord():
            return _read_certificate(reading.match, record)
        case form.RemarkRecord():
            return _read_remark(reading.match, record)
        case form.LeaveRecord(payload, signature):
            if reading.match.receive_word(LeavePayload, Contribution(payload, signature)) is None:
                raise Invalid("order", message("a seat leaves a second time"))
        case form.OpenRecord():
            return _read_open(reading.match, record)
        case form.EvidenceRecord():
            return _read_evidence(reading.match, record)
        case form.OpeningRecord():
            _read_opening(reading.match, record)
        case form.EndRecord():
            reading.writer = _read_end(record, data[: placed.start])
    return ()


def _require_open(match: Match, step: int) -> None:
    """Check that a record of steps is about the open one; after the end there is none."""
    if match.kind is None:
        raise Invalid("order", message("a record of step {step} after the last step", step=step))
    if step != match.number:
        raise Invalid("order", message("a record of step {step} where step {due} is due", step=step, due=match.number))


def _read_step(match: Match, record: form.StepRecord) -> tuple[Event, ...]:
    """Take exactly the contributions of the open step, in seat order; they must close it."""
    _require_open(match, record.step)
    events: list[Event] = []
    for contribution in form.contributions_of(record):
        if match.number != record.step:
            raise Invalid("order", message("more contributions than the step takes"))
        events += match.receive(contribution)
    if match.number == record.step:
        raise Invalid("order", message("a step without all its contributions"))
    closed = match.record[-1].contributions
    if tuple(held for _, held in closed) != form.contributions_of(record):
        raise Invalid("order", message("contributions out of seat order"))
    return (*events, *match.trust())


def _read_certificate(match: Match, record: form.CertificateRecord) -> tuple[Event, ...]:
    """Take exactly the ballots that close the open step by an action, in seat order."""
    _require_open(match, record.step)
    events: list[Event] = []
    for ballot in form.contributions_of(record):
        try:
            told = match.receive_word(BallotPayload, ballot)
        except MatchError as error:  # It may follow the one that closes the step: then another is open.
            failure: Failure = "ballot" if isinstance(error, Violation) else error.failure
            raise Invalid(failure, message_of(error), record.step) from None
        if told is None:
            raise Invalid("ballot", message("a ballot that does not count"), record.step)
        events += told
    if match.number == record.step or match.record[-1].ballots != form.contributions_of(record):
        raise Invalid("ballot", message("these ballots are not a certificate"), record.step)
    return (*events, *match.trust())


def _read_remark(match: Match, record: form.RemarkRecord) -> tuple[Event, ...]:
    remark = match.receive_remark(record.payload, record.signature)
    if remark is None:
        raise Invalid("remark", message("a remark out of its seat's order"))
    word = remark.said
    return (Remarked(word.seat, word.number, word.text, word.courtesy),)


def _read_open(match: Match, record: form.OpenRecord) -> tuple[Event, ...]:
    _require_open(match, record.step)
    events: list[Event] = []
    for contribution in form.contributions_of(record):
        events += match.receive(contribution)
    closed = match.record[record.step - 1].contributions if match.number > record.step else match.held
    if tuple(held for _, held in closed) != form.contributions_of(record):
        raise Invalid("order", message("the open step's contributions are malformed"))
    return tuple(events)


def _read_evidence(match: Match, record: form.EvidenceRecord) -> tuple[Event, ...]:
    """Accuse the seat of the violation that exactly these bytes prove, and return the events."""
    evidence = form.contributions_of(record)
    try:
        match.weigh(evidence)
    except Violation as violation:
        if violation.evidence == evidence:
            return match.accuse(violation) or ()
    raise Invalid("evidence", message("the evidence proves nothing"))


def _read_opening(match: Match, record: form.OpeningRecord) -> None:
    if any(seat >= record.seat for seat in match.openings):
        raise Invalid("opening", message("openings out of seat order"))
    try:
        match.open_seat(record.seat, decode_scalar(record.secret))
    except (CryptoError, Refusal) as error:
        raise Invalid("opening", message_of(error)) from None


def _read_end(record: form.EndRecord, before: bytes) -> bytes:
    """Return the key of the writer, who signed all the bytes before its record."""
    try:
        verify_signature(record.key, FILE, form.end_digest(before), record.signature)
    except CryptoError:
        raise Invalid("end", message("the writer's signature does not cover this file")) from None
    return record.key
