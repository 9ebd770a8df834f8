"""Drawing by hand: who forgets to draw until the next player has placed and drawn plays on with one card fewer."""

import pytest

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    PASS,
    UNKNOWN,
    IllegalAction,
    Options,
    Pending,
    Position,
    RulesError,
    exchange,
    legal_actions,
    new_pile,
    parse_action,
    place,
    start,
    view,
)
from seqp2p.rules.status import status
from tests.rules.playing import card, do, make, texts


def table(*hands: str, chips: dict[str, str] | None = None, **more: object) -> Position:
    return make(chips or {}, hands, options="manual-draw", **more)  # type: ignore[arg-type]  # passed on as it is


def forgotten() -> Position:
    """Seat 1 has ended its turn without drawing; seat 2 is to play."""
    return do(do(table("2C,3C", "4C,5C,JS", "QH", "?"), "2C e2"), "end")


class TestOwnDraw:
    def test_a_placing_waits_for_the_draw(self) -> None:
        before = table("2C,3C", "4C")
        after = do(before, "2C e2", drawn=card("KD"))
        assert (after.phase, after.to_move, after.mover, after.pending) == ("draw", 1, 1, Pending("draw", 1))
        assert after.hands[0] == (card("3C"),)
        assert (after.turn, after.draws, after.pile) == (before.turn, before.draws, before.pile)
        assert after.discards[0] == (card("2C"),)
        assert texts(after) == ["draw", "end"]

    def test_a_draw_ends_the_turn(self) -> None:
        placed = do(table("2C,3C", "4C", idle=0, quiet=3), "2C e2")
        after = do(placed, "draw", drawn=card("KD"))
        assert (after.phase, after.to_move, after.mover, after.pending) == ("play", 2, 2, None)
        assert after.hands[0] == (card("3C"), card("KD"))
        assert (after.turn - placed.turn, after.draws - placed.draws, placed.pile - after.pile) == (1, 1, 1)
        assert (placed.quiet, after.quiet, after.idle) == (3, 0, 0)

    def test_to_those_who_do_not_see_it_the_card_is_unknown(self) -> None:
        assert do(do(table("2C,3C", "4C"), "2C e2"), "draw").hands[0] == (UNKNOWN, card("3C"))

    def test_ending_without_a_draw_is_remembered(self) -> None:
        after = forgotten()
        assert (after.to_move, after.phase, after.pending) == (2, "play", Pending("play", 2, owes=1))
        assert (after.turn, after.draws) == (151, 140)
        assert after.hands[0] == (card("3C"),)
        assert status(after) == ()

    def test_a_removal_waits_too(self) -> None:
        position = table("JS,2C", "4C", chips={"b": "d7"})
        assert do(position, "JS xd7").phase == "draw"

    def test_a_win_does_not(self) -> None:
        position = table("JC", "4C", chips={"a": "b1 c1 d1 b3 b4 b5 b6 b7"}, sequences="a:b3-b7")
        won = do(position, "JC e1")
        assert (won.winner, won.pending, won.phase, won.mover, won.to_move) == (1, None, "play", 0, 0)
        assert legal_actions(won) == ()

    def test_not_even_if_a_draw_is_owed(self) -> None:
        chips = {"b": "b1 c1 d1 b3 b4 b5 b6 b7"}
        position = table("3C", "JC", chips=chips, sequences="b:b3-b7", to_move=2, pending="play/2/1/-/-")
        won = do(position, "JC e1")
        assert (won.winner, won.pending) == (2, None)

    def test_an_exchanged_card_is_replaced_at_once(self) -> None:
        position = table("QH,2C", "4C", chips={"a": "h2", "b": "g7"})
        after = do(position, "QH dead", drawn=card("KD"))
        assert (after.phase, after.to_move, after.hands[0], after.exchanged) == ("play", 1, (0, card("KD")), 1)
        placed = do(after, "2C e2")
        assert (placed.phase, placed.exchanged) == ("draw", 1)
        assert do(placed, "draw").exchanged == 0


class TestLateDraw:
    def test_after_the_next_placing_the_seat_that_owes_decides(self) -> None:
        after = do(forgotten(), "4C c2")
        assert (after.phase, after.to_move, after.mover) == ("late", 1, 2)
        assert after.pending == Pending("late", 2, owes=1)
        assert (after.turn, after.hands[1]) == (151, (card("5C"), card("JS")))
        assert texts(after) == ["draw", "waive"]
        assert status(after) == ()

    def test_it_draws_and_the_mover_follows(self) -> None:
        late = do(forgotten(), "4C c2")
        drawn = do(late, "draw", drawn=card("KD"))
        assert (drawn.hands[0], drawn.draws - late.draws, drawn.turn) == ((card("3C"), card("KD")), 1, 151)
        assert (drawn.phase, drawn.to_move, drawn.pending) == ("draw", 2, Pending("draw", 2))
        after = do(drawn, "draw", drawn=card("2D"))
        assert (after.to_move, after.turn, after.pending) == (3, 152, None)
        assert len(after.hands[1]) == 3

    def test_it_waives_and_plays_on_with_one_card_fewer(self) -> None:
        waived = do(do(forgotten(), "4C c2"), "waive")
        assert (waived.phase, waived.to_move, waived.hands[0], waived.draws) == ("draw", 2, (card("3C"),), 140)
        after = do(waived, "end")
        assert (after.to_move, after.pending) == (3, Pending("play", 3, owes=2))

    def test_a_removal_is_as_good_as_a_placing(self) -> None:
        after = do(forgotten(), "JS xe2")
        assert (after.phase, after.to_move) == ("late", 1)

    def test_an_exchange_is_not(self) -> None:
        position = table("3C", "QH,2C", chips={"a": "h2", "b": "g7"}, to_move=2, pending="play/2/1/-/-")
        after = do(position, "QH dead", drawn=card("KD"))
        assert (after.phase, after.to_move, after.pending) == ("play", 2, Pending("play", 2, owes=1))

    @pytest.mark.parametrize("late", ["draw", "waive"])
    def test_a_pass_is_as_good_as_a_placing_and_ends_the_turn(self, late: str) -> None:
        position = table("3C", "JS", "?", "?", to_move=2, pending="play/2/1/-/-", quiet=4, idle=1)
        passed = do(position, "pass")
        assert passed.pending == Pending("late", 2, owes=1, passed=True)
        assert (passed.to_move, passed.mover, passed.turn, passed.quiet) == (1, 2, position.turn, 4)
        assert texts(passed) == ["draw", "waive"]
        assert status(passed) == ()
        after = do(passed, late, drawn=card("KD"))
        assert (after.to_move, after.phase, after.pending) == (3, "play", None)
        assert (after.turn, after.quiet, after.idle) == (position.turn + 1, 5, 2)
        assert len(after.hands[0]) == 1 + (late == "draw")

    def test_an_exchange_before_the_pass_still_counts(self) -> None:
        position = table("3C", "QH", "?", "?", chips={"a": "h2 g7"}, to_move=2, pending="play/2/1/-/-", idle=1, quiet=1)
        passed = do(do(position, "QH dead", drawn=card("QH")), "pass")
        after = do(passed, "waive")
        assert (after.idle, after.quiet, after.exchanged) == (0, 2, 0)

    def test_two_players(self) -> None:
        """The seat that owes is the next to play, too."""
        position = do(do(table("2C,3C", "4C,5C"), "2C e2"), "end")
        late = do(position, "4C c2")
        assert (late.phase, late.to_move, late.mover) == ("late", 1, 2)
        after = do(do(late, "draw"), "draw")
        assert (after.phase, after.to_move, after.mover, after.turn) == ("play", 1, 1, 152)

    def test_who_owes_can_be_known_and_a_turn_later_it_is_over(self) -> None:
        position = forgotten()
        for text in ("4C c2", "waive", "draw", "QH h2", "draw"):
            position = do(position, text)
        assert (position.to_move, position.phase, position.pending) == (4, "play", None)
        assert [len(hand) for hand in position.hands] == [1, 3, 1, 1]


class TestEmptyHands:
    def test_an_empty_hand_passes(self) -> None:
        position = table("-", "4C")
        assert texts(position) == ["pass"]
        assert do(position, "pass").to_move == 2

    def test_nobody_has_a_card_left(self) -> None:
        position = do(table("-", "-", "-", "2C", to_move=4), "2C e2")
        position = do(position, "end")
        position = do(position, "pass")
        assert position.phase == "late"
        position = do(position, "waive")
        for _ in range(3):
            assert not position.over
            position = do(position, "pass")
        assert position.drawn_game
        assert status(position) == ()


class TestPile:
    def test_all_discards_become_the_pile_for_a_draw(self) -> None:
        before = table("2C,3C", "?", pile=0, discards=["4C", "6C"], possible=False)
        placed = do(before, "2C e2")
        assert (placed.reshuffles, placed.discards) == (0, ((2, 0), (4,)))
        action = parse_action(CLASSIC, "draw")
        assert new_pile(placed, action) == (2, 0, 4)
        after = do(placed, "draw", drawn=card("2C"))
        assert (after.reshuffles, after.pile, after.discards, after.hands[0]) == (1, 2, ((), ()), (0, 1))

    def test_and_for_a_late_draw(self) -> None:
        position = table("3C", "4C,5C", to_move=2, pile=0, pending="play/2/1/-/-", possible=False)
        late = do(position, "4C c2")
        assert new_pile(late, parse_action(CLASSIC, "draw")) == (card("4C"),)
        drawn = do(late, "draw", drawn=card("4C"))
        assert (drawn.reshuffles, drawn.pile, drawn.discards) == (1, 0, ((), ()))

    def test_pile_and_discards_both_empty(self) -> None:
        """The late draw has taken the last card: there is nothing left to draw, and the turn ends."""
        position = table("3C", "4C,5C", to_move=2, pile=0, pending="play/2/1/-/-", possible=False)
        drawn = do(do(position, "4C c2"), "draw", drawn=card("4C"))
        assert texts(drawn) == ["draw", "end"]
        after = do(drawn, "draw", drawn=card("KD"))
        assert (after.draws, after.reshuffles, after.pile) == (drawn.draws, drawn.reshuffles, 0)
        assert (after.hands[1], after.to_move, after.pending) == ((card("5C"),), 1, None)

    def test_nothing_but_a_dead_card_and_its_new_pile(self) -> None:
        position = make({}, ["2C,QH", "?"], pile=0, possible=False)
        assert new_pile(position, exchange(card("QH"))) == (card("QH"),)
        assert new_pile(position, place(0, 4)) == (0,)


@pytest.mark.parametrize(
    ("steps", "text", "reason"),
    [
        ([], "draw", "seat 1 is to play: there is nothing that it has to draw, end, waive or give up"),
        ([], "end", "seat 1 is to play: "),
        ([], "waive", "seat 1 is to play: "),
        ([], "3C given", "seat 1 is to play: "),
        ([], "call 2", "talk is free at this table: nobody can be called for it"),
        (["2C e2"], "3C d2", "seat 1 has played its card: it can draw, or end its turn without"),
        (["2C e2"], "waive", "seat 1 has played its card: "),
        (["2C e2"], "pass", "seat 1 has played its card: "),
        (["2C e2"], "3C dead", "seat 1 has played its card: "),
        (["2C e2"], "JS xe2", "seat 1 has played its card: "),
        (["2C e2", "end"], "draw", "seat 2 is to play: "),
        (["2C e2", "end", "4C c2"], "end", "seat 1 has not drawn in its last turn: it can draw now, or waive the draw"),
        (["2C e2", "end", "4C c2"], "3C d2", "seat 1 has not drawn in its last turn: "),
        (["2C e2", "end", "4C c2", "waive"], "waive", "seat 2 has played its card: "),
    ],
)
def test_the_reason_for_a_refusal(steps: list[str], text: str, reason: str) -> None:
    position = table("2C,3C", "4C,5C")
    for step in steps:
        position = do(position, step)
    with pytest.raises(IllegalAction) as refused:
        do(position, text)
    assert str(refused.value).startswith(reason)


def test_by_default_the_draw_is_automatic() -> None:
    with pytest.raises(IllegalAction, match="seat 1 is to play: there is nothing"):
        do(make({}, ["2C", "?"]), "draw")


def test_not_in_the_kids_game() -> None:
    with pytest.raises(RulesError, match="Sequence for Kids has no option manual draw"):
        start(KIDS, 2, 2, Options(manual_draw=True), 1, [[UNKNOWN] * 3] * 2)


def test_what_a_seat_sees() -> None:
    late = do(forgotten(), "4C c2")
    first, second = view(late, 1), view(late, 2)
    assert (first.phase, first.mover, first.to_move) == ("late", 2, 1)
    assert [action.kind for action in first.legal] == ["draw", "waive"]
    assert (second.phase, second.mover, second.legal) == ("late", 2, ())
    assert view(late, 0).legal == ()
    assert PASS not in view(do(late, "draw"), 2).legal
