"""How far something is: shown at a terminal that can repaint a line, and nowhere else."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from seqp2p.cli import progress
from seqp2p.cli.reporter import setup_progress
from seqp2p.match.machine import Match
from seqp2p.match.table import encode_agreement
from tests.cli.conftest import Cli
from tests.cli.test_streams import Terminal
from tests.table import POLICIES, Played, make_agreement, make_seats, named, play, replay_bytes


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
    progress.hide()
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


def test_a_bar_of_several_files(terminal: Terminal, cli: Cli, brief: Played, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.seqp2p" for number in range(3)]
    for file in files:
        file.write_bytes(replay_bytes(brief))
    assert cli("verify", *files, "--jobs", 1)[0] == 0
    painted = [line for line in terminal.getvalue().split("\r\x1b[K") if line]
    assert painted[0] == f"verifying [{'-' * 30}] 0/3"
    assert painted[1].startswith(f"verifying [{'#' * 10}{'-' * 20}] 1/3")
    assert painted[-1].startswith(f"verifying [{'#' * 30}] 3/3")
    terminal.truncate(0)
    for more in ((files[0],), (*files, "--no-progress")):
        assert cli("verify", *more, "--jobs", 1)[0] == 0
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
        "player 1 shuffles… proof checked 0/2",
        "you shuffle… proof checked 1/2",
        "the cards are being dealt…",
    ]


def test_a_shuffle_of_a_seat_whose_name_misleads() -> None:
    match = Match(encode_agreement(named(make_agreement(2), "you", "bob")))
    play(match, make_seats(2), POLICIES["random"](1), lambda match: match.kind == "shuffle")
    assert setup_progress(match, 2) == "seat 1 (you) shuffles… proof checked 0/2"


def test_the_time_that_is_left(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100.0, 100.0, 101.0, 130.0, 160.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(times)))
    with progress.bar(4, "verifying") as advance:
        for _ in range(3):
            advance()
    painted = [line.partition("] ")[2] for line in terminal.getvalue().split("\r\x1b[K") if line]
    assert painted == ["0/4", "1/4", "2/4, 0:30 left", "3/4, 0:20 left"]
