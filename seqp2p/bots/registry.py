"""The bots, by name. Randomness is an argument; a bot keeps nothing from turn to turn.

A name is a level, a kind of bot, or for ``strong`` the kind and the number of trials for a choice: ``strong:200``.
"""

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, TypeAlias

from seqp2p.bots.greedy import GreedyBot
from seqp2p.bots.learned import EasyBot, LearnedBot
from seqp2p.bots.lookahead import DEFAULT_S, TRIAL_S, TRIALS_MAX, Effort, StrongBot
from seqp2p.bots.player import Bot
from seqp2p.bots.value import why_no_weights
from seqp2p.i18n import message
from seqp2p.rules import DRAW, Action, View

MakeBot: TypeAlias = Callable[[random.Random], Bot]

HALF_A_SECOND: Final = Effort(seconds=DEFAULT_S)


class RandomBot:
    """Any legal action, each with the same probability."""

    def __init__(self, randomness: random.Random) -> None:
        self._randomness = randomness

    def choose(self, view: View) -> Action:
        """Return one of the legal actions."""
        return self._randomness.choice(view.legal)


class _Drawing:
    """A bot that never forgets to draw."""

    def __init__(self, randomness: random.Random, make: MakeBot) -> None:
        self._bot = make(randomness)

    def choose(self, view: View) -> Action:
        return DRAW if DRAW in view.legal else self._bot.choose(view)


def strong_bot(randomness: random.Random, effort: Effort = HALF_A_SECOND) -> StrongBot:
    """Return the bot ``strong``, with another effort for a choice if one is given."""
    return StrongBot(randomness, time.monotonic, effort)


EASY: Final = "easy"
NORMAL: Final = "normal"
HARD: Final = "hard"
USUAL: Final = NORMAL
"""The bot of seats for which no other is named."""
STRONG: Final = "strong"
FORGETFUL: Final[Mapping[str, MakeBot]] = {"random": RandomBot, "greedy": GreedyBot}
"""These toss for drawing and forgetting, where cards are drawn by hand: for games that have forgotten draws."""
_TRIALS: Final = re.compile(r"[1-9][0-9]{0,6}", re.ASCII)
_KINDS: Final[Mapping[str, MakeBot]] = {
    EASY: EasyBot,
    NORMAL: lambda _: LearnedBot(),
    HARD: strong_bot,
    **{name: partial(_Drawing, make=make) for name, make in FORGETFUL.items()},
    "learned": lambda _: LearnedBot(),
    STRONG: strong_bot,
}


class Bots(Mapping[str, MakeBot]):
    """The makers of bots, by name. It lists the plain names; a name with a number is also found."""

    def __getitem__(self, name: str) -> MakeBot:
        kind, colon, _ = name.partition(":")
        if not colon or why_no_bot(name) is not None:
            return _KINDS[name]
        return partial(strong_bot, effort=Effort(int(name.removeprefix(f"{kind}:"))))

    def __iter__(self) -> Iterator[str]:
        return iter(_KINDS)

    def __len__(self) -> int:
        return len(_KINDS)


def why_no_bot(name: str) -> str | None:
    """Return the reason why there is no bot of this name, or None."""
    kind, colon, number = name.partition(":")
    if kind not in _KINDS:
        return message(
            "there is no bot {name!r}: the bots are {bots}", name=name, bots=", ".join((*_KINDS, f"{STRONG}:N"))
        )
    if colon and kind != STRONG:
        return message("the bot {bot} takes no number: write {bot}", bot=kind)
    if colon and (not _TRIALS.fullmatch(number) or int(number) > TRIALS_MAX):
        return message(
            "the trials for a choice are a number from 1 to {most}: write for instance {bot}:200",
            most=TRIALS_MAX,
            bot=kind,
        )
    return None if kind in FORGETFUL else why_no_weights()


def choice_s(name: str) -> float:
    """Return about the time that a bot takes for a choice on a usual machine; 0 for one that need not think."""
    kind, colon, number = name.partition(":")
    if kind not in {HARD, STRONG}:
        return 0.0
    return TRIAL_S * int(number) if colon else DEFAULT_S


BOTS: Final = Bots()
