"""What other programs of this game get wrong, one test for each."""

import random

import pytest

from seqp2p.rules import CLASSIC, IllegalAction, format_square, legal_actions, parse_card
from tests.rules.playing import Game, do, make


@pytest.mark.parametrize(("jack", "takes"), [("JC", False), ("JD", False), ("JS", True), ("JH", True)])
def test_jacks_by_colour_instead_of_by_eyes(jack: str, takes: bool) -> None:
    position = make({"b": "d7"}, [jack, "?"])
    assert {action.kind for action in legal_actions(position)} == {"remove" if takes else "place"}


def test_six_in_a_row_counted_twice() -> None:
    before = make({"a": "a5 b5 c5 d5 e5"}, ["JC", "?"], sequences="a:a5-e5")
    after = do(before, "JC f5")
    assert len(after.sequences) == 1
    assert not after.over


@pytest.mark.parametrize("recorded", ["a5-e5", "e5-i5"])
def test_nine_in_a_row_counted_once_or_three_times(recorded: str) -> None:
    last = "i5" if recorded == "a5-e5" else "a5"
    chips = " ".join(f"{col}5" for col in "abcdefghi" if f"{col}5" != last)
    after = do(make({"a": chips}, ["JC", "?"], sequences=f"a:{recorded}"), f"JC {last}")
    assert len(after.sequences) == 2
    assert after.winner == 1


def test_two_sequences_with_one_chip_counted_once() -> None:
    after = do(make({"a": "a5 b5 c5 d5 e1 e2 e3 e4"}, ["JC", "?"]), "JC e5")
    assert len(after.sequences) == 2
    assert after.winner == 1


def test_no_reshuffle() -> None:
    rng = random.Random(5)
    games = [Game.deal(CLASSIC, 3, 3, rng) for _ in range(10)]
    reshuffles = [max(position.reshuffles for position in game.play_random()) for game in games]
    assert max(reshuffles) >= 1
    assert all(game.position.over for game in games)


def test_no_pass_so_that_games_hang() -> None:
    position = make({}, ["JS", "JH"])  # nothing to take yet, and jacks are never dead
    assert [action.kind for action in legal_actions(position)] == ["pass"]
    assert do(position, "pass").to_move == 2


def test_whole_runs_protected() -> None:
    after = do(make({"a": "a5 b5 c5 e5 f5 g5"}, ["JC", "JS"]), "JC d5")
    taken = [format_square(CLASSIC, action.square) for action in legal_actions(after)]
    assert taken == ["f5", "g5"]


def test_wrong_cells_on_the_board() -> None:
    """The whole board is proved in test_boards; these are its four innermost and its four corner neighbours."""
    cells = {"e5": "5H", "f5": "4H", "e6": "2H", "f6": "3H", "b1": "2S", "j2": "TS", "i10": "6D", "a9": "AC"}
    for square, card in cells.items():
        position = make({}, [card, "?"])
        assert square in [format_square(CLASSIC, action.square) for action in legal_actions(position)]
        assert parse_card(CLASSIC, card) == position.hands[0][0]
    with pytest.raises(IllegalAction, match="e5 is 5H, not 6H"):
        do(make({}, ["6H", "?"]), "6H e5")
