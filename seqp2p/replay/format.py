r"""The replay file, byte by byte: a magic line, then records. docs/protocol.md, "The replay file".

    "seqp2p replay 1\n" ‖ record*        record = length (4 bytes, big-endian) ‖ msgpack map

    table ─▶ (step | certificate)* ─▶ open* ─▶ opening* ─▶ end

Remarks, leaves and evidence may be anywhere between the table and the openings.

A file without its ``end`` record is unfinished: its writer crashed, or it was cut short.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, TypeAlias, cast

import msgspec

from seqp2p.i18n import message
from seqp2p.match.contribution import PAYLOAD_SIZE_MAX, REMARK_SIZE_MAX, Contribution, SignatureBytes, StepNumber
from seqp2p.match.encoding import DecodeError, Record, encode, require_canonical, structure, unpack
from seqp2p.match.signed import BALLOT_SIZE_MAX
from seqp2p.match.table import AGREEMENT_SIZE_MAX, Bytes32, SeatNumber

MAGIC = b"seqp2p replay 1\n"
MAGIC_STEM = b"seqp2p replay "
LENGTH_SIZE = 4
SEATS_MAX = 12
RECORD_SIZE_MAX = SEATS_MAX * (PAYLOAD_SIZE_MAX + 128)
REPLAY_SIZE_MAX = 64 * 1024 * 1024  # a game of 12 with several reshuffles stays under 4 MB

Payload: TypeAlias = Annotated[bytes, msgspec.Meta(max_length=PAYLOAD_SIZE_MAX)]
SignedBySeats: TypeAlias = Annotated[
    tuple[tuple[Payload, SignatureBytes], ...], msgspec.Meta(min_length=1, max_length=SEATS_MAX)
]


class TableRecord(Record, frozen=True, tag="table", tag_field="t"):
    """The agreement's bytes; they are the whole header."""

    agreement: Annotated[bytes, msgspec.Meta(max_length=AGREEMENT_SIZE_MAX)]


class StepRecord(Record, frozen=True, tag="step", tag_field="t"):
    """A final step: payload and signature of every contribution, in seat order."""

    step: StepNumber
    contributions: SignedBySeats


class OpenRecord(Record, frozen=True, tag="open", tag_field="t"):
    """The contributions held for a step not final yet, in seat order. After a closed one, another may follow."""

    step: StepNumber
    contributions: SignedBySeats


class CertificateRecord(Record, frozen=True, tag="certificate", tag_field="t"):
    """A final step that ballots closed by an action: the ballots of its certificate, in seat order."""

    step: StepNumber
    ballots: SignedBySeats


class LeaveRecord(Record, frozen=True, tag="leave", tag_field="t"):
    """A seat's signed leave."""

    payload: Annotated[bytes, msgspec.Meta(max_length=BALLOT_SIZE_MAX)]
    signature: SignatureBytes


class RemarkRecord(Record, frozen=True, tag="remark", tag_field="t"):
    """A remark, after the steps that were closed when the writer got it. Only the writer claims completeness."""

    payload: Annotated[bytes, msgspec.Meta(max_length=REMARK_SIZE_MAX)]
    signature: SignatureBytes


class EvidenceRecord(Record, frozen=True, tag="evidence", tag_field="t"):
    """Evidence: one contribution that a seat must not have signed, or two that exclude each other."""

    contributions: Annotated[tuple[tuple[Payload, SignatureBytes], ...], msgspec.Meta(min_length=1, max_length=2)]


class OpeningRecord(Record, frozen=True, tag="opening", tag_field="t"):
    """A seat's game secret x_i, released after the end; in seat order, each at most once."""

    seat: SeatNumber
    secret: Bytes32


class EndRecord(Record, frozen=True, tag="end", tag_field="t"):
    """The writer's identity key, and its signature over the SHA-256 of every byte before this record."""

    key: Bytes32
    signature: SignatureBytes


BesideRecord: TypeAlias = RemarkRecord | LeaveRecord | EvidenceRecord
AnyRecord: TypeAlias = (
    TableRecord | StepRecord | CertificateRecord | OpenRecord | BesideRecord | OpeningRecord | EndRecord
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A record and its place: its bytes are ``data[start:end]``, length included."""

    record: AnyRecord
    start: int
    end: int


class NotAReplay(DecodeError):
    """These bytes are no replay that this program reads: another kind of file, or another version."""


class Torn(DecodeError):
    """The file ends inside a record: it was cut short, or its writer stopped while writing."""


def pairs(contributions: tuple[Contribution, ...]) -> tuple[tuple[bytes, bytes], ...]:
    """Return contributions in the form of records."""
    return tuple((contribution.payload, contribution.signature) for contribution in contributions)


def contributions_of(record: StepRecord | OpenRecord | EvidenceRecord | CertificateRecord) -> tuple[Contribution, ...]:
    """Return the contributions of a record, or its ballots."""
    signed = record.ballots if isinstance(record, CertificateRecord) else record.contributions
    return tuple(Contribution(payload, signature) for payload, signature in signed)


def signatures_in(record: AnyRecord) -> int:
    """Return the number of signatures of the record, without one inside a payload (of a remark that is called)."""
    match record:
        case StepRecord() | OpenRecord() | EvidenceRecord() | CertificateRecord():
            return len(contributions_of(record))
        case RemarkRecord() | LeaveRecord() | EndRecord():
            return 1
        case TableRecord() | OpeningRecord():
            return 0


def frame(record: AnyRecord) -> bytes:
    """Return the record's bytes, after their length."""
    data = encode(record)
    return len(data).to_bytes(LENGTH_SIZE, "big") + data


def end_digest(data: bytes | bytearray | memoryview) -> bytes:
    """Return the digest that the writer signs: SHA-256 of every byte before the ``end`` record."""
    return hashlib.sha256(data).digest()


def records(data: bytes, at: int = len(MAGIC)) -> Iterator[Placed]:
    """Yield the records of a file, from the one at this byte on.

    Raises NotAReplay, Torn or DecodeError at the first fault.
    """
    if not data.startswith(MAGIC):
        if data.startswith(MAGIC_STEM):
            raise NotAReplay(message("a replay of a version other than 1: a newer seqp2p may read it"))
        raise NotAReplay(message("not a seqp2p replay"))
    while at < len(data):
        record, end = _record_at(data, at)
        yield Placed(record, at, end)
        at = end


def _record_at(data: bytes, at: int) -> tuple[AnyRecord, int]:
    length = int.from_bytes(data[at : at + LENGTH_SIZE], "big")
    start = at + LENGTH_SIZE
    if start <= len(data) and length > RECORD_SIZE_MAX:
        values = {"length": length, "at": at, "most": RECORD_SIZE_MAX}
        raise DecodeError(message("a record of {length} bytes at byte {at}: at most {most} are allowed", **values))
    if start + length > len(data):
        raise Torn(message("the file ends inside a record"))
    body = data[start : start + length]
    record = structure(cast("type[AnyRecord]", AnyRecord), unpack(body, RECORD_SIZE_MAX))
    require_canonical(record, body)
    return record, start + length
