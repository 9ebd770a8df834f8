"""Dead cards and passes: why they are refused, and what a hand that is not seen does."""

import random
from typing import Any

import pytest

from seqp2p.rules import CLASSIC, PASS, UNKNOWN, IllegalAction, apply, exchange, legal_actions, place, reveal
from tests.rules.playing import card, do, full_board, make, refusal, texts

QH_TAKEN = {"a": "h2", "b": "g7"}


@pytest.mark.parametrize(
    ("chips", "hand", "given", "text", "reason"),
    [
        (QH_TAKEN, "QH,2C", {"exchanged": 1}, "QH dead", "QH cannot be exchanged: 1 in a turn is all that may be"),
        ({"a": "h2"}, "QH", {}, "QH dead", "QH is not dead: g7 is free"),
        (QH_TAKEN, "QH,QH", {}, "pass", "seat 1 cannot pass: QH dead must be exchanged first"),
        (QH_TAKEN, "QH,JS", {"exchanged": 1}, "pass", "seat 1 cannot pass: JS xg7 can be played"),
        ({}, "JS,?", {}, "pass", "seat 1 may pass only when it shows its whole hand"),
    ],
)
def test_the_reason_for_a_refusal(
    chips: dict[str, str], hand: str, given: dict[str, Any], text: str, reason: str
) -> None:
    assert reason in refusal(make(chips, [hand, "?"], **given), text)


def test_a_pass_shows_the_whole_hand() -> None:
    before = make({}, ["JS,?", "?"])
    assert legal_actions(before) == ()
    assert "seat 1 cannot pass: 2C e2 can be played" in refusal(reveal(before, 1, [0]), "pass")
    assert do(reveal(before, 1, [card("JH")]), "pass").to_move == 2


def test_a_dead_card_from_an_unknown_hand() -> None:
    before = make(QH_TAKEN, ["?,?", "?"])
    assert texts(before) == []
    assert do(before, "QH dead").hands[0] == (UNKNOWN, UNKNOWN)


def test_a_full_table_goes_on_without_hanging() -> None:
    """No square is free and nobody can take a chip: exchanges and passes, then a draw after 208 quiet turns."""
    position = make(full_board(), ["QH", "QD"], turn=200, discards=["-", "-"])
    rng = random.Random(1)
    plain = [c for c in range(52) if c not in (*CLASSIC.wild, *CLASSIC.removing)]
    while not position.over:
        action = rng.choice(legal_actions(position))
        assert action.kind in {"exchange", "pass"}
        position = apply(position, action, drawn=rng.choice(plain))
    assert position.drawn_game
    assert position.quiet == 208


def test_refused_actions_leave_the_position_as_it_was() -> None:
    position = make(QH_TAKEN, ["QH,2C", "?"])
    copy = tuple(position)
    for action in (PASS, place(0, 0), place(card("QH"), 17), exchange(0)):
        with pytest.raises(IllegalAction):
            apply(position, action)
    assert tuple(position) == copy
