"""Many games over many processes.

Games are handed out in runs of consecutive numbers, each as long as takes about ``RUN_S``: short enough to show
progress and to end together, long enough that handing them out costs nothing. Sums do not depend on how they are cut.
"""

import time
from collections.abc import Generator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Final

from seqp2p.arena.contest import Contest
from seqp2p.arena.game import play
from seqp2p.arena.tally import Tally
from seqp2p.i18n import message
from seqp2p.workers import interrupts_deferred, workers

RUN_S: Final = 0.2
RUN_GAMES_MAX: Final = 2_000
# Runs handed out at a time, for each process: one that it plays, and one for it to go on with.
RUNS_AHEAD: Final = 2


class WorkerLost(Exception):
    """A process that played games has ended before its time: killed, or out of memory."""


def play_games(contest: Contest, seed: int, games: int, jobs: int = 1) -> Generator[Tally]:
    """Play games 0 to ``games`` - 1 in so many processes. Yield tallies as they come, which add up to that of all.

    >>> from seqp2p.arena import Tally, make_contest
    >>> contest = make_contest(["greedy", "random"], "kids")
    >>> sum(play_games(contest, seed=1, games=20), Tally.of(contest.teams)).wins
    (20, 0)

    With one job everything happens in this process. Closing the iterator, or an exception such as KeyboardInterrupt
    while it waits, ends the processes at once. Raises BotError, and WorkerLost.
    """
    runs = _Runs(games)
    if min(jobs, games) == 1:
        while run := runs.next():
            yield runs.note(play_run(contest, seed, run))
        return
    with workers(jobs) as pool:
        playing: set[Future[tuple[Tally, float]]] = set()
        while True:
            while len(playing) < RUNS_AHEAD * jobs and (run := runs.next()):
                with interrupts_deferred():
                    playing.add(pool.submit(play_run, contest, seed, run))
            if not playing:
                return
            done, playing = wait(playing, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    yield runs.note(future.result())
                except BrokenProcessPool:
                    raise WorkerLost(message("a process that played games has been killed")) from None


def play_run(contest: Contest, seed: int, run: range) -> tuple[Tally, float]:
    """Play the games with these numbers; returns their tally, and how many seconds it took."""
    begun = time.perf_counter()
    tally = Tally.of(contest.teams, (play(contest, seed, number) for number in run))
    return tally, time.perf_counter() - begun


@dataclass
class _Runs:
    """The games that are still to be handed out, and how long a game takes."""

    games: int
    handed_out: int = 0
    played: int = 0
    playing_s: float = 0.0

    def next(self) -> range:
        """The next run; empty when all games are handed out."""
        size = int(RUN_S * self.played / self.playing_s) if self.played else 1
        first = self.handed_out
        self.handed_out = min(first + min(max(size, 1), RUN_GAMES_MAX), self.games)
        return range(first, self.handed_out)

    def note(self, played: tuple[Tally, float]) -> Tally:
        """Learn from a run how long a game takes; returns its tally."""
        tally, seconds = played
        self.played += tally.games
        self.playing_s += seconds
        return tally
