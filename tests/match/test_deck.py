"""Where the cards lie: pile, hands and discards, with no cryptography but the openings."""

import pytest

from seqp2p.crypto.elgamal import reencrypt
from seqp2p.crypto.group import G, mul, mul_base
from seqp2p.match.errors import Refusal
from seqp2p.match.game import Deck
from seqp2p.rules import KIDS

SECRETS = {1: 11, 2: 22}
PK = mul_base(33)


def dealt() -> Deck:
    """All kids' cards in the pile, re-encrypted in order; positions 0 and 1 dealt to seats 1 and 2."""
    deck = Deck(KIDS, 2)
    deck.begin(range(42), PK)
    deck.mixing = tuple(reencrypt(card, PK, at + 2) for at, card in enumerate(deck.mixing))
    deck.adopt()
    for seat in (1, 2):
        position = deck.give(seat)
        deck.open_partly(position, [mul(deck.ciphertexts[position].a, SECRETS[3 - seat])])
    return deck


def test_mixing_begins_in_canonical_order() -> None:
    deck, other = Deck(KIDS, 2), Deck(KIDS, 2)
    deck.begin([5, 3, 41], PK)
    other.begin([41, 5, 3], PK)
    assert [card.a for card in deck.mixing] == [G] * 3
    assert deck.mixing == other.mixing
    assert len(set(deck.points)) == 42


def test_the_holders_share_opens_a_card_and_nothing_else_does() -> None:
    deck = dealt()
    assert deck.physical(0, mul(deck.ciphertexts[0].a, SECRETS[1])) == 0
    assert deck.physical(1, mul(deck.ciphertexts[1].a, SECRETS[2])) == 1
    for wrong in (mul(deck.ciphertexts[1].a, SECRETS[1]), mul(deck.ciphertexts[0].a, SECRETS[2]), G):
        with pytest.raises(Refusal, match="deck position 0 opens to no card"):
            deck.physical(0, wrong)


def test_cards_are_given_from_the_top_and_taken_as_discards() -> None:
    deck = dealt()
    assert (deck.hand(1), deck.hand(2), deck.drawn) == ([0], [1], 2)
    assert deck.give(1) == 2
    deck.shown[0] = 0
    deck.take(1, 0)
    assert (deck.hand(1), deck.discards) == ([2], [0])
    with pytest.raises(ValueError, match="not in list"):
        deck.take(1, 0)
