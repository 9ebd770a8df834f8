"""Contests: the bots of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from seqp2p.i18n import message
from seqp2p.rules import KNOWN_VARIANTS, Options, RulesError, check_table, default_teams

USUAL: Final = Options()


@dataclass(frozen=True, slots=True)
class Contest:
    """A table and its bots; build it with ``make_contest``."""

    variant: str
    players: int
    teams: int
    options: Options
    bots: tuple[str, ...]
    """By seat, names of ``BOTS``."""

    def bots_of(self, team: int) -> tuple[str, ...]:
        """The bots of a team (from 1), each name once."""
        return tuple(dict.fromkeys(self.bots[team - 1 :: self.teams]))


def make_contest(
    bots: Sequence[str],
    variant: str = "classic",
    players: int | None = None,
    teams: int | None = None,
    options: Options = USUAL,
) -> Contest:
    """Return the contest of these bots, named one for each seat, or one for each team and repeated round the table.

    Without ``players`` there is a seat for each bot; without ``teams`` there are as many as usual, or as many as bots
    are named if the players can form so many. Raises RulesError with the reason if these bots cannot sit down.
    """
    rules, named = KNOWN_VARIANTS[variant], len(bots)
    players = named if players is None else players
    usual = default_teams(rules, players)
    if teams is None:
        choices = next(size.teams for size in rules.sizes if size.players == players)
        teams = named if named in choices and named != players else usual
    check_table(rules, players, teams, options)
    if named not in (players, teams):
        ways = message("{players} (one for each seat)", players=players)
        if teams != players:
            ways = message("{players} (one for each seat) or {teams} (one for each team)", players=players, teams=teams)
        bots_are = message("1 bot is") if named == 1 else message("{count} bots are", count=named)
        raise RulesError(
            message(
                "{bots_are} named for {players} players in {teams} teams: name {ways}",
                bots_are=bots_are,
                players=players,
                teams=teams,
                ways=ways,
            )
        )
    return Contest(variant, players, teams, options, tuple(bots) * (players // named))
