"""``easy``: ``learned`` with noise. A win at once is worth more than all noise, so it is never missed."""

import random
from typing import Final

from seqp2p.bots.learned import best_action
from seqp2p.rules import Action, View

NOISE: Final = 1_550
"""The weight of a noise with a standard deviation of 148, in the units of values: fitted to win a third of the games
against ``learned`` with two players (docs/decisions/0022-strong-with-values.md)."""


class EasyBot:
    """Chooses by the learned value, which it sees through noise."""

    def __init__(self, randomness: random.Random) -> None:
        self._randomness = randomness

    def choose(self, view: View) -> Action:
        """Return a legal action, often a good one."""
        return best_action(view, noise=self._noise)

    def _noise(self) -> int:
        """Return the sum of four even numbers of 8 bits, about their mean: nearly a bell, in whole numbers."""
        return NOISE * (sum(self._randomness.getrandbits(32).to_bytes(4, "big")) - 510)
