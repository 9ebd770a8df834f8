"""How far something is: shown at a terminal that can repaint a line, and nowhere else."""

import io
import os
import pty
import select
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from seqp2p.cli import progress
from seqp2p.cli.reporter import setup_progress
from seqp2p.match.machine import Match
from seqp2p.match.table import encode_agreement
from tests.cli.processes import LIMIT_S, command, environment
from tests.table import Played, replay_bytes


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Standard error at a terminal that can repaint."""
    stream = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr(progress, "_hidden", False)
    monkeypatch.setattr(progress, "_shown", "")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("ACCESSIBLE", raising=False)
    yield stream
    assert progress._shown == ""


def test_a_line_is_repainted_and_wiped_away(terminal: Terminal) -> None:
    progress.show("one")
    progress.show("one")
    progress.show("two" * 100)
    progress.wipe()
    progress.wipe()
    assert terminal.getvalue() == f"\r\x1b[Kone\r\x1b[K{'two' * 26}…\r\x1b[K"


@pytest.mark.parametrize("why", ["pipe", "dumb", "accessible", "hidden"])
def test_nothing_is_shown_where_it_would_be_read(why: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    if why == "pipe":
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    elif why == "hidden":
        progress.hide()
    else:
        monkeypatch.setenv(*{"dumb": ("TERM", "dumb"), "accessible": ("ACCESSIBLE", "1")}[why])
    with progress.bar(3, "verifying") as advance:
        advance()
        progress.show("something")
    assert terminal.getvalue() == ""


def test_what_is_hidden_is_wiped_first(terminal: Terminal) -> None:
    progress.show("one")
    progress.hide()
    assert terminal.getvalue() == "\r\x1b[Kone\r\x1b[K"


def test_a_bar(terminal: Terminal) -> None:
    with progress.bar(3, "verifying") as advance:
        for _ in range(3):
            advance()
    painted = [line for line in terminal.getvalue().split("\r\x1b[K") if line]
    assert painted[0] == f"verifying [{'-' * 30}] 0/3"
    assert painted[1] == f"verifying [{'#' * 10}{'-' * 20}] 1/3"
    assert painted[-1] == f"verifying [{'#' * 30}] 3/3"


def test_one_file_needs_no_bar(terminal: Terminal) -> None:
    with progress.bar(1, "verifying") as advance:
        advance()
    assert terminal.getvalue() == ""


def test_a_terminal_that_is_gone_is_no_fault(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> int:
        raise OSError(5, "gone")

    monkeypatch.setattr(terminal, "write", fail)
    progress.show("one")
    progress.wipe()


def test_a_line_about_every_step_before_the_deal(brief: Played) -> None:
    match = Match(encode_agreement(brief.match.game.agreement))
    shown: list[str] = []
    for step in brief.match.record:
        if (line := setup_progress(match, 2)) and line not in shown:
            shown.append(line)
        for _, contribution in step.contributions:
            match.receive(contribution)
    assert shown == [
        "seat 1 shuffles… proof checked 0/2",
        "you shuffle… proof checked 1/2",
        "the cards are being dealt…",
    ]


def on_a_terminal(home: Path, *arguments: object) -> str:
    """What a terminal gets that is standard error, and nothing else."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command(*arguments), env=environment(home, TERM="xterm"), stdout=subprocess.DEVNULL, stderr=theirs
    ) as process:
        os.close(theirs)
        said = b""
        with suppress(OSError):  # how Linux says that the other end is closed
            while select.select([ours], [], [], LIMIT_S)[0] and (data := os.read(ours, 4096)):
                said += data
    os.close(ours)
    assert process.returncode == 0, said
    return said.decode()


@pytest.mark.process
def test_files_that_are_verified(brief: Played, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.seqp2p" for number in range(2)]
    for file in files:
        file.write_bytes(replay_bytes(brief))
    assert f"verifying [{'#' * 15}{'-' * 15}] 1/2" in on_a_terminal(tmp_path, "verify", *files)
    assert on_a_terminal(tmp_path, "verify", *files, "--no-progress") == ""


@pytest.mark.process
def test_a_table_before_its_cards_are_dealt(tmp_path: Path) -> None:
    table = ("host", "--variant", "kids", "--bot", "random", "--fill", "random", "--listen", "127.0.0.1:0")
    said = on_a_terminal(tmp_path, *table)
    for line in (
        "seat 1 shuffles… proof checked 0/2",
        "seat 2 shuffles… proof checked 1/2",
        "the cards are being dealt…",
    ):
        assert f"\r\x1b[K{line}" in said
    # At the end nothing of it is left.
    assert said.endswith("\r\x1b[K")


def test_the_time_that_is_left(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100.0, 100.0, 101.0, 130.0, 160.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(times)))
    with progress.bar(4, "verifying") as advance:
        for _ in range(3):
            advance()
    painted = [line.partition("] ")[2] for line in terminal.getvalue().split("\r\x1b[K") if line]
    assert painted == ["0/4", "1/4", "2/4, 0:30 left", "3/4, 0:20 left"]
