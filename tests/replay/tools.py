"""Replays taken apart and put together again, right or wrong."""

from collections.abc import Sequence
from functools import cache, partial

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
from tests.protocol.reading import GOLDEN, REPLAYS
from tests.table import Played, identity, randomness, replay_bytes

STRANGER = identity(99, 99)


@cache
def stored(name: str) -> bytes:
    """A replay of the repository by its name: a golden game, or a small one of protocol/."""
    golden = {path.stem: path for path in GOLDEN}
    return golden.get(name, REPLAYS / f"{name}.seqp2p").read_bytes()


def records_of(data: bytes) -> list[AnyRecord]:
    return [placed.record for placed in records(data)]


def boundaries(data: bytes) -> list[int]:
    """The ends of the magic line and of every record."""
    return [len(MAGIC), *(placed.end for placed in records(data))]


def assemble(parts: Sequence[AnyRecord]) -> bytes:
    return MAGIC + b"".join(map(frame, parts))


def seal(data: bytes, who: Identity = STRANGER) -> bytes:
    return data + frame(EndRecord(who.public, sign(who, FILE, end_digest(data))))


def sealed(parts: Sequence[AnyRecord], who: Identity = STRANGER) -> bytes:
    return seal(assemble(parts), who)


def table(game: Played) -> TableRecord:
    return TableRecord(game.agreement)


def step(game: Played, number: int) -> StepRecord:
    return StepRecord(number, pairs(tuple(held for _, held in game.steps[number - 1].contributions)))


def steps(game: Played, last: int) -> list[AnyRecord]:
    """The header and the steps up to and with ``last``."""
    return [table(game), *(step(game, number) for number in range(1, last + 1))]


def open_step(number: int, *contributions: Contribution) -> OpenRecord:
    return OpenRecord(number, pairs(contributions))


def evidence(*contributions: Contribution) -> EvidenceRecord:
    return EvidenceRecord(pairs(contributions))


def openings(game: Played) -> list[OpeningRecord]:
    return [record for record in records_of(replay_bytes(game)) if isinstance(record, OpeningRecord)]


_batched = set[tuple[str, str | None]]()


def verify(data: bytes) -> Report:
    """Return the report on a file, and check for each kind of report that batched proofs give the same."""
    report = verify_exactly(data)
    kind = report.verdict, report.failure
    if kind not in _batched:
        assert verify_batched(data, randomness("weights")) == report
        _batched.add(kind)
    return report


def _without_result(verdict: str, data: bytes, text: str = "") -> Report:
    report = verify(data)
    assert report.verdict == verdict, report
    assert report.reason is not None
    assert text in report.reason, report.reason
    assert report.reason.isprintable()
    assert report.result is None
    return report


invalid = partial(_without_result, "invalid")
unfinished = partial(_without_result, "unfinished")


def verified(data: bytes) -> Report:
    report = verify(data)
    assert report.verdict == "verified", report
    assert (report.reason, report.step) == (None, None)
    assert report.result is not None
    return report
