"""The bots, by name. Randomness is an argument; a bot keeps nothing from turn to turn.

A name is a level, a kind of bot, or for ``strong`` the kind and the number of trials for a choice: ``strong:200``.
"""

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from seqp2p.bots.greedy import GreedyBot
from seqp2p.bots.learned import EasyBot, LearnedBot
from seqp2p.bots.lookahead import DEFAULT_S, TRIAL_S, TRIALS_MAX, Effort, StrongBot
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


def strong_bot(randomness: random.Random, effort: Effort | None = None) -> StrongBot:
    """Return the bot ``strong``, with another effort for a choice if one is given."""
    return StrongBot(randomness, time.monotonic, effort or Effort(seconds=DEFAULT_S))


USUAL: Final = "normal"
"""The bot of seats for which no other is named."""
STRONG: Final = "strong"
_TRIALS: Final = re.compile(r"[1-9][0-9]{0,6}", re.ASCII)


class BotKind(NamedTuple):
    make: MakeBot
    learned: bool = False  # it needs the weights
    forgets: bool = False  # it tosses for drawing and forgetting, where cards are drawn by hand; seats get it _Drawing


_learned_bot: Final[MakeBot] = lambda _: LearnedBot()  # noqa: E731  # a maker that needs no name
KINDS: Final[Mapping[str, BotKind]] = {
    "easy": BotKind(EasyBot, learned=True),
    USUAL: BotKind(_learned_bot, learned=True),
    "hard": BotKind(strong_bot, learned=True),
    "random": BotKind(RandomBot, forgets=True),
    "greedy": BotKind(GreedyBot, forgets=True),
    "learned": BotKind(_learned_bot, learned=True),
    STRONG: BotKind(strong_bot, learned=True),
}


class Bots(Mapping[str, MakeBot]):
    """The makers of bots, by name. It lists the plain names; a name with a number is also found."""

    def __getitem__(self, name: str) -> MakeBot:
        _, colon, number = name.partition(":")
        if colon and why_no_bot(name) is None:
            return partial(strong_bot, effort=Effort(int(number)))
        return partial(_Drawing, make=KINDS[name].make) if KINDS[name].forgets else KINDS[name].make

    def __iter__(self) -> Iterator[str]:
        return iter(KINDS)

    def __len__(self) -> int:
        return len(KINDS)


def why_no_bot(name: str) -> str | None:
    """Return the reason why there is no bot of this name, or None."""
    kind, colon, number = name.partition(":")
    if kind not in KINDS:
        bots = ", ".join((*KINDS, f"{STRONG}:N"))
        return message("there is no bot {name!r}: the bots are {bots}", name=name, bots=bots)
    if colon and kind != STRONG:
        return message("the bot {bot} takes no number: write {bot}", bot=kind)
    if colon and (not _TRIALS.fullmatch(number) or int(number) > TRIALS_MAX):
        values = {"most": TRIALS_MAX, "bot": kind}
        return message("the number of trials for a choice is 1 to {most}: write for instance {bot}:200", **values)
    return why_no_weights() if KINDS[kind].learned else None


def choice_s(name: str) -> float:
    """Return about the time that a bot takes for a choice on a usual machine; 0 for one that need not think."""
    kind, _, number = name.partition(":")
    thought_s = TRIAL_S * int(number) if number else DEFAULT_S
    return thought_s if KINDS[kind].make is strong_bot else 0.0


BOTS: Final = Bots()
