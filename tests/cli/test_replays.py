"""The files that a name means, and verifying many of them: by this process, and by others."""

import os
import signal
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from seqp2p.api.many import Named, named_files, no_file, of_all, processes, verify_named
from seqp2p.cli.replays import verify_file
from seqp2p.errors import UserError
from seqp2p.replay.format import REPLAY_SIZE_MAX
from seqp2p.replay.verify import verify
from tests.cli.conftest import good
from tests.cli.processes import Household, children, wait_until_gone

IN_FOLDER = ["A/z.seqp2p", "a.seqp2p", "b.seqp2p", "deep/er/c.seqp2p"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Replays, in folders below, among other files."""
    folder = tmp_path / "games"
    others = ["notes.txt", "deep/er/seqp2p", "x.seqp2p.part"]
    for name in (*IN_FOLDER, *others):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return folder


def names(files: list[Named], folder: Path) -> list[str]:
    return [str(named.path.relative_to(folder)) for named in files]


# --- which files are meant


def test_a_folder_means_the_replays_in_it(folder: Path) -> None:
    assert names(named_files([folder]), folder) == IN_FOLDER
    several = [folder / "b.seqp2p", folder / "A", folder / "missing", folder / "notes.txt"]
    assert names(named_files(several), folder) == ["b.seqp2p", "A/z.seqp2p", "missing", "notes.txt"]


def test_links_in_a_folder_do_not_go_round(folder: Path) -> None:
    (folder / "deep" / "round").symlink_to(folder)
    (folder / "itself.seqp2p").symlink_to("itself.seqp2p")
    (folder / "linked.seqp2p").symlink_to("a.seqp2p")
    assert names(named_files([folder]), folder) == [*IN_FOLDER, "itself.seqp2p", "linked.seqp2p"]
    assert "symbolic links" in (verify_file(folder / "itself.seqp2p").reason or "")
    # A link that is named is followed.
    assert len(named_files([folder / "deep" / "round"])) == 6


def test_a_folder_that_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("er"):
            raise PermissionError(13, "Permission denied", str(path))
        return before(path)

    monkeypatch.setattr(os, "scandir", scandir)
    *others, closed = named_files([folder])
    assert names(others, folder) == IN_FOLDER[:-1]
    assert closed == Named(folder / "deep" / "er", no_file("cannot be read: Permission denied"))
    assert verify_named(closed) == closed.content


def test_a_pattern_in_quotes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert names(named_files([folder / "?.seqp2p"]), folder) == ["a.seqp2p", "b.seqp2p"]
    assert names(named_files([folder / "**" / "*.seqp2p"]), folder) == IN_FOLDER
    assert names(named_files([folder / "[Ad]*"]), folder) == ["A/z.seqp2p", "deep/er/c.seqp2p"]
    monkeypatch.chdir(folder)
    assert [str(named.path) for named in named_files([Path("*p2p")])] == ["a.seqp2p", "b.seqp2p"]
    # What nothing matches, and what is no pattern, is a file that is not there.
    for pattern in (folder / "*.replay", folder / "a**b" / "c", Path("x" * 300), Path("nul\0")):
        assert named_files([pattern]) == [Named(pattern)]
        assert verify_file(pattern).verdict == "invalid"
    # A file with such a name is that file.
    (folder / "[ab].seqp2p").write_bytes(b"")
    assert names(named_files([folder / "[ab].seqp2p"]), folder) == ["[ab].seqp2p"]


# --- reading one


def test_a_file_larger_than_any_replay_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.seqp2p"
    with path.open("wb") as file:
        file.truncate(2 * 1024**3)
    report = verify_file(path)
    assert (report.verdict, report.reason) == ("invalid", f"larger than any replay ({REPLAY_SIZE_MAX} bytes)")
    assert report == verify(bytes(REPLAY_SIZE_MAX + 1))


# --- many


@pytest.fixture
def many(tmp_path: Path) -> list[Named]:
    """Files with verdicts of all kinds, in no order."""
    contents = [good(), b"", good()[:-1], good()[: len(good()) // 2], good(), b"seqp2p replay 2\n", good() + b"!"]
    files = [tmp_path / f"{number}.seqp2p" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    os.mkfifo(tmp_path / "fifo.seqp2p")
    return [
        *map(Named, files),
        Named(tmp_path / "fifo.seqp2p"),
        Named(tmp_path / "missing"),
        Named(tmp_path, no_file("fault")),
    ]


@pytest.mark.process
def test_reports_are_the_same_by_any_number_of_processes(many: list[Named]) -> None:
    alone = list(of_all(verify_named, many, 1))
    assert [report.verdict[0] for _, report in alone] == [*"viuuviiiii"]
    assert list(of_all(verify_named, many, 2)) == alone
    assert [processes(files, None) for files in (0, 1, 5)] == [0, 1, 1]
    assert active_children() == []


@pytest.mark.process
def test_a_killed_process_is_missed(many: list[Named]) -> None:
    reports = of_all(verify_named, many * 40, 2)
    next(reports)
    active_children()[0].kill()
    with pytest.raises(UserError, match="a process that verifies has been killed"):
        list(reports)
    assert active_children() == []


def test_stopped_it_says_how_far_it_came(people: Household, many: list[Named]) -> None:
    good, empty = (named.path for named in many[:2])
    verify = people.start("verify", "--json", "--jobs", 2, empty, *[good] * 1000)
    verify.event("verdict", 2)
    started = children(verify.pid)
    verify.signal(signal.SIGTERM)
    assert verify.end() == 3  # An invalid file is the worse news.
    assert len(verify.err) == 1
    assert verify.err[0].startswith("seqp2p: error: stopped after ")
    assert verify.err[0].endswith(" of 1,001 files")
    assert len(verify.events) < 1001
    wait_until_gone(started)
