"""Seats that stop or fail in mid-game, and ``seqp2p resume``, as processes; and the way back that an error names."""

import resource
import shlex
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from seqp2p.cli import errors, options
from seqp2p.cli.options import Choices, make_program
from seqp2p.cli.playing import resume_options
from seqp2p.cli.replays import verify_file
from tests.cli.processes import EXAMPLES, Household, Process
from tests.helpful import HELPFUL


def sidecars(people: Household, who: str) -> list[Path]:
    return sorted(people.replays(who).glob("*.seat"))


def resume(people: Household, who: str, *arguments: object, bot: str | None = HELPFUL, **more: Any) -> Process:
    chosen = () if bot is None else ("--bot", bot)
    return people.start("resume", *arguments, "--replay-dir", people.replays(who), "--json", *chosen, who=who, **more)


def test_a_seat_that_is_played_is_refused_and_plays_on(people: Household) -> None:
    host = people.host("--variant", "kids")
    guest = people.join(host, "--pace", "3600")
    guest.event("dealt")
    second = resume(people, "guest")
    assert second.end() == 1
    assert [(event["event"], event["code"]) for event in second.events] == [("error", "held")]
    error, hint = second.error()
    assert "another seqp2p process holds this seat" in error
    assert hint
    # Asked to end, again and again, it signs nothing: the others wait for it.
    for _ in range(3):
        guest.signal(signal.SIGINT)
    assert guest.end() == 5
    assert "come back with: seqp2p resume " in guest.err[-1]
    stopped = guest.events[-1]
    assert (stopped["event"], stopped["result"], stopped["reason"]) == ("over", "unfinished", "stopped for now")
    assert (stopped["forfeit"], stopped["resumable"]) == ([], True)
    assert host.event("absent")["later"]
    back = resume(people, "guest")
    assert (back.end(), host.end()) == (0, 0)
    assert sidecars(people, "guest") == sidecars(people, "host") == []
    over = resume(people, "guest", Path(back.events[-1]["replay"]).name)
    assert over.end() == 1
    assert "the game is over" in over.error()[0]


def test_a_person_who_comes_back_is_shown_the_seat_the_hand_and_what_had_happened(people: Household) -> None:
    host = people.host("--variant", "kids", "--pace", "3600")
    guest = people.join(host, bot=None, stdin=subprocess.PIPE)
    guest.line("^(host's turn|type an action)")
    guest.type("say hello")
    guest.line("^you say: hello")
    killed(guest)
    back = resume(people, "guest", bot=None, stdin=subprocess.PIPE)
    for said in (
        r"you are seat 2 \(guest\) and play yellow",
        "you say: hello",
        "your hand: ",
        "host's turn|type an action",
    ):
        back.line(f"^({said})")
    back.type("leave", "yes")
    assert (back.end(), host.end()) == (5, 5)
    assert back.events[-1]["reason"] == "left the table"
    assert "you left: host won by forfeit, unless they left too" in back.err


def test_a_disk_that_is_full_is_said_and_what_was_recorded_is_kept(people: Household) -> None:
    full = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (8_000, 8_000))
    host = people.host("--variant", "kids", "--grace", "1")
    guest = people.join(host, preexec_fn=full)
    assert guest.end() == 1
    (replay,) = people.replays("guest").glob("*.seqp2p")
    game = replay.name.split("-seat")[0].rpartition("-")[2]
    assert guest.error() == (
        f"cannot write the replay {replay}: the disk took only part of a record",
        f"come back with: seqp2p resume {game} --replay-dir {replay.parent} --bot {HELPFUL}",
    )
    assert verify_file(replay).verdict == "unfinished"
    assert len(sidecars(people, "guest")) == 1
    # The cards were not dealt: the table is open again, until its host is told to go.
    assert host.event("listening", 2)["code"]
    host.signal(signal.SIGTERM)
    assert host.end() == 5


def test_a_peer_ends_with_the_process_that_started_it_or_when_it_is_asked_to(people: Household) -> None:
    host = people.host("--variant", "kids", "--until-stdin-closes", stdin=subprocess.PIPE)
    guest = people.join(host, "--pace", "3600", "--until-stdin-closes", stdin=subprocess.PIPE)
    guest.event("dealt")
    host.close_input()
    guest.signal(signal.SIGINT)
    assert (host.end(), guest.end()) == (5, 5)
    # No reader of the host is there to be told, but the replays are complete.
    assert not any("error" in line for line in [*host.err, *guest.err])
    last = guest.events[-1]
    assert (last["event"], last["reason"], last["resumable"]) == ("over", "stopped for now", False)
    replays = [path for who in ("host", "guest") for path in people.replays(who).iterdir()]
    assert [verify_file(path).verdict for path in replays] == ["unfinished"] * 2


# A copy of a player's whole home is put back in the middle of a game, as ``cp -a`` does it.


def folders(people: Household, who: str) -> list[Path]:
    return [people.home(who), people.replays(who)]


def copy(people: Household, who: str) -> None:
    for folder in folders(people, who):
        shutil.copytree(folder, folder.with_name(f"{folder.name}.copy"))


def put_back(people: Household, who: str) -> None:
    """Write over the files, which keep their inodes."""
    for folder in folders(people, who):
        shutil.copytree(folder.with_name(f"{folder.name}.copy"), folder, dirs_exist_ok=True)


def killed(process: Process) -> None:
    process.signal(signal.SIGKILL)
    process.end()


@pytest.mark.parametrize("players", [2, *(pytest.param(more, marks=pytest.mark.slow) for more in (3, 4))])
def test_the_seat_stops_and_the_others_go_on(people: Household, players: int) -> None:
    people.hold(2)
    host = people.host("--variant", "classic", "--players", players, "--grace", "5")
    guests = {who: people.join(host, who=who) for who in ("guest", "bea", "carl")[: players - 1]}
    for guest in guests.values():
        guest.event("turn", 2)
    copy(people, "guest")
    people.hold(2 + players)  # One of them is the guest's own.
    for guest in guests.values():
        guest.event("turn", 2 + players)
    killed(guests["guest"])
    put_back(people, "guest")
    kept = sidecars(people, "guest")[0].read_bytes()
    back = resume(people, "guest")
    assert back.end() == 1
    error, hint = back.error()
    assert "a copy of this game's files was put back" in error
    assert hint
    ended = back.events[-1]
    assert (ended["event"], ended["code"], ended["reason"], ended["hint"]) == ("error", "older_copy", error, hint)
    # All it had stays, marked as an older copy.
    assert sidecars(people, "guest")[0].read_bytes().startswith(kept)
    again = resume(people, "guest")
    assert again.end() == 1
    assert again.error() == (error, hint)
    assert again.events == [ended]
    assert resume(people, "guest", "00000000").end() == 2
    people.let_go()
    others = [host, *(guest for who, guest in guests.items() if who != "guest")]
    assert [process.end() for process in others] == [5 if players == 2 else 0] * len(others)
    for process in others:
        assert not any(event["event"] == "proved" for event in process.events)
        verdict = verify_file(Path(process.events[-1]["replay"])).verdict
        assert verdict == ("unfinished" if players == 2 else "verified")


# The program of a seat fails: it is told the exact command, and the command takes the seat again.

# The first turn that is told is one too many.
FAULTY = """
import sys
from seqp2p.cli import main, reporter
def fail(*_): raise ZeroDivisionError("QH")
assert reporter.Reporter._sequences_told
reporter.Reporter._sequences_told = fail
main.main()
"""


@pytest.fixture
def no_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process plays nothing, before and after."""
    for name, value in (("replay", None), ("command", None), ("is_child", False)):
        monkeypatch.setattr(errors._Played, name, value)


def test_the_command_that_is_told_takes_the_seat_again(people: Household, tmp_path: Path) -> None:
    log, folder = tmp_path / "the log", people.replays("somebody's own")
    host = people.host("--variant", "kids", "--grace", "60")
    shown = host.event("listening")
    plays = ["--exec", f"{sys.executable} {EXAMPLES / 'bot.py'}"]
    arguments = ["join", shown["address"], "--code", shown["code"], *plays, "--replay-dir", str(folder)]
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
    # The command is run, word for word.
    program, *words = shlex.split(told)
    assert (program, words[0], words[2:]) == ("seqp2p", "resume", ["--replay-dir", str(folder), *plays])
    again = people.start(*words)
    assert (again.end(), host.end()) == (0, 0)
    assert verify_file(next(folder.glob("*.seqp2p"))).verdict == "verified"


@pytest.mark.usefixtures("no_seat")
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
    program = make_program("python3 'my bot.py'", 5, verbose=True)
    expected = ["--exec", "python3 'my bot.py'", "--exec-time", "5", "--verbose-bot"]
    assert resume_options(usual / "a", Choices(None, 0, usual, program)) == expected
