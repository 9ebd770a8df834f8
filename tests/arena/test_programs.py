"""Programs that take part: a fault of one is its own loss, and is named; each ends with its game."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from seqp2p.arena import ArenaResult, DealResult, make_contest, play_deal
from tests.cli.processes import is_running, wait_until

pytestmark = pytest.mark.process

STRANGE = Path(__file__).parents[1] / "bots" / "strange_bot.py"
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "bot.py"
LONG_S = 60.0
SOON_S = 0.5


def strange(manner: str, seen: Path) -> str:
    return shlex.join([sys.executable, "-S", str(STRANGE), manner, str(seen)])


def play(bots: Sequence[str], players: int = 2, time_s: float = LONG_S) -> DealResult:
    return play_deal(make_contest(bots, "kids", players), 1, 0, time_s=time_s)


def test_good_programs_play_to_the_end(tmp_path: Path) -> None:
    result = play([strange("good", tmp_path / "seen"), f"{sys.executable} {EXAMPLE}", "greedy"], players=3)
    assert len(result.games) == 6
    assert not any(game.failed for game in result.games)
    assert all(game.turns for game in result.games)
    assert all(choices > 0 for choices in result.choices)
    text = (tmp_path / "seen").read_text()
    assert text.count('"type":"hello"') == text.count('"type":"result"') == 6


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("slow", "it has not chosen within 0.5 seconds"),
        ("die", "it has ended, with exit status 3"),
        ("stubborn", "none of its 3 answers was possible"),
    ],
)
def test_a_program_that_fails_loses_its_game(manner: str, reason: str, tmp_path: Path) -> None:
    time_s = SOON_S if manner == "slow" else LONG_S
    result = play([strange(manner, tmp_path / "seen"), "random"], time_s=time_s)
    assert [(game.failed, game.winner) for game in result.games] == [(1, 0), (2, 0)]
    assert all(game.reason.startswith(reason) for game in result.games), result.games


def test_a_fault_that_is_mended_is_no_loss(tmp_path: Path) -> None:
    for manner in ("illegal", "rubbish", "ahead", "twice", "caller"):
        assert not any(game.failed for game in play([strange(manner, tmp_path / "seen"), "random"]).games)


def test_a_program_that_has_gone_is_named_in_each_game() -> None:
    (first, second) = play(["./no-such-program", "random"]).games
    assert (first.failed, second.failed) == (1, 2)
    assert first.reason.startswith("it cannot be started: ")
    assert isinstance(first, ArenaResult)


def test_what_a_program_has_started_ends_with_its_game(tmp_path: Path) -> None:
    play([strange("family", tmp_path / "seen"), "random"])
    child = int((tmp_path / "seen.pids").read_text())
    wait_until(lambda: not is_running(child), "a program outlives its game")
