"""Counts over many games. They are whole numbers, so the order of the games does not matter."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from seqp2p.arena.game import ArenaResult
from seqp2p.rules import Team

_NOBODY: Team = 0
Z_95 = 1.959964
"""95 % of a normal distribution lie within so many standard deviations of its mean."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums over a number of games."""

    games: int
    turns: int
    wins: tuple[int, ...]
    """In team order."""
    first_mover_wins: int
    draws: int
    reshuffled: int
    """Games in which the discards became the pile at least once."""
    passes: int
    exchanges: int

    @classmethod
    def of(cls, teams: int, results: Iterable[ArenaResult] = ()) -> "Tally":
        """The tally of these games between so many teams."""
        played = tuple(results)
        won = [result.winner for result in played]
        return cls(
            games=len(played),
            turns=sum(result.turns for result in played),
            wins=tuple(won.count(team) for team in range(1, teams + 1)),
            first_mover_wins=sum(result.winner == result.first_team for result in played),
            draws=won.count(_NOBODY),
            reshuffled=sum(result.reshuffles > 0 for result in played),
            passes=sum(result.passes for result in played),
            exchanges=sum(result.exchanges for result in played),
        )

    def __add__(self, other: "Tally") -> "Tally":
        """Both together; they are of one contest."""
        return Tally(
            games=self.games + other.games,
            turns=self.turns + other.turns,
            wins=tuple(mine + theirs for mine, theirs in zip(self.wins, other.wins, strict=True)),
            first_mover_wins=self.first_mover_wins + other.first_mover_wins,
            draws=self.draws + other.draws,
            reshuffled=self.reshuffled + other.reshuffled,
            passes=self.passes + other.passes,
            exchanges=self.exchanges + other.exchanges,
        )

    @property
    def decided(self) -> int:
        """The games with a winner."""
        return self.games - self.draws


def wilson(count: int, games: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share seen ``count`` times in ``games`` games (Wilson's score interval).

    E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927). Without games
    it is everything from 0 to 1.

    >>> tuple(round(bound, 3) for bound in wilson(0, 10))
    (0.0, 0.278)
    >>> tuple(round(bound, 3) for bound in wilson(525, 1000))
    (0.494, 0.556)
    """
    if not games:
        return 0.0, 1.0
    share, weight = count / games, Z_95 * Z_95 / games
    middle = (share + weight / 2) / (1 + weight)
    half = Z_95 / (1 + weight) * sqrt(share * (1 - share) / games + weight / (4 * games))
    return middle - half if count else 0.0, middle + half if count < games else 1.0
