"""The whole games of the vectors, step by step, by the second verifier; the golden games, by both programs.

This program's own steps of these games are in test_generator.py.
"""

from pathlib import Path
from secrets import token_bytes
from typing import Any

import pytest

from protocol.second import file
from protocol.second.basics import read_scalar, total
from protocol.second.game import Machine
from seqp2p.replay.format import StepRecord, TableRecord, records
from seqp2p.replay.verify import verify_batched
from tests.protocol.reading import GOLDEN, read, replay

pytestmark = pytest.mark.simulation


@pytest.mark.parametrize("name", ["two_player_game", "two_player_kids_game"])
def test_the_second_verifier_plays_it_again(name: str) -> None:
    told: dict[str, Any] = read(name)
    table, *rest = (placed.record for placed in records(replay(told["replay"])))
    assert isinstance(table, TableRecord)
    machine = Machine(table.agreement, proofs=())
    steps = [record for record in rest if isinstance(record, StepRecord)]
    for record, step in zip(steps, told["steps"], strict=True):
        assert (machine.number, machine.kind, sorted(machine.who)) == (step["step"], step["kind"], step["seats"])
        for pair in record.contributions:
            machine.receive(pair)
        assert machine.heads[-1].hex() == step["head"]
        if "position" in step:
            assert machine.position is not None
            assert machine.position.text() == step["position"]
        if step["kind"] == "deal":
            _check_hands(machine, told["dealt"])
    assert machine.dealer == told["dealer"]
    assert machine.position is not None
    assert machine.position.hash().hex() == told["final hash"]


def _check_hands(machine: Machine, dealt: list[dict[str, Any]]) -> None:
    for hand in dealt:
        x = read_scalar(bytes.fromhex(hand["secret"]))
        for position, physical in hand["cards"]:
            opened = total((1, machine.partial[position]), (-x, machine.cards[position][0]))
            assert machine.physical[opened] == physical
        assert machine.hands[hand["seat"]] == [position for position, _ in hand["cards"]]


def test_there_are_golden_games_for_every_promised_size() -> None:
    assert {path.stem for path in GOLDEN} >= {f"classic-{n}" for n in (2, 3, 4, 6, 12)}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_games(path: Path) -> None:
    data = path.read_bytes()
    report = verify_batched(data, token_bytes)
    assert (report.verdict, report.reason) == ("verified", None)
    assert report.result is not None
    if path.stem != "classic-2":  # The second verifier plays it again step by step, above.
        again = file.verify(data, proofs=())
        assert (again.verdict, again.winners) == ("verified", list(report.result.winners))
