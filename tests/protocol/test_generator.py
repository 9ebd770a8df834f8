"""The vectors and cases come out of the code as they are in the repository: nothing has changed unnoticed."""

from collections.abc import Iterable

import pytest

from protocol.generator.files import VECTORS, as_json, case_files, vector_files
from protocol.generator.golden import game_by_steps, new_golden_game
from tests.protocol.reading import PROTOCOL, ROOT


def assert_the_same(files: Iterable[tuple[str, bytes]]) -> None:
    for name, data in files:
        assert (ROOT / name).read_bytes() == data, f"{name}: run make vectors, and say in the log why it changed"


def test_vectors_come_out_the_same() -> None:
    assert_the_same(vector_files())


@pytest.mark.simulation
def test_cases_come_out_the_same() -> None:
    assert_the_same(case_files())


@pytest.mark.simulation
def test_the_first_golden_game_comes_out_the_same() -> None:
    game, path = new_golden_game("classic-2").play(), "replays/classic-2.seqp2p"
    described = as_json(game_by_steps(game, path, game.written()))
    assert_the_same([(path, game.written()), ("protocol/vectors/two_player_game.json", described)])


def test_nothing_else_lies_there() -> None:
    games = {"two_player_game.json", "two_player_kids_game.json"}
    assert {path.name for path in (PROTOCOL / "vectors").iterdir()} == {f"{name}.json" for name in VECTORS} | games
    assert {path.suffix for path in (PROTOCOL / "replays").iterdir()} == {".seqp2p", ".json"}
    assert {path.name for path in (ROOT / "replays").iterdir() if path.suffix != ".seqp2p"} == {"README.md"}
