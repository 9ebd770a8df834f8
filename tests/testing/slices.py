"""A slice of the soak: so many seeds, a test for every twenty, and what must hold for all of them."""

import pytest

from seqp2p.testing.faults import KINDS, OF_SEATS, FaultKind
from seqp2p.testing.miniature import NAME
from seqp2p.testing.outcome import Outcome, command, simulate

# Few seats, where a majority is lost soonest; the soak has up to twelve.
SIZES = (3, 2, 3, 2, 4, 3, 2, 3, 2, 3, 2, 3, 4, 2, 3, 2, 3, 5, 2, 3)
# How many watch, in turn; the seats play the same game with them and without.
WATCHED_BY = (0, 0, 1, 0, 0)
BATCH = 20
MIXES: tuple[tuple[FaultKind, ...], ...] = (
    *((kind,) for kind in KINDS if kind in OF_SEATS),
    (),
    KINDS,
    KINDS,
    KINDS,
)


def batches(first: int, last: int) -> pytest.MarkDecorator:
    """A parameter for each twenty seeds."""
    return pytest.mark.parametrize("first", range(first, last, BATCH))


def play_batch(first: int) -> list[Outcome]:
    """Twenty games whose faults are of one mix, in turn; nothing has happened that must not."""
    kinds = MIXES[first // BATCH % len(MIXES)]
    outcomes = []
    for at, players in enumerate(SIZES):
        game = first + at, players, kinds, NAME, WATCHED_BY[at % len(WATCHED_BY)]
        outcomes.append(simulate(*game))
        assert outcomes[-1].violation is None, f"{command(*game)}\n{outcomes[-1].violation}"
    return outcomes
