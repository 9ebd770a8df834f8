"""The example of docs/scripting.md, "Learning", runs as it is printed there, and the table there is complete."""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from seqp2p.arena.game import Dealer
from seqp2p.learning import Seen, actions_of
from seqp2p.rules import CLASSIC, KIDS, Options, view

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
    dealer = Dealer(KIDS, 3, 3, Options(), 1, Random(1))
    while seat := dealer.position.to_move:
        dealer.play(names["policy"].choose(view(dealer.position, seat)))
    assert dealer.position.over


def test_every_array_is_described() -> None:
    rows = [line for line in CHAPTER.splitlines() if line.startswith("| `")]
    assert [name for row in rows for name in re.findall("`([a-z_]+)`", row.split(" | ")[0])] == [*Seen.__annotations__]
    for variant in (CLASSIC, KIDS):
        assert f"{len(actions_of(variant))} in the" in CHAPTER
