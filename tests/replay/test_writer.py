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
from seqp2p.replay.format import EndRecord, StepRecord, TableRecord, end_digest, records
from seqp2p.replay.verify import verify
from seqp2p.replay.writer import ReplayWriter
from tests.replay.tools import assemble, boundaries, records_of, steps, unfinished, verified
from tests.table import Played, altered, match_at, replay_bytes, replay_of


def test_a_replay_written_step_by_step_is_the_one_written_at_the_end(trio: Played, tmp_path: Path) -> None:
    path, match, seat = tmp_path / "game.seqp2p", Match(trio.agreement), trio.seat(1)
    with ReplayWriter(path, match) as replay:
        for step in trio.steps:
            for _, held in step.contributions:
                match.receive(held)
            replay.record(match)
            replay.record(match)
        for own in trio.seats:
            match.open_seat(own.number, own.release())
        replay.finish(match, seat.identity_key, seat.sign)
    assert path.read_bytes() == replay_bytes(trio, 1)


def test_all_seats_write_the_same_steps(trio: Played) -> None:
    files = [replay_bytes(trio, seat) for seat in (1, 2, 3)]
    ends = [list(records(data))[-1] for data in files]
    assert len({data[: end.start] for data, end in zip(files, ends, strict=True)}) == 1
    assert len({data[end.start :] for data, end in zip(files, ends, strict=True)}) == 3


def test_the_order_of_arrival_leaves_no_trace(trio: Played, tmp_path: Path) -> None:
    match = Match(trio.agreement)
    for step in trio.steps:
        for _, held in reversed(step.contributions):
            match.receive(held)
    with ReplayWriter(tmp_path / "game.seqp2p", match) as replay:
        replay.record(match)
    assert (tmp_path / "game.seqp2p").read_bytes() == assemble(steps(trio, len(trio.steps)))


def test_a_file_that_exists_is_never_touched(brief: Played, tmp_path: Path) -> None:
    path = tmp_path / "game.seqp2p"
    path.write_bytes(b"something dear")
    with pytest.raises(FileExistsError):
        ReplayWriter(path, brief.match)
    assert path.read_bytes() == b"something dear"
    link = tmp_path / "link.seqp2p"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        ReplayWriter(link, brief.match)
    assert not (tmp_path / "nowhere").exists()


def test_the_folder_is_made(brief: Played, tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "game.seqp2p"
    with ReplayWriter(path, brief.match) as replay:
        assert replay.path == path
    assert records_of(path.read_bytes()) == [TableRecord(brief.agreement)]


def test_a_folder_that_cannot_be_made_is_an_error_of_the_system(brief: Played, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file"):
        ReplayWriter(tmp_path / "file" / "game.seqp2p", brief.match)


def test_every_record_is_there_before_the_call_returns(brief: Played, tmp_path: Path) -> None:
    """What a crash leaves, at any time, is a file that verifies as far as it goes."""
    path, match = tmp_path / "game.seqp2p", Match(brief.agreement)
    with ReplayWriter(path, match) as replay:
        for step in brief.steps:
            for _, held in step.contributions:
                match.receive(held)
            replay.record(match)
            last = records_of(path.read_bytes())[-1]
            assert isinstance(last, StepRecord)
            assert last.step == step.number
    report = unfinished(path.read_bytes(), "no writer's signature")
    assert report.steps == len(brief.steps)


def test_the_signature_covers_everything_before_it(brief: Played) -> None:
    data = replay_bytes(brief, 2)
    end = list(records(data))[-1]
    assert isinstance(end.record, EndRecord)
    assert end.record.key == brief.identity(2).public
    verify_signature(end.record.key, FILE, end_digest(data[: end.start]), end.record.signature)
    assert boundaries(data)[-1] == len(data)


def test_what_is_open_and_what_is_proved_is_written(trio: Played) -> None:
    match = match_at(trio, 1)
    match.receive(trio.contribution(1, 3))
    match.receive(trio.contribution(1, 1))
    wrong = altered(trio.identity(2), trio.contribution(1, 2), body={})
    data = replay_of(match, trio.seat(1), (wrong,))
    kinds = [type(record).__name__ for record in records_of(data)]
    assert kinds == ["TableRecord", "EvidenceRecord", "OpenRecord", "EndRecord"]


def test_a_disk_that_takes_a_part_is_an_error(brief: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, data: bytes) -> int:
            return len(data) // 2

        def close(self) -> None:
            pass

    path, match = tmp_path / "game.seqp2p", match_at(brief, 3)
    with ReplayWriter(path, match) as replay:
        before = path.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(replay, "_file", Full())
            with pytest.raises(OSError, match="only a part of a record"):
                replay.record(match)
    assert path.read_bytes() == before
    assert verify(before).verdict == "unfinished"


def test_a_file_that_cannot_be_begun_is_closed(brief: Played, tmp_path: Path) -> None:
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
        ReplayWriter(tmp_path / "game.seqp2p", match_at(brief, 3), disk=FullDisk())
    assert [file.closed for file in files] == [True]


def test_a_match_that_has_come_far_is_written_from_the_beginning(duel: Played) -> None:
    """As after a crash: the match was resumed, the file is new."""
    verified(replay_of(duel.match, duel.seat(2)))
