"""Turns that are skipped, and seats that leave the game."""

import random
from collections import Counter
from typing import Any

import pytest

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    UNKNOWN,
    IllegalAction,
    Options,
    Pending,
    Position,
    apply,
    call,
    drop,
    format_position,
    parse_position,
    skip,
    start,
)
from seqp2p.rules.status import status
from tests.rules.playing import OPTION_TABLES, Table, assert_sequences_stay, do, make, refusal


def four(**more: Any) -> Position:
    """Turn 150 of four seats with two cards each, of whom seat 1 is to move."""
    return make({}, ["2C,3C", "4C,5C", "6C,7C", "8C,9C"], **more)


def by_hand(pending: str, *, to_move: int = 1, **more: Any) -> Position:
    """The same with draws by hand and calls for talk."""
    return four(options="no-table-talk,manual-draw", pending=pending, to_move=to_move, **more)


def told(position: Position) -> str:
    """Six words: seat to move, cards in the hands, turn, idle and quiet turns, pending duties."""
    assert status(position) == ()
    hands = "/".join(str(len(hand)) for hand in position.hands)
    pending = next((word for word in format_position(position).split()[16:] if word[:4] != "out:"), "-")
    return f"{position.to_move} {hands} {position.turn} {position.idle} {position.quiet} {pending}"


def test_a_skip_passes_the_turn_on_and_changes_nothing_else() -> None:
    before = four(idle=1, quiet=2)
    assert skip(before) == before._replace(to_move=2, turn=151, quiet=3)


def test_a_skip_is_neither_a_pass_nor_the_end_of_a_round_of_passes() -> None:
    position = make({}, ["JS", "JS", "JH", "JH"], idle=2, quiet=2)
    for text, idle in (("pass", 3), ("skip", 3), ("skip", 3), ("pass", 4)):
        position = skip(position) if text == "skip" else do(position, text)
        assert (position.idle, position.over) == (idle, idle == 4)
    assert position.drawn_game


def test_an_exchange_before_a_skip_breaks_a_round_of_passes() -> None:
    position = make({"a": "h2", "b": "g7"}, ["QH,2C", "3C"], idle=1, quiet=4)
    after = skip(do(position, "QH dead"))
    assert (told(after), after.exchanged) == ("2 2/1 151 0 5 -", 0)


def test_the_208th_turn_without_a_chip_ends_the_game() -> None:
    over = skip(four(quiet=207, turn=300))
    assert (told(over), over.drawn_game) == ("0 2/2/2/2 301 0 208 -", True)
    with pytest.raises(IllegalAction, match="the game is over: there is no turn to skip"):
        skip(over)
    with pytest.raises(IllegalAction, match="the game is over: nobody leaves it any more"):
        drop(over, [2])
    assert drop(four(quiet=207, turn=300), [1]).drawn_game


def test_a_skip_loses_the_movers_draw() -> None:
    placed = do(by_hand("", quiet=6, idle=1), "2C e2")
    after = skip(placed)
    assert (after.hands, after.pile, after.draws) == (placed.hands, placed.pile, placed.draws)
    assert told(after) == "2 1/2/2/2 151 0 0 -", "a chip has been placed in this turn"


def test_a_skip_loses_the_draw_of_an_earlier_seat_too() -> None:
    assert told(skip(by_hand("play/2/1/-/-", to_move=2))) == "3 2/2/2/2 151 0 1 -"


@pytest.mark.parametrize("pending", ["late/2/1/-/-", "late/2/1/-/passed", "penalty/2/-/1,3/-"])
def test_no_turn_is_skipped_while_another_seat_has_to_act(pending: str) -> None:
    with pytest.raises(IllegalAction, match="seat 1 has to act in another seat's turn"):
        skip(by_hand(pending))


def test_who_is_alone_follows_itself() -> None:
    alone = make({}, ["-", "2C", "-"], teams=3, out="out:1,3", to_move=2)
    assert skip(alone) == alone._replace(turn=151, quiet=1)
    owing = do(drop(by_hand("draw/1/-/-/-"), [2, 3, 4]), "end")
    assert told(owing) == "1 2/0/0/0 151 0 0 -"
    assert do(do(owing, "2C e2"), "draw").to_move == 1


def test_nothing_but_skips_is_a_draw() -> None:
    position = start(KIDS, 3, 3, Options(), 2, [(UNKNOWN,) * 3] * 3)
    turns = 0
    while not position.over:
        assert position.to_move == (1 + turns) % 3 + 1
        position, turns = skip(position), turns + 1
    assert (turns, position.drawn_game) == (208, True)


def test_all_that_stay_are_dealt_to_anew_and_the_turn_goes_on() -> None:
    before = four(discards=["TC", "TC,JC", "-", "-"], idle=1, quiet=2)
    after = drop(before, [2])
    unknown = (UNKNOWN, UNKNOWN)
    assert after == before._replace(hands=(unknown, (), unknown, unknown), pile=before.pile + 2, out=(2,), idle=0)


def test_an_exchange_in_this_turn_is_not_forgotten() -> None:
    position = make({"a": "h2", "b": "g7"}, ["QH,2C", "3C", "4C"], teams=3)
    assert drop(do(position, "QH dead"), [2]).exchanges_left == 0


def test_the_turn_order_passes_over_who_has_left() -> None:
    position = do(drop(drop(four(), [2]), [3]), "2C e2")
    assert (position.out, position.to_move) == ((2, 3), 4)
    assert do(position, "3C d2").to_move == 1


def test_a_round_of_passes_is_as_long_as_there_are_players() -> None:
    position = do(make({}, ["JS", "-", "JH", "-"], out="out:2,4"), "pass")
    assert (position.to_move, position.idle, position.over) == (3, 1, False)
    assert do(position, "pass").drawn_game


LEAVING: dict[str, tuple[Position, list[int], str]] = {
    "the mover leaves and its turn ends": (four(idle=1, quiet=2), [1, 2], "3 0/0/2/2 151 0 3 -"),
    "the last seat leaves in its turn": (four(to_move=4), [4, 1], "2 0/2/2/0 151 0 1 -"),
    "passes with the old hands count no more": (four(idle=3, quiet=3), [2], "1 2/0/2/2 150 0 3 -"),
    "cards owed for talk are taken off": (by_hand("penalty/2/-/3/-", to_move=3), [4], "2 2/2/1/0 150 0 0 -"),
    "who owed a card for talk leaves": (by_hand("penalty/2/-/1,3/-"), [1], "2 0/2/1/2 150 0 0 -"),
    "the caller leaves and the cards are owed": (by_hand("penalty/2/4/1,3/-"), [2], "3 1/0/1/2 151 0 1 -"),
    "a draw owed outlives a penalty": (by_hand("penalty/2/1/1,3/-"), [4], "2 1/2/1/0 150 0 0 play/2/1/-/-"),
    "but not its seat": (by_hand("penalty/2/1/1,3/-"), [1], "2 0/2/1/2 150 0 0 -"),
    "the mover still has to draw": (by_hand("draw/1/-/-/-"), [3], "1 2/2/0/2 150 0 0 draw/1/-/-/-"),
    "the mover leaves before its draw": (by_hand("draw/1/-/-/-", quiet=7), [1], "2 0/2/2/2 151 0 0 -"),
    "a draw owed is kept": (by_hand("play/2/1/-/-", to_move=2), [3], "2 2/2/0/2 150 0 0 play/2/1/-/-"),
    "and lost with its seat": (by_hand("play/2/1/-/-", to_move=2), [1], "2 0/2/2/2 150 0 0 -"),
    "a late draw is still waited for": (by_hand("late/2/1/-/-"), [3], "1 2/2/0/2 150 0 0 late/2/1/-/-"),
    "its seat leaves and the mover draws": (by_hand("late/2/1/-/-"), [1], "2 0/2/2/2 150 0 0 draw/2/-/-/-"),
    "or had passed": (by_hand("late/2/1/-/passed", quiet=7, idle=3), [1], "3 0/2/2/2 151 0 8 -"),
    "the mover leaves and the late draw is lost": (by_hand("late/2/1/-/-", quiet=7), [2], "3 2/0/2/2 151 0 0 -"),
    "the same after a pass": (by_hand("late/2/1/-/passed", quiet=7), [2], "3 2/0/2/2 151 0 8 -"),
}


@pytest.mark.parametrize("claim", LEAVING)
def test_what_becomes_of_the_turn(claim: str) -> None:
    before, seats, wanted = LEAVING[claim]
    after = drop(before, seats)
    assert told(after) == wanted
    assert (after.out, after.exchanged) == (tuple(sorted(seats)), 0)
    assert sum(map(len, after.hands)) + after.pile == sum(map(len, before.hands)) + before.pile
    assert (after.discards, after.draws, after.chips) == (before.discards, before.draws, before.chips)


@pytest.mark.parametrize(
    ("seats", "reason"),
    [
        ([], "no seat is named"),
        ([0], "there is no seat 0 to leave: the seats are 1 to 4"),
        ([1, 5], "there is no seat 5 to leave: the seats are 1 to 4"),
        ([2, 3], "seat 2 has left the game already"),
        ([1, 3, 4], "not everybody can leave the game"),
    ],
)
def test_who_cannot_leave(seats: list[int], reason: str) -> None:
    position = drop(four(), [2])
    text = format_position(position)
    with pytest.raises(ValueError, match=reason):
        drop(position, seats)
    assert format_position(position) == text


def test_who_has_left_is_not_called_and_gives_up_no_card() -> None:
    assert "seat 2 has left the game" in refusal(drop(four(options="no-table-talk"), [2]), call(2))
    six = start(CLASSIC, 6, 2, Options(table_talk=False), 1, [[UNKNOWN] * 5] * 6)
    called = apply(drop(six, [2]), call(4))
    assert called.pending == Pending("penalty", 1, penalised=(4, 6))


@pytest.mark.parametrize("table", OPTION_TABLES, ids=str)
def test_a_game_that_everybody_walks_out_of_ends(table: Table) -> None:
    """In any order of events, every position is possible, has all cards, and reads back from its text."""
    rng = random.Random(table.players * 10 + table.teams)
    game, deck = table.deal(rng), Counter(table.variant.deck)
    for step in range(3000):
        before, chance = game.position, rng.random()
        if before.over:
            break
        if chance < 0.1 and before.phase in {"play", "draw"}:
            game.skip()
        elif chance < 0.13 and len(before.staying) > 1:
            game.drop({rng.choice(before.staying)})
        else:
            game.play(game.choose())
        after = game.position
        assert not any(after.hands[seat - 1] for seat in after.out)
        assert_sequences_stay(before, after)
        if after.turn > before.turn and not after.over:
            turn = before.staying.index(before.mover) + 1
            order = [seat for seat in before.staying[turn:] + before.staying[:turn] if seat not in after.out]
            assert after.mover == order[0]
        if 0.1 <= chance < 0.13 or not step % 8:
            assert game.cards() == deck
            assert after.pile == len(game.pile)
            assert status(after) == ()
            assert parse_position(format_position(after)) == after
    assert game.position.over
