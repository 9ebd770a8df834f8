"""Which deal is next, and when a contest is decided."""

import pytest

from seqp2p.arena import DealResult, Ladder, make_contest, round_robin
from seqp2p.arena.tally import UNTIL_EVERY, UNTIL_FIRST
from tests.arena.test_tally import ended

PAIR = make_contest(["a", "b"])


def deal(number: int, *winners: int, contest: int = 0) -> DealResult:
    return DealResult(contest, number, tuple(map(ended, winners)), (25, 25), (0.1, 0.2))


def even(number: int) -> DealResult:
    """Deals that one bot wins from both seats, in turns."""
    return deal(number, 1, 2) if number % 2 else deal(number, 2, 1)


def test_contests_take_turns() -> None:
    ladder = Ladder(round_robin(["a", "b", "c"]), 2)
    assert [ladder.next() for _ in range(7)] == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), None]


def test_it_goes_on_after_the_results_that_it_has() -> None:
    ladder = Ladder([PAIR], 3)
    assert ladder.take(deal(0, 1, 2))
    assert ladder.take(deal(1, 1, 2))
    assert [ladder.next(), ladder.next()] == [(0, 2), None]
    assert ladder.take(deal(2, 1, 2))
    assert not ladder.take(deal(3, 1, 2)), "more than are wanted"
    assert ladder.tallies[0].deals == 3


def test_deals_are_taken_in_their_order() -> None:
    ladder = Ladder([PAIR], 3)
    ladder.take(deal(0, 1, 2))
    for number in (0, 2):
        with pytest.raises(ValueError, match="in their order"):
            ladder.take(deal(number, 1, 2))


def test_it_stops_at_the_first_look_with_an_interval_so_narrow() -> None:
    """Deals of 0 and 1 in turns: the half-width is 1.96 * 0.5 / sqrt(n), 2.77 points after 1,250 deals."""
    ladder = Ladder([PAIR, PAIR], 10**6, until=0.0277)
    taken = 0
    while ladder.take(even(taken)):
        taken += 1
    assert taken == 1400
    assert (taken - UNTIL_FIRST) % UNTIL_EVERY == 0
    assert ladder.next() == (1, 0), "the other contest goes on"


def test_it_does_not_look_before_there_are_enough_deals() -> None:
    ladder = Ladder([PAIR], 10**6, until=0.5)
    for number in range(UNTIL_FIRST):
        assert ladder.next() == (0, number)
        assert ladder.take(even(number))
    assert ladder.next() is None
