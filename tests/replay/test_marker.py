"""The marker of a seat: it tells the files that were written last from any copy of them."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from seqp2p.replay.marker import Marker

TOKEN = b"t" * 16


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    made = tmp_path / "game.seat", tmp_path / "game"
    for path in made:
        path.write_bytes(b"what was signed at first")
    return made


@pytest.fixture
def marker(tmp_path: Path, files: tuple[Path, Path]) -> Marker:
    made = Marker(tmp_path / "home" / "seats" / "game-seat2", files)
    made.renew(TOKEN, TOKEN)
    return made


def again(tmp_path: Path, files: tuple[Path, Path]) -> Marker:
    """As the next process reads it."""
    return Marker(tmp_path / "home" / "seats" / "game-seat2", files)


def write_more(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b", and later")


@pytest.mark.usefixtures("marker")
def test_the_very_files(tmp_path: Path, files: tuple[Path, Path]) -> None:
    path = tmp_path / "home" / "seats" / "game-seat2"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert again(tmp_path, files).holds(TOKEN)
    # Written, and not noted any more: a crash.
    write_more(files[0])
    assert again(tmp_path, files).holds(TOKEN)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.usefixtures("marker")
def test_the_very_files_after_a_restart_of_the_machine(
    tmp_path: Path, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many systems number a device by the order in which it was found or mounted."""
    stat_now = Path.stat

    def renumbered(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        found = list(stat_now(path, follow_symlinks=follow_symlinks))
        found[2] += 1
        return os.stat_result(found)

    monkeypatch.setattr(Path, "stat", renumbered)
    assert again(tmp_path, files).holds(TOKEN)


def replaced(path: Path, copy: Path) -> None:
    copy.replace(path)


def overwritten(path: Path, copy: Path) -> None:
    path.write_bytes(copy.read_bytes())


@pytest.mark.parametrize("put_back", [replaced, overwritten])
@pytest.mark.parametrize("which", [0, 1])
def test_an_older_copy(
    tmp_path: Path, files: tuple[Path, Path], marker: Marker, put_back: Callable[[Path, Path], None], which: int
) -> None:
    copy = tmp_path / "copy"
    shutil.copy2(files[which], copy)
    write_more(files[which])
    marker.note()
    assert again(tmp_path, files).holds(TOKEN)
    put_back(files[which], copy)
    assert not again(tmp_path, files).holds(TOKEN)


@pytest.mark.usefixtures("marker")
def test_files_in_which_another_life_was_the_last(tmp_path: Path, files: tuple[Path, Path]) -> None:
    assert not again(tmp_path, files).holds(b"u" * 16)
    assert not again(tmp_path, files).holds(b"")


def test_a_marker_that_is_missing_or_damaged(tmp_path: Path, files: tuple[Path, Path], marker: Marker) -> None:
    path = tmp_path / "home" / "seats" / "game-seat2"
    path.write_bytes(path.read_bytes()[:-1])
    assert not again(tmp_path, files).holds(TOKEN)
    marker.delete()
    assert not again(tmp_path, files).holds(TOKEN)
    marker.delete()
    marker.note()
    assert not path.exists()


def test_a_home_that_cannot_be_written(tmp_path: Path, files: tuple[Path, Path]) -> None:
    (tmp_path / "home").write_bytes(b"no folder")
    marker = again(tmp_path, files)
    marker.renew(TOKEN, TOKEN)
    marker.note()
    marker.delete()
    assert not marker.holds(TOKEN)


def test_a_life_that_is_over_notes_nothing(tmp_path: Path, files: tuple[Path, Path], marker: Marker) -> None:
    """A process that has lost its place does not make its files the last ones."""
    newer = again(tmp_path, files)
    newer.renew(b"n" * 16, b"n" * 16)
    write_more(files[0])
    marker.note()
    assert newer.holds(b"n" * 16)
    overwritten(files[0], files[1])
    assert newer.holds(b"n" * 16)


def test_a_crash_between_the_marker_and_the_file(tmp_path: Path, files: tuple[Path, Path], marker: Marker) -> None:
    """The file still has the token of the life before; once the new one has synced, that holds no longer."""
    marker.renew(TOKEN, b"n" * 16)
    assert again(tmp_path, files).holds(TOKEN)
    assert again(tmp_path, files).holds(b"n" * 16)
    marker.note()
    assert not again(tmp_path, files).holds(TOKEN)
    assert again(tmp_path, files).holds(b"n" * 16)
