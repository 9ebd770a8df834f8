"""Dead cards, passes, the end of the pile, stalemates."""

import random

import pytest

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    PASS,
    UNKNOWN,
    IllegalAction,
    apply,
    exchange,
    legal_actions,
    place,
    reveal,
)
from seqp2p.rules.status import status
from tests.rules.playing import card, do, make, texts

QH_TAKEN = {"a": "h2", "b": "g7"}


def full_board(seed: int = 1) -> dict[str, str]:
    """Chips on every square of the classic board, without a sequence for anybody."""
    names = {"a": "", "b": ""}
    for row in range(10):
        for col in range(10):
            if (row, col) not in {(0, 0), (0, 9), (9, 0), (9, 9)}:
                names["ab"[(col // 2 + row) % 2]] += f" {chr(97 + col)}{row + 1}"
    return names


class TestDeadCards:
    def test_a_dead_card_is_exchanged_and_the_turn_goes_on(self) -> None:
        before = make(QH_TAKEN, ["QH,2C", "?,?"])
        assert texts(before) == ["2C e2", "2C g4", "QH dead"]
        after = do(before, "QH dead", drawn=card("KD"))
        assert (after.to_move, after.turn, after.exchanged) == (1, before.turn, 1)
        assert (after.draws, after.pile) == (before.draws + 1, before.pile - 1)
        assert after.discards[0] == (card("QH"),)
        assert texts(after) == ["2C e2", "2C g4", "KD h8", "KD c10"]
        assert do(after, "KD h8").exchanged == 0

    def test_one_in_a_turn(self) -> None:
        after = do(make(QH_TAKEN, ["QH,QH,2C", "?"]), "QH dead", drawn=1)
        assert "QH dead" not in texts(after)
        with pytest.raises(IllegalAction, match="QH cannot be exchanged: 1 in a turn is all that may be"):
            do(after, "QH dead")
        later = do(do(after, "2C e2", drawn=2), "3C d2")
        assert "QH dead" in texts(later)

    def test_one_free_square_is_enough_to_live(self) -> None:
        with pytest.raises(IllegalAction, match="QH is not dead: g7 is free"):
            do(make({"a": "h2"}, ["QH", "?"]), "QH dead")

    def test_exchange_before_pass(self) -> None:
        before = make(QH_TAKEN, ["QH,QH", "?"])
        assert texts(before) == ["QH dead"]
        with pytest.raises(IllegalAction, match="seat 1 cannot pass: QH dead must be exchanged first"):
            do(before, "pass")
        after = do(before, "QH dead", drawn=card("JS"))
        assert texts(after) == ["JS xg7"]
        with pytest.raises(IllegalAction, match="seat 1 cannot pass: JS xg7 can be played"):
            do(after, "pass")
        still_dead = make(QH_TAKEN, ["QH,QH", "?"], exchanged=1)
        assert texts(still_dead) == ["pass"]
        passed = do(still_dead, "pass")
        assert (passed.to_move, passed.turn, passed.draws) == (2, still_dead.turn + 1, still_dead.draws)
        assert (passed.hands, passed.discards, passed.exchanged) == (still_dead.hands, still_dead.discards, 0)

    def test_jacks_without_a_target_are_not_dead_only_useless(self) -> None:
        assert texts(make({}, ["JS,JH", "?"])) == ["pass"]
        assert texts(make(full_board(), ["JC,JD", "?"])) == ["pass"]

    def test_a_dead_card_from_an_unknown_hand(self) -> None:
        before = make(QH_TAKEN, ["?,?", "?"])
        assert texts(before) == []
        assert do(before, "QH dead").hands[0] == (UNKNOWN, UNKNOWN)

    def test_kids_exchange_as_often_as_pile_and_discards_hold_cards(self) -> None:
        names = {"a": "", "b": ""}
        for square in sorted(set(range(42)) - set(KIDS.board.corners)):
            row, col = divmod(square, 7)
            names["ab"[(col // 2 + row) % 2]] += f" {chr(97 + col)}{row + 1}"
        *animals, dragon, unicorn = KIDS.faces
        discards = [",".join([*animals, dragon, unicorn, unicorn, dragon]), ",".join(animals[4:12])]
        position = make(names, ["bear,cat,duck", "?,?,?"], variant=KIDS, turn=60, discards=discards)
        assert position.pile == 5
        assert position.exchanges_left == 36
        for count in range(36):
            assert position.exchanged == count
            assert PASS not in legal_actions(position)
            dead = position.hands[0][count % 3]
            position = apply(position, exchange(dead), drawn=(dead + 1) % 19)
            assert position.to_move == 1
        assert position.reshuffles == 1
        assert position.exchanges_left == 0
        assert texts(position) == ["pass"]
        with pytest.raises(IllegalAction, match="36 in a turn is all that may be"):
            apply(position, exchange(position.hands[0][0]))
        assert do(position, "pass").to_move == 2


class TestPasses:
    def test_the_whole_hand_is_shown(self) -> None:
        before = make({}, ["JS,?", "?"])
        assert legal_actions(before) == ()
        with pytest.raises(IllegalAction, match="seat 1 may pass only when it shows its whole hand"):
            do(before, "pass")
        with pytest.raises(IllegalAction, match="seat 1 cannot pass: 2C e2 can be played"):
            do(reveal(before, 1, [0]), "pass")
        assert do(reveal(before, 1, [card("JH")]), "pass").to_move == 2

    def test_an_empty_hand_passes(self) -> None:
        assert texts(make({}, ["-", "?"])) == ["pass"]

    def test_a_round_with_neither_play_nor_exchange_is_a_draw(self) -> None:
        position = make({}, ["JS", "JH", "JS", "JH"])
        for seat in (1, 2, 3):
            position = do(position, "pass")
            assert (position.idle, position.to_move, position.over) == (seat, seat + 1, False)
        end = do(position, "pass")
        assert (end.over, end.drawn_game, end.winner, end.to_move) == (True, True, 0, 0)
        assert legal_actions(end) == ()
        assert status(end) == ()

    def test_a_play_or_an_exchange_begins_a_new_round(self) -> None:
        position = make({}, ["JS", "2C"], to_move=1)
        position = do(do(position, "pass"), "2C e2", drawn=card("JH"))
        assert (position.idle, position.quiet) == (0, 0)
        exchanging = make(QH_TAKEN | {"b": "g7"}, ["JC,QH", "QH"], to_move=2, idle=1, quiet=1)
        exchanged = do(exchanging, "QH dead", drawn=0)._replace(hands=((), (card("QH"),)))
        passed = do(exchanged, "pass")
        assert (passed.idle, passed.quiet, passed.over) == (0, 2, False)

    def test_208_turns_without_a_chip_are_a_draw(self) -> None:
        position = make(full_board(), ["QH", "QD"], turn=300, exchanged=1, idle=0, quiet=207)
        assert texts(position) == ["pass"]
        end = do(position, "pass")
        assert (end.quiet, end.drawn_game) == (208, True)
        assert status(end) == ()

    def test_removing_is_not_quiet(self) -> None:
        position = make(full_board(), ["JS", "QD"], turn=300, quiet=207)
        taken = do(position, "JS xb1") if "JS xb1" in texts(position) else do(position, texts(position)[0])
        assert (taken.quiet, taken.over) == (0, False)


class TestReshuffle:
    def test_all_discards_become_the_pile_the_card_just_played_among_them(self) -> None:
        before = make({}, ["2C,3C", "?,?"], pile=0, discards=["4C,5C", "6C"], possible=False)
        after = do(before, "2C e2", drawn=0)  # and so it can be drawn again at once
        assert (after.reshuffles, after.pile, after.discards) == (1, 3, ((), ()))
        assert after.hands[0] == (0, 1)
        assert after.draws == before.draws + 1

    def test_not_before_a_card_is_due(self) -> None:
        before = make({}, ["2C,3C", "?,?"], pile=1, discards=["4C,5C", "6C"], possible=False)
        after = do(before, "2C e2")
        assert (after.reshuffles, after.pile, after.discards[0][-1]) == (0, 0, 0)

    def test_by_an_exchange(self) -> None:
        before = make(QH_TAKEN, ["QH", "?"], pile=0, discards=["4C", "-"], possible=False)
        after = do(before, "QH dead")
        assert (after.reshuffles, after.pile, after.discards, after.to_move) == (1, 1, ((), ()), 1)

    def test_pile_and_discards_both_empty(self) -> None:
        """The one card that has just been played is the pile then: it comes back, and no card is missing."""
        before = make({}, ["2C", "3C"], pile=0, possible=False)
        after = do(before, "2C e2", drawn=0)
        assert (after.pile, after.discards, after.hands[0], after.reshuffles) == (0, ((), ()), (0,), 1)

    def test_a_pass_draws_nothing(self) -> None:
        before = make({}, ["JS", "?"], pile=0, discards=["4C", "-"], possible=False)
        after = do(before, "pass")
        assert (after.pile, after.discards, after.reshuffles) == (0, before.discards, 0)


def test_a_full_table_goes_on_without_hanging() -> None:
    """No square is free and nobody can take a chip: exchanges and passes, then a draw after 208 quiet turns."""
    hands = ["QH", "QD"]
    position = make(full_board(), hands, turn=200, discards=["-", "-"])
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
