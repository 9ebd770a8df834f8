"""Games with the decks that people play with: 104 cards, or the children's, on a network that fails."""

import pytest

from tests.sim.faults import KINDS
from tests.sim.outcome import simulate

pytestmark = pytest.mark.slow

GAMES = [*((seed, 2 + seed % 2, "classic") for seed in range(20)), *((seed, 2 + seed % 3, "kids") for seed in range(6))]


@pytest.mark.parametrize(("seed", "players", "variant"), GAMES)
def test_a_game_with_a_whole_deck(seed: int, players: int, variant: str) -> None:
    outcome = simulate(seed, players, KINDS if seed % 2 else (), variant)
    assert outcome.violation is None
    assert outcome.finished or outcome.plan.faults
