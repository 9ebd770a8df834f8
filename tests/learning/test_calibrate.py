"""The calibration of chances: games are the same again and read as written, fits are good, checks count turns."""

import json
from pathlib import Path

import pytest

from seqp2p.bots.chance import FITS
from tools.calibrate import BINS, check, fit, play, read

GAMES = [play("kids", 3, 3, number) for number in range(8)]


def test_a_number_is_a_game_and_a_line_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "games"
    file.write_text("".join(json.dumps(play("kids", 3, 3, number)) + "\n" for number in range(8)), "ascii")
    assert json.dumps([*read(file)]) == json.dumps(GAMES)


def test_a_better_value_is_worth_more() -> None:
    for each in (fit(GAMES * 20), *FITS.values()):
        assert all(row.best + row.passed > 0 for row in each.terms)


def test_a_bend_rises() -> None:
    for first, second, third in (each.bend for each in FITS.values()):
        assert all(first + 2 * second * x + 3 * third * x * x > 0 for x in range(-7, 1))


def test_a_check_counts_every_chance() -> None:
    cells, turns = check(GAMES), sum(len(game.turns) for game in GAMES)
    assert len(cells) == BINS
    assert sum(count for count, _, _ in cells) == 3 * turns
    for tenth, (count, foretold, won) in enumerate(cells):
        assert count == 0 or tenth / BINS <= foretold <= (tenth + 1) / BINS
        assert 0 <= won <= 1
    assert sum(count * foretold for count, foretold, _ in cells) == pytest.approx(turns)
    assert sum(count * won for count, _, won in cells) == pytest.approx(turns)
