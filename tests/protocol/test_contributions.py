"""Every contribution of the vectors gets its class of failure, from both programs."""

from collections.abc import Sequence
from functools import cache
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


def pairs(listed: Sequence[Sequence[str]]) -> list[Pair]:
    return [(bytes.fromhex(payload), bytes.fromhex(signature)) for payload, signature in listed]


@cache
def match_at(name: str, before: tuple[Pair, ...]) -> Match:
    match = Match(played(name)[0])
    for pair in before:
        match.receive(Contribution(*pair))
    return match


def judged_by_first(name: str, before: Sequence[Pair], judged: Pair) -> tuple[str, int | None]:
    # Judging changes nothing, so one match serves all vectors that begin at the same place.
    match = match_at(name, tuple(before))
    head, held = match.head, match.held
    outcome, seat = _class_of(match, Contribution(*judged))
    assert (match.head, match.held) == (head, held)
    return outcome, seat


def _class_of(match: Match, judged: Contribution) -> tuple[str, int | None]:
    try:
        return "ok" if match.judge(match.open(judged), judged) else "duplicate", None
    except Violation as violation:
        return ("Violation" if judged == violation.evidence[-1] else "evidence is missing"), violation.seat
    except MatchError as error:
        return type(error).__name__, None


MACHINES: dict[tuple[str, tuple[Pair, ...]], Machine] = {}


def judged_by_second(name: str, before: Sequence[Pair], judged: Pair) -> tuple[str, int | None]:
    # A machine that refuses is as it was, and serves again.
    key = name, tuple(before)
    machine = MACHINES.pop(key, None) or machine_at(name, before)
    try:
        return machine.receive(judged), None
    except Failure as failure:
        MACHINES[key] = machine
        return failure.name, failure.seat or None


def machine_at(name: str, before: Sequence[Pair]) -> Machine:
    # Proofs of the steps before are not checked again, those of the contribution judged are.
    machine = Machine(played(name)[0], proofs=())
    for pair in before:
        assert machine.receive(pair) == "ok"
    machine.proofs = EVERY_STEP
    return machine


@pytest.mark.parametrize("judge", [judged_by_first, judged_by_second])
@pytest.mark.parametrize("name", FILES)
def test_contributions(name: str, judge: Any) -> None:
    _, steps = played(name)
    assert len(FILES[name]["vectors"]) > 35
    for vector in FILES[name]["vectors"]:
        given = vector["in"]
        closed = [pair for step in steps[: given["closed"]] for pair in step]
        before = [*closed, *pairs(given["held"])]
        judged = bytes.fromhex(given["payload"]), bytes.fromhex(given["signature"])
        assert judge(name, before, judged) == (vector["expect"], vector.get("seat")), vector["name"]
