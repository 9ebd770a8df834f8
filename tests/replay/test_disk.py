"""Reading whatever stands in the place of a replay."""

import os
from pathlib import Path

import pytest

from seqp2p.replay import disk
from seqp2p.replay.disk import NotAFile, read_replay


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at it and its opening; without a writer, opening it as usual would take for ever."""
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    file.write_bytes(b"a replay")
    os.mkfifo(pipe)
    assert read_replay(file) == b"a replay"
    was = file.stat()
    monkeypatch.setattr(os, "stat", lambda _: was)
    with pytest.raises(NotAFile):
        read_replay(pipe)


def test_what_calls_itself_a_file_and_has_nothing_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the messages of the kernel do: reading them would wait for the next one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(disk, "_require_file", lambda *_: None)
    writer = os.open(pipe, os.O_RDWR)
    try:
        with pytest.raises(NotAFile):
            read_replay(pipe)
    finally:
        os.close(writer)
