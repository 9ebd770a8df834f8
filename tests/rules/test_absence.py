"""Turns that are skipped, and seats that leave the game."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.bots.greedy import GreedyBot
from seqp2p.rules import (
    CLASSIC,
    KIDS,
    UNKNOWN,
    CompletedSequence,
    IllegalAction,
    Options,
    Pending,
    Position,
    Variant,
    apply,
    call,
    drop,
    format_position,
    legal_actions,
    parse_position,
    skip,
    start,
    view,
)
from seqp2p.rules.status import status
from tests.rules.playing import OPTION_TABLE_IDS, OPTION_TABLES, TABLE_IDS, TABLES, Game, do, make, random_position


def four(**more: object) -> Position:
    return make({}, ["2C,3C", "4C,5C", "6C,7C", "8C,9C"], **more)  # type: ignore[arg-type]  # passed on as it is


def by_hand(pending: str, *, to_move: int, **more: object) -> Position:
    return four(options="no-table-talk,manual-draw", pending=pending, to_move=to_move, **more)


def sizes(position: Position) -> list[int]:
    return [len(hand) for hand in position.hands]


class TestSkip:
    def test_the_turn_passes_on_and_nothing_else_happens(self) -> None:
        before = four(idle=1, quiet=2)
        assert skip(before) == before._replace(to_move=2, turn=151, quiet=3)

    def test_it_is_neither_a_pass_nor_the_end_of_a_round_of_passes(self) -> None:
        position = make({}, ["JS", "JS", "JH", "JH"], idle=2, quiet=2)
        for text, idle in (("pass", 3), ("skip", 3), ("skip", 3), ("pass", 4)):
            position = skip(position) if text == "skip" else do(position, text)
            assert (position.idle, position.over) == (idle, idle == 4)
        assert position.drawn_game

    def test_what_the_mover_has_exchanged_breaks_a_round_of_passes_as_ever(self) -> None:
        position = make({"a": "h2", "b": "g7"}, ["QH,2C", "3C"], idle=1, quiet=4)
        after = skip(do(position, "QH dead"))
        assert (after.idle, after.quiet, after.exchanged, after.to_move, after.turn) == (0, 5, 0, 2, 151)

    def test_the_208th_turn_without_a_chip_ends_the_game(self) -> None:
        over = skip(four(quiet=207, turn=300))
        assert (over.drawn_game, over.to_move, over.turn, over.quiet, over.idle) == (True, 0, 301, 208, 0)
        assert status(over) == ()
        with pytest.raises(IllegalAction, match="the game is over: there is no turn to skip"):
            skip(over)

    def test_the_movers_draw_is_lost(self) -> None:
        placed = do(by_hand("", to_move=1, quiet=6, idle=1), "2C e2")
        after = skip(placed)
        assert (after.hands, after.pile, after.draws) == (placed.hands, placed.pile, placed.draws)
        assert (after.to_move, after.pending, after.turn) == (2, None, 151)
        assert (after.quiet, after.idle) == (0, 0), "a chip has been placed in this turn"
        assert status(after) == ()

    def test_the_draw_of_an_earlier_seat_is_lost_too(self) -> None:
        after = skip(by_hand("play/2/1/-/-", to_move=2))
        assert (after.to_move, after.pending, after.hands[0]) == (3, None, (0, 1))

    @pytest.mark.parametrize(
        ("pending", "to_move"), [("late/2/1/-/-", 1), ("late/2/1/-/passed", 1), ("penalty/2/-/1,3/-", 1)]
    )
    def test_only_the_movers_own_turn_is_skipped(self, pending: str, to_move: int) -> None:
        with pytest.raises(IllegalAction, match="seat 1 has to act in another seat's turn"):
            skip(by_hand(pending, to_move=to_move))

    def test_who_is_alone_follows_itself(self) -> None:
        alone = make({}, ["-", "2C", "-"], teams=3, out="out:1,3", to_move=2)
        assert skip(alone) == alone._replace(turn=151, quiet=1)

    def test_nothing_but_skips_is_a_draw(self) -> None:
        position = start(KIDS, 3, 3, Options(), 2, [(UNKNOWN,) * 3] * 3)
        turns = 0
        while not position.over:
            assert position.to_move == (1 + turns) % 3 + 1
            position, turns = skip(position), turns + 1
        assert (turns, position.drawn_game) == (208, True)


class TestDrop:
    def test_all_that_stay_are_dealt_anew_and_the_turn_goes_on(self) -> None:
        before = four(discards=["TC", "TC,JC", "-", "-"], idle=1, quiet=2)
        after = drop(before, [2])
        unknown = (UNKNOWN, UNKNOWN)
        assert after == before._replace(hands=(unknown, (), unknown, unknown), pile=before.pile + 2, out=(2,), idle=0)
        assert status(after) == ()

    def test_an_exchange_in_this_turn_is_not_forgotten(self) -> None:
        position = make({"a": "h2", "b": "g7"}, ["QH,2C", "3C", "4C"], teams=3)
        assert drop(do(position, "QH dead"), [2]).exchanges_left == 0

    def test_the_turn_order_passes_over_who_has_left(self) -> None:
        position = drop(drop(four(), [2]), [3])
        assert position.out == (2, 3)
        position = do(position, "2C e2")
        assert position.to_move == 4
        assert do(position, "3C d2").to_move == 1

    def test_the_mover_leaves_and_its_turn_ends(self) -> None:
        after = drop(four(idle=1, quiet=2), [1, 2])
        assert (after.to_move, after.turn, after.quiet, after.exchanged, after.out) == (3, 151, 3, 0, (1, 2))

    def test_the_last_seat_leaves_in_its_turn(self) -> None:
        assert drop(four(to_move=4), [4, 1]).to_move == 2

    def test_the_208th_turn_without_a_chip_ends_the_game(self) -> None:
        assert drop(four(quiet=207, turn=300), [1]).drawn_game

    def test_passes_with_the_old_hands_count_no_more(self) -> None:
        after = drop(four(idle=3, quiet=3), [2])
        assert (after.idle, after.quiet, after.over) == (0, 3, False)
        assert status(after) == ()

    def test_a_round_of_passes_is_as_long_as_there_are_players(self) -> None:
        position = make({}, ["JS", "-", "JH", "-"], out="out:2,4")
        position = do(position, "pass")
        assert (position.to_move, position.idle, position.over) == (3, 1, False)
        assert do(position, "pass").drawn_game

    def test_chips_and_sequences_stay(self) -> None:
        position = make({"a": "b1 c1 d1 e1", "b": "g7"}, ["2C", "3C", "4C", "5C"], sequences="a:a1-e1")
        after = drop(position, [1, 3])
        assert (after.chips, after.free, after.protected) == (position.chips, position.free, position.protected)
        assert after.sequences == (CompletedSequence(1, (0, 1, 2, 3, 4)),)

    def test_cards_owed_for_talk_are_taken_off(self) -> None:
        before = by_hand("penalty/2/-/3/-", to_move=3)
        after = drop(before, [4])
        assert (sizes(after), after.pile) == ([2, 2, 1, 0], before.pile + 3)
        assert (after.to_move, after.pending, after.turn) == (2, None, 150)
        assert status(after) == ()

    def test_who_owed_a_card_for_talk_leaves(self) -> None:
        after = drop(by_hand("penalty/2/-/1,3/-", to_move=1), [1])
        assert (sizes(after), after.to_move, after.pending) == ([0, 2, 1, 2], 2, None)

    def test_the_caller_leaves_and_the_cards_are_owed_nevertheless(self) -> None:
        after = drop(by_hand("penalty/2/4/1,3/-", to_move=1), [2])
        assert (sizes(after), after.to_move, after.pending, after.turn) == ([1, 0, 1, 2], 3, None, 151)

    def test_a_draw_owed_outlives_a_penalty(self) -> None:
        position = by_hand("penalty/2/1/1,3/-", to_move=1)
        assert drop(position, [4]).pending == Pending("play", 2, owes=1)
        assert drop(position, [1]).pending is None

    def test_the_mover_still_has_to_draw(self) -> None:
        after = drop(by_hand("draw/1/-/-/-", to_move=1), [3])
        assert (after.phase, after.to_move, after.turn, sizes(after)) == ("draw", 1, 150, [2, 2, 0, 2])
        assert do(after, "draw").to_move == 2

    def test_the_mover_leaves_before_its_draw(self) -> None:
        after = drop(by_hand("draw/1/-/-/-", to_move=1, quiet=7), [1])
        assert (after.phase, after.to_move, after.turn, after.pending) == ("play", 2, 151, None)
        assert after.quiet == 0, "a chip has been placed in this turn"

    def test_a_draw_owed_is_lost_with_its_seat_and_otherwise_kept(self) -> None:
        position = by_hand("play/2/1/-/-", to_move=2)
        assert drop(position, [3]).pending == Pending("play", 2, owes=1)
        assert drop(position, [1]).pending is None

    def test_a_late_draw_is_still_waited_for(self) -> None:
        after = drop(by_hand("late/2/1/-/-", to_move=1), [3])
        assert (after.to_move, after.pending) == (1, Pending("late", 2, owes=1))
        assert sizes(do(after, "draw")) == [3, 2, 0, 2]

    def test_who_had_a_late_draw_leaves_and_the_mover_draws(self) -> None:
        after = drop(by_hand("late/2/1/-/-", to_move=1), [1])
        assert (after.to_move, after.pending, after.turn) == (2, Pending("draw", 2), 150)

    def test_who_had_a_late_draw_leaves_and_the_mover_had_passed(self) -> None:
        after = drop(by_hand("late/2/1/-/passed", to_move=1, quiet=7, idle=3), [1])
        assert (after.to_move, after.pending, after.turn, after.quiet, after.idle) == (3, None, 151, 8, 0)

    @pytest.mark.parametrize(("passed", "quiet"), [("-", 0), ("passed", 8)])
    def test_the_mover_leaves_and_the_late_draw_is_lost_with_the_turn(self, passed: str, quiet: int) -> None:
        after = drop(by_hand(f"late/2/1/-/{passed}", to_move=1, quiet=7), [2])
        assert (after.to_move, after.pending, after.turn, after.quiet) == (3, None, 151, quiet)
        assert sizes(after) == [2, 0, 2, 2]

    def test_who_stays_alone_owes_nobody_a_draw(self) -> None:
        alone = drop(by_hand("draw/1/-/-/-", to_move=1), [2, 3, 4])
        after = do(alone, "end")
        assert (after.to_move, after.pending, after.turn) == (1, None, 151)
        assert do(do(after, "2C e2"), "draw").to_move == 1

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
    def test_who_cannot_leave(self, seats: list[int], reason: str) -> None:
        position = drop(four(), [2])
        text = format_position(position)
        with pytest.raises(ValueError, match=reason):
            drop(position, seats)
        assert format_position(position) == text

    def test_nobody_leaves_when_the_game_is_over(self) -> None:
        with pytest.raises(IllegalAction, match="the game is over: nobody leaves it any more"):
            drop(skip(four(quiet=207, turn=300)), [2])


class TestTalk:
    def test_who_has_left_is_not_called(self) -> None:
        position = drop(four(options="no-table-talk"), [2])
        with pytest.raises(IllegalAction, match="seat 2 has left the game"):
            apply(position, call(2))

    def test_who_has_left_gives_up_no_card(self) -> None:
        six = start(CLASSIC, 6, 2, Options(table_talk=False), 1, [[UNKNOWN] * 5] * 6)
        called = apply(drop(six, [2]), call(4))
        assert called.pending == Pending("penalty", 1, penalised=(4, 6))


@settings(deadline=None, max_examples=80)
@given(st.sampled_from(OPTION_TABLES), st.integers(0, 10**6), st.data())
def test_a_drop_deals_to_the_others_what_they_held(
    table: tuple[Variant, int, int, Options], seed: int, data: st.DataObject
) -> None:
    variant, players, teams, options = table
    before = random_position(variant, players, teams, seed, options).position
    gone = data.draw(st.sets(st.integers(1, players), min_size=1, max_size=players - 1))
    after = drop(before, gone)
    owed = before.pending.penalised if before.pending else ()
    for seat in range(1, players + 1):
        kept = 0 if seat in gone else len(before.hands[seat - 1]) - (seat in owed)
        assert after.hands[seat - 1] == (UNKNOWN,) * kept
    assert after.pile + sum(sizes(after)) == before.pile + sum(sizes(before))
    assert after.discards == before.discards
    assert status(after) == ()
    assert parse_position(format_position(after)) == after
    assert after.staying == tuple(seat for seat in range(1, players + 1) if seat not in gone)


@pytest.mark.parametrize(("variant", "players", "teams", "options"), OPTION_TABLES, ids=OPTION_TABLE_IDS)
def test_a_game_that_everybody_walks_out_of_ends(variant: Variant, players: int, teams: int, options: Options) -> None:
    rng = random.Random(players * 10 + teams)
    game = Game.deal(variant, players, teams, rng, options)
    deck = Counter(variant.deck)
    for _ in range(3000):
        before = game.position
        if before.over:
            break
        staying = [seat for seat in range(1, players + 1) if seat not in before.out]
        chance = rng.random()
        if chance < 0.1 and before.phase in {"play", "draw"}:
            game.skip()
        elif chance < 0.13 and len(staying) > 1:
            game.drop({rng.choice(staying)})
        else:
            game.play(game.choose())
        after = game.position
        assert game.cards() == deck
        assert after.pile == len(game.pile)
        if after.turn > before.turn and not after.over:
            turn = staying.index(before.mover) + 1
            order = [seat for seat in staying[turn:] + staying[:turn] if seat not in after.out]
            assert after.mover == order[0]
        assert after.over or legal_actions(after)
    assert game.position.over
    assert status(game.position) == ()


@pytest.mark.parametrize(("variant", "players", "teams"), TABLES, ids=TABLE_IDS)
def test_a_bot_plays_on_where_others_have_left(variant: Variant, players: int, teams: int) -> None:
    game = Game.deal(variant, players, teams, random.Random(7))
    bot = GreedyBot(random.Random(8))
    game.drop(range(2, players, 2) if players > 2 else [2])
    for _ in range(30):
        if game.position.over:
            break
        seen = view(game.position, game.position.to_move)
        assert seen.out == game.position.out
        game.play(bot.choose(seen))
    assert status(game.position) == ()
