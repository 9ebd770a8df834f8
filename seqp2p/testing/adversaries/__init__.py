"""Misbehaving seats and spectators, one for each attack that one can try, and what must come of each.

    from seqp2p.testing.adversaries import ADVERSARIES, ending, play

    for adversary in ADVERSARIES:
        for players, expected in adversary.endings.items():
            assert ending(play(adversary, players, seed=1)) == expected

``python -m seqp2p.testing adversaries`` prints the table. Whoever writes another client can run it against these: a
``Trick`` does what no honest program does, and leaves all else to the honest one.
"""

from typing import Final

from seqp2p.testing.adversaries.crook import Crook, Instead, Keeps, Once, Trick, crooked
from seqp2p.testing.adversaries.decks import DECKS
from seqp2p.testing.adversaries.described import Adversary, Ending, Evidence, Outcome
from seqp2p.testing.adversaries.hecklers import HECKLERS, Heckler
from seqp2p.testing.adversaries.keys import KEYS
from seqp2p.testing.adversaries.page import page as _page
from seqp2p.testing.adversaries.playing import Disagreement, ending, play
from seqp2p.testing.adversaries.table import Found, all_found, found, lines
from seqp2p.testing.adversaries.talk import TALK
from seqp2p.testing.adversaries.turns import TURNS
from seqp2p.testing.adversaries.votes import VOTES
from seqp2p.testing.adversaries.words import WORDS

ADVERSARIES: Final = (*KEYS, *DECKS, *TURNS, *VOTES, *WORDS, *TALK, *HECKLERS)


def page() -> str:
    """docs/adversaries.md."""
    return _page(ADVERSARIES)


__all__ = [
    "ADVERSARIES",
    "Adversary",
    "Crook",
    "Disagreement",
    "Ending",
    "Evidence",
    "Found",
    "Heckler",
    "Instead",
    "Keeps",
    "Once",
    "Outcome",
    "Trick",
    "all_found",
    "crooked",
    "ending",
    "found",
    "lines",
    "page",
    "play",
]
