"""Every contribution of the vectors gets its class of failure, from both programs."""

from copy import deepcopy
from functools import cache
from pathlib import Path
from secrets import token_bytes
from typing import Any

import pytest

from protocol.second import file
from protocol.second.basics import read_scalar, total
from protocol.second.game import EVERY_STEP, Failure, Machine
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import MatchError, Violation
from seqp2p.match.machine import Match
from seqp2p.replay.format import StepRecord, TableRecord, records
from seqp2p.replay.verify import verify_batched
from tests.protocol.reading import GOLDEN, read, replay
from tests.table import fork

FILES: dict[str, dict[str, Any]] = {name: read(name) for name in ("contributions", "option_contributions")}
Pair = tuple[bytes, bytes]


@cache
def played(name: str) -> tuple[bytes, list[tuple[Pair, ...]]]:
    """The agreement and the steps of the game that the vectors belong to."""
    table, *rest = (placed.record for placed in records(replay(FILES[name]["replay"])))
    assert isinstance(table, TableRecord)
    return table.agreement, [record.contributions for record in rest if isinstance(record, StepRecord)]


@cache
def match_at(name: str, closed: int) -> Match:
    """This program's match with so many steps closed, to be copied."""
    agreement, steps = played(name)
    if not closed:
        return Match(agreement)
    match = fork(match_at(name, closed - 1))
    for pair in steps[closed - 1]:
        match.receive(Contribution(*pair))
    return match


def judged_by_first(name: str, closed: int, held: tuple[Pair, ...], judged: Pair) -> tuple[str, int | None]:
    match, contribution = fork(match_at(name, closed)), Contribution(*judged)
    for pair in held:
        match.receive(Contribution(*pair))
    before = match.head, match.held
    try:
        return "ok" if match.judge(match.open(contribution), contribution) else "duplicate", None
    except Violation as violation:
        return ("Violation" if contribution == violation.evidence[-1] else "evidence is missing"), violation.seat
    except MatchError as error:
        return type(error).__name__, None
    finally:
        assert (match.head, match.held) == before


@cache
def machine_at(name: str, closed: int) -> Machine:
    """The second program's machine with so many steps closed, to be copied."""
    agreement, steps = played(name)
    if not closed:
        return Machine(agreement, proofs=())
    machine = deepcopy(machine_at(name, closed - 1))
    for pair in steps[closed - 1]:
        assert machine.receive(pair) == "ok"
    return machine


def judged_by_second(name: str, closed: int, held: tuple[Pair, ...], judged: Pair) -> tuple[str, int | None]:
    # Proofs of the steps before are not checked again, those of the contribution judged are.
    machine = deepcopy(machine_at(name, closed))
    for pair in held:
        assert machine.receive(pair) == "ok"
    machine.proofs = EVERY_STEP
    try:
        return machine.receive(judged), None
    except Failure as failure:
        return failure.name, failure.seat or None


@pytest.mark.parametrize("judge", [judged_by_first, judged_by_second])
@pytest.mark.parametrize("name", FILES)
def test_contributions(name: str, judge: Any) -> None:
    assert len(FILES[name]["vectors"]) > 35
    for vector in FILES[name]["vectors"]:
        given = vector["in"]
        held = tuple((bytes.fromhex(payload), bytes.fromhex(signature)) for payload, signature in given["held"])
        judged = bytes.fromhex(given["payload"]), bytes.fromhex(given["signature"])
        found = judge(name, given["closed"], held, judged)
        assert found == (vector["expect"], vector.get("seat")), vector["name"]


# The whole games of the vectors, step by step, by the second verifier; the golden games, by both programs.


@pytest.mark.simulation
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


@pytest.mark.simulation
def test_there_are_golden_games_for_every_promised_size() -> None:
    assert {path.stem for path in GOLDEN} >= {f"classic-{n}" for n in (2, 3, 4, 6, 12)}


@pytest.mark.simulation
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_games(path: Path) -> None:
    data = path.read_bytes()
    report = verify_batched(data, token_bytes)
    assert (report.verdict, report.reason) == ("verified", None)
    assert report.result is not None
    if path.stem != "classic-2":  # The second verifier plays it again step by step, above.
        again = file.verify(data, proofs=())
        assert (again.verdict, again.winners) == ("verified", list(report.result.winners))
