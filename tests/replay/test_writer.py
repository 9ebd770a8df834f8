"""Writing a replay as the game goes: the same bytes at every seat, never over a file, nothing lost by a crash."""

import errno
import io
from pathlib import Path
from typing import Any

import pytest

from seqp2p.crypto.hashing import FILE, REMARK
from seqp2p.crypto.identity import sign
from seqp2p.crypto.identity import verify as verify_signature
from seqp2p.match.encoding import encode
from seqp2p.match.machine import Match
from seqp2p.match.remark import RemarkPayload
from seqp2p.replay.disk import Disk
from seqp2p.replay.format import AnyRecord, EndRecord, RemarkRecord, StepRecord, TableRecord, end_digest, records
from seqp2p.replay.writer import ReplayWriter
from tests.replay.tools import assemble, invalid, open_step, openings, records_of, sealed, steps, unfinished, verified
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

    class FullDisk(Disk):
        def append(self, path: Path, *, new: bool) -> FullFile:
            files.append(FullFile(path, "xb" if new else "ab"))
            return files[-1]

    files: list[FullFile] = []
    with pytest.raises(OSError, match="no space"):
        ReplayWriter(path, match_at(brief, 3), disk=FullDisk())
    assert [file.closed for file in files] == [True]


# Remarks in a replay: where they may stand, and in which order they are written. The small replays have the faults.


@pytest.fixture(scope="module")
def talkative(brief: Played, tmp_path_factory: pytest.TempPathFactory) -> list[AnyRecord]:
    """The replay of a game in which both seats say something, early and late, and after the end; without its end."""
    path = tmp_path_factory.mktemp("talk") / "game.seqp2p"
    match = Match(brief.agreement)
    with ReplayWriter(path, match) as replay:

        def say(seat: int, text: str) -> None:
            remark = match.receive_remark(*brief.seat(seat).say(match, text))
            assert remark is not None
            replay.remark(match, remark)

        for closed in brief.steps:
            if closed.number in {1, 8, 12}:
                say(1 + closed.number % 2, f"step {closed.number}")
            for _, held in closed.contributions:
                match.receive(held)
        say(1, "good game")
        say(2, "thank you")
        replay.finish(match, brief.seat(1).identity_key, brief.seat(1).sign)
    verified(path.read_bytes())
    *parts, _ = records_of(path.read_bytes())
    return parts


def places(parts: list[AnyRecord]) -> list[int]:
    return [at for at, record in enumerate(parts) if isinstance(record, RemarkRecord)]


def test_remarks_stand_behind_the_steps_that_were_closed(brief: Played, talkative: list[AnyRecord]) -> None:
    assert [record for record in talkative if isinstance(record, StepRecord)] == steps(brief, 19)[1:]
    before = [sum(isinstance(record, StepRecord) for record in talkative[:at]) for at in places(talkative)]
    assert before == [0, 7, 11, 19, 19]


def test_that_none_is_missing_is_the_writers_word_and_a_gap_is_invalid(talkative: list[AnyRecord]) -> None:
    verified(sealed([record for record in talkative if not isinstance(record, RemarkRecord)]))
    first, *_, last = places(talkative)
    verified(sealed([*talkative[:last], *talkative[last + 1 :]]))
    invalid(sealed([*talkative[:first], *talkative[first + 1 :]]), "out of its seat's order")


def test_a_remark_later_than_it_was_said_verifies_and_earlier_not(talkative: list[AnyRecord]) -> None:
    """When it reached the writer is the writer's word; that it was said before its step was closed is not."""
    at = places(talkative)[2]
    remark, others = talkative[at], [*talkative[:at], *talkative[at + 1 :]]
    verified(sealed([*others[: at + 3], remark, *others[at + 3 :]]))
    invalid(sealed([*others[: at - 1], remark, *others[at - 1 :]]), "not open yet")


def test_remarks_stand_beside_the_steps_and_what_is_open(brief: Played, talkative: list[AnyRecord]) -> None:
    remark = talkative[places(talkative)[0]]
    opened = open_step(2, brief.contribution(2, 1))
    for parts in ([remark, opened], [opened, remark]):
        unfinished(sealed([*steps(brief, 1), *parts]), "waiting for seat 2")
    invalid(sealed([*steps(brief, 19), *openings(brief), remark]), "none of its kind may be")
    invalid(sealed([remark, *talkative]), "not the table agreement")


def test_a_remark_dated_before_its_seats_last_waits_for_it(trio: Played, tmp_path: Path) -> None:
    """The open step follows one that is not final, so its remark is written later, and so is the next remark."""
    path = tmp_path / "game.seqp2p"
    match, seat = match_at(trio, 8), trio.seat(1)
    assert match.final < match.number - 1
    with ReplayWriter(path, match) as replay:
        for step in (8, 1):
            number, last = match.remarks.next_of(1)
            payload = encode(RemarkPayload(1, match.game.id, 1, number, last, step, match.head, False, "now"))
            remark = match.receive_remark(payload, sign(trio.identity(1), REMARK, payload))
            assert remark is not None
            replay.remark(match, remark)
        replay.finish(match, seat.identity_key, seat.sign)
    unfinished(path.read_bytes())
    assert len(places(records_of(path.read_bytes()))) == 2
