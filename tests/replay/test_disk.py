"""Reading anything in the place of a replay, and writing its neighbours."""

import os
from pathlib import Path

import pytest

from seqp2p.replay import disk
from seqp2p.replay.disk import NotAFile, read_regular, write_beside


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes between the look and the opening. Opening a pipe without a writer would take for ever."""
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    file.write_bytes(b"a replay")
    os.mkfifo(pipe)
    assert read_regular(file) == b"a replay"
    was = file.stat()
    monkeypatch.setattr(os, "stat", lambda _: was)
    with pytest.raises(NotAFile):
        read_regular(pipe)


def test_what_calls_itself_a_file_and_has_nothing_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the messages of the kernel do: reading them would wait for the next one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(disk, "_require_file", lambda *_: None)
    writer = os.open(pipe, os.O_RDWR)
    try:
        with pytest.raises(NotAFile):
            read_regular(pipe)
    finally:
        os.close(writer)


HEX = "0123456789abcdef"


def aged(path: Path, age_s: float) -> None:
    found = path.stat()
    os.utime(path, (found.st_atime, found.st_mtime - age_s))


@pytest.mark.parametrize(
    ("name", "age_s", "stays"),
    [
        (f".other.seqp2p.seat.{HEX}", 90_000, False),
        (f".other.seqp2p.seat.{HEX}", 3_600, True),  # Its process may still write.
        (f"other.seqp2p.seat.{HEX}", 90_000, True),
        (f".other.seqp2p.{HEX}", 90_000, True),
        (f".other.seqp2p.seat.{HEX}0", 90_000, True),
        (".other.seqp2p.seat", 90_000, True),
    ],
)
def test_a_new_file_deletes_those_that_a_kill_has_left(tmp_path: Path, name: str, age_s: float, stays: bool) -> None:
    left = tmp_path / name
    left.write_bytes(b"secrets")
    aged(left, age_s)
    new = write_beside(tmp_path / "game.seqp2p.seat", b"secrets", synced=False)
    assert new.read_bytes() == b"secrets"
    assert left.exists() == stays


def test_a_folder_and_a_link_of_such_a_name_stay(tmp_path: Path) -> None:
    folder, link, file = tmp_path / f".one.seat.{HEX}", tmp_path / f".two.seat.{HEX}", tmp_path / "file"
    folder.mkdir()
    file.write_bytes(b"")
    link.symlink_to(file)
    aged(folder, 90_000)
    os.utime(link, (0, 0), follow_symlinks=False)
    write_beside(tmp_path / "game.seat", b"", synced=True).rename(tmp_path / "game.seat")
    assert {each.name for each in tmp_path.iterdir()} == {folder.name, link.name, file.name, "game.seat"}
