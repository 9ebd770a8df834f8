"""Every contribution of the vectors gets its class of failure, from both programs."""

from copy import deepcopy
from functools import cache
from itertools import chain
from typing import Any

import pytest

from protocol.second.game import EVERY_STEP, Failure, Machine
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import MatchError, Violation
from seqp2p.match.machine import Match
from seqp2p.replay.format import StepRecord, TableRecord, contributions_of, records
from tests.protocol.reading import read, replay

FILES: dict[str, dict[str, Any]] = {name: read(name) for name in ("contributions", "option_contributions")}
Pair = tuple[bytes, bytes]


@cache
def played(name: str) -> tuple[bytes, list[list[Pair]]]:
    """The agreement and the steps of the game that the vectors belong to."""
    table, *rest = (placed.record for placed in records(replay(FILES[name]["replay"])))
    assert isinstance(table, TableRecord)
    steps = [contributions_of(record) for record in rest if isinstance(record, StepRecord)]
    return table.agreement, [[(each.payload, each.signature) for each in step] for step in steps]


@cache
def match_at(name: str, closed: int, held: tuple[Pair, ...]) -> Match:
    """This program's match with so many steps closed. Judging changes nothing, so it serves many vectors."""
    agreement, steps = played(name)
    match = Match(agreement)
    for pair in (*chain(*steps[:closed]), *held):
        match.receive(Contribution(*pair))
    return match


def judged_by_first(name: str, closed: int, held: tuple[Pair, ...], judged: Pair) -> tuple[str, int | None]:
    match = match_at(name, closed, held)
    before = match.head, match.held
    outcome, seat = _class_of(match, Contribution(*judged))
    assert (match.head, match.held) == before
    return outcome, seat


def _class_of(match: Match, judged: Contribution) -> tuple[str, int | None]:
    try:
        return "ok" if match.judge(match.open(judged), judged) else "duplicate", None
    except Violation as violation:
        return ("Violation" if judged == violation.evidence[-1] else "evidence is missing"), violation.seat
    except MatchError as error:
        return type(error).__name__, None


MACHINES: dict[tuple[str, int, tuple[Pair, ...]], Machine] = {}


def judged_by_second(name: str, closed: int, held: tuple[Pair, ...], judged: Pair) -> tuple[str, int | None]:
    # A machine that refuses is as it was, and serves again.
    key = name, closed, held
    machine = MACHINES.pop(key, None) or machine_at(name, closed, held)
    try:
        return machine.receive(judged), None
    except Failure as failure:
        MACHINES[key] = machine
        return failure.name, failure.seat or None


def machine_at(name: str, closed: int, held: tuple[Pair, ...]) -> Machine:
    # Proofs of the steps before are not checked again, those of the contribution judged are.
    machine = deepcopy(machine_after(name, closed))
    for pair in held:
        assert machine.receive(pair) == "ok"
    machine.proofs = EVERY_STEP
    return machine


@cache
def machine_after(name: str, closed: int) -> Machine:
    """The second program's machine with so many steps closed, to be copied."""
    agreement, steps = played(name)
    if not closed:
        return Machine(agreement, proofs=())
    machine = deepcopy(machine_after(name, closed - 1))
    for pair in steps[closed - 1]:
        assert machine.receive(pair) == "ok"
    return machine


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
