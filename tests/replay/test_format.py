"""The replay file byte by byte: records come back as they were, and every other form is refused."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import DecodeError, encode
from seqp2p.match.events import Turned
from seqp2p.replay.decoded import decoded
from seqp2p.replay.format import (
    MAGIC,
    RECORD_SIZE_MAX,
    AnyRecord,
    EndRecord,
    EvidenceRecord,
    OpeningRecord,
    OpenRecord,
    RemarkRecord,
    StepRecord,
    TableRecord,
    Torn,
    frame,
    records,
)
from seqp2p.replay.playback import play_back
from seqp2p.rules import CLASSIC, KIDS, format_action
from tests.protocol.reading import GOLDEN
from tests.replay.tools import assemble, evidence, records_of, steps, stored
from tests.table import Played

PAIRS = st.lists(st.tuples(st.binary(max_size=50), st.binary(min_size=64, max_size=64)), min_size=1, max_size=12)
RECORDS: st.SearchStrategy[AnyRecord] = st.one_of(
    st.builds(TableRecord, st.binary(max_size=100)),
    st.builds(StepRecord, st.integers(1, 100_000), PAIRS.map(tuple)),
    st.builds(RemarkRecord, st.binary(max_size=100), st.binary(min_size=64, max_size=64)),
    st.builds(OpenRecord, st.integers(1, 100_000), PAIRS.map(tuple)),
    st.builds(EvidenceRecord, PAIRS.map(lambda pairs: tuple(pairs[:2]))),
    st.builds(OpeningRecord, st.integers(1, 12), st.binary(min_size=32, max_size=32)),
    st.builds(EndRecord, st.binary(min_size=32, max_size=32), st.binary(min_size=64, max_size=64)),
)


@given(parts=st.lists(RECORDS, min_size=1, max_size=5), data=st.data())
def test_records_come_back_and_a_file_that_is_cut_is_torn_or_shorter(
    parts: list[AnyRecord], data: st.DataObject
) -> None:
    whole = MAGIC + b"".join(map(frame, parts))
    placed = list(records(whole))
    assert [each.record for each in placed] == parts
    assert b"".join(whole[each.start : each.end] for each in placed) == whole[len(MAGIC) :]
    length = data.draw(st.integers(len(MAGIC), len(whole) - 1))
    if length in {len(MAGIC), *(each.end for each in placed)}:
        assert len(records_of(whole[:length])) < len(parts)
    else:
        with pytest.raises(Torn):
            records_of(whole[:length])


@pytest.mark.parametrize(
    "record",
    [
        TableRecord(bytes(8193)),
        StepRecord(1, ()),
        StepRecord(1, ((b"", bytes(64)),) * 13),
        StepRecord(1, ((bytes(32_769), bytes(64)),)),
        StepRecord(1, ((b"", bytes(63)),)),
        StepRecord(0, ((b"", bytes(64)),)),
        OpenRecord(1, ()),
        OpenRecord(100_001, ((b"", bytes(64)),)),
        RemarkRecord(bytes(1025), bytes(64)),
        RemarkRecord(b"", bytes(65)),
        EvidenceRecord(()),
        EvidenceRecord(((b"", bytes(64)),) * 3),
        OpeningRecord(0, bytes(32)),
        OpeningRecord(13, bytes(32)),
        OpeningRecord(1, bytes(31)),
        EndRecord(bytes(33), bytes(64)),
        EndRecord(bytes(32), bytes(65)),
    ],
    ids=lambda record: type(record).__name__,
)
def test_everything_has_a_limit(record: AnyRecord) -> None:
    with pytest.raises(DecodeError):
        records_of(MAGIC + frame(record))


def test_the_largest_step_fits_and_more_is_refused_before_it_is_read() -> None:
    record = StepRecord(100_000, ((bytes(32_768), bytes(64)),) * 12)
    assert len(encode(record)) <= RECORD_SIZE_MAX
    assert records_of(MAGIC + frame(record)) == [record]
    with pytest.raises(DecodeError, match="at most"):
        records_of(MAGIC + (RECORD_SIZE_MAX + 1).to_bytes(4, "big"))
    with pytest.raises(Torn):
        records_of(MAGIC + RECORD_SIZE_MAX.to_bytes(4, "big"))


# Replays as plain data: every record is there, with what its seats signed in words.


def contributions(found: list[dict[str, Any]], *kinds: str) -> Iterator[dict[str, Any]]:
    for record in found:
        if record["record"] == "step" and record["kind"] in kinds:
            yield from record["contributions"]


@pytest.mark.parametrize("name", [path.stem for path in GOLDEN])
def test_every_record_of_golden_games_is_there(name: str) -> None:
    found = decoded(stored(name))
    kinds = [type(placed.record).__struct_config__.tag for placed in records(stored(name))]
    assert [record["record"] for record in found] == kinds[1:]
    steps = [record["step"] for record in found if record["record"] in ("step", "certificate")]
    assert steps == [*range(1, len(steps) + 1)]


@pytest.mark.parametrize("name", ["kids-3", "classic-2-manual-draw", "classic-4-table-talk"])
def test_turns_are_those_that_were_played(name: str) -> None:
    found = contributions(decoded(stored(name)), "turn", "late", "discard")
    turned = [moment.what for moment in play_back(stored(name)).moments if isinstance(moment.what, Turned)]
    variant = CLASSIC if name.startswith("classic") else KIDS
    played = [(turn.seat, format_action(variant, turn.action)) for turn in turned]
    assert [(each["seat"], each["body"]["action"]) for each in found] == played


def test_digits_are_shown_when_they_are_asked_for() -> None:
    brief, full = decoded(stored("kids_2_won_ok")), decoded(stored("kids_2_won_ok"), raw=True)
    (short, *_), (long, *_) = contributions(brief, "shuffle"), contributions(full, "shuffle")
    assert short["body"].keys() == long["body"].keys() == {"deck", "proof"}
    assert short["body"]["deck"] == {"bytes": 42 * 66}
    assert len(bytes.fromhex(long["body"]["deck"]["hex"])) == long["body"]["deck"]["bytes"] == 42 * 66
    assert short["signature"] == {"bytes": 64}
    (seat, *_) = contributions(brief, "seat")
    assert len(bytes.fromhex(seat["body"]["commitment"])) == 32


def test_remarks_calls_votes_and_leaves() -> None:
    talk = decoded(stored("classic-4-table-talk"))
    calls = [each["body"] for each in contributions(talk, "turn") if each["body"]["action"].startswith("call")]
    remarks = [record for record in talk if record["record"] == "remark"]
    assert len(calls) == 3
    assert all(call["remark"] in [{k: v for k, v in r.items() if k != "record"} for r in remarks] for call in calls)
    assert {"seat", "number", "last", "step", "prev", "courtesy", "text", "signature"} < remarks[0].keys()
    skips = [record for record in decoded(stored("classic-4-skipped")) if record["record"] == "certificate"]
    assert [(skip["action"], skip["about"]) for skip in skips] == [("skip", (1,)), ("skip", (1,))]
    assert {ballot["seat"] for ballot in skips[0]["ballots"]} == {2, 3, 4}
    leaves = [record["seat"] for record in decoded(stored("forfeit_fail")) if record["record"] == "leave"]
    assert leaves == [2, 3]


def test_evidence_is_told_as_it_is(duel: Played) -> None:
    """A seat may sign anything: two ballots, or bytes in no form."""
    *_, last = decoded(assemble([*steps(duel, 2), evidence(Contribution(b"\xc1", bytes(64)))]))
    assert last == {"record": "evidence", "contributions": [{"payload": {"bytes": 1}, "signature": {"bytes": 64}}]}
    (proof,) = (record for record in decoded(stored("evidence_of_two_ballots_fail")) if record["record"] == "evidence")
    assert {each["round"] for each in proof["contributions"]} == {1}
