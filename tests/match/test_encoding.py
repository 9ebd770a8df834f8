"""One canonical form of every value, and a typed error for everything else."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.match.encoding import (
    NESTING_MAX,
    TEXT_LENGTH_MAX,
    VALUES_MAX,
    DecodeError,
    Record,
    decode,
    encode,
    pack,
    structure,
    unpack,
)


class Sample(Record, frozen=True):
    """A record for these tests."""

    number: int
    text: str
    data: bytes
    inner: tuple[int, ...]


scalars = st.integers(-(2**63), 2**64 - 1) | st.text(max_size=40) | st.binary(max_size=40) | st.booleans() | st.none()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
)


def depth(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def counted(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(1 + counted(each) for each in value.values())
    return 1 + sum(map(counted, value)) if isinstance(value, list) else 1


samples = st.builds(
    Sample,
    st.integers(-(2**63), 2**64 - 1),
    st.text(max_size=300),
    st.binary(max_size=300),
    st.lists(st.integers(0, 2**64 - 1), max_size=20).map(tuple),
)


@given(sample=samples)
def test_a_record_comes_back_as_it_was(sample: Sample) -> None:
    assert decode(Sample, encode(sample), 10_000) == sample


@given(value=values)
def test_plain_values_come_back_as_they_were_and_are_counted_before_any_is_built(value: Any) -> None:
    data = pack(value)
    if depth(value) > NESTING_MAX:
        with pytest.raises(DecodeError, match="nested deeper"):
            unpack(data, 100_000)
        return
    assert unpack(data, 100_000) == unpack(data, 100_000, counted(value)) == value
    with pytest.raises(DecodeError, match=r"more than \d+ values"):
        unpack(data, 100_000, counted(value) - 1)


@pytest.mark.parametrize("opener", [b"\x91", b"\x81\xa1a"])
def test_nesting_has_a_limit_of_its_own(opener: bytes) -> None:
    """Libraries give up at depths of their own, some by crashing: the limit here comes first, and is the same."""
    unpack(opener * NESTING_MAX + b"\xc0", 100)
    with pytest.raises(DecodeError, match="nested deeper than 8 levels"):
        unpack(opener * (NESTING_MAX + 1) + b"\xc0", 100)
    for depth in (400, 900, 1010, 1023, 1024, 8000):
        with pytest.raises(DecodeError):
            unpack(opener * depth + b"\xc0", 100_000)


@pytest.mark.parametrize("value", [[[]] * 30_000, [[[]]] * 15_000, {"a": [None] * 30_000}])
def test_a_frame_of_small_values_is_refused(value: Any) -> None:
    with pytest.raises(DecodeError, match=f"more than {VALUES_MAX} values"):
        unpack(pack(value), 100_000)


def test_sizes_have_a_limit() -> None:
    assert unpack(b"\xc4\x02ab", 4) == b"ab"
    with pytest.raises(DecodeError, match="5 bytes where at most 4 are allowed"):
        unpack(b"\xc4\x03abc", 4)


@pytest.mark.parametrize("key", ["\x1b[2J", "\u202e", "\x9b", "x" * 10_000])
def test_what_a_library_quotes_is_made_printable_and_short(key: str) -> None:
    with pytest.raises(DecodeError) as caught:
        structure(Sample, {key: 1})
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) <= TEXT_LENGTH_MAX


def test_an_error_says_where() -> None:
    with pytest.raises(DecodeError, match=r"\$.inner\[1\]"):
        structure(Sample, {"number": 1, "text": "", "data": b"", "inner": [1, "2"]})


ONE = encode(Sample(1, "ab", b"x", (1, 2)))


@pytest.mark.parametrize(
    ("form", "other"),
    [
        (b"\xa6number\x01", b"\xa6number\xcc\x01"),
        (b"\xa4text\xa2ab", b"\xa4text\xd9\x02ab"),
        (b"\xa4data\xc4\x01x", b"\xa4data\xc5\x00\x01x"),
        (b"\xa5inner\x92", b"\xa5inner\xdc\x00\x02"),
        (b"\x84", b"\xde\x00\x04"),
        (b"\xa6number\x01\xa4text\xa2ab", b"\xa4text\xa2ab\xa6number\x01"),
    ],
)
def test_the_same_record_in_another_form_is_refused(form: bytes, other: bytes) -> None:
    assert ONE.count(form) == 1
    with pytest.raises(DecodeError, match="not the canonical encoding"):
        decode(Sample, ONE.replace(form, other), 100)
