"""Many deals over many processes: the same results, no process left over, nothing lost in silence."""

from multiprocessing import active_children

import pytest

from seqp2p.arena import DealResult, Ladder, WorkerLost, make_contest, play_deals, round_robin

KIDS = make_contest(["random"] * 3, "kids", 3)
MANY = 10**9


def timeless(results: list[DealResult]) -> list[tuple[object, ...]]:
    return [(each.contest, each.deal, each.games, each.choices) for each in results]


@pytest.mark.process
def test_the_same_results_whatever_the_number_of_processes() -> None:
    contests = [*round_robin(["greedy", "random"], "kids"), KIDS]
    one, three = (list(play_deals(Ladder(contests, 6), 5, jobs)) for jobs in (1, 3))
    assert timeless(one) == timeless(three)
    assert [(each.contest, each.deal) for each in one] == [(which, deal) for deal in range(6) for which in (0, 1)]
    assert timeless(list(play_deals(Ladder(contests, 6), 6))) != timeless(one)


def test_one_job_needs_no_second_process() -> None:
    assert len(list(play_deals(Ladder([KIDS], 3), 1))) == 3
    assert active_children() == []


@pytest.mark.process
def test_when_it_is_closed_no_process_is_left() -> None:
    playing = play_deals(Ladder([KIDS], MANY), 1, 2)
    assert next(playing).deal == 0
    assert len(active_children()) >= 1
    playing.close()
    assert active_children() == []


@pytest.mark.process
def test_a_process_that_is_killed_is_missed() -> None:
    playing = play_deals(Ladder([KIDS], MANY), 1, 2)
    next(playing)
    active_children()[0].kill()
    with pytest.raises(WorkerLost, match="a process that played games has been killed"):
        for _ in playing:
            pass
    assert active_children() == []
