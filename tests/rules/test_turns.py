"""Dead cards, passes, the end of the pile, stalemates."""

import random

import pytest

from protocol import generate_perft
from seqp2p.rules import (
    CLASSIC,
    PASS,
    UNKNOWN,
    IllegalAction,
    apply,
    exchange,
    legal_actions,
    parse_position,
    place,
    reveal,
)
from tests.rules.both import both_at
from tests.rules.playing import card, do, full_board, make, refusal, texts

QH_TAKEN = {"a": "h2", "b": "g7"}


def test_kids_exchange_as_often_as_pile_and_discards_hold_cards() -> None:
    board = generate_perft.full_board(6, 7)
    both = both_at(parse_position(f"kids - 2/2 {board} - 1 bear,cat/duck 2 lion,owl/yak 40 8 0 0 0 3 -"))
    for count in range(5):
        assert both.game.position.exchanges_left == 5 - count
        both.play(exchange(both.game.position.hands[0][0]))
        both.compare_legal()
    assert both.game.position.reshuffles == 1
    assert "only 5 a turn is allowed" in refusal(both.game.position, exchange(both.game.position.hands[0][0]))
    both.play(PASS)


def test_a_dead_card_of_an_unknown_hand_is_exchanged() -> None:
    before = make(QH_TAKEN, ["?,?", "?"])
    assert texts(before) == []
    assert do(before, "QH dead").hands[0] == (UNKNOWN, UNKNOWN)


def test_the_whole_hand_is_shown() -> None:
    before = make({}, ["JS,?", "?"])
    assert legal_actions(before) == ()
    assert refusal(before, "pass") == "seat 1 may pass only when it shows its whole hand"
    assert "seat 1 cannot pass: 2C e2 can be played" in refusal(reveal(before, 1, [0]), "pass")
    assert do(reveal(before, 1, [card("JH")]), "pass").to_move == 2


def test_a_full_table_goes_on_without_hanging() -> None:
    """Without a free square and a jack there are exchanges and passes, then a draw after 208 quiet turns."""
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
