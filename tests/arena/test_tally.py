"""The counts of a contest and their intervals; which deal is next, and when a contest is decided."""

from collections.abc import Callable
from math import inf, log10, nan, sqrt
from random import Random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.arena import (
    ArenaResult,
    DealResult,
    Ladder,
    Tally,
    elo_ratings,
    make_contest,
    play_deals,
    round_robin,
    wilson,
)
from seqp2p.arena.tally import REASONS_MAX, UNTIL_EVERY, UNTIL_FIRST, deal_scores

PAIR = make_contest(["greedy", "random"])


def ended(winner: int, failed: int = 0, reason: str = "") -> ArenaResult:
    return ArenaResult(
        first_team=1, winner=winner, turns=50, reshuffles=0, passes=2, exchanges=1, failed=failed, reason=reason
    )


def deal(*games: ArenaResult, sides: int = 2) -> DealResult:
    return DealResult(0, 0, games, tuple(range(10, 10 + sides)), tuple(map(float, range(sides))))


def test_what_is_counted() -> None:
    tally = Tally(PAIR)
    tally.add(deal(ended(1), ended(2)))
    tally.add(deal(ended(0)._replace(reshuffles=2), ended(1)))
    assert (tally.deals, tally.games, tally.turns, tally.draws) == (2, 4, 200, 1)
    assert (tally.first_mover_wins, tally.reshuffled, tally.passes, tally.exchanges) == (2, 1, 8, 4)
    assert [(side.choices, side.seconds) for side in tally.sides] == [(20, 0), (22, 2)]
    assert (tally.score(0), tally.score(1)) == (0.625, 0.375)


def test_the_score_of_a_deal() -> None:
    assert deal_scores(PAIR, deal(ended(1), ended(2))) == [1, 0]
    assert deal_scores(PAIR, deal(ended(1), ended(1))) == [0.5, 0.5]
    assert deal_scores(PAIR, deal(ended(0), ended(0))) == [0.5, 0.5]
    assert deal_scores(PAIR, deal(ended(0, failed=1), ended(2))) == [0.5, 0.5]
    three = make_contest(["greedy", "random", "random"], players=3)
    assert deal_scores(three, deal(ended(1), ended(1), ended(1))) == pytest.approx([1 / 3, 1 / 3])
    assert deal_scores(three, deal(ended(1), ended(2), ended(0))) == pytest.approx([7 / 9, 1 / 9])
    assert deal_scores(three, deal(ended(0, failed=1), ended(2), ended(3))) == pytest.approx([2 / 3, 1 / 6])


def test_a_bot_that_fails_is_named_with_its_reasons() -> None:
    tally = Tally(PAIR)
    for number in range(30):
        tally.add(deal(ended(0, failed=2, reason=f"fault {number}"), ended(0, failed=1, reason="slow")))
    assert ([side.failed for side in tally.sides], tally.draws, tally.score(0)) == ([0, 60], 0, 1.0)
    assert len(tally.sides[1].reasons) == REASONS_MAX
    assert tally.sides[1].reasons["slow"] == 30


def test_the_interval_of_mirrored_deals_is_that_of_the_deals() -> None:
    dice, tally, scores = Random(1), Tally(PAIR), list[float]()
    assert tally.interval(0) == (0, 1)
    for _ in range(100):
        games = ended(dice.randint(0, 2)), ended(dice.randint(0, 2))
        scores.append(deal_scores(PAIR, deal(*games))[0])
        tally.add(deal(*games))
    scores += [1, 1, 0, 0]
    mean, half = fmean(scores), 1.959964 * stdev(scores) / sqrt(104)
    assert tally.interval(0) == pytest.approx((mean - half, mean + half))
    assert tally.half_width(0) == pytest.approx(half)
    low, high = tally.interval(1)
    assert tally.interval(0) == pytest.approx((1 - high, 1 - low))


def test_few_deals_that_end_alike_prove_little() -> None:
    tally = Tally(PAIR)
    for _ in range(3):
        tally.add(deal(ended(1), ended(2)))
    assert tally.score(0) == 1
    assert tally.interval(0)[0] < 0.5


def test_where_nothing_is_mirrored_it_is_that_of_wilson() -> None:
    tally = Tally(make_contest(["random", "random"]))
    for winner in (1, 1, 2, 0):
        tally.add(deal(ended(winner)))
    low, high = wilson(2.5, 4)
    assert (*tally.interval(0), tally.half_width(0)) == pytest.approx((low, high, (high - low) / 2))


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


def test_ratings_find_the_strengths_that_made_the_scores() -> None:
    """Points that are exactly as the model expects, but for the drawn game more of each pair."""
    strengths = {"a": 8.0, "b": 4.0, "c": 1.0}
    played = 10**7
    points = {
        (one, two): (played * strengths[one] / (strengths[one] + strengths[two]), played)
        for one, two in (("a", "b"), ("a", "c"), ("b", "c"))
    }
    ratings = elo_ratings(["a", "b", "c"], points)
    assert sum(ratings.values()) == pytest.approx(0)
    assert ratings["a"] - ratings["b"] == pytest.approx(400 * log10(2), abs=0.01)
    assert ratings["b"] - ratings["c"] == pytest.approx(400 * log10(4), abs=0.01)


def test_a_bot_that_wins_every_game_has_a_rating() -> None:
    ratings = elo_ratings(["a", "b"], {("a", "b"): (100.0, 100)})
    assert ratings["a"] - ratings["b"] == pytest.approx(400 * log10(201))
    assert elo_ratings(["a", "b"], {("a", "b"): (0.0, 0)}) == {"a": 0, "b": 0}


def numbered(number: int, *winners: int) -> DealResult:
    return DealResult(0, number, tuple(map(ended, winners)), (25, 25), (0.1, 0.2))


def even(number: int) -> DealResult:
    """Deals that one bot wins from both seats, in turns."""
    return numbered(number, 1, 2) if number % 2 else numbered(number, 2, 1)


def test_contests_take_turns() -> None:
    ladder = Ladder(round_robin(["greedy", "random", "easy"]), 2)
    assert [ladder.next() for _ in range(7)] == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), None]


def test_it_goes_on_after_the_results_that_it_has() -> None:
    ladder = Ladder([PAIR], 3)
    assert ladder.take(numbered(0, 1, 2))
    assert ladder.take(numbered(1, 1, 2))
    assert [ladder.next(), ladder.next()] == [(0, 2), None]
    assert ladder.take(numbered(2, 1, 2))
    assert not ladder.take(numbered(3, 1, 2)), "more than are wanted"
    assert ladder.tallies[0].deals == 3


def test_deals_are_taken_in_their_order() -> None:
    ladder = Ladder([PAIR], 3)
    ladder.take(numbered(0, 1, 2))
    for number in (0, 2):
        with pytest.raises(ValueError, match="in their order"):
            ladder.take(numbered(number, 1, 2))


def test_it_stops_at_the_first_look_with_an_interval_so_narrow() -> None:
    """Deals of 0 and 1 in turns: the half-width is 1.96 * 0.5 / sqrt(n), 2.77 points after 1,250 deals."""
    ladder = Ladder([PAIR, PAIR], 10**6, until=0.0277)
    taken = 0
    while ladder.take(even(taken)):
        taken += 1
    assert taken == 1400
    assert (taken - UNTIL_FIRST) % UNTIL_EVERY == 0
    assert ladder.next() == (1, 0), "the other contest goes on"


@pytest.mark.parametrize(
    ("use", "kind", "why"),
    [
        (lambda: Ladder([PAIR], 0), ValueError, "deals must be at least 1, not 0"),
        (lambda: make_contest([5, 5]), TypeError, "kind_of: name must be str, not int"),  # type: ignore[list-item]
        (lambda: Ladder([PAIR], "2"), TypeError, "Ladder: deals must be int, not str"),  # type: ignore[arg-type]
        (lambda: Ladder([PAIR], 1).take(2), TypeError, "Ladder.take: result must be DealResult, not int"),  # type: ignore[arg-type]
        (lambda: play_deals(Ladder([PAIR], 1), "x"), TypeError, "play_deals: seed must be int, not str"),  # type: ignore[arg-type]
        (lambda: play_deals(Ladder([PAIR], 1), 1, 0), ValueError, "jobs is 1 to 61, or None, not 0"),
    ],
)
def test_wrong_arguments_are_named(use: Callable[[], object], kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match=why):
        use()


@pytest.mark.parametrize("none", [nan, inf, -1.0])
def test_what_is_no_number_is_refused(none: float) -> None:
    with pytest.raises(ValueError, match="until is a share"):
        Ladder([PAIR], 3, until=none)
    with pytest.raises(ValueError, match="time_s must be more than 0"):
        play_deals(Ladder([PAIR], 3), 1, time_s=none)


def test_it_does_not_look_before_there_are_enough_deals() -> None:
    ladder = Ladder([PAIR], 10**6, until=0.5)
    for number in range(UNTIL_FIRST):
        assert ladder.next() == (0, number)
        assert ladder.take(even(number))
    assert ladder.next() is None
