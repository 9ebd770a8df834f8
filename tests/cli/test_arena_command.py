"""``seqp2p arena``: its output for scripts and people, and the files and bots that it refuses."""

import signal
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from seqp2p.arena.tally import WorkerLost, play_deals
from seqp2p.cli import arena
from tests.cli import documented
from tests.cli.conftest import Cli, refused, said
from tests.cli.processes import Household, Process, children, strange, wait_until, wait_until_gone

FIELDS = [
    *("event", "complete", "seconds", "deals", "games", "turns", "draws", "first_mover_wins", "reshuffled"),
    *("turns_mean", "passes_mean", "exchanges_mean", "contests", "bots"),
]


def played(cli: Cli, *arguments: object) -> dict[str, Any]:
    event: dict[str, Any] = documented.stream(said(cli("arena", *arguments, "--json")))[0]
    return event


def timeless(event: dict[str, Any]) -> dict[str, Any]:
    return event | {"seconds": 0, "bots": [bot | {"choice_s": 0} for bot in event["bots"]]}


def test_the_result_for_scripts(cli: Cli) -> None:
    event = played(cli, "random", "random", "--deals", 40, "--seed", 3, "--jobs", 1)
    assert list(event) == FIELDS
    assert (event["event"], event["complete"], event["deals"], event["games"]) == ("arena", True, 40, 40)
    assert event["turns_mean"] == event["turns"] / 40
    assert 0 <= event["first_mover_wins"] <= 40
    assert event["seconds"] > 0
    (contest,) = event["contests"]
    assert (contest["bots"], contest["mirrored"]) == (["random", "random"], False)
    assert sum(contest["scores"]) == 1
    for score, (low, high) in zip(contest["scores"], contest["intervals"], strict=True):
        assert 0 < low < score < high < 1
    (bot,) = event["bots"]
    assert (bot["name"], bot["elo"], bot["failed"], bot["reasons"]) == ("random", None, 0, [])


@pytest.mark.parametrize(
    ("end", "code", "told"),
    [
        (KeyboardInterrupt(), 5, "stopped after 2 deals"),
        (WorkerLost("one is gone"), 1, "error: one is gone"),
    ],
)
def test_what_was_played_before_an_early_end_is_told(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, end: BaseException, code: int, told: str
) -> None:
    def ending(*arguments: Any) -> Iterator[Any]:
        yield from islice(play_deals(*arguments), 2)
        raise end

    monkeypatch.setattr(arena, "play_deals", ending)
    exit_code, out, err = cli("arena", "random", "random", "--deals", 9, "--jobs", 1)
    assert (exit_code, out.split()[:2], err) == (code, ["2", "games"], f"seqp2p: {told}\n")


def test_the_result_for_people(cli: Cli) -> None:
    bots = ("greedy", "random", "random")
    lines = said(cli("arena", *bots, "--players", 3, "--deals", 2, "--jobs", 1)).splitlines()
    assert lines[0] == "6 games of Sequence, 3 players in 3 teams"
    assert any(line.startswith("greedy  ") and " to " in line for line in lines)
    assert lines[-1].startswith("a game, on average: ")
    assert max(map(len, lines)) < 80
    _, out, _ = cli("arena", "random", "random", "--advanced", "--deals", 1, "--jobs", 1)
    assert out.startswith("1 game of Sequence, advanced, 2 players in 2 teams")
    assert "\nteam 1  random" in out
    _, out, _ = cli("arena", "greedy", "random", "--variant", "kids", "--deals", 2, "--jobs", 1)
    assert "\ngreedy against random" in out
    assert "\nrandom against greedy" not in out


KIDS = ("greedy", "random", "--variant", "kids", "--jobs", 1)


def test_it_goes_on_with_the_results_in_a_file(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "results"
    whole = timeless(played(cli, *KIDS, "--deals", 5))
    played(cli, *KIDS, "--deals", 2, "--results", file)
    first = file.read_bytes()
    file.write_bytes(first.splitlines()[0])  # killed when it began
    played(cli, *KIDS, "--deals", 2, "--results", file)
    assert file.read_bytes().splitlines()[0] == first.splitlines()[0]
    file.write_bytes(first + b'{"contest":0,"deal":2,"games":[[1,1,')  # killed while it wrote
    assert timeless(played(cli, *KIDS, "--deals", 5, "--results", file)) == whole
    assert file.read_bytes().startswith(first)
    lines = file.read_bytes().splitlines()
    assert len(lines) == 6
    # Fewer than there are: none is played, none is lost.
    assert played(cli, *KIDS, "--deals", 4, "--results", file)["deals"] == 4
    assert file.read_bytes().splitlines() == lines


GOOD = b'{"contest":0,"deal":0,"games":[[1,1,20,0,0,0,0,""],[1,2,20,0,0,0,0,""]],"choices":[20,20],"seconds":[1,1]}'


@pytest.fixture
def results(cli: Cli, tmp_path: Path) -> Path:
    """A file with the result of one deal of ``KIDS``."""
    file = tmp_path / "results"
    played(cli, *KIDS, "--deals", 1, "--results", file)
    head, _ = file.read_bytes().splitlines()
    file.write_bytes(head + b"\n" + GOOD + b"\n")
    assert played(cli, *KIDS, "--deals", 1, "--results", file)["turns"] == 40
    return file


def refused_and_kept(cli: Cli, file: Path, *more: object) -> str:
    """Return the error of an arena that refuses this file and changes nothing in it."""
    before = file.read_bytes()
    exit_code, error, _ = refused(cli("arena", *KIDS, "--results", file, *more))
    assert (exit_code, file.read_bytes()) == (1, before)
    return error


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (("--seed", 2), "seed"),
        (("--variant", "classic", "--advanced"), "variant, options"),
        (("--variant", "classic", "--players", 4), "variant, players"),
        (("learned",), "bots"),
    ],
)
def test_a_file_of_other_settings_is_refused_and_kept(
    cli: Cli, results: Path, change: tuple[object, ...], names: str
) -> None:
    assert refused_and_kept(cli, results, *change) == f"{results} has the results of other settings ({names})"


@pytest.mark.parametrize(
    "content", [b"notes", b"notes\n", b"\xff\xfe\n", b'{"file":"seqp2p arena 2"}\n', b'{"bots":["greedy","random"],']
)
def test_a_file_of_something_else_is_refused_and_kept(cli: Cli, results: Path, content: bytes) -> None:
    results.write_bytes(results.read_bytes().replace(b'{"file":"seqp2p arena 1","bots":["greedy","random"],', content))
    assert "is not a results file of seqp2p arena" in refused_and_kept(cli, results)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"deal":0', b'"deal":1'),
        (b'"contest":0', b'"contest":1'),
        (b'"contest":0', b'"contest":-1'),
        (b"[1,2,20,0,0,0,0", b"[1,3,20,0,0,0,0"),
        (b"[1,2,20,0,0,0,0", b"[1,0,20,0,0,0,-1"),
        (b',[1,2,20,0,0,0,0,""]', b""),
        (b'"seconds":[1,1]', b'"seconds":[1]'),
        (b'"choices":[20,20]', b'"choices":["many",20]'),
        (GOOD, b"[]"),
    ],
)
def test_a_damaged_line_is_named_and_nothing_is_changed(cli: Cli, results: Path, old: bytes, new: bytes) -> None:
    results.write_bytes(results.read_bytes().replace(GOOD, GOOD.replace(old, new)))
    assert f"line 2 of {results} is damaged" in refused_and_kept(cli, results)


def test_a_file_that_cannot_be_used(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "none" / "results"
    assert refused(cli("arena", *KIDS, "--results", missing))[1].startswith(f"cannot open {missing}: ")
    monkeypatch.setattr("seqp2p.cli.results.lock", lambda _: False)
    assert "another process writes " in refused(cli("arena", *KIDS, "--results", tmp_path / "results"))[1]


@pytest.mark.process
def test_a_program_without_an_interpreter_cannot_take_part(cli: Cli, tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    exit_code, error, _ = refused(cli("arena", "greedy", program))
    assert exit_code == 2
    assert error.startswith(f"{program} cannot be started: ")


@pytest.mark.process
def test_programs_and_classes_that_fail_are_named_and_the_arena_goes_on(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "raising_bot.py").write_text("class Bot:\n    def choose(self, view): raise KeyError\n")
    bots = ("random", strange("good", tmp_path / "seen"), strange("die", tmp_path / "seen"), "raising_bot:Bot")
    table = ("--variant", "kids", "--deals", 1, "--exec-time", 60, "--jobs", 2)
    event = played(cli, *bots, *table, "--results", tmp_path / "results")
    assert event["games"] == 12
    failed = {bot["name"]: (bot["failed"], bot["reasons"]) for bot in event["bots"]}
    assert failed["random"] == failed[bots[1]] == (0, [])
    assert failed["raising_bot:Bot"][1] == ["it raised KeyError"]
    assert failed[bots[2]][1] == ["it has ended, with exit status 3"]
    again = played(cli, *bots, *table, "--results", tmp_path / "results")
    assert timeless(again) == timeless(event), "reasons come back from the file"
    _, out, _ = cli("arena", *bots, *table, "--results", tmp_path / "results")
    assert "\nraising_bot:Bot has lost " in out


def workers(arena: Process) -> set[int]:
    """Return the processes that the arena has started, as soon as two of them play games."""

    def both_there() -> bool:
        tasks = [len(list(Path(f"/proc/{pid}/task").glob("*"))) for pid in children(arena.pid)]
        # One thread of each plays, the other waits for the arena to end.
        return len(tasks) == 3 and sorted(tasks)[1] >= 2

    wait_until(both_there, "two workers, and what tracks their semaphores")
    return children(arena.pid)


def test_asked_to_stop_it_prints_what_there_is(people: Household) -> None:
    arena = people.start("arena", "random", "random", "--deals", 10**8, "--jobs", 2)
    started = workers(arena)
    arena.signal(signal.SIGTERM)
    assert arena.end() == 5
    assert len(arena.err) == 1
    assert arena.err[0].startswith("seqp2p: stopped after ")
    assert arena.err[0].endswith((" deals", "1 deal"))
    # What there is by then is printed.
    if arena.err[0].endswith(" 0 deals"):
        assert arena.out == []
    else:
        assert arena.out[0].endswith(" of Sequence, 2 players in 2 teams")
    wait_until_gone(started)


def test_killed_it_leaves_no_process(people: Household) -> None:
    arena = people.start("arena", "random", "random", "--deals", 10**8, "--jobs", 2)
    started = workers(arena)
    arena.process.kill()
    wait_until_gone(started)
