"""Talk called: every player of the talker's team gives up a card, without replacement."""

from typing import Any

from seqp2p.rules import (
    UNKNOWN,
    Position,
    apply,
    call,
    give,
    hide,
    legal_actions,
    reveal,
    view,
)
from tests.rules.playing import card, do, make, refusal, texts


def silent(*hands: str, **more: Any) -> Position:
    return make({}, hands, options="no-table-talk", **more)


def four() -> Position:
    return silent("2C,3C", "4C,4C,5C", "6C", "?,7C")


def test_those_who_know_no_hand_know_no_action() -> None:
    assert texts(do(silent("?", "?", "?", "?"), "call 2")) == []


def test_whether_somebody_has_talked_is_not_for_the_engine_to_say() -> None:
    position = four()
    assert all(action.kind != "call" for action in legal_actions(position))
    assert all(action.kind != "call" for action in view(position, 1).legal)
    assert apply(position, call(2)).phase == "penalty"


def test_numbers_that_are_no_seats_or_cards() -> None:
    for seat in (0, -1, 10**9):
        assert refusal(four(), call(seat)).startswith(f"there is no seat {seat} to call")
    for number in (UNKNOWN, 52, -2):
        assert refusal(do(four(), "call 2"), give(number)).startswith("there is no card number")


def test_what_an_unknown_hand_cannot_give() -> None:
    assert "there is no card number" in refusal(do(hide(four(), ()), "call 2"), give(52))
    position = do(silent("2C,2C", "?", "?", "?"), "call 2")
    assert refusal(position, "2C given") == "seat 2 cannot hold 2C: every 2C has been seen elsewhere"


def test_a_hand_shown_in_a_pass_is_known_when_a_card_of_it_is_given() -> None:
    position = reveal(silent("?", "?,?", "?", "?", to_move=2), 2, [card("JS"), card("JH")])
    passed = do(position, "pass")
    called = do(passed, "call 2")
    assert texts(called) == ["JH given", "JS given"]
