"""Drawing by hand: who forgets to draw until the next player has placed and drawn plays on with one card fewer."""

from typing import Any

import pytest

from seqp2p.rules import KIDS, UNKNOWN, Options, Position, RulesError, start
from tests.rules.both import agree
from tests.rules.playing import make, refusal

QH_TAKEN = {"a": "h2", "b": "g7"}


def table(*hands: str, chips: dict[str, str] | None = None, **more: Any) -> Position:
    return make(chips or {}, hands, options="manual-draw", **more)


def owed(*hands: str, chips: dict[str, str] | None = None, **more: Any) -> Position:
    """Seat 1 has not drawn, and seat 2 is to play."""
    return table(*hands, chips=chips, to_move=2, pending="play/2/1/-/-", **more)


class TestOwnDraw:
    def test_a_placing_waits_for_the_draw(self) -> None:
        agree(table("2C,3C", "4C", quiet=3), "2C e2; draw")

    def test_a_removal_waits_too(self) -> None:
        agree(table("JS,2C", "4C", chips={"b": "d7"}), "JS xd7; end")

    def test_a_win_does_not(self) -> None:
        chips = "b1 c1 d1 b3 b4 b5 b6 b7"
        agree(table("JC", "4C", chips={"a": chips}, sequences="a:b3-b7"), "JC e1")
        agree(owed("3C", "JC", chips={"b": chips}, sequences="b:b3-b7"), "JC e1")

    def test_an_exchanged_card_is_replaced_at_once(self) -> None:
        agree(table("QH,2C", "4C", chips=QH_TAKEN), "QH dead +KD; 2C e2; draw")


class TestLateDraw:
    def test_after_the_next_placing_the_seat_that_owes_decides(self) -> None:
        agree(table("2C,3C", "4C,5C", "QH", "6C"), "2C e2; end; 4C c2; draw; draw; QH h2")

    def test_it_waives_and_plays_on_with_one_card_fewer(self) -> None:
        agree(table("2C,3C", "4C,5C", "QH", "6C"), "2C e2; end; 4C c2; waive; end; QH h2")

    def test_a_turn_later_it_is_too_late(self) -> None:
        agree(owed("3C", "4C", "QH", "6C"), "4C c2; waive; draw; QH h2; draw")

    def test_a_removal_is_as_good_as_a_placing(self) -> None:
        agree(table("2C,3C", "JS,5C", "QH", "6C"), "2C e2; end; JS xe2; draw; draw")

    def test_an_exchange_is_not(self) -> None:
        agree(owed("3C", "QH,2C", chips=QH_TAKEN), "QH dead +KD; KD h8; draw; draw")

    @pytest.mark.parametrize("late", ["draw", "waive"])
    def test_a_pass_is_as_good_as_a_placing_and_ends_the_turn(self, late: str) -> None:
        agree(owed("3C", "JS", "4C", "5C", quiet=4, idle=1), f"pass; {late}; 4C c2")

    def test_an_exchange_before_the_pass_still_counts(self) -> None:
        agree(owed("3C", "QH", "4C", "5C", chips={"a": "h2 g7"}, idle=1, quiet=1), "QH dead +QH; pass; waive")

    def test_of_two_players_the_one_that_owes_plays_next(self) -> None:
        agree(table("2C,3C", "4C,5C"), "2C e2; end; 4C c2; draw; draw; 3C d2")

    def test_nobody_has_a_card_left(self) -> None:
        agree(table("-", "-", "-", "2C", to_move=4), "2C e2; end; pass; waive; pass; pass; pass")


class TestPile:
    def test_all_discards_become_the_pile_for_a_draw(self) -> None:
        agree(table("2C,3C", "5C", pile=0, discards=["4C", "6C"], possible=False), "2C e2; draw")

    def test_pile_and_discards_both_empty(self) -> None:
        """The late draw has taken the last card: there is nothing left to draw, and the turn ends."""
        agree(owed("3C", "4C,5C", pile=0, possible=False), "4C c2; draw; draw; 3C d2")


def test_by_default_the_draw_is_automatic() -> None:
    assert "seat 1 is to play: there is nothing" in refusal(make({}, ["2C", "?"]), "draw")


def test_not_in_the_kids_game() -> None:
    with pytest.raises(RulesError, match="Sequence for Kids has no option manual draw"):
        start(KIDS, 2, 2, Options(manual_draw=True), 1, [[UNKNOWN] * 3] * 2)
