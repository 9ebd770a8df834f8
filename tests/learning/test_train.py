"""The trainer of ``learned``: it learns, the same again from the same seed, and goes on from its file."""

import random
from pathlib import Path

import numpy as np
import pytest

from seqp2p.bots.learned import LearnedBot
from seqp2p.bots.registry import RandomBot
from seqp2p.bots.value import read_weights
from seqp2p.rules import KIDS, view
from tests.rules.playing import Game
from tools.train import Training

GAMES = 40


def trained(file: Path, batches: int) -> Training:
    training = Training(file, "kids", seed=3)
    for _ in range(batches):
        training.step()
    return training


def wins(content: bytes, training: Training) -> int:
    """Return the games of GAMES that the value wins against random; it has each seat in half of them."""
    form = training.net.rows.shape
    value, won = LearnedBot(read_weights(content, "kids", *form[:2])), 0
    for number in range(GAMES):
        game, dice = Game.deal(KIDS, 2, 2, random.Random(number)), RandomBot(random.Random(number))
        while seat := game.position.to_move:
            bot = value if seat == 1 + number % 2 else dice
            game.play(bot.choose(view(game.position, seat)))
        won += game.position.winner == 1 + number % 2
    return won


@pytest.mark.simulation
def test_a_seed_gives_one_file_and_it_beats_random(tmp_path: Path) -> None:
    first, second = (trained(tmp_path / name, batches=1) for name in ("first.npz", "second.npz"))
    assert first.weights() == second.weights()
    for _ in range(2):
        first.step()
    content = first.weights()
    assert len(content) <= 300_000
    assert wins(content, first) > GAMES * 3 // 4


@pytest.mark.simulation
def test_a_training_goes_on_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "kids.npz"
    before = trained(file, batches=1)
    before.save()
    after = trained(file, batches=0)
    assert (after.games, after.batches, after.net.steps) == (before.games, before.batches, before.net.steps)
    assert after.weights() == before.weights()
    assert after.rng.random() == before.rng.random()
    assert all(np.array_equal(*pair) for pair in zip(after.net.moments, before.net.moments, strict=True))
    with pytest.raises(SystemExit, match="name another file"):
        Training(file, "classic-2", seed=1)
