"""Where every card lies, as ciphertexts: the pile in its order, the hands as deck positions, the discards by card.

A *deck position* numbers one ciphertext of one shuffled deck; positions are never used twice in a game, so a
reshuffle's begin where the last deck's ended. A *physical card* is an index into the variant's deck.

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
    """The cards of one game. Changed only by the steps' rules; everybody at the table has an equal one."""

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
        """Put these cards, in ascending order and openly encrypted, before the seats to be shuffled."""
        self.mixing = fresh_deck(joint_key, [self.points[card] for card in sorted(physical)])

    def adopt(self) -> None:
        """The last seat has shuffled: what was mixed is the draw pile now."""
        self.drawn = len(self.ciphertexts)
        self.ciphertexts.extend(self.mixing)
        self.mixing = ()

    def copy(self) -> "Deck":
        """An equal deck that changes apart from this one."""
        other = copy(self)
        other.ciphertexts = list(self.ciphertexts)
        other.hands = [list(hand) for hand in self.hands]
        other.partial = dict(self.partial)
        other.shown = dict(self.shown)
        other.discards = list(self.discards)
        return other

    def gather(self, joint_key: Point) -> None:
        """A seat has left: every card that is not on the discards is put before the seats that stay."""
        played = set(self.discards)
        self.hands = [[] for _ in self.hands]
        self.partial.clear()
        self.shown.clear()
        self.begin([card for card in range(len(self.points)) if card not in played], joint_key)

    def hand(self, seat: int) -> list[int]:
        """The deck positions this seat holds, ascending."""
        return self.hands[seat - 1]

    def give(self, seat: int) -> int:
        """The top of the pile goes to a seat; returns its deck position."""
        position = self.drawn
        self.drawn += 1
        self.hand(seat).append(position)
        return position

    def take(self, seat: int, position: int) -> None:
        """A shown card goes from its hand to the discards."""
        self.hand(seat).remove(position)
        self.discards.append(self.shown[position])

    def open_partly(self, position: int, shares: Sequence[Point]) -> None:
        """Every other seat's decryption shares for a card are in: only its holder's share is wanting."""
        self.partial[position] = sub(self.ciphertexts[position].b, sum_points(shares))

    def physical(self, position: int, share: Point) -> int:
        """The card at a position, given its holder's share; raises Refusal where that is no card of this deck."""
        point = sub(self.partial[position], share)
        card = self._cards.get(point)
        if card is None:
            raise Refusal(message("the card at deck position {position} opens to no card", position=position))
        return card

    def face(self, physical: int) -> Card:
        """What the rules call this card."""
        return self.variant.deck[physical]
