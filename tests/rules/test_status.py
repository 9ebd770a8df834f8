from typing import Any

import pytest

from seqp2p.rules import CLASSIC, UNKNOWN, CompletedSequence, Options, Pending, Position, parse_position, start
from seqp2p.rules.status import status
from tests.rules.playing import make


def test_all_the_reasons_at_once() -> None:
    hands = "2C,2C,2C/?,?,?,?,?,?,?,?"
    reasons = status(
        parse_position(f"classic - 2/2 *8*/aaaaa5/10/10/10/10/10/10/10/*8* - 2 {hands} 9 -/- 3 0 0 9 2 1 -")
    )
    assert reasons == (
        "there are 20 cards in hands, pile and discards, and 104 in the deck",
        "the deck has only 2 2C",
        "seat 2 holds 8 cards, more than the 7 it was dealt",
        "5 chips lie on the board after 3 turns",
        "a2-e2 is a sequence of team 1 that has not been counted",
        "9 dead cards cannot have been exchanged in this turn",
        "more turns were idle than quiet, or more were quiet than played",
        "the game is drawn",
    )


def normal() -> Position:
    return start(CLASSIC, 2, 2, Options(), 1, [(UNKNOWN,) * 7] * 2)._replace(turn=100)


A2 = CompletedSequence(1, (10, 11, 12, 13, 14))
B2 = CompletedSequence(1, (11, 12, 13, 14, 15))
A4 = CompletedSequence(1, (30, 31, 32, 33, 34))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"discards": ((UNKNOWN,), ()), "pile": 89}, "a discard lies face up, so it is never unknown"),
        ({"chips": (2, 2), "free": 0}, "two teams have a chip on the same square"),
        ({"chips": (1, 0)}, "a chip lies on a free corner or beside the board"),
        ({"chips": (1 << 100, 0)}, "a chip lies on a free corner or beside the board"),
        ({"free": 2}, "the free squares are not those without a chip"),
        ({"sequences": (A2,)}, "a2-e2 is not filled with chips of team 1"),
        ({"sequences": (A2, B2)}, "b2-f2 shares more than one chip with another sequence of team 1"),
        ({"sequences": (A2, A4)}, "team 1 has 2 sequences and has not won"),
        ({"outcome": 2, "to_move": 0}, "team 2 has won with 0 sequences, and 2 are needed"),
        ({"to_move": 3}, "seat 3 cannot be to move: the seats are 1 to 2"),
        ({"to_move": 0}, "seat 0 cannot be to move"),
        ({"outcome": -1}, "the game is over, and seat 1 is to move"),
        ({"outcome": -1, "to_move": 0}, "nothing has happened that makes the game a draw"),
        ({"exchanged": 2}, "2 dead cards cannot have been exchanged in this turn"),
        ({"idle": 2, "quiet": 2}, "the game is drawn"),
        ({"pending": Pending("draw", 1)}, "draws are owed only with manual draw"),
        ({"quiet": 208, "turn": 300}, "the game is drawn"),
        ({"quiet": 101}, "more turns were idle than quiet, or more were quiet than played"),
        ({"out": (2,)}, "seat 2 has left the game, but holds cards"),
        ({"out": (1, 2)}, "the seats that have left are seats of the table"),
        ({"hands": ((99,), (UNKNOWN,) * 7), "pile": 96}, "there is no card number 99"),
    ],
)
def test_each_reason(changes: dict[str, Any], reason: str | None) -> None:
    reasons = status(normal()._replace(**changes))
    if reason is None:
        assert reasons == ()
    else:
        assert any(text.startswith(reason) for text in reasons), reasons


FULL = [",".join("?" * 7)] * 2


def test_the_chip_of_a_turn_that_is_not_over() -> None:
    make({"a": "c3"}, ["?", "?"], options="manual-draw", turn=0, pending="draw/1/-/-/-")
    placed = make({"a": "c3"}, ["?", "?"], options="manual-draw", turn=0, possible=False)
    assert status(placed) == ("1 chips lie on the board after 0 turns",)
    late = make({"a": "c3"}, ["?", "?"], options="manual-draw", turn=0, pending="late/2/1/-/passed", possible=False)
    assert status(late) == ("1 chips lie on the board after 0 turns",)


@pytest.mark.parametrize(
    ("to_move", "pending", "seats"),
    [(1, "draw/1/-/-/-", [1]), (2, "play/2/1/-/-", [1]), (1, "late/2/1/-/-", [1, 2]), (1, "late/2/1/-/passed", [1])],
)
def test_a_full_hand_has_nothing_to_draw(to_move: int, pending: str, seats: list[int]) -> None:
    position = make({}, FULL, options="manual-draw", to_move=to_move, pending=pending, possible=False)
    assert status(position) == tuple(f"seat {seat} holds 7 cards and has still to draw one" for seat in seats)


def test_a_broken_run_may_stand_uncounted_under_the_advanced_rule() -> None:
    chips = {"a": "a2 b2 c2 d2 e2"}
    make(chips, ["?", "?"], options="advanced")
    plain = make(chips, ["?", "?"], possible=False)
    assert status(plain) == ("a2-e2 is a sequence of team 1 that has not been counted",)
