"""Before the first turn: the dealer, the first seat, and the deal of the shuffled deck."""

from collections.abc import Iterator
from typing import NamedTuple

from seqp2p.i18n import message
from seqp2p.rules.errors import RulesError
from seqp2p.rules.variant import Card, SeatNumber, Variant


class DealerDraw(NamedTuple):
    """The draw for the dealer. If the sheet has no rule for it, there are no rounds, only the dealer."""

    rounds: tuple[tuple[tuple[SeatNumber, Card], ...], ...]
    """The cards turned over, round by round: first by every seat, then by those that tied."""
    dealer: SeatNumber


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
