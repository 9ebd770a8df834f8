"""The replay file byte by byte: records come back as they were, and every other form is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.match.encoding import DecodeError, encode
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
from tests.replay.tools import records_of

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
