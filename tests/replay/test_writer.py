"""Writing a replay as the game goes: the same bytes at every seat, never over a file, nothing lost by a crash."""

import errno
import io
from pathlib import Path
from typing import Any

import pytest

from seqp2p.crypto.hashing import FILE
from seqp2p.crypto.identity import verify as verify_signature
from seqp2p.match.machine import Match
from seqp2p.replay.disk import RealDisk
from seqp2p.replay.format import EndRecord, TableRecord, end_digest, records
from seqp2p.replay.writer import ReplayWriter
from tests.replay.tools import assemble, records_of, steps, unfinished
from tests.table import Played, altered, match_at, replay_bytes, replay_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "game.seqp2p"


def test_every_record_is_there_before_the_call_returns_and_the_bytes_are_those_of_the_end(
    trio: Played, path: Path
) -> None:
    """After a crash at any time, the file verifies as far as it goes."""
    match, seat = Match(trio.agreement), trio.seat(1)
    with ReplayWriter(path, match) as replay:
        for step in trio.steps:
            for _, held in step.contributions:
                match.receive(held)
            replay.record(match)
            replay.record(match)
            assert path.read_bytes() == assemble(steps(trio, match.final))
        assert unfinished(path.read_bytes(), "no writer's signature").steps == len(trio.steps)
        for own in trio.seats:
            match.open_seat(own.number, own.release())
        replay.finish(match, seat.identity_key, seat.sign)
    assert path.read_bytes() == replay_bytes(trio, 1)


def test_all_seats_write_the_same_steps_and_a_signature_that_covers_them(trio: Played) -> None:
    files = [replay_bytes(trio, seat) for seat in (1, 2, 3)]
    ends = [list(records(data))[-1] for data in files]
    assert len({data[: end.start] for data, end in zip(files, ends, strict=True)}) == 1
    for seat, data, end in zip((1, 2, 3), files, ends, strict=True):
        assert isinstance(end.record, EndRecord)
        assert end.record.key == trio.identity(seat).public
        verify_signature(end.record.key, FILE, end_digest(data[: end.start]), end.record.signature)
        assert end.end == len(data)


def test_the_order_of_arrival_leaves_no_trace(trio: Played, path: Path) -> None:
    match = Match(trio.agreement)
    for step in trio.steps:
        for _, held in reversed(step.contributions):
            match.receive(held)
    with ReplayWriter(path, match) as replay:
        replay.record(match)
    assert path.read_bytes() == assemble(steps(trio, len(trio.steps)))


def test_a_file_that_exists_is_never_touched(brief: Played, path: Path) -> None:
    path.write_bytes(b"something dear")
    link = path.with_name("link.seqp2p")
    link.symlink_to(path.with_name("nowhere"))
    for there in (path, link):
        with pytest.raises(FileExistsError):
            ReplayWriter(there, brief.match)
    assert path.read_bytes() == b"something dear"
    assert not path.with_name("nowhere").exists()


def test_the_folder_is_made(brief: Played, path: Path) -> None:
    deep = path.parent / "a" / "b" / "game.seqp2p"
    with ReplayWriter(deep, brief.match) as replay:
        assert replay.path == deep
    assert records_of(deep.read_bytes()) == [TableRecord(brief.agreement)]
    with pytest.raises(OSError, match="game"):
        ReplayWriter(deep / "game.seqp2p", brief.match)


def test_what_is_open_and_what_is_proved_is_written(trio: Played) -> None:
    match = match_at(trio, 1)
    match.receive(trio.contribution(1, 3))
    match.receive(trio.contribution(1, 1))
    wrong = altered(trio.identity(2), trio.contribution(1, 2), body={})
    data = replay_of(match, trio.seat(1), (wrong,))
    kinds = [type(record).__name__ for record in records_of(data)]
    assert kinds == ["TableRecord", "EvidenceRecord", "OpenRecord", "EndRecord"]


def test_a_disk_that_takes_a_part_is_an_error(brief: Played, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, data: bytes) -> int:
            return len(data) // 2

        def close(self) -> None:
            pass

    match = match_at(brief, 3)
    with ReplayWriter(path, match) as replay:
        before = path.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(replay, "_file", Full())
            with pytest.raises(OSError, match="only part of a record"):
                replay.record(match)
    assert path.read_bytes() == before
    unfinished(before)


def test_a_file_that_cannot_be_begun_is_closed(brief: Played, path: Path) -> None:
    class FullFile(io.FileIO):
        def write(self, data: Any, /) -> int:
            raise OSError(errno.ENOSPC, "no space")

        def sync(self) -> None:
            raise AssertionError("nothing is written")

    class FullDisk(RealDisk):
        def append(self, path: Path, *, new: bool) -> FullFile:
            files.append(FullFile(path, "xb" if new else "ab"))
            return files[-1]

    files: list[FullFile] = []
    with pytest.raises(OSError, match="no space"):
        ReplayWriter(path, match_at(brief, 3), disk=FullDisk())
    assert [file.closed for file in files] == [True]
