"""Playing a replay's records again, one by one: what ``verify`` and ``resume`` have in common. No I/O.

Raises, for a record that is wrong: Invalid, or MatchError, BadRemark, DecodeError, TableError (``WRONG`` has them all).
"""

from dataclasses import dataclass
from typing import Final

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_scalar
from seqp2p.crypto.hashing import FILE
from seqp2p.crypto.identity import verify as verify_signature
from seqp2p.match.encoding import DecodeError
from seqp2p.match.errors import MatchError, Refusal, Violation
from seqp2p.match.machine import Match
from seqp2p.match.remark import BadRemark
from seqp2p.match.table import TableError
from seqp2p.replay.format import (
    EndRecord,
    EvidenceRecord,
    OpeningRecord,
    OpenRecord,
    Placed,
    RemarkRecord,
    StepRecord,
    TableRecord,
    contributions_of,
    end_digest,
)


class Invalid(Exception):
    """Something in the file is wrong; the text says what."""


# What reading a record that is wrong raises.
WRONG: Final = (Invalid, MatchError, BadRemark, DecodeError, TableError)


@dataclass
class Reading:
    """How far the records have come. ``stage`` only grows: the order of records is table, steps, tail, end."""

    match: Match
    stage: int = 0
    violation: Violation | None = None
    writer: bytes | None = None


# The order in which records may stand; several of one stage only where MANY says so.
STAGES: dict[type, int] = {
    StepRecord: 1,
    RemarkRecord: 1,
    OpenRecord: 2,
    EvidenceRecord: 3,
    OpeningRecord: 4,
    EndRecord: 5,
}
MANY = frozenset({StepRecord, RemarkRecord, OpeningRecord})


def begin(placed: Placed) -> Reading:
    """Begin with the first record; raises Invalid, or what the match raises for an agreement."""
    if not isinstance(placed.record, TableRecord):
        raise Invalid("the first record is not the table agreement")
    return Reading(Match(placed.record.agreement))


def read(reading: Reading, placed: Placed, data: bytes) -> None:
    """Check one record after the header; raises Invalid, or what the match raises."""
    record = placed.record
    if isinstance(record, TableRecord):
        raise Invalid("a second table agreement")
    stage = STAGES[type(record)]
    if stage < reading.stage or (stage == reading.stage and type(record) not in MANY):
        raise Invalid("a record stands where none of its kind may stand")
    reading.stage = stage
    if isinstance(record, StepRecord):
        _read_step(reading.match, record)
    elif isinstance(record, RemarkRecord):
        _read_remark(reading.match, record)
    elif isinstance(record, OpenRecord):
        _read_open(reading.match, record)
    elif isinstance(record, EvidenceRecord):
        reading.violation = _read_evidence(reading.match, record)
    elif isinstance(record, OpeningRecord):
        _read_opening(reading.match, record)
    else:
        reading.writer = _read_end(record, data[: placed.start])


def _read_step(match: Match, record: StepRecord) -> None:
    """Exactly the contributions of the open step, in seat order, and they close it."""
    if record.step != match.number or match.kind is None:
        raise Invalid(f"a record of step {record.step} where step {match.number} is due")
    for contribution in contributions_of(record):
        if match.number != record.step:
            raise Invalid("more contributions than the step takes")
        match.receive(contribution)
    if match.number == record.step:
        raise Invalid("a step without all its contributions")
    closed = match.record[-1].contributions
    if tuple(held for _, held in closed) != contributions_of(record):
        raise Invalid("contributions out of seat order")


def _read_remark(match: Match, record: RemarkRecord) -> None:
    if match.receive_remark(record.payload, record.signature) is None:
        raise Invalid("a remark out of its seat's order")


def _read_open(match: Match, record: OpenRecord) -> None:
    if record.step != match.number:
        raise Invalid(f"contributions to step {record.step} where step {match.number} is open")
    for contribution in contributions_of(record):
        match.receive(contribution)
    if match.number != record.step or tuple(held for _, held in match.held) != contributions_of(record):
        raise Invalid("the open step's contributions are not in their form")


def _read_evidence(match: Match, record: EvidenceRecord) -> Violation:
    """The violation that these contributions prove: all of them, and nothing but them."""
    contributions = contributions_of(record)
    try:
        for contribution in contributions:
            match.receive(contribution)
    except Violation as violation:
        if violation.evidence == contributions:
            return violation
    raise Invalid("the evidence proves nothing")


def _read_opening(match: Match, record: OpeningRecord) -> None:
    if any(seat >= record.seat for seat in match.openings):
        raise Invalid("openings out of seat order")
    try:
        match.open_seat(record.seat, decode_scalar(record.secret))
    except (CryptoError, Refusal) as error:
        raise Invalid(str(error)) from None


def _read_end(record: EndRecord, before: bytes) -> bytes:
    """The key of the writer, who signed all the bytes before its record."""
    try:
        verify_signature(record.key, FILE, end_digest(before), record.signature)
    except CryptoError:
        raise Invalid("the writer's signature does not cover this file") from None
    return record.key
