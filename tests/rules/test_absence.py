"""Turns that are skipped, and seats that leave the game."""

import random
from collections import Counter
from typing import Any

import pytest

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    UNKNOWN,
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
from tests.rules.playing import OPTION_TABLES, Table, assert_sequences_stay, make, refusal


def four(**more: Any) -> Position:
    """Turn 150 of four seats with two cards each, of whom seat 1 is to move."""
    return make({}, ["2C,3C", "4C,5C", "6C,7C", "8C,9C"], **more)


def test_a_skip_passes_the_turn_on_and_changes_nothing_else() -> None:
    before = four(idle=1, quiet=2)
    assert skip(before) == before._replace(to_move=2, turn=151, quiet=3)


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
