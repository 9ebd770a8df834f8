"""The bots, by name. Randomness is an argument; a bot keeps nothing from turn to turn.

A name is a word, or for ``strong`` a word and the number of trials for a choice: ``strong:200``.
"""

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, TypeAlias

from seqp2p.bots.greedy import GreedyBot
from seqp2p.bots.learned import LearnedBot
from seqp2p.bots.player import Bot
from seqp2p.bots.strong import DEFAULT_S, TRIALS_MAX, Effort, StrongBot
from seqp2p.bots.value import why_no_weights
from seqp2p.i18n import message
from seqp2p.rules import Action, View

MakeBot: TypeAlias = Callable[[random.Random], Bot]


class RandomBot:
    """Any legal action, each with the same probability."""

    def __init__(self, randomness: random.Random) -> None:
        self._randomness = randomness

    def choose(self, view: View) -> Action:
        """Return one of the legal actions."""
        return self._randomness.choice(view.legal)


LEARNED: Final = "learned"
STRONG: Final = "strong"
_TRIALS: Final = re.compile(r"[1-9][0-9]{0,6}", re.ASCII)
_KINDS: Final[Mapping[str, MakeBot]] = {
    "random": RandomBot,
    "greedy": GreedyBot,
    LEARNED: lambda _: LearnedBot(),
    STRONG: partial(StrongBot, clock=time.monotonic, effort=Effort(seconds=DEFAULT_S)),
}


class Bots(Mapping[str, MakeBot]):
    """The makers of bots, by name. It lists the plain names; a name with a number is also found."""

    def __getitem__(self, name: str) -> MakeBot:
        kind, colon, _ = name.partition(":")
        if not colon or why_no_bot(name) is not None:
            return _KINDS[name]
        return partial(StrongBot, clock=time.monotonic, effort=Effort(int(name.removeprefix(f"{kind}:"))))

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
    if not colon:
        return why_no_weights() if kind == LEARNED else None
    if kind != STRONG:
        return message("the bot {bot} takes no number: write {bot}", bot=kind)
    if not _TRIALS.fullmatch(number) or int(number) > TRIALS_MAX:
        return message(
            "the trials for a choice are a number from 1 to {most}: write for instance {bot}:200",
            most=TRIALS_MAX,
            bot=kind,
        )
    return None


BOTS: Final = Bots()
