"""The chance of each team to win, in a position of which all hands are known.

A team has a rating, a sum of terms: for the values of its seats after the best action and after a pass, and for a win
that is possible at once. Their weights depend on how soon the turn of the team comes. Values are those of ``learned``,
each by the seat's own hand. The chances of the teams are in proportion to the exponentials of their ratings (R. D.
Luce, Individual Choice Behavior, 1959). Then they are bent, for a sum of terms misses what happens between two teams.
All weights were fitted to games by ``tools.calibrate``: docs/decisions/0023-chances.md.
"""

from collections.abc import Mapping, Sequence
from decimal import Context, Decimal, localcontext
from itertools import accumulate, pairwise
from typing import Final, NamedTuple, TypeAlias

from seqp2p.bots.learned import WIN_AT_LEAST, Outlook, worth_comparing
from seqp2p.bots.value import SCALE, SCALE_BITS, Weights
from seqp2p.rules import Action, Position, Team, team_of, view
from seqp2p.rules.position import next_seat

CERTAIN: Final = 1000
"""Chances are in thousandths, and weights too."""
ROUNDING: Final = Context(prec=28)
"""Decimals are rounded alike on every machine, and in every script."""
VALUE_MAX: Final = 8 * SCALE
FINE: Final = 10**9
LEAST: Final = Decimal("0.001")
"""Smaller chances are bent as this one."""

Chances: TypeAlias = tuple[int, ...]
"""By team, in thousandths; the sum is CERTAIN."""


class Standing(NamedTuple):
    """The standing of a team. Values are logits in units of 1/SCALE, at most VALUE_MAX."""

    soon: int
    """0 for the team that is to move, 1 for the next one …"""
    best: int
    """After the best action of a seat, of its seats the mean; VALUE_MAX if that wins."""
    passed: int
    """After a pass, of its seats the mean."""
    wins: bool
    """True if its seat that moves first can win at once, were it to move."""
    partner_wins: bool = False
    """True if another of its seats can."""


class Terms(NamedTuple):
    """The weights of a team that moves so soon."""

    constant: int
    best: int
    passed: int
    wins: int
    partner_wins: int = 0


class Kind(NamedTuple):
    """The tables that share weights: those with the same teams, of one player each or of more."""

    variant: str
    teams: int
    partners: bool


class Fit(NamedTuple):
    """The weights that were fitted to the games of a kind."""

    terms: Sequence[Terms]
    """By ``Standing.soon``."""
    bend: tuple[int, int, int]
    """The weights of the logarithm of a chance, of its square and its cube, in the rating that replaces the first."""


FITS: Final[Mapping[Kind, Fit]] = {
    Kind("classic", 2, partners=False): Fit(
        (Terms(48, 1311, -908, 406), Terms(-48, 807, -218, -2044)), (2240, 928, 156)
    ),
    Kind("classic", 2, partners=True): Fit((Terms(114, 326, 106, 3494), Terms(-114, 232, 418, 491)), (2504, 1228, 244)),
    Kind("classic", 3, partners=False): Fit(
        (Terms(-1, 1396, -585, 29), Terms(3, 1064, -279, -6112), Terms(-2, 715, 69, -4199)), (2067, 685, 115)
    ),
    Kind("classic", 3, partners=True): Fit(
        (Terms(97, 283, 617, 3494), Terms(-21, 274, 569, -383), Terms(-76, 153, 764, -340)), (1370, 209, 27)
    ),
    Kind("kids", 2, partners=False): Fit((Terms(57, 1206, -616, 262), Terms(-57, 693, -58, -2586)), (559, -231, -8)),
    Kind("kids", 3, partners=False): Fit(
        (Terms(126, 1077, -340, 581), Terms(-8, 936, -222, -4738), Terms(-118, 725, 34, -4146)), (1987, 533, 66)
    ),
    Kind("kids", 4, partners=False): Fit(
        (
            Terms(112, 1132, -269, 239),
            Terms(46, 927, -121, -5340),
            Terms(-36, 808, -1, -5109),
            Terms(-122, 700, 125, -4663),
        ),
        (1850, 413, 48),
    ),
}


def chances(position: Position, weights: Weights) -> Chances:
    """Return the chances of all teams, with ``weights`` of ``learned``. A drawn game is worth the same to all."""
    if position.over:
        teams = range(1, position.teams + 1)
        return shared(CERTAIN, [not position.winner or team == position.winner for team in teams])
    kind = Kind(position.variant.name, position.teams, partners=position.players > position.teams)
    return chances_of(kind, standings(position, weights))


def chances_of(kind: Kind, standings: Mapping[Team, Standing]) -> Chances:
    """Return the chances in a game that goes on. A team without a standing has left it."""
    terms, bend = FITS[kind]
    with localcontext(ROUNDING):
        rated = {team: _rating(terms, standing).exp() for team, standing in standings.items()}
        whole = sum(rated.values())
        bent = {team: _bent(bend, share / whole).exp() for team, share in rated.items()}
    return shared(CERTAIN, [int(FINE * bent.get(team, 0)) for team in range(1, kind.teams + 1)])


def standings(position: Position, weights: Weights) -> Mapping[Team, Standing]:
    """Return how the teams that still play stand, the one to move first."""
    players, pending, by_team = position.players, position.pending, dict[Team, list[tuple[int, int, bool]]]()
    has_moved = pending is not None and (pending.phase == "draw" or pending.passed)
    begins = next_seat(position) if has_moved else position.mover
    seats = ((begins + n - 1) % players + 1 for n in range(players))
    for seat in (seat for seat in seats if seat in position.staying):
        seen = view(position._replace(to_move=seat, pending=None), seat)
        value = Outlook(seen, weights).value
        best, passed = max(map(value, worth_comparing(seen))), value(Action("pass"))
        of_team = by_team.setdefault(team_of(seat, position.teams), [])
        of_team.append((_limited(best), _limited(passed), best >= WIN_AT_LEAST))
    found = dict[Team, Standing]()
    for soon, (team, of_team) in enumerate(by_team.items()):
        bests, passes, wins = zip(*of_team, strict=True)
        means = sum(bests) // len(bests), sum(passes) // len(passes)
        found[team] = Standing(soon, *means, wins=wins[0], partner_wins=any(wins[1:]))
    return found


def own_chance(value: int) -> int:
    """Return the chance that is the logit ``value``, in units of 1/SCALE², in thousandths."""
    with localcontext(ROUNDING):
        return int(CERTAIN / (1 + (Decimal(-value) / (SCALE * SCALE)).exp()))


def _limited(value: int) -> int:
    return max(-VALUE_MAX, min(value >> SCALE_BITS, VALUE_MAX))


def _rating(terms: Sequence[Terms], standing: Standing) -> Decimal:
    of = terms[standing.soon]
    win = of.wins * standing.wins + of.partner_wins * standing.partner_wins
    linear = of.best * standing.best + of.passed * standing.passed + (of.constant + win) * SCALE
    return Decimal(linear) / (CERTAIN * SCALE)


def _bent(bend: Sequence[int], chance: Decimal) -> Decimal:
    logarithm = max(chance, LEAST).ln()
    return sum((weight * logarithm**power for power, weight in enumerate(bend, 1)), Decimal()) / CERTAIN


def shared(whole: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Return the shares of a whole number in proportion to weights, which are not all 0; the sum is the whole.

    >>> shared(1000, [1, 1, 1]), shared(600, [0, 4, 1])
    ((333, 333, 334), (0, 480, 120))
    """
    total = sum(weights)
    marks = [whole * mark // total for mark in accumulate(weights, initial=0)]
    return tuple(after - before for before, after in pairwise(marks))
