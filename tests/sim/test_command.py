"""``python -m tests.sim``: one game, many games and their table, and the words for failures."""

import json
import shlex

import pytest

from tests.sim import SafetyViolation
from tests.sim.__main__ import main
from tests.sim.invariants import Invariants
from tests.sim.outcome import commit, simulate
from tests.sim.soak import game_of, soak

# Every command names the commit that it plays, which git says.
pytestmark = pytest.mark.process

ONE = ["--seed", "21", "--players", "2", "--faults", "cut", "--spectators", "1"]
AGAIN = f"python -m tests.sim {' '.join(ONE)}"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check at the end of every game that finds something wrong."""

    def wrong(_witness: Invariants, *_: object) -> None:
        raise SafetyViolation("the cards are marked")

    monkeypatch.setattr(Invariants, "at_the_end", wrong)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run a command line; return the exit code and the output."""
    code = main(arguments)
    printed = capsys.readouterr()
    assert printed.err == ""
    return code, printed.out


def test_the_same_seed_gives_the_same_line_or_the_same_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, line = said(capsys, *ONE, "--json")
    assert (code, line) == said(capsys, *ONE, "--json")
    outcome = json.loads(line)
    assert (code, outcome["violation"]) == (0, None)
    assert (outcome["commit"], outcome["again"]) == (commit(), AGAIN)
    assert [(each["seat"], each["state"], each["result"]) for each in outcome["seats"]] == [
        (1, "ended", "drawn"),
        (2, "ended", "drawn"),
    ]
    assert [each["seat"] for each in outcome["spectators"]] == [101]
    assert outcome["hash"] == simulate(21, 2, ["cut"]).hash, "whoever watches"
    code, text = said(capsys, *ONE)
    first, *lines, last = text.splitlines()
    assert (code, first) == (0, f"seed 21, 2 players, miniature, commit {commit()}")
    named = [line.split(":")[0] for line in lines if line.startswith("  s")]
    assert named == ["  seat 1", "  seat 2", "  spectator 101"]
    assert last.startswith("records ")


@pytest.mark.usefixtures("broken")
def test_a_failed_check_says_how_to_see_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, *ONE)
    assert code == 1
    assert text.splitlines()[-2:] == [
        "VIOLATION: SafetyViolation: the cards are marked",
        f"at commit {commit()}, again by: {AGAIN}",
    ]
    again = shlex.split(AGAIN)[3:]
    assert said(capsys, *again) == (1, text), "the one command that it names"
    code, line = said(capsys, *again, "--json")
    assert (code, json.loads(line)["violation"]) == (1, "SafetyViolation: the cards are marked")


def test_a_few_games_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    first = next(seed for seed in range(10_000) if (game_of(seed).kinds, game_of(seed).players) == (("cut",), 2))
    code, text = said(capsys, "soak", "--games", "1", "--processes", "1", "--first-seed", str(first))
    rows = {words[0]: words[1:] for words in map(str.split, text.splitlines()) if words}
    assert code == 0
    assert rows["commit"] == [commit()]
    assert rows["fault"] == ["games", "with", "it", "violations", "played", "out"]
    assert rows["cut"] == rows["all"] == ["1", "0", "1"]
    assert f"seeds {first} to {first}:" in text
    assert "VIOLATION" not in text


@pytest.mark.usefixtures("broken")
def test_a_violation_in_a_soak(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, "soak", "--games", "1", "--processes", "1", "--first-seed", "2")
    *_, last = text.splitlines()
    again, _, what = last.removeprefix("VIOLATION ").partition(": ")
    assert (code, what) == (1, "SafetyViolation: the cards are marked")
    assert f"{'all':<12}{1:>15}{1:>12}" in text
    assert "1 spectators" in text
    assert said(capsys, *shlex.split(again)[3:])[0] == 1, "the one command that it names"


def test_in_several_processes_until_the_time_is_up() -> None:
    tally = soak(600.0, processes=2, first_seed=7, games=2)
    assert (tally.games, tally.first_seed, tally.last_seed, tally.violations) == (2, 7, 8, [])
    assert soak(0.0, processes=1).games == 0
