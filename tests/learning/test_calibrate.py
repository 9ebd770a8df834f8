"""The calibration of chances: games are the same again and read as written, fits rise, checks count turns."""

import json
from pathlib import Path

import pytest

from seqp2p.bots.chance import CERTAIN, KNOTS, TableKind
from tools.calibrate import BINS, check, fit_own, fit_shares, play, read

KIND = TableKind("kids", 3, 3)
GAMES = [play(KIND, number) for number in range(8)]


def test_a_number_is_a_game_and_a_line_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "games"
    file.write_text("".join(json.dumps(play(KIND, number)) + "\n" for number in range(8)), "ascii")
    assert json.dumps([*read(file)]) == json.dumps(GAMES)


def test_fits_are_tables_of_chances() -> None:
    row, shares = fit_own(GAMES), fit_shares(GAMES)
    assert len(row) == len(KNOTS)
    assert row == sorted(row)
    assert row[0] > 0
    assert row[-1] < CERTAIN
    assert len(shares) == 4
    assert max(shares) == 100


def test_a_check_counts_every_chance() -> None:
    found, turns = check(GAMES), sum(len(game.turns) for game in GAMES)
    assert {name: sum(count for count, _, _ in cells) for name, cells in found.items()} == {
        "own": turns,
        "others": 2 * turns,
    }
    for cells in found.values():
        assert len(cells) == BINS
        for tenth, (count, foretold, won) in enumerate(cells):
            assert count == 0 or tenth / BINS <= foretold < (tenth + 1) / BINS
            assert 0 <= won <= 1
    assert sum(count * foretold for cells in found.values() for count, foretold, _ in cells) == pytest.approx(turns)
    assert sum(count * won for cells in found.values() for count, _, won in cells) == pytest.approx(turns)
