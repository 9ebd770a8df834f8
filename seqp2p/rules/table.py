"""Tables: sizes, teams and options; and what comes before the first turn: the dealer, the first seat, the deal."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from seqp2p.i18n import any_of, listed, message
from seqp2p.rules.actions import RulesError
from seqp2p.rules.lookup import Lookup, NearLines, lookup
from seqp2p.rules.variant import RULE_OPTIONS, Card, Options, SeatNumber, TableSize, Team, Variant


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


class DealerDraw(NamedTuple):
    """The draw for the dealer. If the sheet has no rule for it, there are no rounds, only the dealer."""

    rounds: tuple[tuple[tuple[SeatNumber, Card], ...], ...]
    """The cards turned over, round by round: first by every seat, then by those that tied."""
    dealer: SeatNumber


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


def check_table(variant: Variant, players: int, teams: int, options: Options) -> None:
    """Raise RulesError with the reason if these players in these teams cannot play the variant with these options."""
    size = _size(variant, players)
    if teams not in size.teams:
        allowed = any_of(map(str, size.teams))
        values = {"players": players, "game": variant.title, "allowed": allowed, "teams": teams}
        if size.teams == (players,):
            why = message("{players} players of {game} form {allowed} teams, one player each, not {teams}", **values)
            raise RulesError(why)
        raise RulesError(message("{players} players of {game} form {allowed} teams, not {teams}", **values))
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


def dealer_draw(variant: Variant, players: int, cards: Iterator[Card]) -> DealerDraw:
    """Return the draw: every player turns a card over, the lowest deals, aces are high, players who tie turn again.

    ``cards`` are those of a shuffled deck, in the order in which they are turned over (sheets 000 and 002).
    RulesError if the variant does not choose its dealer by cards, or if the cards do not decide it.
    """
    if not variant.ranks:
        raise RulesError(message("{game} draws no cards for the dealer: choose a seat by lot", game=variant.title))
    rounds: list[tuple[tuple[SeatNumber, Card], ...]] = []
    tied: list[SeatNumber] = list(range(1, players + 1))
    while len(tied) > 1:
        turned = tuple(zip(tied, cards, strict=False))
        if len(turned) < len(tied):
            raise RulesError(message("the cards have run out before one player had the lowest: shuffle and draw again"))
        rounds.append(turned)
        lowest = min(variant.ranks[card] for _, card in turned)
        tied = [seat for seat, card in turned if variant.ranks[card] == lowest]
    return DealerDraw(tuple(rounds), tied[0])


def first_seat(players: int, dealer: SeatNumber) -> SeatNumber:
    """Return the seat that begins: the one to the left of the dealer."""
    return dealer % players + 1


def deal_order(players: int, dealer: SeatNumber, hand: int) -> tuple[SeatNumber, ...]:
    """Return the seats of positions 0, 1, 2 … of the deck: one card at a time, beginning to the left of the dealer.

    >>> deal_order(3, 1, 2)
    (2, 3, 1, 2, 3, 1)
    """
    return tuple((dealer + position) % players + 1 for position in range(players * hand))


def _size(variant: Variant, players: int) -> TableSize:
    for size in variant.sizes:
        if size.players == players:
            return size
    counts = [size.players for size in variant.sizes]
    numbers = any_of([listed(map(str, counts[:-1])), str(counts[-1])])
    values = {"count": players, "game": variant.title, "numbers": numbers}
    if players == 1:
        raise RulesError(message("1 player cannot play: {game} is for {numbers} players", **values))
    if not counts[0] <= players <= counts[-1]:
        raise RulesError(message("{count} players cannot play: {game} is for {numbers} players", **values))
    why = message("{count} players cannot form two or three equal teams: {game} is for {numbers} players", **values)
    raise RulesError(why)
