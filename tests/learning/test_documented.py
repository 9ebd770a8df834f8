"""The example of docs/scripting.md, "Learning", runs as it is printed there, and the table there is complete."""

import re
from pathlib import Path
from typing import Any

import pytest

from seqp2p.learning import Seen, actions_of
from seqp2p.rules import CLASSIC, KIDS, Game

CHAPTER = (
    (Path(__file__).parents[2] / "docs" / "scripting.md")
    .read_text("utf-8")
    .split("\n## Learning\n")[1]
    .split("\n## ")[0]
)


def test_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    program, random_games = re.findall(r"```python\n(.*?)```", CHAPTER, re.DOTALL)
    names: dict[str, Any] = {"__name__": "learning"}
    exec(program, names)
    assert capsys.readouterr().out.splitlines() in (["seat_1 -1.0", "seat_2 1.0"], ["seat_2 1.0", "seat_1 -1.0"])
    exec(random_games, {"__name__": "random_games"})
    assert len(capsys.readouterr().out.splitlines()) == 10
    # The same policy as a bot of another game.
    game = Game(KIDS, 3, seed=1)
    while game.turn:
        game.play(names["policy"].choose(game.view(game.turn)))
    assert game.over


def test_every_array_is_described() -> None:
    rows = [line for line in CHAPTER.splitlines() if line.startswith("| `")]
    assert [name for row in rows for name in re.findall("`([a-z_]+)`", row.split(" | ")[0])] == [*Seen.__annotations__]
    for variant in (CLASSIC, KIDS):
        assert f"{len(actions_of(variant))} in the" in CHAPTER
