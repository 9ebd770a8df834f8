"""The contests of some bots, deal after deal: which deal is next, and which contests are decided."""

from collections.abc import Sequence
from typing import Final

from seqp2p.arena.contest import Contest
from seqp2p.arena.deal import DealResult
from seqp2p.arena.tally import Tally

UNTIL_FIRST: Final = 1000
"""The deals of a contest before its interval is looked at."""
UNTIL_EVERY: Final = 200
"""The deals from one look at the interval to the next: the more looks, the more often an interval misses."""


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
