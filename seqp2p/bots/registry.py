"""The bots, by name. Randomness is an argument; a bot keeps nothing from turn to turn.

A name is a level or a kind of bot. ``strong`` is an old name of ``learned``.
"""

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple, TypeAlias

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
"""The bot of seats for which no other is named."""
# The weights of the noise, which is itself 148 wide (its standard deviation), in the units of values. They were fitted:
# docs/bots.md has what each level wins against the next.
EASY_NOISE: Final = 1_600
USUAL_NOISE: Final = 850


class BotKind(NamedTuple):
    make: MakeBot
    learned: bool = False  # it needs the weights
    forgets: bool = False  # it tosses for drawing and forgetting, where cards are drawn by hand; seats get it _Drawing


_learned_bot: Final[MakeBot] = lambda _: LearnedBot()  # noqa: E731  # a maker that needs no name
KINDS: Final[Mapping[str, BotKind]] = {
    "easy": BotKind(partial(NoisyBot, EASY_NOISE), learned=True),
    USUAL: BotKind(partial(NoisyBot, USUAL_NOISE), learned=True),
    "hard": BotKind(_learned_bot, learned=True),
    "random": BotKind(RandomBot, forgets=True),
    "greedy": BotKind(GreedyBot, forgets=True),
    "learned": BotKind(_learned_bot, learned=True),
    "strong": BotKind(_learned_bot, learned=True),
}


BOTS: Final[Mapping[str, MakeBot]] = {
    name: partial(_Drawing, make=kind.make) if kind.forgets else kind.make for name, kind in KINDS.items()
}
"""The makers of bots, by name."""


def why_no_bot(name: str) -> str | None:
    """Return the reason why there is no bot of this name, or None."""
    if name in KINDS:
        return why_no_weights() if KINDS[name].learned else None
    kind, _, _ = name.partition(":")
    if kind in KINDS:
        return message("the bot {bot} takes no number: write {bot}", bot=kind)
    return message("there is no bot {name!r}: the bots are {bots}", name=name, bots=", ".join(KINDS))
