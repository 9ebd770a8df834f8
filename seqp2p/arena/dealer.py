"""The cards of one game, dealt step by step, for players that are slower than the bots of this program."""

import random

from seqp2p.rules import UNKNOWN, Action, Options, SeatNumber, Variant, apply, hand_size, new_pile, reveal, start


class Dealer:
    """Holds the cards. ``position`` knows all hands: show a seat its view of it, nothing else."""

    def __init__(
        self, variant: Variant, players: int, teams: int, options: Options, first: SeatNumber, cards: random.Random
    ) -> None:
        """Shuffle and deal; ``first`` moves first. Raises RulesError where these cannot sit down."""
        size = hand_size(variant, players)
        deck = list(variant.deck)
        cards.shuffle(deck)
        hands = [deck[seat * size : (seat + 1) * size] for seat in range(players)]
        self._cards = cards
        self._pile = deck[players * size :]  # the next card last
        self.position = start(variant, players, teams, options, first, hands)

    def play(self, action: Action) -> None:
        """The seat to move does this, and draws if it is to; raises RulesError where it may not."""
        before = self.position
        after = apply(before, action, self._pile[-1] if self._pile else UNKNOWN)
        if after.reshuffles > before.reshuffles:
            self._pile += new_pile(before, action)
            self._cards.shuffle(self._pile)
            after = reveal(after, before.to_move, self._pile[-1:])
        if after.draws > before.draws:
            self._pile.pop()
        self.position = after
