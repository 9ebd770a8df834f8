#!/usr/bin/env python3
"""Learn a value of positions from games, and measure it: learn.py FILE [BATCHES].

The trainer is that of the bot ``learned``. It is in the repository, not in the installed package. FILE keeps the
training, and a second run goes on with it. A batch is 256 games of the kids' game; 100 take some minutes. The value
then plays against the random bot, as it would at any table.
"""

import random
import sys
from pathlib import Path

from seqp2p import learning
from seqp2p.bots.learned import LearnedBot
from seqp2p.bots.value import read_weights
from tools.train import Training

GAMES = 50


def score(bot: LearnedBot) -> float:
    """Return the bot's share of games against random actions; it has each seat in half of them."""
    table, dice, won = learning.Table(variant="kids"), random.Random(1), 0  # noqa: S311 -- the same games again are wanted
    for number in range(GAMES):
        own = 1 + number % 2
        table.reset(seed=number)
        while seat := table.to_move:
            if seat == own:
                action = bot.choose(table.view(seat))
                table.step(learning.number_of(table.variant, action))
            else:
                table.step(dice.choice(table.legal()))
        won += table.winner == own
    return won / GAMES


def main(file: str, batches: int) -> None:
    training = Training(Path(file), "kids", seed=1)
    for _ in range(batches):
        loss, _ = training.step()
        print(f"{training.games} games, loss {loss:.3f}", flush=True)
    training.save()
    states, features, _ = training.net.rows.shape
    bot = LearnedBot(read_weights(training.weights(), "kids", states, features))
    print(f"{score(bot):.0%} of {GAMES} games against random")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100)
