"""Programs that take part: a fault of one is its own loss, and is named; each ends with its game."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from seqp2p.arena import DealResult, make_contest, play_deal
from tests.cli.processes import EXAMPLES, strange

pytestmark = pytest.mark.process

LONG_S = 60.0
SOON_S = 0.5


def play(bots: Sequence[str], players: int = 2, time_s: float = LONG_S) -> DealResult:
    return play_deal(make_contest(bots, "kids", players), 1, 0, time_s=time_s)


def test_good_programs_play_to_the_end(tmp_path: Path) -> None:
    result = play([strange("good", tmp_path / "seen"), f"{sys.executable} {EXAMPLES / 'bot.py'}", "greedy"], players=3)
    assert len(result.games) == 6
    assert not any(game.failed for game in result.games)
    assert all(game.turns for game in result.games)
    assert all(choices > 0 for choices in result.choices)
    text = (tmp_path / "seen").read_text()
    assert text.count('"type":"hello"') == text.count('"type":"result"') == 6


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("slow", "it did not choose within 0.5 seconds"),
        ("die", "it has ended, with exit status 3"),
        ("stubborn", "none of its 3 answers was possible"),
        ("./no-such-program", "it cannot be started: "),
    ],
)
def test_a_program_that_fails_loses_its_game(manner: str, reason: str, tmp_path: Path) -> None:
    program = manner if manner.startswith("./") else strange(manner, tmp_path / "seen")
    result = play([program, "random"], time_s=SOON_S if manner == "slow" else LONG_S)
    assert [(game.failed, game.winner) for game in result.games] == [(1, 0), (2, 0)]
    assert all(game.reason.startswith(reason) for game in result.games), result.games


def test_a_fault_that_is_mended_is_no_loss(tmp_path: Path) -> None:
    for manner in ("illegal", "rubbish", "ahead", "half", "twice", "caller"):
        assert not any(game.failed for game in play([strange(manner, tmp_path / "seen"), "random"]).games)
