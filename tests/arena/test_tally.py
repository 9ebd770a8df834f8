"""What is counted, and how sure one can be of it."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.arena import ArenaResult, Tally, wilson

RESULTS = st.builds(
    ArenaResult,
    first_team=st.integers(1, 3),
    winner=st.integers(0, 3),
    turns=st.integers(1, 200),
    reshuffles=st.integers(0, 3),
    passes=st.integers(0, 50),
    exchanges=st.integers(0, 50),
)


def test_what_is_counted() -> None:
    tally = Tally.of(
        2,
        [
            ArenaResult(first_team=1, winner=1, turns=80, reshuffles=0, passes=0, exchanges=3),
            ArenaResult(first_team=2, winner=1, turns=200, reshuffles=2, passes=7, exchanges=4),
            ArenaResult(first_team=1, winner=0, turns=300, reshuffles=1, passes=90, exchanges=0),
        ],
    )
    assert tally == Tally(
        games=3, turns=580, wins=(2, 0), first_mover_wins=1, draws=1, reshuffled=2, passes=97, exchanges=7
    )
    assert tally.decided == 2


@given(st.lists(RESULTS), st.integers(0, 20))
def test_parts_add_up_to_the_whole_in_any_order(results: list[ArenaResult], cut: int) -> None:
    first, second = Tally.of(3, results[:cut]), Tally.of(3, results[cut:])
    assert first + second == second + first == Tally.of(3, results)
    whole = first + second + Tally.of(3)
    assert whole.games == len(results) == sum(whole.wins) + whole.draws


@pytest.mark.parametrize(
    ("count", "games", "low", "high"),
    [(0, 0, 0, 1), (0, 10, 0, 0.2775), (10, 10, 0.7225, 1), (5, 10, 0.2366, 0.7634), (98, 100, 0.9300, 0.9945)],
)
def test_wilson_in_numbers(count: int, games: int, low: float, high: float) -> None:
    assert wilson(count, games) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 10**9).flatmap(lambda games: st.tuples(st.integers(0, games), st.just(games))))
def test_wilson_bounds_solve_the_equation_they_come_from(seen: tuple[int, int]) -> None:
    """A bound p is where the share lies 1.96 standard deviations of p away from it."""
    count, games = seen
    low, high = wilson(count, games)
    assert 0 <= low <= count / games <= high <= 1
    for bound in (low, high):
        if 1e-12 < bound < 1 - 1e-12:
            deviation = sqrt(bound * (1 - bound) / games)
            assert abs(count / games - bound) == pytest.approx(1.959964 * deviation, rel=1e-3)
