"""Replays as plain data: every record is there, with what its seats signed in words."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Turned
from seqp2p.replay.format import TableRecord, records
from seqp2p.replay.playback import play_back
from seqp2p.replay.to_plain import decoded
from seqp2p.replay.verify import verify
from seqp2p.rules import CLASSIC, KIDS, format_action
from tests.protocol.reading import REPLAYS as SMALL
from tests.replay.tools import assemble, evidence, records_of, steps
from tests.table import Played

GOLDEN = Path(__file__).parents[2] / "replays"
GAMES = sorted(path.stem for path in GOLDEN.glob("*.seqp2p"))
CASES = sorted(path.stem for path in SMALL.glob("*.seqp2p"))


@cache
def data(name: str) -> bytes:
    return ((GOLDEN if name in GAMES else SMALL) / f"{name}.seqp2p").read_bytes()


def contributions(found: list[dict[str, Any]], kind: str) -> Iterator[dict[str, Any]]:
    for record in found:
        if record["record"] == "step" and record["kind"] == kind:
            yield from record["contributions"]


@pytest.mark.parametrize("name", GAMES)
def test_every_record_of_golden_games_is_there(name: str) -> None:
    found = decoded(data(name))
    kinds = [type(placed.record).__struct_config__.tag for placed in records(data(name))]
    assert [record["record"] for record in found] == kinds[1:]
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(found))
    steps = [record["step"] for record in found if record["record"] in ("step", "certificate")]
    assert steps == [*range(1, len(steps) + 1)]


@pytest.mark.parametrize("name", ["kids-3", "classic-2-manual-draw", "classic-4-table-talk"])
def test_turns_are_those_that_were_played(name: str) -> None:
    found, playback = decoded(data(name)), play_back(data(name))
    signed = [
        (each["seat"], each["body"]["action"])
        for record in found
        if record["record"] == "step" and record["kind"] in ("turn", "late", "discard")
        for each in record["contributions"]
    ]
    variant = CLASSIC if name.startswith("classic") else KIDS
    turned = [moment.what for moment in playback.moments if isinstance(moment.what, Turned)]
    assert signed == [(turn.seat, format_action(variant, turn.action)) for turn in turned]


def test_digits_are_shown_when_they_are_asked_for() -> None:
    brief, full = decoded(data("kids_2_won_ok")), decoded(data("kids_2_won_ok"), raw=True)
    (short, *_), (long, *_) = contributions(brief, "shuffle"), contributions(full, "shuffle")
    assert short["body"].keys() == long["body"].keys() == {"deck", "proof"}
    assert short["body"]["deck"] == {"bytes": 42 * 66}
    assert len(bytes.fromhex(long["body"]["deck"]["hex"])) == long["body"]["deck"]["bytes"] == 42 * 66
    assert short["signature"] == {"bytes": 64}
    (seat, *_) = contributions(brief, "seat")
    assert len(bytes.fromhex(seat["body"]["commitment"])) == 32


def test_remarks_calls_votes_and_leaves() -> None:
    talk = decoded(data("classic-4-table-talk"))
    calls = [each["body"] for each in contributions(talk, "turn") if each["body"]["action"].startswith("call")]
    remarks = [record for record in talk if record["record"] == "remark"]
    assert len(calls) == 3
    assert all(call["remark"] in [{k: v for k, v in r.items() if k != "record"} for r in remarks] for call in calls)
    assert {"seat", "number", "last", "step", "prev", "courtesy", "text", "signature"} < remarks[0].keys()
    skips = [record for record in decoded(data("classic-4-skipped")) if record["record"] == "certificate"]
    assert [(skip["action"], skip["about"]) for skip in skips] == [("skip", (1,)), ("skip", (1,))]
    assert {ballot["seat"] for ballot in skips[0]["ballots"]} == {2, 3, 4}
    leaves = [record["seat"] for record in decoded(data("forfeit_fail")) if record["record"] == "leave"]
    assert leaves == [2, 3]


@settings(max_examples=20)
@given(st.sampled_from(CASES))
def test_whatever_is_not_invalid_can_be_told(name: str) -> None:
    if verify(data(name)).verdict == "invalid":
        return
    found = decoded(data(name), raw=True)
    assert json.dumps(found)
    assert all(record["record"] != "table" for record in found)


def test_evidence_that_is_in_no_form(duel: Played) -> None:
    """A seat may sign anything: it is told as it is."""
    odd = Contribution(b"\xc1", bytes(64))
    parts = [*steps(duel, 2), evidence(odd)]
    assert isinstance(parts[0], TableRecord)
    *_, last = decoded(assemble(parts))
    assert last == {"record": "evidence", "contributions": [{"payload": {"bytes": 1}, "signature": {"bytes": 64}}]}


def test_evidence_of_ballots() -> None:
    (proof,) = (record for record in decoded(data("evidence_of_two_ballots_fail")) if record["record"] == "evidence")
    assert {each["round"] for each in proof["contributions"]} == {1}
    assert records_of(data("evidence_of_two_ballots_fail"))
