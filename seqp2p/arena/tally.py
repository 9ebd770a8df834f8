"""Deals between bots, a game for each seating with the same cards; sums over many deals, with their intervals.

``Ladder`` has the contests of some bots: which deal is next, which contest is decided, which process plays it.
"""

import random
import time
from collections import Counter, deque
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice, starmap
from math import log10, sqrt
from typing import Final

import msgspec

from seqp2p.arena.contest import Contest
from seqp2p.arena.entrants import BotFault, entrant, kind_of
from seqp2p.arena.game import ArenaGame, ArenaResult
from seqp2p.arguments import check_arguments
from seqp2p.bots.player import TIME_S, TIME_S_MAX, Bot, Program
from seqp2p.i18n import message
from seqp2p.interval import Z_95, wilson
from seqp2p.workers import checked_jobs, interrupts_deferred, workers

REASONS_MAX: Final = 20
"""The different faults of a bot that are kept."""
RATING_ROUNDS: Final = 100_000
RATING_EXACT: Final = 1e-12
"""Ratings are found when a round changes no strength by more than this part of it."""


class DealResult(msgspec.Struct, frozen=True):
    """The games of one deal of the ``contest`` with this number."""

    contest: int
    deal: int
    games: tuple[ArenaResult, ...]
    """By seating."""
    choices: tuple[int, ...]
    """By side, over all games."""
    seconds: tuple[float, ...]
    """By side: the time of its choices, of a program by the clock."""


@dataclass
class SideTally:
    """The sums of one side of a contest, or of a bot over several contests. All but the times follow from the seed."""

    choices: int = 0
    seconds: float = 0.0
    failed: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    """The faults that lost it ``failed`` games, of a contest up to REASONS_MAX different ones."""
    score_sum: float = 0.0
    square_sum: float = 0.0

    def add(self, other: "SideTally") -> None:
        """Add what is known of the bot: all but the scores, which are of one contest."""
        self.choices += other.choices
        self.seconds += other.seconds
        self.failed += other.failed
        self.reasons.update(other.reasons)


@dataclass
class Tally:
    """The sums of a contest, deal by deal."""

    contest: Contest
    deals: int = 0
    games: int = 0
    turns: int = 0
    draws: int = 0
    first_mover_wins: int = 0
    reshuffled: int = 0
    """Games in which the discards became the pile at least once."""
    passes: int = 0
    exchanges: int = 0

    def __post_init__(self) -> None:
        self.sides = [SideTally() for _ in self.contest.sides]

    def add(self, result: DealResult) -> None:
        self.deals += 1
        self.games += len(result.games)
        for game, seating in zip(result.games, self.contest.seatings, strict=True):
            self.turns += game.turns
            self.draws += not game.winner and not game.failed
            self.first_mover_wins += game.winner == game.first_team
            self.reshuffled += game.reshuffles > 0
            self.passes += game.passes
            self.exchanges += game.exchanges
            if game.failed:
                side = self.sides[seating[game.failed - 1]]
                side.failed += 1
                if game.reason in side.reasons or len(side.reasons) < REASONS_MAX:
                    side.reasons[game.reason] += 1
        scores = deal_scores(self.contest, result)
        for side, score, choices, seconds in zip(self.sides, scores, result.choices, result.seconds, strict=True):
            side.score_sum += score
            side.square_sum += score * score
            side.choices += choices
            side.seconds += seconds

    def score(self, side: int) -> float | None:
        """Return the mean score of a side in a deal, None without deals. A draw is an equal part for each team."""
        return self.sides[side].score_sum / self.deals if self.deals else None

    def interval(self, side: int) -> tuple[float, float]:
        """Return the 95 % confidence interval of the mean score of a side.

        Deals with one seating: Wilson's interval. Mirrored deals: the mean ± 1.96 standard errors of the scores of
        deals, for the games of one deal are not independent. As A. Agresti and B. A. Coull do for shares (The American
        Statistician 52, 1998), two more deals are won and two are lost: few deals that end alike prove little.
        """
        low, high = self._bounds(side)
        return max(low, 0.0), min(high, 1.0)

    def half_width(self, side: int) -> float:
        """Return half the width of the interval, before it is cut off at 0 and 1."""
        low, high = self._bounds(side)
        return (high - low) / 2

    def _bounds(self, side: int) -> tuple[float, float]:
        sums = self.sides[side]
        if not self.contest.is_mirrored:
            return wilson(sums.score_sum, self.deals)
        deals, score_sum, square_sum = self.deals + 4, sums.score_sum + 2, sums.square_sum + 2
        variance = (square_sum - score_sum**2 / deals) / (deals - 1)
        middle, half = score_sum / deals, Z_95 * sqrt(variance / deals)
        return middle - half, middle + half


@check_arguments
def play_deal(contest: Contest, seed: int, deal: int, number: int = 0, time_s: float = TIME_S) -> DealResult:
    """Play a deal (from 0) of a contest in all its seatings. Who starts goes round the table from deal to deal.

    The cards do not depend on who plays: with the same seed other bots get the same deals. ``number`` is that of the
    contest, for the result; ``time_s`` the time of programs and classes for a choice. A bot that fails loses its game.
    Raises EntrantError for a class that cannot be imported.
    """
    sides, seatings = contest.sides, contest.seatings
    games, choices, seconds = list[ArenaResult](), [0] * len(sides), [0.0] * len(sides)
    for which, seating in enumerate(seatings):
        cards = random.Random(sha256(f"seqp2p arena, seed {seed}, deal {deal}".encode()).digest())  # noqa: S311  # the same cards again are wanted
        game = ArenaGame(contest, cards, deal % contest.players + 1)
        names = [sides[seating[seat % contest.teams]] for seat in range(contest.players)]
        entrants = [
            entrant(name, f"seqp2p arena, seed {seed}, deal {deal}, seating {which}, seat {seat}", time_s)
            for seat, name in enumerate(names, start=1)
        ]
        games.append(_play(game, entrants))
        for team, side in enumerate(seating):
            choices[side] += game.choices[team]
            seconds[side] += game.seconds[team]
    return DealResult(number, deal, tuple(games), tuple(choices), tuple(round(each, 6) for each in seconds))


def deal_scores(contest: Contest, result: DealResult) -> list[float]:
    """Return the score of each side in a deal: the mean over its games and its teams."""
    sums, counts = [0.0] * len(contest.sides), [0] * len(contest.sides)
    for game, seating in zip(result.games, contest.seatings, strict=True):
        for team, side in enumerate(seating, start=1):
            sums[side] += game.score(team, contest.teams)
            counts[side] += 1
    return [total / count for total, count in zip(sums, counts, strict=True)]


@check_arguments
def elo_ratings(names: Sequence[str], points: Mapping[tuple[str, str], tuple[float, int]]) -> dict[str, float]:
    """Return ratings with mean 0 in which 400 points are odds of 10 to 1; all pairs must be connected by games.

    ``points`` has for a pair the points of its first name, and the number of games. The model is that of R. A. Bradley
    and M. E. Terry, Rank analysis of incomplete block designs I, Biometrika 39 (1952); the maximum of the likelihood is
    found as in D. R. Hunter, MM algorithms for generalized Bradley-Terry models, Annals of Statistics 32 (2004). Each
    pair has one drawn game more than it has played, so that a bot that wins every game has a finite rating.

    >>> ratings = elo_ratings(["a", "b"], {("a", "b"): (10_000 * 10 / 11, 10_000)})
    >>> round(ratings["a"] - ratings["b"])
    400
    """
    wins, games = dict.fromkeys(names, 0.0), dict[tuple[str, str], int]()
    for (first, second), (won, played) in points.items():
        wins[first] += won + 0.5
        wins[second] += played - won + 0.5
        games[first, second] = games[second, first] = played + 1
    strength = dict.fromkeys(names, 1.0)
    for _ in range(RATING_ROUNDS):
        before = dict(strength)
        for name in names:
            meetings = (
                count / (strength[name] + strength[other]) for (one, other), count in games.items() if one == name
            )
            strength[name] = wins[name] / total if (total := sum(meetings)) else 1.0
        if all(abs(strength[name] - before[name]) <= RATING_EXACT * strength[name] for name in names):
            break
    ratings = {name: 400 * log10(strength[name]) for name in names}
    middle = sum(ratings.values()) / len(ratings)
    return {name: rating - middle for name, rating in ratings.items()}


def _play(game: ArenaGame, entrants: Sequence[Bot | Program]) -> ArenaResult:
    """Play to the end, or until a bot fails. ``entrants`` are by seat."""
    bots = [each for each in entrants if not isinstance(each, Program)]
    if len(bots) < len(entrants):
        from seqp2p.arena.programs import play_with_programs  # what bots alone need not wait for

        return play_with_programs(game, entrants)
    clock = time.thread_time  # The processor's: other work on the machine is not the bot's.
    try:
        while seat := game.turn:
            seen, begun = game.view(seat), clock()
            game.take(bots[seat - 1].choose(seen), clock() - begun)
    except BotFault as failure:
        return game.counted(failure)
    return game.counted()


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

    @check_arguments
    def __init__(self, contests: Sequence[Contest], deals: int, until: float | None = None) -> None:
        if deals < 1:
            raise ValueError(f"deals must be at least 1, not {deals}")
        if until is not None and not 0 <= until <= 1:
            raise ValueError(f"until is a share, 0 to 1, or None, not {until}")
        self.contests = tuple(contests)
        self.deals = deals
        self.until = until
        self.tallies = [Tally(contest) for contest in contests]
        self._handed_out = [0] * len(self.contests)

    def next(self) -> tuple[int, int] | None:
        """Return the number of a contest and the deal that it plays next, None if none is left to hand out.

        The contests take turns, so an early end leaves all with the same number of deals.
        """
        going = [each for each, out in enumerate(self._handed_out) if out < self.deals and not self._is_decided(each)]
        if not going:
            return None
        number = min(going, key=self._handed_out.__getitem__)
        self._handed_out[number] += 1
        return number, self._handed_out[number] - 1

    @check_arguments
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

    def _is_decided(self, number: int) -> bool:
        tally = self.tallies[number]
        if tally.deals >= self.deals:
            return True
        looked_at = tally.deals >= UNTIL_FIRST and tally.deals % UNTIL_EVERY == 0
        return self.until is not None and looked_at and tally.half_width(0) <= self.until


class WorkerLost(Exception):
    """A process that played games has ended before its time: killed, or out of memory."""


@check_arguments
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
    and the programs. Raises WorkerLost, EntrantError for a class that cannot be imported, and ValueError for no time or
    no ``jobs``.
    """
    checked_jobs(jobs)
    if not 0 < time_s <= TIME_S_MAX:
        raise ValueError(f"time_s must be more than 0 and at most {TIME_S_MAX} seconds, not {time_s}")
    return _played(ladder, seed, jobs, time_s)


def _played(ladder: Ladder, seed: int, jobs: int, time_s: float) -> Generator[DealResult]:
    programs = any(kind_of(bot) == "program" for contest in ladder.contests for bot in contest.bots)
    tasks = ((ladder.contests[number], seed, deal, number, time_s) for number, deal in iter(ladder.next, None))
    if jobs == 1 and not programs:
        yield from filter(ladder.take, starmap(play_deal, tasks))
        return
    with workers(jobs) as pool:
        playing = deque[Future[DealResult]]()
        while True:
            try:
                for task in islice(tasks, DEALS_AHEAD * jobs - len(playing)):
                    with interrupts_deferred():
                        playing.append(pool.submit(play_deal, *task))
                if not playing:
                    return
                result = playing.popleft().result()
            except BrokenProcessPool:
                raise WorkerLost(message("a process that played games has been killed")) from None
            if ladder.take(result):
                yield result
