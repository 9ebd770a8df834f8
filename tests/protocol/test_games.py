"""The whole games of the vectors, step by step, and the golden games, by both programs."""

import hashlib
from pathlib import Path
from secrets import token_bytes
from typing import Any

import pytest

from protocol.second import file
from protocol.second import game as second
from protocol.second.basics import read_scalar, total
from seqp2p.crypto.group import decode_scalar, mul
from seqp2p.match.machine import Match
from seqp2p.match.steps import final_hash
from seqp2p.replay.format import StepRecord, TableRecord, contributions_of, records
from seqp2p.replay.verify import verify_batched
from seqp2p.rules import format_position
from tests.protocol.reading import GOLDEN, read, replay

pytestmark = pytest.mark.simulation

GAMES = ["two_player_game", "two_player_kids_game"]


def steps_of(data: bytes) -> tuple[bytes, list[StepRecord]]:
    table, *rest = (placed.record for placed in records(data))
    assert isinstance(table, TableRecord)
    return table.agreement, [record for record in rest if isinstance(record, StepRecord)]


@pytest.mark.parametrize("name", GAMES)
def test_this_program_plays_it_again(name: str) -> None:
    told: dict[str, Any] = read(name)
    data = replay(told["replay"])
    assert hashlib.sha256(data).hexdigest() == told["sha256"]
    agreement, steps = steps_of(data)
    match = Match(agreement)
    assert match.game.id.hex() == told["game"]
    for record, step in zip(steps, told["steps"], strict=True):
        assert (match.number, match.kind, sorted(match.awaited)) == (step["step"], step["kind"], step["seats"])
        for contribution in contributions_of(record):
            match.receive(contribution)
        assert match.head.hex() == step["head"]
        if "position" in step:
            assert match.game.position is not None
            assert format_position(match.game.position) == step["position"]
        if step["kind"] == "deal":
            _check_hands(match, told["dealt"])
    assert match.game.joint_key.encoded.hex() == told["joint key"]
    assert match.game.draw is not None
    assert match.game.draw.dealer == told["dealer"]
    assert final_hash(match.game).hex() == told["final hash"]
    assert match.game.result is not None
    assert list(match.game.result.winners) == told["result"]["winners"]


def _check_hands(match: Match, dealt: list[dict[str, Any]]) -> None:
    deck = match.game.deck
    for hand in dealt:
        secret = decode_scalar(bytes.fromhex(hand["secret"]))
        found = [[at, deck.physical(at, mul(deck.ciphertexts[at].a, secret))] for at in deck.hand(hand["seat"])]
        assert found == hand["cards"]


@pytest.mark.parametrize("name", GAMES)
def test_the_second_verifier_plays_it_again(name: str) -> None:
    told: dict[str, Any] = read(name)
    agreement, steps = steps_of(replay(told["replay"]))
    machine = second.Machine(agreement, proofs=())
    for record, step in zip(steps, told["steps"], strict=True):
        assert (machine.number, machine.kind, sorted(machine.who)) == (step["step"], step["kind"], step["seats"])
        for pair in record.contributions:
            machine.receive(pair)
        assert machine.heads[-1].hex() == step["head"]
        if "position" in step:
            assert machine.position is not None
            assert machine.position.text() == step["position"]
        if step["kind"] == "deal":
            _check_hands_again(machine, told["dealt"])
    assert machine.dealer == told["dealer"]
    assert machine.position is not None
    assert machine.position.hash().hex() == told["final hash"]


def _check_hands_again(machine: second.Machine, dealt: list[dict[str, Any]]) -> None:
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
