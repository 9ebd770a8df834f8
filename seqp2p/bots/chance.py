"""The chance of each team to win, in a position with all hands known.

A team has a rating, a sum of terms: for the values of its seats after their best actions and after a pass, for squares
and products of these, and for a win that is possible at once. The weights depend on how soon the turn of the team
comes. Values are those of ``learned``, each by the seat's own hand. The chances of the teams are in proportion to the
exponentials of their ratings (R. D. Luce, Individual Choice Behavior, 1959). The weights were fitted to games by
``tools.calibrate``: docs/decisions/0023-chances.md.
"""

from collections.abc import Mapping, Sequence
from decimal import Context, Decimal, localcontext
from itertools import accumulate, pairwise
from operator import mul
from typing import Final, NamedTuple, TypeAlias

from seqp2p.bots.learned import WIN_AT_LEAST, Outlook, worth_comparing
from seqp2p.bots.value import SCALE, SCALE_BITS, Weights
from seqp2p.rules import Action, Position, Team, team_of, view
from seqp2p.rules.position import next_seat

CERTAIN: Final = 1000
"""Chances are in thousandths, and weights too."""
ROUNDING: Final = Context(prec=28)
"""Decimals are rounded alike on every machine, and in every script."""
VALUE_MAX: Final = 3 * SCALE
"""A chance of 95 %: what is above tells no more."""
FINE: Final = 10**9

Chances: TypeAlias = tuple[int, ...]
"""By team, in thousandths; the sum is CERTAIN."""


class Prospect(NamedTuple):
    """The values that a seat can reach: logits in units of 1/SCALE, at most VALUE_MAX."""

    best: int
    """After its best action, were it to move; VALUE_MAX if that wins."""
    passed: int
    wins: bool
    """True if it can win at once, were it to move."""


class Standing(NamedTuple):
    """The standing of a team."""

    soon: int
    """0 for the team that is to move, 1 for the next one …"""
    seats: Sequence[Prospect]
    """What each of its seats can reach, in the order of their turns."""


class Terms(NamedTuple):
    """The terms of a rating, or their weights. Of values, and of their products, they are means over the seats."""

    constant: int
    best: int
    passed: int
    best_squared: int
    product: int
    passed_squared: int
    wins: int
    """Of the seat that moves first."""
    partner_wins: int = 0
    """Of any other seat."""


class Kind(NamedTuple):
    """The tables that share weights: those with the same teams, of one player each or of more."""

    variant: str
    teams: int
    partners: bool


FITS: Final[Mapping[Kind, Sequence[Terms]]] = {
    Kind("classic", 2, partners=False): (
        Terms(64, 1375, -945, -68, 222, -37, 3679),
        Terms(-64, 1037, -465, -142, 275, -12, 1525),
    ),
    Kind("classic", 3, partners=False): (
        Terms(14, 1463, -546, 209, -95, 21, 1313),
        Terms(19, 1173, -215, 24, -74, 165, -1365),
        Terms(-33, 982, -55, -47, 88, 77, -1029),
    ),
    Kind("kids", 2, partners=False): (
        Terms(116, 1141, -565, 145, -45, 4, 2780),
        Terms(-116, 941, -302, -63, 90, 123, 446),
    ),
    Kind("kids", 3, partners=False): (
        Terms(162, 1023, -207, 247, -204, 61, 2475),
        Terms(9, 1018, -167, 81, 13, 23, -1110),
        Terms(-172, 926, -39, -10, 82, 60, -1139),
    ),
    Kind("kids", 4, partners=False): (
        Terms(169, 1003, -31, 266, -365, 170, 1694),
        Terms(47, 1105, -178, 36, 40, -12, -1545),
        Terms(-84, 1080, -163, 9, 103, -43, -1859),
        Terms(-132, 852, 116, -21, 40, 54, -1461),
    ),
    Kind("classic", 2, partners=True): (
        Terms(82, 2474, -1907, -260, 427, 55, 4441, 810),
        Terms(-82, 2117, -1546, -301, 463, 94, 1881, 556),
    ),
    Kind("classic", 3, partners=True): (
        Terms(25, 2631, -1222, -46, 273, 100, 4070, -1851),
        Terms(9, 2052, -677, 36, -53, 355, -681, -1785),
        Terms(-34, 1602, -237, -71, -157, 568, -302, -1057),
    ),
}
"""The weights by ``Standing.soon``."""


def chances(position: Position, weights: Weights) -> Chances:
    """Return the chances of all teams, with ``weights`` of ``learned``. A drawn game is worth the same to all."""
    if position.over:
        teams = range(1, position.teams + 1)
        return shared(CERTAIN, [not position.winner or team == position.winner for team in teams])
    kind = Kind(position.variant.name, position.teams, partners=position.players > position.teams)
    return chances_of(kind, standings(position, weights))


def chances_of(kind: Kind, standings: Mapping[Team, Standing]) -> Chances:
    """Return the chances in a game that goes on. A team without a standing has left it."""
    ratings = {team: sum(map(mul, FITS[kind][each.soon], terms_of(each))) for team, each in standings.items()}
    with localcontext(ROUNDING):
        rated = {team: (Decimal(rating) / (CERTAIN * SCALE)).exp() for team, rating in ratings.items()}
        whole = sum(rated.values())
        return shared(CERTAIN, [int(FINE * rated.get(team, 0) / whole) for team in range(1, kind.teams + 1)])


def standings(position: Position, weights: Weights) -> Mapping[Team, Standing]:
    """Return how the teams that still play stand, the one to move first."""
    players, pending, by_team = position.players, position.pending, dict[Team, list[Prospect]]()
    has_moved = pending is not None and (pending.phase == "draw" or pending.passed)
    begins = next_seat(position) if has_moved else position.mover
    seats = ((begins + n - 1) % players + 1 for n in range(players))
    for seat in (seat for seat in seats if seat in position.staying):
        seen = view(position._replace(to_move=seat, pending=None), seat)
        value = Outlook(seen, weights).value
        best, passed = max(map(value, worth_comparing(seen))), value(Action("pass"))
        prospect = Prospect(_limited(best), _limited(passed), best >= WIN_AT_LEAST)
        by_team.setdefault(team_of(seat, position.teams), []).append(prospect)
    return {team: Standing(soon, prospects) for soon, (team, prospects) in enumerate(by_team.items())}


def terms_of(standing: Standing) -> Terms:
    """Return the terms of the rating, in units of 1/SCALE."""
    bests, passes, wins = zip(*standing.seats, strict=True)
    n = len(bests)
    return Terms(
        constant=SCALE,
        best=sum(bests) // n,
        passed=sum(passes) // n,
        best_squared=sum(map(mul, bests, bests)) // (n * SCALE),
        product=sum(map(mul, bests, passes)) // (n * SCALE),
        passed_squared=sum(map(mul, passes, passes)) // (n * SCALE),
        wins=SCALE * wins[0],
        partner_wins=SCALE * any(wins[1:]),
    )


def own_chance(value: int) -> int:
    """Return the chance that is the logit ``value``, in units of 1/SCALE², in thousandths."""
    with localcontext(ROUNDING):
        return int(CERTAIN / (1 + (Decimal(-value) / (SCALE * SCALE)).exp()))


def _limited(value: int) -> int:
    return max(-VALUE_MAX, min(value >> SCALE_BITS, VALUE_MAX))


def shared(whole: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Return the shares of a whole number in proportion to weights, which are not all 0; the sum is the whole.

    >>> shared(1000, [1, 1, 1]), shared(600, [0, 4, 1])
    ((333, 333, 334), (0, 480, 120))
    """
    total = sum(weights)
    marks = [whole * mark // total for mark in accumulate(weights, initial=0)]
    return tuple(after - before for before, after in pairwise(marks))
