"""A resumed seat listens: whom it waits for, and for how long."""

from types import SimpleNamespace
from typing import Any

import pytest

from seqp2p.live.absence import ANSWER_S, SETTLE_S, Listening


def listening(players: int) -> tuple[Any, Listening]:
    """What it reads of a match, and a listening first seat."""
    game = SimpleNamespace(seats=tuple(range(1, players + 1)))
    state: Any = SimpleNamespace(game=game, number=8, left={}, proven={})
    return state, Listening(state, 1)


@pytest.mark.parametrize("players", [2, 3, 12])
def test_one_answer_is_enough_if_no_other_is_linked(players: int) -> None:
    _, heard = listening(players)
    assert not heard.is_over(set(), 1000.0)
    heard.answered(2, 7)
    assert heard.is_over({2}, 1000.0)
    assert heard.is_over(set(), 1000.0)


def test_each_that_is_linked_is_waited_for() -> None:
    _, heard = listening(4)
    heard.answered(2, 7)
    assert not heard.is_over({2, 3}, SETTLE_S)
    heard.answered(3, 7)
    assert heard.is_over({2, 3}, SETTLE_S)


def test_all_are_given_time_to_be_linked() -> None:
    _, heard = listening(3)
    heard.begin(10.0)
    heard.answered(2, 7)
    assert not heard.is_over({2}, 10.0)
    assert heard.is_over({2}, 10.0 + SETTLE_S)
    heard.answered(3, 7)
    assert heard.is_over({2, 3}, 10.0)


def test_one_that_does_not_answer_is_waited_for_only_so_long() -> None:
    _, heard = listening(3)
    heard.answered(2, 7)
    assert not heard.is_over({2, 3}, 5.0)
    assert not heard.is_over({2, 3}, 5.0 + ANSWER_S - 0.1)
    assert heard.is_over({2, 3}, 5.0 + ANSWER_S)


def test_time_alone_is_no_answer() -> None:
    _, heard = listening(2)
    assert not heard.is_over({2}, 0.0)
    assert not heard.is_over({2}, 1e6)


def test_an_answer_about_later_steps_is_not_whole() -> None:
    state, heard = listening(2)
    heard.answered(2, 9)
    assert not heard.is_over({2}, 0.0)
    state.number = 9
    heard.answered(2, 9)
    assert heard.is_over({2}, 0.0)


@pytest.mark.parametrize("gone", ["left", "proven"])
def test_a_seat_that_is_gone_is_not_waited_for_and_does_not_count(gone: str) -> None:
    state, heard = listening(3)
    getattr(state, gone)[3] = "signed"
    heard.answered(3, 7)
    assert not heard.is_over({3}, 0.0)
    heard.answered(2, 7)
    assert heard.is_over({2, 3}, 0.0)


def test_without_others_there_is_nothing_to_hear() -> None:
    state, heard = listening(2)
    state.left[2] = "signed"
    assert heard.is_over(set(), 0.0)
