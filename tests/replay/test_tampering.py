"""Every byte of a replay matters: no changed, cut, extended or reordered file is verified."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.replay.format import AnyRecord, OpeningRecord
from tests.replay.exhaust import Golden, examine, main
from tests.replay.tools import records_of, sealed, step, steps, verify
from tests.table import Played, played, replay_bytes


def refused(data: bytes) -> None:
    report = verify(data)
    assert report.verdict != "verified"
    assert report.reason
    assert report.reason.isprintable()
    assert report.result is None


@pytest.fixture(scope="module")
def golden(brief: Played) -> Golden:
    return Golden(replay_bytes(brief))


@settings(max_examples=30)
@given(data=st.data())
def test_a_byte_changed_or_a_cut_anywhere(golden: Golden, data: st.DataObject) -> None:
    """The file is refused, and the quick way to verify it says what the slow one does."""
    place, by = data.draw(st.integers(0, len(golden.data) - 1)), data.draw(st.integers(1, 255))
    changed = bytearray(golden.data)
    changed[place] ^= by
    for other, quick in ((bytes(changed), golden.changed(place, by)), (golden.data[:place], golden.cut(place))):
        refused(other)
        assert quick == verify(other)


def test_every_part_of_the_file(golden: Golden) -> None:
    """`make soak` changes every bit, and cuts before every byte. Here: every 43rd byte, three ways."""
    verdicts = sum((examine(golden, place, (1, 0x80, 0xFF)) for place in range(0, len(golden.data), 43)), Counter())
    assert verdicts.keys() == {"invalid", "unfinished", "cut: invalid", "cut: unfinished"}


def test_the_command_looks_at_every_byte(
    capsys: pytest.CaptureFixture[str], golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--bits", "--every", "5000"]) == 0
    assert "kids_2_won_ok.seqp2p: 54 changes and cuts in" in capsys.readouterr().out
    monkeypatch.setattr(Golden, "changed", lambda *_: golden.whole)
    assert main(["--bits"]) == 1
    assert "byte 0 XOR 1 is not noticed" in capsys.readouterr().out


@settings(max_examples=25)
@given(data=st.data(), more=st.binary(min_size=1, max_size=20))
def test_bytes_put_in_or_taken_out_anywhere(golden: Golden, data: st.DataObject, more: bytes) -> None:
    replay = golden.data
    place = data.draw(st.integers(0, len(replay) - 1))
    count = data.draw(st.integers(1, 200))
    for changed in (replay[:place] + more + replay[place:], replay[:place] + replay[place + count :]):
        if changed != replay:
            refused(changed)


@pytest.fixture(scope="module")
def other(brief: Played) -> Played:
    """Another game of the same people, with the same keys."""
    return played(2, "kids", brief.seed, open_hands=False)


@settings(max_examples=25)
@given(dice=st.randoms(use_true_random=False))
def test_records_dropped_doubled_moved_and_signed_for(brief: Played, other: Played, dice: random.Random) -> None:
    """A writer may do this to whole records: what verifies has every step in its place."""
    *parts, _ = records_of(replay_bytes(brief))
    changed: list[AnyRecord] = list(parts)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(1, len(changed))
        what = dice.choice(["drop", "double", "move", "foreign"])
        record = changed.pop(at)
        if what == "double":
            changed[at:at] = [record, record]
        elif what == "move":
            changed.insert(dice.randrange(len(changed) + 1), record)
        elif what == "foreign":
            changed.insert(at, step(other, min(at, 19)))
    report = verify(sealed(changed))
    whole = [record for record in changed if not isinstance(record, OpeningRecord)]
    if report.verdict == "verified":
        assert whole == steps(brief, len(brief.steps))
    else:
        assert report.reason
