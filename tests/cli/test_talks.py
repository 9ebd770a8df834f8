"""Whole commands, and all that they say. ``talks.txt`` has both, claim by claim."""

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import KIDS, SMALL, STOPPED, WRONG, Cli
from tests.ui.kept import Talk, talks

LOCALE = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


def among_replays(here: Path) -> None:
    """Replays of many kinds, and files that are none."""
    undealt, broken, damaged = ("stopped_in_a_step", "contribution_missing", "bit_flipped_in_a_payload")
    small = {"undealt": undealt, "broken": broken, "damaged": damaged}
    replays = {name: SMALL / f"{file}_fail.seqp2p" for name, file in small.items()}
    for name, path in (replays | {"kids": KIDS, "stopped": STOPPED, "again": STOPPED, "wrong": WRONG}).items():
        shutil.copy(path, here / f"{name}.seqp2p")
    for name in ("text.seqp2p", "\x1b[2J.seqp2p", "old.svg"):
        (here / name).write_text("once upon a time")
    (here / "folder").mkdir()
    (here / "dangling").symlink_to("gone")


PLACES: dict[str, Callable[[Path], object]] = {
    "an empty folder": lambda here: None,
    "a folder of replays": among_replays,
}


def written_in(*folders: Path) -> dict[Path, bytes]:
    """Return what is in all files; a folder is empty."""
    paths = [path for folder in folders for path in folder.rglob("*")]
    return {path: path.read_bytes() if path.is_file() else b"" for path in paths}


@talks(__file__, "talks.txt")
def test_talk(cli: Cli, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, talk: Talk) -> None:
    r"""Each line is typed behind ``seqp2p``, after variables of the environment; \e is an Escape.

    ! marks what is said on standard error, and an exit code is told unless it is 0. What fails has written nothing.
    A line with * shows how a file begins.
    """
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    PLACES[talk.place](here)

    def answer(line: str) -> list[str]:
        if line.startswith("*"):
            return [(here / line[2:]).read_text("utf-8")[:30]]
        words = shlex.split(line[2:].replace(r"\e", "\x1b"))
        count = sum("=" in word and word.partition("=")[0].isupper() for word in words)
        given = dict(word.split("=") for word in words[:count])
        before = written_in(here)
        with monkeypatch.context() as variables:
            for name in LOCALE:
                variables.delenv(name, raising=False)
            for name, value in given.items():
                variables.setenv(name, value)
            exit_code, out, err = cli(*words[count:])
        assert exit_code == 0 or written_in(here) == before
        assert exit_code != 2 or not (own_home / "config.toml").exists()
        rows = [*out.splitlines(), *(f"! {row}" for row in err.splitlines())]
        told = [row.replace(f"{here}/", "").replace(str(own_home), "HOME") for row in rows]
        return [*told, *([f"(exit code {exit_code})"] if exit_code else [])]

    talk.check(map(answer, talk.lines))
