"""Every contribution of the vectors gets its class of failure, from both programs."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import MatchError, Violation
from seqp2p.match.machine import Match
from seqp2p.replay.format import StepRecord, TableRecord, contributions_of, records
from tests.protocol.reading import read, replay
from tests.protocol.second.game import Failure, Machine

FILE: dict[str, Any] = read("contributions")
Pair = tuple[bytes, bytes]


@cache
def played() -> tuple[bytes, list[list[Pair]]]:
    """The agreement and the steps of the game that the vectors belong to."""
    table, *rest = (placed.record for placed in records(replay(FILE["replay"])))
    assert isinstance(table, TableRecord)
    steps = [contributions_of(record) for record in rest if isinstance(record, StepRecord)]
    return table.agreement, [[(each.payload, each.signature) for each in step] for step in steps]


def pairs(listed: Sequence[Sequence[str]]) -> list[Pair]:
    return [(bytes.fromhex(payload), bytes.fromhex(signature)) for payload, signature in listed]


@cache
def match_at(before: tuple[Pair, ...]) -> Match:
    match = Match(played()[0])
    for pair in before:
        match.receive(Contribution(*pair))
    return match


def judged_by_first(before: Sequence[Pair], judged: Pair) -> tuple[str, int | None]:
    # Judging changes nothing, so one match serves all vectors that begin at the same place.
    match = match_at(tuple(before))
    head, held = match.head, match.held
    outcome, seat = _class_of(match, Contribution(*judged))
    assert (match.head, match.held) == (head, held)
    return outcome, seat


def _class_of(match: Match, judged: Contribution) -> tuple[str, int | None]:
    try:
        return "ok" if match.judge(judged) else "duplicate", None
    except Violation as violation:
        return ("Violation" if judged == violation.evidence[-1] else "evidence is missing"), violation.seat
    except MatchError as error:
        return type(error).__name__, None


def judged_by_second(before: Sequence[Pair], judged: Pair) -> tuple[str, int | None]:
    # Proofs of the closed steps are not checked again, those of the contribution judged are.
    machine = Machine(played()[0], proofs=False)
    for pair in before:
        assert machine.receive(pair) == "ok"
    machine.proofs = True
    try:
        return machine.receive(judged), None
    except Failure as failure:
        return failure.name, failure.seat or None


@pytest.mark.parametrize("judge", [judged_by_first, judged_by_second])
def test_contributions(judge: Any) -> None:
    _, steps = played()
    assert len(FILE["vectors"]) > 70
    for vector in FILE["vectors"]:
        given = vector["in"]
        closed = [pair for step in steps[: given["closed"]] for pair in step]
        before = [*closed, *pairs(given["held"])]
        judged = bytes.fromhex(given["payload"]), bytes.fromhex(given["signature"])
        assert judge(before, judged) == (vector["expect"], vector.get("seat")), vector["name"]
