"""The comparison of two trees by logs: peers that are fed what came to them in a game do what they did in it."""

import json
from typing import Any

import pytest

from tests.sim.compare_logs import differences, feed, record
from tests.sim.faults import FIRST_SPECTATOR


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    """A recorded game of two, with a spectator and a seat that resumes, as it goes from one process to another."""
    line: dict[str, Any] = json.loads(json.dumps(record(257)))
    return line


def test_fed_peers_do_what_they_did(recorded: dict[str, Any]) -> None:
    lives = {int(number): peer["lives"] for number, peer in recorded["peers"].items()}
    assert max(lives) >= FIRST_SPECTATOR
    assert max(lives.values()) > 1
    assert list(differences(recorded, json.loads(json.dumps(feed(recorded))))) == []


def test_a_lost_frame_makes_a_difference(recorded: dict[str, Any]) -> None:
    frames = [entry for entry in recorded["log"] if entry[3] == "frame" and entry[2] < FIRST_SPECTATOR]
    longest = max(frames, key=lambda entry: len(entry[5]))
    less = recorded | {"log": [entry for entry in recorded["log"] if entry is not longest]}
    assert list(differences(recorded, json.loads(json.dumps(feed(less)))))
