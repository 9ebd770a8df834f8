"""The vectors and cases come out of the code as they are in the repository: nothing has changed unnoticed."""

import pytest

from protocol.generator.files import VECTORS, case_files, vector_files
from tests.protocol.reading import PROTOCOL, ROOT

pytestmark = pytest.mark.simulation


def test_vectors_come_out_the_same() -> None:
    for name, data in vector_files():
        assert (ROOT / name).read_bytes() == data, f"{name}: run make vectors, and say in the log why it changed"


def test_cases_come_out_the_same() -> None:
    for name, data in case_files():
        assert (ROOT / name).read_bytes() == data, f"{name}: run make vectors, and say in the log why it changed"


def test_nothing_else_lies_there() -> None:
    games = {"two_player_game.json", "two_player_kids_game.json"}
    assert {path.name for path in (PROTOCOL / "vectors").iterdir()} == {f"{name}.json" for name in VECTORS} | games
    assert {path.suffix for path in (PROTOCOL / "replays").iterdir()} == {".seqp2p", ".json"}
    assert {path.name for path in (ROOT / "replays").iterdir() if path.suffix != ".seqp2p"} == {"README.md"}
