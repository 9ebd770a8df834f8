"""What simulation has found, each with the game that showed it. CHANGELOG.md has the list."""

from typing import NamedTuple, cast

import pytest

from tests.sim import Fault, FaultKind, Plan, VirtualLan


class Found(NamedTuple):
    """A game. ``faults`` has the kind, the time, the seats, the duration and the size of each."""

    players: int
    seed: int
    latency_s: float
    jitter_s: float
    faults: str
    spectators: int = 0

    def play(self) -> VirtualLan:
        faults = tuple(
            Fault(cast("FaultKind", kind), float(at_s), tuple(map(int, seats.split(","))), *map(float, more))
            for kind, at_s, seats, *more in map(str.split, self.faults.split(";"))
        )
        plan = Plan(self.latency_s, self.jitter_s, faults)
        lan = VirtualLan(self.players, self.seed, plan, spectators=self.spectators)
        lan.run()
        return lan


LOST = "stall 7.28 2 5.373; loss 13.273 1 15.204; power 13.278 1,2,3,4 6.04"
DEAD = "crash 9.296 2 0.123; crash 9.593 3 5.666; crash 16.067 3 6.876; crash 16.345 4 30.277"
WRITTEN = "drift 0 1 0 0.9636; disk 13.572 1 14.608 3.379; crash 14.888 1 0.067"
MISSED = (
    "asleep 1.158 1 4.678; asleep 2.316 2 7.345; asleep 7.434 1 6.967; asleep 12.629 2 37.521; asleep 17.347 2 0.728"
)
SHOWN = "crash 8.452 1 44.704; crash 1.258 101 25.627; crash 16.621 101 0.99; crash 7.467 102 1.073"
SILENT = "die 1.351 1; older 2.145 5 0.568; disk 5.158 4 25.421 3.779; crash 7.375 3 29.954; talk 12.939 2"
RESUMED = "later 2.848 2 24.83; later 15.932 1 11.205"
PARTED = "leave 6.051 2; leave 12.662 101"
FOUND = {
    # What was final by others' later signatures was lost with the power, the ballot upon it was not.
    "a ballot above what was lost": Found(4, 5, 0.03, 0.0, LOST),
    # Dropped while it was away, it came back, was told so, and died before its record was complete.
    "dropped, and dead before the end": Found(4, 38, 0.03, 0.0, DEAD),
    # The process died in the middle of a sync; what it had written was sent by the next one.
    "written, not synced, sent": Found(5, 21, 0.002, 0.1, WRITTEN),
    # What the spectator had been sent for later steps was due when a vote closed one, and it waited for more.
    "the end missed behind a vote": Found(3, 245, 0.0002, 0.1, MISSED, spectators=2),
    # That the steps before a vote were final could be seen by its ballots alone, and they were put by as too early.
    "ballots that show what is final": Found(3, 254, 0.0002, 0.01, SHOWN, spectators=2),
    # One was dead, one could not vote before it was dropped; each seat found the second silent in a round of its own.
    "silent to one seat at a time": Found(5, 20291, 0.002, 0.0, SILENT),
    # The spectator had read the goodbye of a host that stopped, and played to the end when it was back.
    "a goodbye before the end": Found(2, 4001882, 0.0002, 0.5, RESUMED, spectators=1),
    # The spectator had left, and then the goodbye came.
    "a goodbye after its own": Found(3, 4010058, 0.03, 0.0, PARTED, spectators=1),
}


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)
def test_it_does_not_happen_again(found: Found) -> None:
    assert "ended" in {peer.state for peer in found.play().peers.values()}
