"""Misbehaving seats and spectators, one for each possible attack, and the expected ending of each.

    from seqp2p.testing.adversaries import ADVERSARIES, ending, play

    for adversary in ADVERSARIES:
        for players, expected in adversary.endings.items():
            assert ending(play(adversary, players, seed=1)) == expected

``python -m seqp2p.testing adversaries`` prints the table. Another client can be run against these: a ``Strategy`` has
the dishonest part, and leaves the rest to the honest program.
"""

from typing import Final

from seqp2p.testing.adversaries.byzantine import Byzantine, Instead, Keeps, Once, Strategy, byzantine
from seqp2p.testing.adversaries.decks import DECKS
from seqp2p.testing.adversaries.described import Adversary, ExpectedEnding, ExpectedEvidence, ExpectedOutcome
from seqp2p.testing.adversaries.hosts import HOSTS, HostEnding, HostileHost, play_host
from seqp2p.testing.adversaries.keys import KEYS
from seqp2p.testing.adversaries.playing import Disagreement, ending, play
from seqp2p.testing.adversaries.spectators import HOSTILE_SPECTATORS, HostileSpectator
from seqp2p.testing.adversaries.table import FoundAdversary, all_found, found, lines, page
from seqp2p.testing.adversaries.talk import TALK
from seqp2p.testing.adversaries.turns import TURNS
from seqp2p.testing.adversaries.votes import VOTES
from seqp2p.testing.adversaries.words import WORDS

ADVERSARIES: Final = (*KEYS, *DECKS, *TURNS, *VOTES, *WORDS, *TALK, *HOSTILE_SPECTATORS)

__all__ = [
    "ADVERSARIES",
    "HOSTS",
    "Adversary",
    "Byzantine",
    "Disagreement",
    "ExpectedEnding",
    "ExpectedEvidence",
    "ExpectedOutcome",
    "FoundAdversary",
    "HostEnding",
    "HostileHost",
    "HostileSpectator",
    "Instead",
    "Keeps",
    "Once",
    "Strategy",
    "all_found",
    "byzantine",
    "ending",
    "found",
    "lines",
    "page",
    "play",
    "play_host",
]
