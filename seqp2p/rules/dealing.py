"""Before the first turn: who deals, who begins, and which card of the shuffled deck goes to whom."""

from collections.abc import Iterator
from typing import NamedTuple

from seqp2p.rules.errors import RulesError
from seqp2p.rules.variant import Card, Seat, Variant
from seqp2p.said import said


class DealerDraw(NamedTuple):
    """How the dealer was found. Where the sheet names no way, there are no rounds and the dealer is simply given."""

    rounds: tuple[tuple[tuple[Seat, Card], ...], ...]
    """The cards turned over, round by round: first by every seat, then by those that tied."""
    dealer: Seat


def dealer_draw(variant: Variant, players: int, cards: Iterator[Card]) -> DealerDraw:
    """Every player turns a card over, the lowest deals, aces are high, and the players who tie turn again.

    ``cards`` are those of a shuffled deck, in the order in which they are turned over (sheets 000 and 002).
    RulesError if the variant does not choose its dealer by cards, or if the cards do not decide it.
    """
    if not variant.ranks:
        raise RulesError(said("{game} draws no cards for the dealer: choose a seat by lot", game=variant.title))
    rounds: list[tuple[tuple[Seat, Card], ...]] = []
    tied: list[Seat] = list(range(1, players + 1))
    while len(tied) > 1:
        turned = tuple(zip(tied, cards, strict=False))
        if len(turned) < len(tied):
            raise RulesError(said("the cards have run out before one player had the lowest: shuffle and draw again"))
        rounds.append(turned)
        lowest = min(variant.ranks[card] for _, card in turned)
        tied = [seat for seat, card in turned if variant.ranks[card] == lowest]
    return DealerDraw(tuple(rounds), tied[0])


def first_seat(players: int, dealer: Seat) -> Seat:
    """The seat that begins: the one to the left of the dealer."""
    return dealer % players + 1


def deal_order(players: int, dealer: Seat, hand: int) -> tuple[Seat, ...]:
    """The seat that gets position 0, 1, 2 … of the deck: one card at a time, beginning to the left of the dealer.

    >>> deal_order(3, 1, 2)
    (2, 3, 1, 2, 3, 1)
    """
    return tuple((dealer + position) % players + 1 for position in range(players * hand))
