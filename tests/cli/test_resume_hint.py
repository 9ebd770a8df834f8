"""A seat whose own program fails in mid-game: it is told the exact command, and the command takes the seat again."""

import shlex
import sys
from pathlib import Path

import pytest

from seqp2p.cli import errors, options
from seqp2p.cli.options import Choices
from seqp2p.cli.playing import resume_options
from seqp2p.cli.replays import verify_file
from tests.cli.processes import Household

# The first turn that is told is one too many.
FAULTY = """
import sys
from seqp2p.cli import main, reporter
def fail(*_): raise ZeroDivisionError("QH")
assert reporter.Reporter._sequences_told
reporter.Reporter._sequences_told = fail
main.main()
"""


@pytest.fixture(autouse=True)
def nobody_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process plays nothing, before and after."""
    for name, value in (("replay", None), ("command", None), ("is_child", False)):
        monkeypatch.setattr(errors._Played, name, value)


def test_the_command_that_is_told_takes_the_seat_again(people: Household, tmp_path: Path) -> None:
    log, folder = tmp_path / "the log", people.replays("somebody's own")
    host = people.host("--variant", "kids", "--grace", "60")
    shown = host.event("listening")
    arguments = ["join", shown["address"], "--code", shown["code"], "--bot", "random", "--replay-dir", str(folder)]
    guest = people.run([sys.executable, "-c", FAULTY, *arguments, "--log-file", str(log)], SEQP2P_DEBUG="")
    assert guest.end() == 1
    error, hint = guest.error()
    assert error == "a fault in seqp2p itself (ExceptionGroup)"
    assert hint is not None
    told, _, report = hint.removeprefix("come back with: ").partition("; ")
    assert report == f"{log} has the trace; please report it"
    text = log.read_text("utf-8")
    assert "ZeroDivisionError" in text
    assert "QH" not in text
    assert shown["code"] not in text
    # What is told is done, word for word.
    program, *words = shlex.split(told)
    assert (program, words[0], words[2:]) == ("seqp2p", "resume", ["--replay-dir", str(folder), "--bot", "random"])
    again = people.start(*words)
    assert (again.end(), host.end()) == (0, 0)
    assert verify_file(next(folder.glob("*.seqp2p"))).verdict == "verified"


def test_no_way_back_where_there_is_no_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQP2P_HOME", str(tmp_path))
    replay = options.usable_replay_dir(None) / "a-seat1.seqp2p"
    assert errors.resume_command() is None
    errors.remember_seat(replay, bytes.fromhex("3fb159ae39a8" + "0" * 52), [])
    assert errors.resume_command() is None
    seat = replay.with_name(f"{replay.name}.seat")
    seat.touch()
    assert errors.resume_command() == "seqp2p resume 3fb159ae39a8"
    errors.note_child()
    assert errors.resume_command() is None


def test_what_resume_has_to_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQP2P_HOME", str(tmp_path))
    usual, other = options.usable_replay_dir(None), tmp_path / "other place"
    assert resume_options(usual / "a", Choices(None, 0, usual)) == []
    assert resume_options(usual / "a", Choices("greedy", 0, usual)) == ["--bot", "greedy"]
    assert resume_options(other / "a", Choices(None, 0, other)) == ["--replay-dir", str(other)]
