"""Bots against bots on the engine alone: no network, no cryptography, all cores.

A contest is the bots of a table, one for each team. Its unit is a deal with all its seatings: the same cards, once for
each way in which the bots can be given to the teams. All randomness of a deal follows from the seed and the number of
the deal, so the same seed gives the same results with any number of processes.
"""

from seqp2p.arena.contest import Contest as Contest, make_contest as make_contest, round_robin as round_robin
from seqp2p.arena.entrants import EntrantError as EntrantError
from seqp2p.arena.game import ArenaResult as ArenaResult
from seqp2p.arena.tally import (
    DealResult as DealResult,
    Ladder as Ladder,
    Tally as Tally,
    WorkerLost as WorkerLost,
    elo_ratings as elo_ratings,
    play_deal as play_deal,
    play_deals as play_deals,
)
from seqp2p.interval import wilson as wilson
