"""Simulated games: five hundred seeds of the soak, a test for every twenty of one mix of faults; and whole decks."""

import pytest

from tests.sim.faults import KINDS, OF_SEATS, RELAY_KINDS, FaultKind
from tests.sim.mini_variant import NAME
from tests.sim.outcome import command, simulate

# Few seats, where a majority is lost soonest; the soak has up to twelve.
SIZES = (3, 2, 3, 2, 4, 3, 2, 3, 2, 3, 2, 3, 4, 2, 3, 2, 3, 5, 2, 3)
# How many watch, in turn; the seats play the same game with them and without.
WATCHED_BY = (0, 0, 1, 0, 0)
SEEDS = range(500)
BATCH = 20
# Few of each batch are played beside the other tests; ``make slow`` plays them all.
FEW = 4
MIXES: tuple[tuple[FaultKind, ...], ...] = (*((kind,) for kind in KINDS if kind in OF_SEATS), (), *[KINDS] * 3)


@pytest.mark.parametrize("count", [FEW, pytest.param(BATCH, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kinds", [RELAY_KINDS, KINDS + RELAY_KINDS])
def test_nothing_happens_at_a_relay_that_must_not(kinds: tuple[FaultKind, ...], count: int) -> None:
    outcomes = [simulate(seed, players, kinds) for seed, players in enumerate(SIZES[:count])]
    assert [outcome.violation for outcome in outcomes] == [None] * count
    assert any(outcome.finished for outcome in outcomes), "no game was played out"


@pytest.mark.parametrize("count", [FEW, pytest.param(BATCH, marks=pytest.mark.slow)])
@pytest.mark.parametrize("first", SEEDS[::BATCH])
def test_nothing_happens_that_must_not(first: int, count: int) -> None:
    kinds = MIXES[first // BATCH % len(MIXES)]
    outcomes = []
    for at, players in enumerate(SIZES[:count]):
        game = first + at, players, kinds, NAME, WATCHED_BY[at % len(WATCHED_BY)]
        outcomes.append(simulate(*game))
        assert outcomes[-1].violation is None, f"{command(*game)}\n{outcomes[-1].violation}"
    assert count == FEW or any(outcome.finished for outcome in outcomes), "no game was played out"


# Games with the decks that people play with: 104 cards, or the children's.
WHOLE = [*((seed, 2 + seed % 2, "classic") for seed in range(20)), *((seed, 2 + seed % 3, "kids") for seed in range(6))]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "players", "variant"), WHOLE)
def test_a_game_with_a_whole_deck(seed: int, players: int, variant: str) -> None:
    outcome = simulate(seed, players, KINDS if seed % 2 else (), variant)
    assert outcome.violation is None
    assert outcome.finished or outcome.plan.faults
