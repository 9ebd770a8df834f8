"""The place of every card, as ciphertexts: the pile in its order, the hands as deck positions, the discards by card.

A *deck position* numbers one ciphertext of one shuffled deck. No position is used twice in a game, so a reshuffle's
begin where the last deck's ended. A *physical card* is an index into the variant's deck.

    fresh ──shuffle by every seat──▶ pile ──shares of all but the holder──▶ hand ──the holder's share──▶ discards
      ▲                                                                                                     │
      └───────────────────────────────────── reshuffle, when the pile is used up ────────────────────────────┘
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field

from seqp2p.crypto.elgamal import Ciphertext, card_points, fresh_deck
from seqp2p.crypto.group import Point, sub, sum_points
from seqp2p.i18n import message
from seqp2p.match.errors import Refusal
from seqp2p.rules import Card, Variant


@dataclass
class Deck:
    """The cards of one game. Only the steps' rules change it; all peers have an equal one."""

    variant: Variant
    players: int
    ciphertexts: list[Ciphertext] = field(default_factory=list)  # by deck position
    drawn: int = 0  # the next deck position to be drawn
    hands: list[list[int]] = field(default_factory=list)  # deck positions, ascending, by seat − 1
    partial: dict[int, Point] = field(default_factory=dict)  # b − Σ shares of all but the holder, by position
    shown: dict[int, int] = field(default_factory=dict)  # physical card by position, where its holder has shown it
    discards: list[int] = field(default_factory=list)  # physical cards since the last reshuffle
    mixing: tuple[Ciphertext, ...] = ()  # the deck that the seats are shuffling now

    def __post_init__(self) -> None:
        self.hands = [[] for _ in range(self.players)]
        self.points = card_points(self.variant.name, len(self.variant.deck))
        self._cards = {point: card for card, point in enumerate(self.points)}

    def begin(self, physical: Sequence[int], joint_key: Point) -> None:
        """Start a shuffle of these cards, in ascending order and openly encrypted."""
        self.mixing = fresh_deck(joint_key, [self.points[card] for card in sorted(physical)])

    def adopt(self) -> None:
        """Make the shuffled deck the draw pile, after the last seat's shuffle."""
        self.drawn = len(self.ciphertexts)
        self.ciphertexts.extend(self.mixing)
        self.mixing = ()

    def copy(self) -> "Deck":
        other = copy(self)
        other.ciphertexts = list(self.ciphertexts)
        other.hands = [list(hand) for hand in self.hands]
        other.partial = dict(self.partial)
        other.shown = dict(self.shown)
        other.discards = list(self.discards)
        return other

    def gather(self, joint_key: Point) -> None:
        """Start a redeal: every card that is not on the discards is shuffled by the seats that stay."""
        played = set(self.discards)
        self.hands = [[] for _ in self.hands]
        self.partial.clear()
        self.shown.clear()
        self.begin([card for card in range(len(self.points)) if card not in played], joint_key)

    def hand(self, seat: int) -> list[int]:
        """Return the deck positions of this seat's hand, ascending."""
        return self.hands[seat - 1]

    def give(self, seat: int) -> int:
        """Give the top of the pile to a seat, and return its deck position."""
        position = self.drawn
        self.drawn += 1
        self.hand(seat).append(position)
        return position

    def take(self, seat: int, position: int) -> None:
        """Move a shown card from its hand to the discards."""
        self.hand(seat).remove(position)
        self.discards.append(self.shown[position])

    def open_partly(self, position: int, shares: Sequence[Point]) -> None:
        """Add the decryption shares of all other seats for a card: only its holder's is missing."""
        self.partial[position] = sub(self.ciphertexts[position].b, sum_points(shares))

    def physical(self, position: int, share: Point) -> int:
        """Return the card at a position, given its holder's share. Raises Refusal if it is no card of this deck."""
        point = sub(self.partial[position], share)
        card = self._cards.get(point)
        if card is None:
            raise Refusal(message("the card at deck position {position} opens to no card", position=position))
        return card

    def face(self, physical: int) -> Card:
        return self.variant.deck[physical]
