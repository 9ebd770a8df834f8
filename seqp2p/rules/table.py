"""Tables: sizes, teams and options."""

from dataclasses import dataclass, field
from typing import Any

from seqp2p.i18n import any_of, listed, message
from seqp2p.rules.errors import RulesError
from seqp2p.rules.lookup import Lookup, NearLines, lookup
from seqp2p.rules.options import RULE_OPTIONS, Options
from seqp2p.rules.variant import SeatNumber, TableSize, Team, Variant


def check_table(variant: Variant, players: int, teams: int, options: Options) -> None:
    """Raise RulesError with the reason if these players in these teams cannot play the variant with these options."""
    size = _size(variant, players)
    if teams not in size.teams:
        allowed = any_of(str(count) for count in size.teams)
        game = variant.title
        if size.teams == (players,):
            raise RulesError(
                message(
                    "{players} players of {game} form {allowed} teams, one player each, not {teams}",
                    players=players,
                    game=game,
                    allowed=allowed,
                    teams=teams,
                )
            )
        raise RulesError(
            message(
                "{players} players of {game} form {allowed} teams, not {teams}",
                players=players,
                game=game,
                allowed=allowed,
                teams=teams,
            )
        )
    for row in RULE_OPTIONS:
        if getattr(options, row.field) != row.usual and row.field not in variant.options:
            why = message("{game} has no option {name}: leave it as it is", game=variant.title, name=row.name)
            raise RulesError(why)


def default_teams(variant: Variant, players: int) -> int:
    """Return the usual number of teams for so many players. Raises RulesError if so many cannot play."""
    return _size(variant, players).teams[0]


def hand_size(variant: Variant, players: int) -> int:
    """Return the number of cards dealt to each player. Raises RulesError if so many cannot play."""
    return _size(variant, players).hand


def team_of(seat: SeatNumber, teams: int) -> Team:
    """Return the team of a seat: the teams alternate round the table."""
    return (seat - 1) % teams + 1


def _size(variant: Variant, players: int) -> TableSize:
    for size in variant.sizes:
        if size.players == players:
            return size
    counts = [size.players for size in variant.sizes]
    game, numbers = variant.title, any_of([listed(map(str, counts[:-1])), str(counts[-1])])
    if players == 1:
        raise RulesError(message("1 player cannot play: {game} is for {numbers} players", game=game, numbers=numbers))
    if not counts[0] <= players <= counts[-1]:
        why = message(
            "{count} players cannot play: {game} is for {numbers} players", count=players, game=game, numbers=numbers
        )
        raise RulesError(why)
    why = message(
        "{count} players cannot form two or three equal teams: {game} is for {numbers} players",
        count=players,
        game=game,
        numbers=numbers,
    )
    raise RulesError(why)


@dataclass(frozen=True, slots=True)
class TableRules:
    """The constant part of a game; build it with ``make_table``."""

    variant: Variant
    options: Options
    players: int
    teams: int
    sequences_to_win: int = field(compare=False, repr=False)
    look: Lookup = field(compare=False, repr=False)
    near: tuple[NearLines, ...] = field(compare=False, repr=False)
    """By square: the lines in which a chip placed there can complete a sequence."""

    def __reduce__(self) -> tuple[Any, ...]:
        return make_table, (self.variant, self.players, self.teams, self.options)


def make_table(variant: Variant, players: int, teams: int, options: Options) -> TableRules:
    """Return the table of these players. Raises RulesError with the reason if they cannot play."""
    check_table(variant, players, teams, options)
    look = lookup(variant)
    return TableRules(
        variant=variant,
        options=options,
        players=players,
        teams=teams,
        sequences_to_win=dict(variant.sequences_to_win)[teams],
        look=look,
        near=look.along if options.advanced else look.beside,
    )
