"""Replays from files and bytes."""

import os
from pathlib import Path

import pytest

import seqp2p

GOLDEN = Path(__file__).parents[2] / "replays" / "classic-2.seqp2p"


@pytest.mark.simulation
def test_a_file_and_its_bytes_are_the_same() -> None:
    report = seqp2p.verify(GOLDEN)
    assert report.verdict == "verified"
    assert report == seqp2p.verify(str(GOLDEN)) == seqp2p.verify(GOLDEN.read_bytes())
    playback = seqp2p.read(GOLDEN)
    assert playback.report == report
    assert playback.agreement is not None
    assert playback.agreement.settings.variant == "classic"
    first, *_, last = playback.moments
    assert isinstance(first.what, seqp2p.Seated)
    assert first.position is None
    assert last.position is not None
    assert last.position.over
    assert playback.opened == {1, 2}


def test_whatever_the_bytes_are_there_is_a_report(tmp_path: Path) -> None:
    assert seqp2p.verify(b"").verdict == "invalid"
    assert seqp2p.read(b"nonsense").moments == ()
    cut = tmp_path / "cut.seqp2p"
    cut.write_bytes(GOLDEN.read_bytes()[:-5])
    assert seqp2p.verify(cut).verdict == "unfinished"


@pytest.mark.parametrize("make", [None, Path.mkdir, os.mkfifo])
def test_what_is_no_file_raises(tmp_path: Path, make: object) -> None:
    path = tmp_path / "it"
    if callable(make):
        make(path)
    for use in (seqp2p.verify, seqp2p.read):
        with pytest.raises(OSError, match="it") as error:
            use(path)
        assert str(error.value.filename) == str(path)


@pytest.mark.parametrize("name", ["", "zero\0byte"])
def test_a_name_that_no_file_has(name: str) -> None:
    with pytest.raises(FileNotFoundError):
        seqp2p.verify(name)
