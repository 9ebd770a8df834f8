"""Every small replay gets the verdict that it is named for, from this program and from the second verifier."""

import json
from typing import Any

import pytest

from seqp2p.replay.verify import verify, verify_batched
from tests.protocol.reading import REPLAYS
from tests.protocol.second import file as second
from tests.table import randomness

EXPECTED: dict[str, dict[str, Any]] = json.loads((REPLAYS / "expected.json").read_text("utf-8"))
# Proofs in plain Python take long: these two are judged with them. In no other replay a proof is what is wrong.
WITH_PROOFS = {"kids_2_won_ok", "wrong_shuffle_fail"}


def test_every_replay_is_expected_and_small() -> None:
    assert {path.stem for path in REPLAYS.glob("*.seqp2p")} == set(EXPECTED)
    assert sum(path.stat().st_size for path in REPLAYS.iterdir()) < 2_500_000


def test_names_say_what_is_expected() -> None:
    for name, expected in EXPECTED.items():
        assert name.endswith("_ok" if expected["verdict"] == "verified" else "_fail")


@pytest.mark.parametrize("name", EXPECTED)
def test_this_program(name: str) -> None:
    expected = EXPECTED[name]
    data = (REPLAYS / f"{name}.seqp2p").read_bytes()
    report = verify(data)
    assert verify_batched(data, randomness(name)) == report
    assert (report.verdict, report.step) == (expected["verdict"], expected["step"])
    assert (report.reason is None) == (report.verdict == "verified")
    if expected["seat"]:
        assert f"seat {expected['seat']}" in (report.reason or "")
    assert report.seat in {None, expected["seat"]}
    if expected["class"] == "Violation":
        assert report.seat == expected["seat"]
        assert report.evidence
        assert "broke the rules" in (report.reason or "")


@pytest.mark.parametrize("name", EXPECTED)
def test_the_second_verifier(name: str) -> None:
    expected = EXPECTED[name]
    found = second.verify((REPLAYS / f"{name}.seqp2p").read_bytes(), proofs=name in WITH_PROOFS)
    assert (found.verdict, found.failure, found.step, found.seat) == (
        expected["verdict"],
        expected["class"],
        expected["step"],
        expected["seat"],
    )
