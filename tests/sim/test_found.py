"""What simulation has found, each with the game that showed it. CHANGELOG.md has the list."""

from dataclasses import dataclass

import pytest

from tests.sim import Fault, Plan, VirtualLan


@dataclass(frozen=True)
class Found:
    name: str
    players: int
    seed: int
    plan: Plan
    spectators: int = 0


FOUND = (
    # What was final by others' later signatures was lost with the power, the ballot upon it was not.
    Found(
        "a ballot above what was lost",
        4,
        5,
        Plan(
            0.03,
            0.0,
            (
                Fault("stall", 7.28, (2,), 5.373),
                Fault("loss", 13.273, (1,), 15.204),
                Fault("power", 13.278, (1, 2, 3, 4), 6.04),
            ),
        ),
    ),
    # Dropped while it was away, it came back, was told so, and died before its record was complete.
    Found(
        "dropped, and dead before the end",
        4,
        38,
        Plan(
            0.03,
            0.0,
            (
                Fault("crash", 9.296, (2,), 0.123),
                Fault("crash", 9.593, (3,), 5.666),
                Fault("crash", 16.067, (3,), 6.876),
                Fault("crash", 16.345, (4,), 30.277),
            ),
        ),
    ),
    # The process died in the middle of a sync; what it had written was sent by the next one.
    Found(
        "written, not synced, sent",
        5,
        21,
        Plan(
            0.002,
            0.1,
            (
                Fault("drift", 0.0, (1,), size=0.9636),
                Fault("disk", 13.572, (1,), 14.608, 3.379),
                Fault("crash", 14.888, (1,), 0.067),
            ),
        ),
    ),
    # What the spectator had been sent for later steps was due when a vote closed one, and it waited for more.
    Found(
        "the end missed behind a vote",
        3,
        245,
        Plan(
            0.0002,
            0.1,
            (
                Fault("asleep", 1.158, (1,), 4.678),
                Fault("asleep", 2.316, (2,), 7.345),
                Fault("asleep", 7.434, (1,), 6.967),
                Fault("asleep", 12.629, (2,), 37.521),
                Fault("asleep", 17.347, (2,), 0.728),
            ),
        ),
        spectators=2,
    ),
    # That the steps before a vote were final could be seen by its ballots alone, and they were put by as too early.
    Found(
        "ballots that show what is final",
        3,
        254,
        Plan(
            0.0002,
            0.01,
            (
                Fault("crash", 8.452, (1,), 44.704),
                Fault("crash", 1.258, (101,), 25.627),
                Fault("crash", 16.621, (101,), 0.99),
                Fault("crash", 7.467, (102,), 1.073),
            ),
        ),
        spectators=2,
    ),
    # One was dead, one could not vote before it was dropped; each seat found the second silent in a round of its own.
    Found(
        "silent to one seat at a time",
        5,
        20291,
        Plan(
            0.002,
            0.0,
            (
                Fault("die", 1.351, (1,)),
                Fault("older", 2.145, (5,), 0.568),
                Fault("disk", 5.158, (4,), 25.421, 3.779),
                Fault("crash", 7.375, (3,), 29.954),
                Fault("talk", 12.939, (2,)),
            ),
        ),
    ),
)


@pytest.mark.parametrize("found", FOUND, ids=lambda found: found.name)
def test_it_does_not_happen_again(found: Found) -> None:
    lan = VirtualLan(found.players, found.seed, found.plan, spectators=found.spectators)
    lan.run()
    assert "ended" in {peer.state for peer in lan.peers.values()}
