"""Contests: the bots of a table, and the ways in which they can sit down."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Final

from seqp2p.arena.entrants import EntrantError, kind_of
from seqp2p.arguments import check_arguments
from seqp2p.bots.registry import why_no_bot
from seqp2p.i18n import message
from seqp2p.rules import Options, RulesError, check_table, default_teams
from seqp2p.rules.notation import variant_named

USUAL: Final = Options()
TWO_TEAMS: Final = 2


@dataclass(frozen=True, slots=True)
class Contest:
    """A table and its bots; build it with ``make_contest``."""

    variant: str
    players: int
    teams: int
    options: Options
    bots: tuple[str, ...]
    """Names, one for each team (``entrants``)."""

    @property
    def is_mirrored(self) -> bool:
        """True if a deal has more than one seating: the bots are not all the same."""
        return len(set(self.bots)) > 1

    @property
    def sides(self) -> tuple[str, ...]:
        """The bots that are compared: each name once, or the teams if all bots are the same.

        >>> make_contest(["learned", "greedy", "greedy"], players=3).sides
        ('learned', 'greedy')
        >>> make_contest(["random", "random"]).sides
        ('random', 'random')
        """
        return tuple(dict.fromkeys(self.bots)) if self.is_mirrored else self.bots

    @property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """The seatings of a deal: each has by team the number of its side.

        >>> make_contest(["learned", "greedy"], players=4).seatings
        ((0, 1), (1, 0))
        >>> make_contest(["learned", "greedy", "greedy"], players=3).seatings
        ((0, 1, 1), (1, 0, 1), (1, 1, 0))
        """
        if not self.is_mirrored:
            return (tuple(range(self.teams)),)
        return tuple(dict.fromkeys(permutations(self.sides.index(bot) for bot in self.bots)))


@check_arguments
def make_contest(
    bots: Sequence[str], variant: str = "classic", players: int = 2, teams: int | None = None, options: Options = USUAL
) -> Contest:
    """Return the contest of these bots, one for each team; the players of a team are of one kind.

    Without ``teams`` there are as many as usual. Raises RulesError with the reason if these bots cannot sit down,
    EntrantError for a bot that there is not.
    """
    rules = variant_named(variant)
    teams = default_teams(rules, players) if teams is None else teams
    check_table(rules, players, teams, options)
    if len(bots) != teams:
        table = {"players": players, "teams": teams}
        raise RulesError(message("{players} players form {teams} teams: name {teams} bots, one for each team", **table))
    for bot in bots:
        if kind_of(bot) == "bot" and (reason := why_no_bot(bot)):
            raise EntrantError(reason)
    return Contest(variant, players, teams, options, tuple(bots))


@check_arguments
def round_robin(
    bots: Sequence[str], variant: str = "classic", players: int = 2, teams: int | None = None, options: Options = USUAL
) -> tuple[Contest, ...]:
    """Return the contests of all pairs of these bots, or the one contest of a table with more than two teams.

    Raises the errors of ``make_contest``.

    >>> [contest.bots for contest in round_robin(["learned", "greedy", "random"])]
    [('learned', 'greedy'), ('learned', 'random'), ('greedy', 'random')]
    """
    teams = default_teams(variant_named(variant), players) if teams is None else teams
    if teams != TWO_TEAMS or len(bots) <= TWO_TEAMS:
        return (make_contest(bots, variant, players, teams, options),)
    twice = next((bot for number, bot in enumerate(bots) if bot in bots[:number]), None)
    if twice is not None:
        raise RulesError(message("the bot {bot} is named twice", bot=twice))
    return tuple(make_contest(pair, variant, players, teams, options) for pair in combinations(bots, TWO_TEAMS))
