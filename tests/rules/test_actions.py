"""One action at a time: what it does, and why it is refused."""

import random
from collections import Counter
from typing import Any

import pytest

from protocol import generate_perft
from seqp2p.rules import (
    CLASSIC,
    KIDS,
    NO_SQUARE,
    PASS,
    UNKNOWN,
    Action,
    IllegalAction,
    Options,
    Pending,
    Position,
    RulesError,
    apply,
    call,
    drop,
    exchange,
    format_ends,
    format_position,
    give,
    hide,
    legal_actions,
    nameable_lines,
    parse_action,
    parse_card,
    parse_position,
    parse_square,
    place,
    remove,
    reveal,
    skip,
    squares_of,
    start,
    view,
)
from seqp2p.rules.status import status
from tests.rules.both import both_at
from tests.rules.playing import OPTION_TABLES, Table, assert_sequences_stay, card, do, full_board, make, refusal, texts


def owners(position: Position, *names: str) -> list[int]:
    bits = [1 << parse_square(position.variant, name) for name in names]
    return [sum(team for team, chips in enumerate(position.chips, 1) if chips & bit) for bit in bits]


def test_a_turn_discards_places_draws_and_passes_on() -> None:
    before = make({"a": "c3"}, ["2D,QH", "?,?"])
    after = do(before, "QH h2", drawn=parse_card(CLASSIC, "KD"))
    assert owners(after, "h2", "c3", "g7") == [1, 1, 0]
    assert after.hands == ((parse_card(CLASSIC, "2D"), parse_card(CLASSIC, "KD")), (UNKNOWN, UNKNOWN))
    assert after.discards == ((parse_card(CLASSIC, "QH"),), ())
    assert (after.to_move, after.turn - before.turn, after.draws - before.draws) == (2, 1, 1)
    assert (after.pile, after.reshuffles) == (before.pile - 1, before.reshuffles)
    assert do(after, "7H d6").to_move == 1


def test_both_copies_of_a_card_offer_the_same_actions_once() -> None:
    assert texts(make({}, ["QH,QH,2C", "?"])) == ["2C e2", "2C g4", "QH h2", "QH g7"]


def test_jacks_go_by_eyes_not_by_colour() -> None:
    position = make({"a": "c3", "b": "d7 e7"}, ["JC,JD,JH,JS", "?"])
    for jack in ("JC", "JD"):
        assert owners(do(position, f"{jack} f6"), "f6") == [1]
        assert f"{jack} takes no chip: only JH and JS do" in refusal(position, f"{jack} xd7")
    for jack in ("JH", "JS"):
        assert owners(do(position, f"{jack} xd7"), "d7", "e7") == [0, 2]
        assert f"{jack} places no chip, it takes one: write for instance {jack} xd7" in refusal(position, f"{jack} d7")
        assert "there is no chip on f6 to take" in refusal(position, f"{jack} f6")
        assert "the chip on c3 is your own team's" in refusal(position, f"{jack} c3")
    wild = {f"{jack} {chr(97 + col)}{row}" for jack in ("JC", "JD") for col in range(10) for row in range(1, 11)}
    nowhere = {f"{jack} {square}" for jack in ("JC", "JD") for square in ["a1", "j1", "a10", "j10", "c3", "d7", "e7"]}
    assert set(texts(position)) == (wild - nowhere) | {"JH xd7", "JH xe7", "JS xd7", "JS xe7"}
    assert len(texts(position)) == len(set(texts(position)))


def test_a_removal_empties_the_square_and_draws() -> None:
    before = make({"a": "c3", "b": "d7"}, ["JS,2C", "8D,?"])
    after = do(before, "JS xd7", drawn=0)
    assert after.free == before.free | 1 << parse_square(CLASSIC, "d7")
    assert (after.draws - before.draws, after.to_move, after.hands[0]) == (1, 2, (0, 0))
    assert owners(do(after, "5S d9"), "d9") == [2]


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (place(UNKNOWN, 44), "there is no card number -1"),
        (place(999, 44), "there is no card number 999"),
        (place(parse_card(CLASSIC, "QH"), 100), "there is no square number 100"),
        (place(parse_card(CLASSIC, "QH"), NO_SQUARE), "there is no square number -1"),
        (remove(parse_card(CLASSIC, "JS"), -7), "there is no square number -7"),
        (exchange(52), "there is no card number 52"),
        (Action("remove"), "there is no card number -1"),
    ],
)
def test_values_that_are_no_cards_or_squares(action: Action, reason: str) -> None:
    for hand in ("JS,QH", "?,?"):
        assert reason in refusal(make({}, [hand, "?"], possible=False), action)


def test_nothing_can_be_played_after_the_end() -> None:
    won = do(make({"a": "b1 c1 d1 b3 b4 b5 b6 b7"}, ["JC", "?"], sequences="a:b3-b7"), "JC e1")
    assert (won.winner, won.over, won.drawn_game, won.to_move) == (1, True, False, 0)
    assert legal_actions(won) == ()
    for action in (PASS, place(0, 44), exchange(0), remove(0, 44)):
        assert "the game is over" in refusal(won, action)


def test_the_game_ends_before_the_draw() -> None:
    before = make(
        {"a": "b1 c1 d1 b3 b4 b5 b6 b7"},
        ["JC,2C", "?,?"],
        sequences="a:b3-b7",
        pile=0,
        discards=["QH", "-"],
        possible=False,
    )
    after = do(before, "JC e1", drawn=5)
    assert (after.draws, after.pile, after.reshuffles, after.turn) == (before.draws, 0, 0, before.turn + 1)
    assert after.hands == ((0,), (UNKNOWN, UNKNOWN))
    assert after.discards[0] == (parse_card(CLASSIC, "QH"), parse_card(CLASSIC, "JC"))


def test_a_card_seen_elsewhere_cannot_be_played_from_an_unknown_hand() -> None:
    position = make({}, ["?,?", "QH,QH"])
    assert "seat 1 cannot hold QH: every QH has been seen elsewhere" in refusal(position, "QH h2")
    seen = make({}, ["?,?", "QH"], discards=["-", "QH"])
    assert "every QH has been seen elsewhere" in refusal(seen, "QH h2")


def test_reveal_and_hide() -> None:
    position = make({}, ["2C,QH,QH", "?,?,KD"])
    king, queen = parse_card(CLASSIC, "KD"), parse_card(CLASSIC, "QH")
    assert reveal(position, 2, [5]).hands[1] == (UNKNOWN, 5, king)
    assert reveal(position, 2, [3, king]).hands[1] == (3, king, king)
    assert reveal(position, 1, []) == position
    for cards in ([1, 2, 3], [UNKNOWN], [king, king], [queen], [52], [-2]):
        with pytest.raises(IllegalAction, match=r"^seat 2 "):
            reveal(position, 2, cards)
    with pytest.raises(IllegalAction, match="seat 1 shows 1 cards, but 0 cards"):
        reveal(position, 1, [3])
    for seat in (0, 3):
        with pytest.raises(RulesError, match="the seats are 1 to 2"):
            reveal(position, seat, [3])
    assert hide(position, {1}).hands == (position.hands[0], (UNKNOWN,) * 3)
    assert hide(position, ()).hands == ((UNKNOWN,) * 3,) * 2
    assert hide(position, (1, 2)) == position


def test_kids_play_by_the_same_engine() -> None:
    position = start(KIDS, 3, 3, Options(), 1, [(0, 19, 20), (UNKNOWN,) * 3, (UNKNOWN,) * 3])
    assert [KIDS.faces[card] for card in position.hands[0]] == ["alligator", "dragon", "unicorn"]
    assert set(texts(position)) == {"alligator b1", "alligator d5"} | {
        f"unicorn {chr(97 + square % 7)}{square // 7 + 1}" for square in squares_of(position.free)
    }
    after = do(do(position, "unicorn c3"), "lion e2")
    assert texts(reveal(do(after, "dragon xe2"), 1, [])) != []
    third = reveal(after, 3, [KIDS.faces.index("dragon")])
    assert texts(third) == ["dragon xe2", "dragon xc3"]
    assert "dragon belongs to no square, so it is never dead" in refusal(third, "dragon dead")
    assert do(third, "dragon xc3").chips == (0, after.chips[1], 0)


# Dead cards, passes, the end of the pile, stalemates.


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


# Turns that are skipped, and seats that leave the game.


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


# Which chips in line are a sequence, how many, and which five.


COLS = "abcdefghij"


def made(position: Position) -> list[str]:
    return [
        f"{'abcd'[sequence.team - 1]}:{format_ends(position.variant, (sequence.squares[0], sequence.squares[-1]))}"
        for sequence in position.sequences
    ]


def row5(*cols: int) -> str:
    return " ".join(f"{COLS[col]}5" for col in cols)


@pytest.mark.parametrize(
    ("length", "recorded"), [(length, recorded) for length in range(6, 11) for recorded in range(length - 4)]
)
def test_a_run_in_one_line(length: int, recorded: int) -> None:
    """Every run of 6 to 10, every place of the recorded five in it, every chip that can come last."""
    cases = 0
    for last in set(range(length)) - set(range(recorded, recorded + 5)):
        before = make(
            {"a": row5(*(col for col in range(length) if col != last))},
            ["JC,JD", "?"],
            sequences=f"a:{COLS[recorded]}5-{COLS[recorded + 4]}5",
            possible=False,
        )
        if status(before):
            continue  # the second sequence stood before the last chip
        cases += 1
        after = do(before, f"JC {COLS[last]}5")
        fits = [at for at in range(length - 4) if abs(at - recorded) >= 4]
        expected = 2 if fits else 1
        assert len(after.sequences) == expected
        assert after.winner == expected - 1
        assert status(after) == ()
    assert cases


def test_only_the_five_are_protected_not_the_whole_run() -> None:
    before = make({"a": row5(0, 1, 2, 4, 5, 6)}, ["JC", "JS,JH"])
    after = do(before, "JC d5")
    assert made(after) == ["a:a5-e5"]
    removals = {action.square for action in legal_actions(after)}
    assert removals == set(squares_of(after.chips[0])) - set(after.sequences[0].squares)
    assert "part of a completed sequence" in refusal(after, "JS xe5")
    assert do(after, "JS xf5").chips[0].bit_count() == 6


def test_the_mover_may_name_the_five() -> None:
    before = make({"a": row5(0, 1, 2, 4, 5, 6)}, ["JC", "JS"])
    action = parse_action(CLASSIC, "JC d5")
    assert [format_ends(CLASSIC, ends) for ends in nameable_lines(before, action)] == ["a5-e5", "b5-f5", "c5-g5"]
    for ends in ("a5-e5", "b5-f5", "c5-g5"):
        after = do(before, f"JC d5 {ends}")
        assert made(after) == [f"a:{ends}"]
        assert legal_actions(after) != ()
    assert do(before, "JC d5 a5-e5") == do(before, "JC d5")


def test_there_is_nothing_to_name_without_a_choice() -> None:
    before = make({"a": "a5 b5 c5 d5 e1 e2 e3 e4", "b": "j9"}, ["JC,JS", "?,?"])
    for text in ("JC e5", "JC h9", "JS xj9", "pass"):
        assert nameable_lines(before, parse_action(CLASSIC, text)) == ()


def test_own_chips_stay_out_of_reach_by_the_advanced_rule() -> None:
    before = make({"a": "c3 d3 e3 f3 g3"}, ["JS", "?"], options="advanced", sequences="a:c3-g3")
    assert "your own team's" in refusal(before, "JS xc3")


# Talk called: every player of the talker's team gives up a card, without replacement.


def silent(*hands: str, **more: Any) -> Position:
    return make({}, hands, options="no-table-talk", **more)


def silent_four() -> Position:
    return silent("2C,3C", "4C,4C,5C", "6C", "?,7C")


def test_those_who_know_no_hand_know_no_action() -> None:
    assert texts(do(silent("?", "?", "?", "?"), "call 2")) == []


def test_whether_somebody_has_talked_is_not_for_the_engine_to_say() -> None:
    position = silent_four()
    assert all(action.kind != "call" for action in legal_actions(position))
    assert all(action.kind != "call" for action in view(position, 1).legal)
    assert apply(position, call(2)).phase == "penalty"


def test_numbers_that_are_no_seats_or_cards() -> None:
    for seat in (0, -1, 10**9):
        assert refusal(silent_four(), call(seat)).startswith(f"there is no seat {seat} to call")
    for number in (UNKNOWN, 52, -2):
        assert refusal(do(silent_four(), "call 2"), give(number)).startswith("there is no card number")


def test_what_an_unknown_hand_cannot_give() -> None:
    assert "there is no card number" in refusal(do(hide(silent_four(), ()), "call 2"), give(52))
    position = do(silent("2C,2C", "?", "?", "?"), "call 2")
    assert refusal(position, "2C given") == "seat 2 cannot hold 2C: every 2C has been seen elsewhere"


def test_a_hand_shown_in_a_pass_is_known_when_a_card_of_it_is_given() -> None:
    position = reveal(silent("?", "?,?", "?", "?", to_move=2), 2, [card("JS"), card("JH")])
    passed = do(position, "pass")
    called = do(passed, "call 2")
    assert texts(called) == ["JH given", "JS given"]
