"""The bots that ship: fair dice, and a greedy player that takes what lies before it."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.bots.player import Bot
from seqp2p.bots.registry import BOTS, GreedyBot, RandomBot
from seqp2p.rules import CLASSIC, DRAW, KIDS, Action, Options, Position, Variant, apply, format_action, hide, view
from tests.rules.playing import TABLES, Game, make, random_position

NAMES = ("easy", "normal", "random", "greedy", "learned", "strong:20")
"""All that ship; ``strong`` by trials, because what it finds within a time is not the same again."""


def choice(position: Position, seed: int = 1) -> str:
    """What greedy does."""
    action = GreedyBot(random.Random(seed)).choose(view(position, position.to_move))
    return format_action(position.variant, action)


def play(variant: Variant, bots: list[Bot], seed: int, teams: int = 2) -> Game:
    """A whole game on the engine alone; a bot sees its view."""
    game = Game.deal(variant, len(bots), teams, random.Random(seed))
    while not game.position.over:
        seat = game.position.to_move
        game.play(bots[seat - 1].choose(view(game.position, seat)))
    return game


# random


def test_random_takes_every_legal_action_equally_often() -> None:
    game = random_position(CLASSIC, 2, 2, seed=3)
    seen = view(game.position, game.position.to_move)
    bot, rounds = RandomBot(random.Random(1)), 200 * len(seen.legal)
    counts = Counter(bot.choose(seen) for _ in range(rounds))
    assert set(counts) == set(seen.legal)
    # Chi-squared with len - 1 degrees of freedom; five standard deviations above its mean. The seed is fixed.
    chi_squared = sum((count - 200) ** 2 / 200 for count in counts.values())
    freedom = len(seen.legal) - 1
    assert chi_squared < freedom + 5 * (2 * freedom) ** 0.5


def test_dice_of_the_same_seed_fall_the_same() -> None:
    position = random_position(KIDS, 3, 3, seed=2).position
    seen = view(position, position.to_move)
    for name in NAMES:
        make_bot = BOTS[name]
        assert make_bot(random.Random(7)).choose(seen) == make_bot(random.Random(7)).choose(seen)


@pytest.mark.parametrize("name", NAMES)
@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_a_bot_chooses_what_is_legal_in_every_position(name: str, table: tuple[Variant, int, int], seed: int) -> None:
    variant, players, teams = table
    position = random_position(variant, players, teams, seed).position
    seen = view(position, position.to_move)
    assert BOTS[name](random.Random(seed)).choose(seen) in seen.legal


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_draws_where_it_may(name: str) -> None:
    drawing = 0
    for seed in range(40):
        position = random_position(CLASSIC, 2, 2, seed, Options(manual_draw=True)).position
        seen = view(position, position.to_move)
        if DRAW in seen.legal:
            drawing += 1
            assert BOTS[name](random.Random(seed)).choose(seen) == DRAW
    assert drawing > 5


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_plays_on_after_others_have_left(name: str) -> None:
    game, bot = Game.deal(CLASSIC, 4, 2, random.Random(7)), BOTS[name](random.Random(7))
    while not game.position.over:
        if game.position.turn == 9 and not game.position.out:
            game.drop({(game.position.to_move + 1) % 4 + 1})
        game.play(bot.choose(view(game.position, game.position.to_move)))
    assert game.position.out


@given(seed=st.integers(0, 2**32))
def test_greedy_chooses_by_what_its_seat_may_know(seed: int) -> None:
    position = random_position(CLASSIC, 2, 2, seed).position
    assert choice(position, seed) == choice(hide(position, (position.to_move,)), seed)


# greedy


def test_greedy_completes_its_sequence() -> None:
    # a: c2 d2 e2 f2, and g2 is the king of hearts. Blocking h4's column would be worth much, too.
    position = make(
        {"a": "c2 d2 e2 f2", "b": "b6 b7 b8 b9"}, ["KH,QC,2C,3H,TS,9H,4D", "?,?,?,?,?,?,?"], variant=CLASSIC
    )
    assert choice(position) == "KH g2"


def test_greedy_wins_rather_than_spoil_two_lines_at_once() -> None:
    position = make(
        {
            "a": "b2 c2 d2 e2 f2 b4 c4 d4 e4",
            "b": "h5 h6 h7 h8 d9 e9 f9 g9",
        },
        ["3C,4C,TC,7C,3H,2H,JC", "?,?,?,?,?,?,?"],
        variant=CLASSIC,
        sequences="a:b2-f2",
    )
    # f4 completes the second sequence; h9 would spoil two lines of four.
    assert choice(position) == "3C f4"


@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_greedy_never_passes_a_win_by(table: tuple[Variant, int, int], seed: int) -> None:
    variant, players, teams = table
    position = random_position(variant, players, teams, seed).position
    seen = view(position, position.to_move)

    def wins(action: Action) -> bool:
        return apply(seen.position, action).winner == seen.team

    if any(map(wins, seen.legal)):
        assert wins(GreedyBot(random.Random(seed)).choose(seen))


def test_greedy_spoils_four_in_a_row() -> None:
    position = make({"a": "a2 d5", "b": "b2 c2 d2 e2"}, ["AH,QC,2S,3H,TS,9H,4D", "?,?,?,?,?,?,?"], variant=CLASSIC)
    assert choice(position) == "AH f2"


def test_greedy_takes_a_chip_out_of_four_in_a_row_where_it_cannot_spoil_it() -> None:
    position = make({"a": "a2 d5", "b": "b2 c2 d2 e2"}, ["JS,QC,2S,3H,TS,9H,4D", "?,?,?,?,?,?,?"], variant=CLASSIC)
    assert choice(position) in {f"JS x{square}" for square in ("b2", "c2", "d2", "e2")}


def test_greedy_spoils_it_with_a_card_of_the_square_rather_than_a_jack() -> None:
    position = make({"a": "a2 d5", "b": "b2 c2 d2 e2"}, ["JC,JS,2S,AH,TS,9H,4D", "?,?,?,?,?,?,?"], variant=CLASSIC)
    assert choice(position) == "AH f2"


def test_greedy_keeps_its_jacks_while_nothing_is_at_stake() -> None:
    position = make({"a": "e5", "b": "h8 c3"}, ["JC,JS,2S,3H,TS,9H,JD", "?,?,?,?,?,?,?"], variant=CLASSIC)
    assert "J" not in choice(position)


def test_greedy_exchanges_a_dead_card_before_it_plays_for_little() -> None:
    # Both squares of the nine of spades are taken.
    position = make({"a": "i1 b7", "b": "h8"}, ["9S,2S,5S,6S,TS,9H,4D", "?,?,?,?,?,?,?"], variant=CLASSIC)
    assert choice(position) == "9S dead"


def test_greedy_does_not_lengthen_a_sequence_it_has() -> None:
    # g2 would be the sixth of b2-f2, which is worth nothing; d5 is the third of another line.
    position = make(
        {"a": "b2 c2 d2 e2 f2 b5 c5", "b": "i8 i5 e7 f9 d8 g6"},
        ["KH,5H,9D,TD,TD,9D,KH", "?,?,?,?,?,?,?"],
        variant=CLASSIC,
        sequences="a:b2-f2",
    )
    assert choice(position) != "KH g2"


def test_greedy_passes_when_it_must() -> None:
    position = make(
        {"a": "e3 e5 a2 c2"}, ["dragon,dragon,dragon", "?,?,?"], variant=KIDS, to_move=1, pile=0, possible=False
    )
    assert choice(position) == "pass"


def test_greedy_sees_a_line_of_the_kids_game() -> None:
    position = make({"a": "c3 d3", "b": "b4 c4 d4"}, ["unicorn,bear,owl", "?,?,?"], variant=KIDS)
    # a4 is the lion's, e4 the rabbit's: the unicorn alone can spoil it, and one of two ends is better than none.
    assert choice(position) in {"unicorn a4", "unicorn e4"}


@pytest.mark.simulation
def test_greedy_beats_random() -> None:
    won = 0
    for seed in range(20):
        bots: list[Bot] = [GreedyBot(random.Random(seed)), RandomBot(random.Random(-seed))]
        greedy = 1 + seed % 2
        game = play(CLASSIC, bots if greedy == 1 else bots[::-1], seed)
        won += game.position.winner == greedy
    assert won >= 18
