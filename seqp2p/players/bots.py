"""The bots that ship: ``random`` and ``greedy``. Randomness is handed in; a bot keeps nothing from turn to turn."""

import random
from collections.abc import Callable, Mapping
from types import MappingProxyType

from seqp2p.players.greedy import GreedyBot
from seqp2p.players.player import Bot
from seqp2p.rules import Action, View


class RandomBot:
    """Any legal action, each as likely as the other."""

    def __init__(self, randomness: random.Random) -> None:
        self._randomness = randomness

    def choose(self, view: View) -> Action:
        """One of the legal actions."""
        return self._randomness.choice(view.legal)


BOTS: Mapping[str, Callable[[random.Random], Bot]] = MappingProxyType({"random": RandomBot, "greedy": GreedyBot})
