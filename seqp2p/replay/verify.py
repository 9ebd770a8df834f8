"""Verifying a replay: playing it again. No I/O; docs/protocol.md, "What a verifier does".

verified     every record is right, the end is signed by a majority, and the writer's signature covers it all
unfinished   everything there is right, but the game did not come to its end (or a seat is proved to have cheated)
invalid      something there is wrong, or it is no replay
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_scalar
from seqp2p.crypto.hashing import FILE
from seqp2p.crypto.identity import verify as verify_signature
from seqp2p.match.encoding import DecodeError
from seqp2p.match.errors import MatchError, Refusal, Violation
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.play_steps import final_result
from seqp2p.match.remark import BadRemark
from seqp2p.match.table import TableError
from seqp2p.replay.format import (
    REPLAY_SIZE_MAX,
    EndRecord,
    EvidenceRecord,
    NotAReplay,
    OpeningRecord,
    OpenRecord,
    Placed,
    RemarkRecord,
    StepRecord,
    TableRecord,
    Torn,
    contributions_of,
    end_digest,
    records,
)

Verdict: TypeAlias = Literal["verified", "unfinished", "invalid"]


@dataclass(frozen=True, slots=True)
class Player:
    """A seat as the replay names it: number, name, and identity key (64 hexadecimal digits)."""

    seat: int
    name: str
    key: str


@dataclass(frozen=True, slots=True)
class Report:
    """What verifying found. ``steps`` counts the steps that are right; ``step`` is where ``reason`` belongs.

    ``result`` is how the game ended (None where it did not come to an end), ``writer`` the key that signed the file.
    """

    verdict: Verdict
    game: str | None = None
    players: tuple[Player, ...] = ()
    result: Result | None = None
    steps: int = 0
    reason: str | None = None
    step: int | None = None
    writer: str | None = None


class Invalid(Exception):
    """Something in the file is wrong; the text says what."""


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


def verify(data: bytes) -> Report:
    """Verify a whole replay file. Never raises: whatever the bytes are, the outcome is a report."""
    if len(data) > REPLAY_SIZE_MAX:
        return Report("invalid", reason=f"larger than any replay ({REPLAY_SIZE_MAX} bytes)")
    reading: Reading | None = None
    try:
        for placed in records(data):
            if reading is None:
                reading = _begin(placed)
            else:
                _read(reading, placed, data)
    except Torn as error:
        return _torn(reading, str(error))
    except (Invalid, MatchError, BadRemark, DecodeError, TableError, NotAReplay) as error:
        return _report(reading, "invalid", str(error))
    if reading is None:
        return Report("invalid", reason="the file ends before its header")
    return _conclude(reading)


def _torn(reading: Reading | None, reason: str) -> Report:
    """A file that ends inside a record is cut short, but nothing of a header, or after the ``end``, can be cut."""
    if reading is None:
        return Report("invalid", reason=reason)
    if reading.writer is not None:
        return _report(reading, "invalid", "more bytes after the writer's signature")
    return _report(reading, "unfinished", reason)


def _begin(placed: Placed) -> Reading:
    if not isinstance(placed.record, TableRecord):
        raise Invalid("the first record is not the table agreement")
    return Reading(Match(placed.record.agreement))


def _read(reading: Reading, placed: Placed, data: bytes) -> None:
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


def _conclude(reading: Reading) -> Report:
    """Every record there is right: is the game complete?"""
    match = reading.match
    if reading.violation is not None:
        return _report(reading, "unfinished", str(reading.violation))
    if not match.confirmed:
        waiting = ", ".join(f"seat {seat}" for seat in sorted(match.awaited))
        return _report(reading, "unfinished", f"the record ends at step {match.number}, awaiting {waiting}")
    if reading.writer is None:
        return _report(reading, "unfinished", "the file has no writer's signature: it was cut, or not finished")
    return _report(reading, "verified", None)


def _report(reading: Reading | None, verdict: Verdict, reason: str | None) -> Report:
    if reading is None:
        return Report(verdict, reason=reason)
    match = reading.match
    entries = enumerate(match.game.agreement.seats, 1)
    step = reading.violation.step if reading.violation else match.number
    return Report(
        verdict=verdict,
        game=match.game.id.hex(),
        players=tuple(Player(seat, entry.name, entry.key.hex()) for seat, entry in entries),
        result=final_result(match.game) if match.confirmed and verdict == "verified" else None,
        steps=len(match.record),
        reason=reason,
        step=None if reason is None else step,
        writer=reading.writer.hex() if reading.writer else None,
    )
