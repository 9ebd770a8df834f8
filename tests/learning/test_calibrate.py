"""The calibration of chances: games are the same again and read as written, fits are good, checks count turns."""

import json
from pathlib import Path

import numpy as np
import pytest

from seqp2p.bots.chance import FITS, Terms
from tools.calibrate import BINS, chances, check, fit, likeliest, play, read

GAMES = [play("kids", 3, 3, number) for number in range(8)]


def test_a_number_is_a_game_and_a_line_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "games"
    file.write_text("".join(json.dumps(play("kids", 3, 3, number)) + "\n" for number in range(8)), "ascii")
    assert json.dumps([*read(file)]) == json.dumps(GAMES)


def test_a_better_value_is_worth_more() -> None:
    assert all(row.best > 0 and row.best + row.passed > 0 for weights in FITS.values() for row in weights)


def test_the_likeliest_weights_foretell_how_often_a_team_won() -> None:
    won = np.array([[1, 0], [1, 0], [1, 0], [0, 1]] * 1000)
    rows = np.array([[[1.0], [0.0]]] * len(won))
    assert chances(rows, likeliest(rows, won))[0] == pytest.approx([0.75, 0.25], abs=0.001)
    assert [len(row) for row in fit(GAMES)] == [len(Terms._fields)] * 3


def test_a_check_counts_every_chance() -> None:
    cells, turns = check(GAMES), sum(len(game.turns) for game in GAMES)
    assert len(cells) == BINS
    assert sum(count for count, _, _ in cells) == 3 * turns
    for tenth, (count, foretold, won) in enumerate(cells):
        assert count == 0 or tenth / BINS <= foretold <= (tenth + 1) / BINS
        assert 0 <= won <= 1
    assert sum(count * foretold for count, foretold, _ in cells) == pytest.approx(turns)
    assert sum(count * won for count, _, won in cells) == pytest.approx(turns)
