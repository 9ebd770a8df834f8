"""Dead cards, passes, the end of the pile, stalemates."""

import random
from typing import Any

import pytest

from protocol import generate_perft
from seqp2p.rules import (
    CLASSIC,
    PASS,
    UNKNOWN,
    IllegalAction,
    Position,
    apply,
    exchange,
    legal_actions,
    parse_position,
    place,
    reveal,
)
from tests.rules.both import agree, both_at
from tests.rules.playing import card, do, full_board, make, refusal, texts

QH_TAKEN = {"a": "h2", "b": "g7"}


class TestDeadCards:
    def test_a_dead_card_is_exchanged_and_the_turn_goes_on(self) -> None:
        agree(make(QH_TAKEN, ["QH,2C", "3C"]), "QH dead +KD; KD h8")

    def test_one_in_a_turn(self) -> None:
        agree(make(QH_TAKEN, ["QH,QH", "3C"]), "QH dead +2C; 2C e2; 3C d2; QH dead")
        agree(make(QH_TAKEN, ["QH,QH", "3C"], exchanged=1), "pass; 3C d2")

    def test_exchange_before_pass(self) -> None:
        agree(make(QH_TAKEN, ["QH,QH", "3C"]), "QH dead +JS; JS xg7")

    def test_one_free_square_is_enough_to_live(self) -> None:
        agree(make({"a": "h2"}, ["QH", "3C"]), "QH g7")

    def test_jacks_without_a_target_are_not_dead_only_useless(self) -> None:
        agree(make({}, ["JS,JH", "3C"]), "pass")
        agree(make(full_board(), ["JC,JD", "3C"]), "pass")

    def test_kids_exchange_as_often_as_pile_and_discards_hold_cards(self) -> None:
        board = generate_perft.full_board(6, 7)
        both = both_at(parse_position(f"kids - 2/2 {board} - 1 bear,cat/duck 2 lion,owl/yak 40 8 0 0 0 3 -"))
        for count in range(5):
            assert both.game.position.exchanges_left == 5 - count
            both.play(exchange(both.game.position.hands[0][0]))
            both.compare_legal()
        assert both.game.position.reshuffles == 1
        assert "5 in a turn is all that may be" in refusal(both.game.position, exchange(both.game.position.hands[0][0]))
        both.play(PASS)

    def test_one_from_an_unknown_hand(self) -> None:
        before = make(QH_TAKEN, ["?,?", "?"])
        assert texts(before) == []
        assert do(before, "QH dead").hands[0] == (UNKNOWN, UNKNOWN)


class TestPasses:
    def test_the_whole_hand_is_shown(self) -> None:
        before = make({}, ["JS,?", "?"])
        assert legal_actions(before) == ()
        assert refusal(before, "pass") == "seat 1 may pass only when it shows its whole hand"
        assert "seat 1 cannot pass: 2C e2 can be played" in refusal(reveal(before, 1, [0]), "pass")
        assert do(reveal(before, 1, [card("JH")]), "pass").to_move == 2

    def test_an_empty_hand_passes(self) -> None:
        agree(make({}, ["-", "2C"]), "pass")

    def test_a_round_with_neither_play_nor_exchange_is_a_draw(self) -> None:
        agree(make({}, ["JS", "JH", "JS", "JH"]), "pass; pass; pass; pass")

    def test_a_play_or_an_exchange_begins_a_new_round(self) -> None:
        agree(make({}, ["JS", "2C"]), "pass; 2C e2; JS xe2")
        agree(make(QH_TAKEN, ["JS,JH", "QH"], to_move=2, idle=1, quiet=1), "QH dead +QH; pass; JS xg7")

    def test_208_turns_without_a_chip_are_a_draw(self) -> None:
        agree(make(full_board(), ["QH", "QD"], turn=300, exchanged=1, quiet=207), "pass")

    def test_removing_is_not_quiet(self) -> None:
        agree(make(full_board(), ["JS", "QD"], turn=300, quiet=207), "JS xd1")


def used_up(*hands: str, chips: dict[str, str] | None = None, **more: Any) -> Position:
    """A table with no card in the pile, and not many anywhere."""
    return make(chips or {}, hands, **{"pile": 0, "possible": False} | more)


class TestReshuffle:
    def test_all_discards_become_the_pile_the_card_just_played_among_them(self) -> None:
        agree(used_up("2C,3C", "6C", discards=["4C,5C", "7C"]), "2C e2")

    def test_not_before_a_card_is_due(self) -> None:
        agree(used_up("2C,3C", "6C", pile=1, discards=["4C,5C", "7C"]), "2C e2")

    def test_by_an_exchange(self) -> None:
        agree(used_up("QH", "6C", discards=["4C", "-"], chips=QH_TAKEN), "QH dead")

    def test_pile_and_discards_both_empty(self) -> None:
        """The one card that has just been played is the pile then: it comes back, and no card is missing."""
        agree(used_up("2C", "3C"), "2C e2; 3C d2")

    def test_a_pass_draws_nothing(self) -> None:
        agree(used_up("JS", "2C", discards=["4C", "-"]), "pass")


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
