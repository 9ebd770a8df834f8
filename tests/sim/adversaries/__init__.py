"""Misbehaving seats and spectators, one for each possible attack, and the expected ending of each.

    from tests.sim.adversaries import ADVERSARIES, ending, play

    for adversary in ADVERSARIES:
        for players, expected in adversary.endings.items():
            assert ending(play(adversary, players, seed=1)) == expected

``python -m tests.sim adversaries`` prints the table. Another client can be run against these: a ``Strategy`` has
the dishonest part, and leaves the rest to the honest program.
"""

from typing import Final

from tests.sim.adversaries.byzantine import Byzantine, Once, Withholds
from tests.sim.adversaries.decks import DECKS
from tests.sim.adversaries.described import Adversary
from tests.sim.adversaries.keys import KEYS
from tests.sim.adversaries.playing import ending, play
from tests.sim.adversaries.spectators import HOSTILE_SPECTATORS
from tests.sim.adversaries.table import found, page
from tests.sim.adversaries.talk import TALK
from tests.sim.adversaries.turns import TURNS
from tests.sim.adversaries.votes import VOTES
from tests.sim.adversaries.words import WORDS

ADVERSARIES: Final = (*KEYS, *DECKS, *TURNS, *VOTES, *WORDS, *TALK, *HOSTILE_SPECTATORS)

__all__ = ["ADVERSARIES", "Adversary", "Byzantine", "Once", "Withholds", "ending", "found", "page", "play"]
