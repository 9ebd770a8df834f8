"""Replays taken apart and put together again, right or wrong."""

from collections.abc import Sequence

from seqp2p.crypto.hashing import FILE
from seqp2p.crypto.identity import Identity, sign
from seqp2p.match.contribution import Contribution
from seqp2p.replay.format import (
    MAGIC,
    AnyRecord,
    EndRecord,
    EvidenceRecord,
    OpeningRecord,
    OpenRecord,
    StepRecord,
    TableRecord,
    end_digest,
    frame,
    pairs,
    records,
)
from seqp2p.replay.verify import Report, verify_batched
from seqp2p.replay.verify import verify as verify_exactly
from tests.table import Played, identity, randomness, replay_bytes

STRANGER = identity(99, 99)


def records_of(data: bytes) -> list[AnyRecord]:
    """The records of a file that is whole."""
    return [placed.record for placed in records(data)]


def boundaries(data: bytes) -> list[int]:
    """The places between records: after the magic line, and after every record."""
    return [len(MAGIC), *(placed.end for placed in records(data))]


def assemble(parts: Sequence[AnyRecord]) -> bytes:
    """A file of these records, as they are."""
    return MAGIC + b"".join(map(frame, parts))


def seal(data: bytes, who: Identity = STRANGER) -> bytes:
    """The file with a writer's signature that covers it."""
    return data + frame(EndRecord(who.public, sign(who, FILE, end_digest(data))))


def sealed(parts: Sequence[AnyRecord], who: Identity = STRANGER) -> bytes:
    """A file of these records, and a writer's signature that covers them."""
    return seal(assemble(parts), who)


def table(game: Played) -> TableRecord:
    """The header of a game's replay."""
    return TableRecord(game.agreement)


def step(game: Played, number: int) -> StepRecord:
    """A step of a game, as replays hold it."""
    return StepRecord(number, pairs(tuple(held for _, held in game.steps[number - 1].contributions)))


def steps(game: Played, last: int) -> list[AnyRecord]:
    """The header and the steps up to and with ``last``."""
    return [table(game), *(step(game, number) for number in range(1, last + 1))]


def open_step(number: int, *contributions: Contribution) -> OpenRecord:
    """What was in for a step that did not close."""
    return OpenRecord(number, pairs(contributions))


def evidence(*contributions: Contribution) -> EvidenceRecord:
    """What is said to prove something."""
    return EvidenceRecord(pairs(contributions))


def openings(game: Played) -> list[OpeningRecord]:
    """The opened hands of a game."""
    return [record for record in records_of(replay_bytes(game)) if isinstance(record, OpeningRecord)]


_batched = set[tuple[str, str | None]]()


def verify(data: bytes) -> Report:
    """The report on a file; each kind of report is seen to be the same where all proofs are checked together."""
    report = verify_exactly(data)
    kind = report.verdict, report.failure
    if kind not in _batched:
        assert verify_batched(data, randomness("weights")) == report
        _batched.add(kind)
    return report


def invalid(data: bytes, text: str = "") -> Report:
    """Something in this file is wrong, and the reason says what."""
    report = verify(data)
    assert report.verdict == "invalid", report
    assert report.reason is not None
    assert text in report.reason, report.reason
    assert report.reason.isprintable()
    assert report.result is None
    return report


def unfinished(data: bytes, text: str = "") -> Report:
    """All that is there is right, but it does not come to its end."""
    report = verify(data)
    assert report.verdict == "unfinished", report
    assert report.reason is not None
    assert text in report.reason, report.reason
    assert report.result is None
    return report


def verified(data: bytes) -> Report:
    """Everything is there, and right."""
    report = verify(data)
    assert report.verdict == "verified", report
    assert (report.reason, report.step) == (None, None)
    assert report.result is not None
    return report
