"""The bots, by name. Randomness is an argument; a bot keeps nothing from turn to turn.

A name is a level or a kind of bot. ``strong`` is an old name of ``learned``.
"""

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from seqp2p.bots.greedy import GreedyBot
from seqp2p.bots.learned import LearnedBot, NoisyBot
from seqp2p.bots.player import Bot
from seqp2p.bots.value import why_no_weights
from seqp2p.i18n import message
from seqp2p.rules import DRAW, Action, View

MakeBot: TypeAlias = Callable[[random.Random], Bot]


class RandomBot:
    """Any legal action, each with the same probability."""

    def __init__(self, randomness: random.Random) -> None:
        self._randomness = randomness

    def choose(self, view: View) -> Action:
        return self._randomness.choice(view.legal)


class _Drawing:
    """A bot that never forgets to draw."""

    def __init__(self, randomness: random.Random, make: MakeBot) -> None:
        self._bot = make(randomness)

    def choose(self, view: View) -> Action:
        return DRAW if DRAW in view.legal else self._bot.choose(view)


USUAL: Final = "normal"
"""The bot of a seat that names no other."""
# The weights of the noise, which is itself 148 wide (its standard deviation), in the units of values. They were fitted:
# docs/bots.md has what each level wins against the next.
EASY_NOISE: Final = 1_850
USUAL_NOISE: Final = 1_050


def _learned(_: random.Random) -> Bot:
    return LearnedBot()


FORGETFUL: Final[Mapping[str, MakeBot]] = {"random": RandomBot, "greedy": GreedyBot}
"""The bots without weights. Where cards are drawn by hand they toss for drawing and forgetting; seats get _Drawing."""
BOTS: Final[Mapping[str, MakeBot]] = {
    "easy": partial(NoisyBot, EASY_NOISE),
    USUAL: partial(NoisyBot, USUAL_NOISE),
    "hard": _learned,
    **{name: partial(_Drawing, make=make) for name, make in FORGETFUL.items()},
    "learned": _learned,
    "strong": _learned,
}
"""The makers of bots, by name."""


def why_no_bot(name: str) -> str | None:
    """Return the reason why there is no bot of this name, or None."""
    if name in BOTS:
        return None if name in FORGETFUL else why_no_weights()
    kind, _, _ = name.partition(":")
    if kind in BOTS:
        return message("the bot {bot} takes no number: write {bot}", bot=kind)
    return message("there is no bot {name!r}: the bots are {bots}", name=name, bots=", ".join(BOTS))
