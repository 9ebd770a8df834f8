"""How random games go. The bands are wide: what they catch is a rule gone wrong, not bad luck."""

import random

import pytest

from seqp2p.rules import CLASSIC, KIDS, Variant, team_of
from tests.rules.playing import Game


def play(variant: Variant, players: int, games: int) -> tuple[float, float, float, float]:
    """Mean turns, share of games won by the team that moved first, share reshuffled, share drawn."""
    rng = random.Random(2024)
    turns = first = reshuffled = drawn = 0
    for _ in range(games):
        game = Game.deal(variant, players, players, rng)
        mover = team_of(game.position.to_move, players)
        for _position in game.play_random():
            pass
        end = game.position
        turns += end.turn
        first += end.winner == mover
        reshuffled += end.reshuffles > 0
        drawn += end.drawn_game
    return turns / games, first / games, reshuffled / games, drawn / games


@pytest.mark.simulation
def test_two_random_players() -> None:
    turns, first, reshuffled, drawn = play(CLASSIC, 2, 400)
    assert 77 < turns < 85
    assert 0.48 < first < 0.57
    assert 0.17 < reshuffled < 0.28
    assert drawn < 0.01


def test_three_kids() -> None:
    turns, _, _, drawn = play(KIDS, 3, 300)
    assert 30.5 < turns < 34.5
    assert drawn == 0
