"""The contests of some bots, deal after deal: which is next, which contest is decided, which process plays it."""

from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from seqp2p.arena.contest import Contest
from seqp2p.arena.entrants import kind_of
from seqp2p.arena.tally import DealResult, Tally, play_deal
from seqp2p.bots.exec_player import TIME_S
from seqp2p.i18n import message
from seqp2p.workers import interrupts_deferred, workers

UNTIL_FIRST: Final = 1000
"""The deals of a contest before its interval is looked at."""
UNTIL_EVERY: Final = 200
"""The deals from one look at the interval to the next: the more looks, the more often an interval misses."""
DEALS_AHEAD: Final = 8
"""Deals handed out at a time, for each process. Results are taken in order, so a long game holds up those after it."""


class Ladder:
    """Contests and their tallies. Each plays ``deals``, or stops where its interval is ± ``until`` (a share).

    Results are taken in the order of the deals, so they do not depend on the number of processes.
    """

    def __init__(self, contests: Sequence[Contest], deals: int, until: float | None = None) -> None:
        self.contests = tuple(contests)
        self.deals = deals
        self.until = until
        self.tallies = [Tally(contest) for contest in contests]
        self._handed_out = [0] * len(self.contests)

    def next(self) -> tuple[int, int] | None:
        """Return the number of a contest and the deal that it plays next, None if none is left to hand out.

        The contests take turns, so an early end leaves all with the same number of deals.
        """
        going = [number for number in range(len(self.contests)) if self._goes_on(number)]
        if not going:
            return None
        number = min(going, key=self._handed_out.__getitem__)
        deal = self._handed_out[number]
        self._handed_out[number] += 1
        return number, deal

    def take(self, result: DealResult) -> bool:
        """Count a deal. Return False, and count nothing, if its contest has stopped before.

        Raises ValueError if it is not the next deal of its contest.
        """
        if self._is_decided(result.contest):
            return False
        tally = self.tallies[result.contest]
        if result.deal != tally.deals:
            raise ValueError("deals are taken in their order")
        tally.add(result)
        self._handed_out[result.contest] = max(self._handed_out[result.contest], tally.deals)
        return True

    def _goes_on(self, number: int) -> bool:
        return self._handed_out[number] < self.deals and not self._is_decided(number)

    def _is_decided(self, number: int) -> bool:
        tally = self.tallies[number]
        if tally.deals >= self.deals:
            return True
        looked_at = tally.deals >= UNTIL_FIRST and tally.deals % UNTIL_EVERY == 0
        return self.until is not None and looked_at and tally.half_width(0) <= self.until


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
