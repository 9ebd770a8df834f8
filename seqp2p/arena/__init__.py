"""Bots against bots on the engine alone: no network, no cryptography, all cores.

A contest is the bots of a table in their seats. All randomness of a game follows from the seed and the number of the
game, so the same seed gives the same result with any number of processes.
"""

from seqp2p.arena.contest import Contest, make_contest
from seqp2p.arena.game import ArenaResult, BotError, play
from seqp2p.arena.pool import WorkerLost, play_games
from seqp2p.arena.tally import Tally, wilson

__all__ = ["ArenaResult", "BotError", "Contest", "Tally", "WorkerLost", "make_contest", "play", "play_games", "wilson"]
