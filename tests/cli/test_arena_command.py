"""``seqp2p arena``: what scripts read, what people read, and what is refused."""

import os
import pty
import select
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import seqp2p.arena.pool
from seqp2p.arena import BotError, Tally
from seqp2p.cli.arena import result
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import Household, Process, children, command, environment, is_running, wait_until

FIELDS = [
    *("event", "games", "seconds", "turns", "wins", "first_mover_wins", "draws", "turns_mean", "reshuffled"),
    *("passes_mean", "exchanges_mean", "shares", "intervals"),
]


def played(cli: Cli, *arguments: object) -> dict[str, Any]:
    """The one line of output."""
    code, out, err = cli("arena", *arguments, "--json")
    assert (code, err) == (0, "")
    event: dict[str, Any] = documented.stream(out)[0]
    return event


def test_the_result_for_scripts(cli: Cli) -> None:
    event = played(cli, "random", "random", "--games", 40, "--seed", 3, "--jobs", 1)
    assert list(event) == FIELDS
    assert (event["event"], event["games"]) == ("arena", 40)
    assert sum(event["wins"]) + event["draws"] == 40
    assert event["turns_mean"] == event["turns"] / 40
    assert 0 <= event["first_mover_wins"] <= 1
    assert 0 <= event["reshuffled"] <= 1
    assert event["seconds"] > 0
    assert event["shares"] == [wins / 40 for wins in event["wins"]]
    for share, (low, high) in zip(event["shares"], event["intervals"], strict=True):
        assert 0 < low < share < high < 1


@pytest.mark.process
def test_the_same_seed_gives_the_same_result_whatever_the_number_of_jobs(cli: Cli) -> None:
    arguments = ("random", "random", "random", "--variant", "kids", "--games", 60)
    events = [played(cli, *arguments, "--seed", 4, "--jobs", jobs) for jobs in (1, 2, 3)]
    timeless = [event | {"seconds": 0} for event in events]
    assert timeless[0] == timeless[1] == timeless[2]
    assert len(timeless[0]["wins"]) == 3
    assert played(cli, *arguments, "--seed", 5, "--jobs", 1) | {"seconds": 0} != timeless[0]


def test_wins_are_in_team_order(cli: Cli) -> None:
    wins = played(cli, "random", "greedy", "--games", 4, "--jobs", 1)["wins"]
    assert wins[1] >= 3
    four = played(cli, "greedy", "random", "--players", 4, "--games", 4, "--jobs", 1)["wins"]
    assert four[0] >= 3


@pytest.mark.process
def test_a_bot_with_a_number(cli: Cli) -> None:
    events = [played(cli, "strong:8", "random", "--games", 4, "--jobs", jobs) for jobs in (1, 2)]
    assert events[0] | {"seconds": 0} == events[1] | {"seconds": 0}
    assert events[0]["wins"][0] >= 3


def test_nobody_has_won_first_when_nobody_has_won() -> None:
    none = Tally(games=2, turns=600, wins=(0, 0), first_mover_wins=0, draws=2, reshuffled=2, passes=9, exchanges=0)
    fields = result(none, 1.5)
    assert (fields["first_mover_wins"], fields["draws"]) == (None, 2)


def test_the_result_for_people(cli: Cli) -> None:
    code, out, err = cli("arena", *["greedy", "random", "random"], "--players", 6, "--games", 4, "--jobs", 1)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "4 games of Sequence, 6 players in 3 teams"
    assert any(line.startswith("team 1  greedy  ") and " to " in line for line in lines)
    assert any(line.startswith("won by who began") for line in lines)
    assert lines[-1].startswith("a game, on average: ")
    assert max(map(len, lines)) < 80
    _, out, _ = cli("arena", "random", "random", "--advanced", "--games", 1, "--jobs", 1)
    assert out.startswith("1 game of Sequence, advanced, 2 players in 2 teams")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "missing argument"),
        (["random"], "1 player cannot play"),
        (
            ["random", "clever"],
            "there is no bot 'clever': the bots are easy, normal, hard, random, greedy, learned, strong, strong:N",
        ),
        (["random", "strong:0"], "a number from 1 to 100000: write for instance strong:200"),
        (["random", "greedy:9"], "the bot greedy takes no number: write greedy"),
        (["random"] * 5, "5 players cannot form two or three equal teams"),
        (["random"] * 2 + ["--players", 13], "13 players cannot play"),
        (["random"] * 2 + ["--players", "two"], "'two' is not a valid integer"),
        (["random"] * 2 + ["--teams", 3], "2 players of Sequence form 2 teams"),
        (["random"] * 4 + ["--variant", "kids", "--teams", 2], "4 players of Sequence for Kids form 4 teams"),
        (["random"] * 2 + ["--variant", "chess"], "'chess' is not one of 'classic', 'kids'"),
        (["random"] * 2 + ["--variant", "kids", "--advanced"], "Sequence for Kids has no option advanced"),
        (["random"] * 3 + ["--players", 4], "3 bots are named for 4 players in 2 teams: name 4"),
        (["random"] * 2 + ["--games", 0], "0 is not in the range"),
        (["random"] * 2 + ["--jobs", 0], "0 is not in the range"),
        (["random"] * 2 + ["--seed", "x"], "'x' is not a valid integer"),
        (["random"] * 2 + ["--manual-draw"], "no such option"),
    ],
)
def test_what_is_refused(cli: Cli, arguments: list[object], reason: str) -> None:
    code, out, err = cli("arena", *arguments, "--json")
    assert (code, out) == (2, "")
    assert err.startswith("seqp2p: error: ")
    assert reason in err.lower() or reason in err
    assert "\nseqp2p: hint: " in err


def test_a_bot_at_fault(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise BotError("the bot random in seat 1 chose what is not legal: it does not hold 2C")

    monkeypatch.setattr(seqp2p.arena.pool, "play", refuse)
    code, out, err = cli("arena", "random", "random", "--jobs", 1)
    assert (code, out) == (1, "")
    assert err == "seqp2p: error: the bot random in seat 1 chose what is not legal: it does not hold 2C\n"


def workers(arena: Process, *, busy: bool) -> set[int]:
    """The processes that the arena has started, as soon as there are two that play games; ``busy`` when they do."""
    threads = 2 if busy else 1  # one that plays, and one that waits for the arena to end

    def both_there() -> bool:
        tasks = [len(list(Path(f"/proc/{pid}/task").glob("*"))) for pid in children(arena.pid)]
        return len(tasks) == 3 and sorted(tasks)[1] >= threads

    wait_until(both_there, "two workers, and what tracks their semaphores")
    return children(arena.pid)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("busy", [False, True])
def test_asked_to_stop_it_says_how_far_it_came(people: Household, number: signal.Signals, busy: bool) -> None:
    arena = people.start("arena", "random", "random", "--games", 10**8, "--jobs", 2)
    started = workers(arena, busy=busy)
    arena.signal(number)
    assert arena.end() == 5
    assert arena.out == []
    assert len(arena.err) == 1
    assert arena.err[0].startswith("seqp2p: error: stopped after ")
    assert arena.err[0].endswith(" of 100,000,000 games")
    wait_until(lambda: not any(map(is_running, started)), "what tracks semaphores ends a moment after the arena")


def test_killed_it_leaves_no_process(people: Household) -> None:
    arena = people.start("arena", "random", "random", "--games", 10**8, "--jobs", 2)
    started = workers(arena, busy=True)
    arena.process.kill()
    wait_until(lambda: not any(map(is_running, started)), "the workers end with the process that started them")


def on_a_terminal(home: Path, *arguments: object, term: str = "xterm") -> tuple[str, str]:
    """Standard output, and what a terminal gets that is standard error."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command("arena", *arguments), env=environment(home, TERM=term), stdout=subprocess.PIPE, stderr=theirs
    ) as process:
        os.close(theirs)
        said = b""
        with suppress(OSError):  # how Linux says that the other end is closed
            while select.select([ours], [], [], 40)[0] and (data := os.read(ours, 4096)):
                said += data
        assert process.stdout is not None
        out = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0
    return out.decode(), said.decode()


@pytest.mark.process
def test_a_progress_bar_on_a_terminal_only(tmp_path: Path) -> None:
    arguments = ("random", "random", "--games", 20, "--jobs", 1)
    out, bar = on_a_terminal(tmp_path, *arguments)
    assert "20/20" in bar
    assert out.startswith("20 games of Sequence")
    out, bar = on_a_terminal(tmp_path, *arguments, "--json")
    assert bar == ""
    assert documented.stream(out)[0]["games"] == 20
    out, bar = on_a_terminal(tmp_path, *arguments, term="dumb")
    assert bar == ""
