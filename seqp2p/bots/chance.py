"""The chance of each team to win, in a position of which all hands are known.

A team has a rating, a sum of terms: for the best value of an action of its next seat, and for the mean value of its
seats. Their weights depend on how soon the turn of the team comes. Values are those of ``learned``, each by the seat's
own hand. The chances of the teams are in proportion to the exponentials of their ratings (R. D. Luce, Individual Choice
Behavior, 1959). The weights were fitted to games by ``tools.calibrate``: docs/decisions/0023-chances.md.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from seqp2p.bots.learned import WIN_AT_LEAST, Outlook, worth_comparing
from seqp2p.bots.value import SCALE, SCALE_BITS, Weights
from seqp2p.rules import Action, Position, Team, team_of, view

CERTAIN: Final = 1000
"""Chances are in thousandths, and weights too."""
VALUE_MAX: Final = 8 * SCALE
FINE: Final = 10**9

Chances: TypeAlias = tuple[int, ...]
"""By team, in thousandths; the sum is CERTAIN."""


class Standing(NamedTuple):
    """How a team stands. Values are logits in units of 1/SCALE, at most VALUE_MAX."""

    soon: int
    """0 for the team that is to move, 1 for the next one …"""
    best: int
    """After the best action of its seat that moves first; VALUE_MAX if that wins."""
    mean: int
    """Of its seats, after a pass."""
    wins: bool
    """True if that seat can win at once, were it to move."""


class Terms(NamedTuple):
    """The weights of a team that moves so soon."""

    constant: int
    best: int
    mean: int
    wins: int


TERMS: Final[Mapping[tuple[str, int], Sequence[Terms]]] = MappingProxyType(
    {
        ("classic", 2): (
            Terms(97, 511, -171, 2283),
            Terms(-97, 276, 429, 280),
        ),
        ("classic", 3): (
            Terms(54, 512, 284, 1710),
            Terms(-2, 363, 396, -1249),
            Terms(-51, 247, 550, -969),
        ),
        ("kids", 2): (
            Terms(57, 1206, -616, 262),
            Terms(-57, 693, -58, -2586),
        ),
        ("kids", 3): (
            Terms(130, 1050, -290, 442),
            Terms(-4, 894, -153, -4521),
            Terms(-125, 692, 78, -3926),
        ),
        ("kids", 4): (
            Terms(95, 1127, -289, 163),
            Terms(17, 866, -82, -4791),
            Terms(-8, 773, 26, -4777),
            Terms(-104, 636, 174, -4139),
        ),
    }
)
"""By variant and number of teams, by ``Standing.soon``."""


def chances(position: Position, weights: Weights) -> Chances:
    """Return the chances of all teams, with ``weights`` of ``learned``. A drawn game is worth the same to all."""
    if position.over:
        teams = range(1, position.teams + 1)
        return shared(CERTAIN, [not position.winner or team == position.winner for team in teams])
    return chances_of(position.variant.name, standings(position, weights), position.teams)


def chances_of(variant: str, standings: Mapping[Team, Standing], teams: int) -> Chances:
    """Return the chances in a game that goes on. A team without a standing has left it."""
    terms = TERMS[variant, teams]
    ratings = (_share(terms, standings[team]) if team in standings else 0 for team in range(1, teams + 1))
    return shared(CERTAIN, list(ratings))


def standings(position: Position, weights: Weights) -> Mapping[Team, Standing]:
    """Return how the teams that still play stand, the one to move first."""
    players, by_team = position.players, dict[Team, list[int]]()
    seats = ((position.to_move + n - 1) % players + 1 for n in range(players))
    first = dict[Team, int]()
    for seat in (seat for seat in seats if seat in position.staying):
        team, seen = team_of(seat, position.teams), view(position._replace(to_move=seat, pending=None), seat)
        outlook = Outlook(seen, weights)
        if team not in first:
            first[team] = max(map(outlook.value, worth_comparing(seen)))
        by_team.setdefault(team, []).append(outlook.value(Action("pass")))
    return {
        team: Standing(soon, _limited(first[team]), _limited(sum(values) // len(values)), first[team] >= WIN_AT_LEAST)
        for soon, (team, values) in enumerate(by_team.items())
    }


def own_chance(value: int) -> int:
    """Return the chance that is the logit ``value``, in units of 1/SCALE², in thousandths."""
    return int(CERTAIN / (1 + (Decimal(-value) / (SCALE * SCALE)).exp()))


def _limited(value: int) -> int:
    return max(-VALUE_MAX, min(value >> SCALE_BITS, VALUE_MAX))


def _share(terms: Sequence[Terms], standing: Standing) -> int:
    """Return the exponential of a rating, in units of 1/FINE. Decimals are rounded alike on every machine."""
    of = terms[standing.soon]
    linear = of.best * standing.best + of.mean * standing.mean + (of.constant + of.wins * standing.wins) * SCALE
    return int(FINE * (Decimal(linear) / (CERTAIN * SCALE)).exp())


def shared(whole: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Return the shares of a whole number in proportion to weights, which are not all 0; the sum is the whole.

    >>> shared(1000, [1, 1, 1]), shared(600, [0, 4, 1])
    ((333, 333, 334), (0, 480, 120))
    """
    total = sum(weights)
    marks = [whole * mark // total for mark in accumulate(weights, initial=0)]
    return tuple(after - before for before, after in pairwise(marks))
