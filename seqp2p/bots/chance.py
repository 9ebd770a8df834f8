"""The chance of each team to win, from a value of ``learned`` and the open table. In whole numbers.

A value is a logit. ``OWN`` makes a chance of it: for each size of table the chance of the seat's own team at the values
``KNOTS``, with a straight line from one to the next. Other teams share the rest by ``SHARES``, in proportion to a
weight for the longest line that each can still complete. Both were fitted to games: docs/decisions/0023-chances.md.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from seqp2p.bots.value import SCALE_BITS
from seqp2p.rules import Position, Team, longest_line, team_of, view

CERTAIN: Final = 1000
"""Chances are in thousandths."""
OUT: Final = -1
"""In place of the length of a line: the team has left the game."""

Chances: TypeAlias = tuple[int, ...]
"""By team, in thousandths; the sum is CERTAIN."""


class TableKind(NamedTuple):
    """Tables with tables of chances of their own."""

    variant: str
    players: int
    teams: int


KNOTS: Final = (-4096, -2560, -1536, -1024, -512, 0, 512, 1024, 1536, 2560, 4096)
"""In units of 1/SCALE: logits from -4 to 4."""
OWN: Final[Mapping[TableKind, tuple[int, ...]]] = MappingProxyType(
    {
        TableKind("classic", 2, 2): (29, 117, 185, 245, 362, 476, 578, 700, 761, 905, 987),
        TableKind("classic", 3, 3): (14, 83, 154, 246, 335, 432, 533, 697, 832, 930, 982),
        TableKind("classic", 4, 2): (13, 63, 189, 255, 351, 500, 574, 716, 803, 918, 985),
        TableKind("classic", 6, 2): (12, 55, 173, 263, 347, 499, 604, 688, 721, 886, 986),
        TableKind("classic", 6, 3): (18, 78, 162, 228, 322, 412, 551, 695, 794, 922, 982),
        TableKind("classic", 8, 2): (19, 80, 159, 237, 351, 486, 602, 719, 807, 926, 984),
        TableKind("classic", 9, 3): (17, 108, 172, 277, 324, 423, 523, 685, 799, 927, 982),
        TableKind("classic", 10, 2): (21, 100, 181, 255, 353, 446, 587, 722, 782, 940, 986),
        TableKind("classic", 12, 2): (16, 67, 198, 289, 381, 499, 609, 703, 777, 921, 976),
        TableKind("classic", 12, 3): (22, 75, 176, 231, 332, 390, 569, 703, 815, 919, 982),
        TableKind("kids", 2, 2): (30, 135, 218, 284, 396, 492, 659, 725, 860, 949, 984),
        TableKind("kids", 3, 3): (20, 92, 199, 256, 324, 471, 624, 752, 833, 928, 982),
        TableKind("kids", 4, 4): (36, 97, 165, 178, 333, 476, 638, 745, 820, 924, 982),
    }
)
"""The chance at each knot."""
SHARES: Final[Mapping[str, tuple[int, ...]]] = MappingProxyType(
    {"classic": (30, 32, 35, 41, 100), "kids": (48, 36, 43, 100)}
)
"""By variant: the weight of a team by the length of its longest line."""


def chances(after: Position, team: Team, value: int) -> Chances:
    """Return the chances of all teams after an action of a team that has this value.

    No hand of ``after`` is read. A drawn game is worth the same to all teams.
    """
    teams = range(1, after.teams + 1)
    if after.winner:
        return tuple(CERTAIN * (each == after.winner) for each in teams)
    if after.over:
        return shared(CERTAIN, [1] * after.teams)
    seen, playing = view(after, 0), {team_of(seat, after.teams) for seat in after.staying}
    lines = [longest_line(seen, each) if each in playing else OUT for each in teams]
    return among(TableKind(after.variant.name, after.players, after.teams), team, value, lines)


def among(kind: TableKind, team: Team, value: int, lines: Sequence[int]) -> Chances:
    """Return the chances in a game that goes on: the lengths of the teams' longest lines are given."""
    known, at = OWN[kind], min(max(value >> SCALE_BITS, KNOTS[0]), KNOTS[-1] - 1)
    low = max(n for n, knot in enumerate(KNOTS) if knot <= at)
    rise, part = known[low + 1] - known[low], at - KNOTS[low]
    own = known[low] + rise * part // (KNOTS[low + 1] - KNOTS[low])
    weights = [0 if line == OUT else SHARES[kind.variant][line] for line in lines]
    weights[team - 1] = 0
    rest = shared(CERTAIN - own, weights)
    return (*rest[: team - 1], own, *rest[team:])


def shared(whole: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Return the shares of a whole number in proportion to weights, which are not all 0; the sum is the whole.

    >>> shared(1000, [1, 1, 1]), shared(600, [0, 4, 1])
    ((333, 333, 334), (0, 480, 120))
    """
    total = sum(weights)
    marks = [whole * mark // total for mark in accumulate(weights, initial=0)]
    return tuple(after - before for before, after in pairwise(marks))
