"""Many deals over many processes."""

from collections import deque
from collections.abc import Generator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from seqp2p.arena.deal import DealResult, play_deal
from seqp2p.arena.entrants import kind_of
from seqp2p.arena.ladder import Ladder
from seqp2p.bots.exec_player import TIME_S
from seqp2p.i18n import message
from seqp2p.workers import interrupts_deferred, workers

DEALS_AHEAD: Final = 8
"""Deals handed out at a time, for each process. Results are taken in order, so a long game holds up those after it."""


class WorkerLost(Exception):
    """A process that played games has ended before its time: killed, or out of memory."""


def play_deals(ladder: Ladder, seed: int, jobs: int = 1, time_s: float = TIME_S) -> Generator[DealResult]:
    """Play the deals of a ladder in so many processes. Yield each result when it is counted, in order.

    >>> from seqp2p.arena import Ladder, make_contest
    >>> ladder = Ladder([make_contest(["greedy", "random"], "kids")], deals=20)
    >>> [result.deal for result in play_deals(ladder, seed=1)][-1]
    19
    >>> ladder.tallies[0].games
    40

    ``time_s`` is the time of programs and classes for a choice. With one job and no program everything happens in this
    process. Closing the iterator, or an exception such as KeyboardInterrupt while it waits, ends the processes at once,
    and the programs. Raises WorkerLost, and EntrantError for a class that cannot be imported.
    """
    programs = any(kind_of(bot) == "program" for contest in ladder.contests for bot in contest.bots)
    if jobs == 1 and not programs:
        while (task := ladder.next()) is not None:
            number, deal = task
            result = play_deal(ladder.contests[number], seed, deal, number, time_s)
            if ladder.take(result):
                yield result
        return
    with workers(jobs) as pool:
        playing = deque[Future[DealResult]]()
        while True:
            try:
                while len(playing) < DEALS_AHEAD * jobs and (task := ladder.next()) is not None:
                    number, deal = task
                    with interrupts_deferred():
                        playing.append(pool.submit(play_deal, ladder.contests[number], seed, deal, number, time_s))
                if not playing:
                    return
                result = playing.popleft().result()
            except BrokenProcessPool:
                raise WorkerLost(message("a process that played games has been killed")) from None
            if ladder.take(result):
                yield result
