from collections import Counter
from itertools import permutations

import pytest

from seqp2p.crypto.elgamal import Ciphertext, card_points, fresh_deck, reencrypt
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import INFINITY, ORDER, G, Randomness, mul, mul_base
from seqp2p.crypto.shuffle import random_permutation, shuffle
from tests.crypto.tools import decrypt, stream

x = 2**155 + 9
PK = mul_base(x)
CARDS = card_points("classic", 6)
DECK = fresh_deck(PK, CARDS)


def chi_square(randomness: Randomness, shuffles: int = 10_000) -> float:
    """Of the 24 permutations of 4 cards: 23 degrees of freedom; 49.7 is exceeded once in a thousand times."""
    counts = Counter(random_permutation(4, randomness) for _ in range(shuffles))
    expected = shuffles / 24
    return sum((counts[order] - expected) ** 2 / expected for order in permutations(range(4)))


def test_permutations_are_uniform() -> None:
    assert chi_square(stream("uniform")) < 49.7


def test_the_test_notices_bias() -> None:
    fair = stream("biased")
    assert chi_square(lambda size: bytes([fair(size)[0] % 3])) > 49.7  # never draws 3
    assert chi_square(lambda size: bytes([fair(size)[0] % 5 % 4])) > 49.7  # 0 twice as often


@pytest.mark.parametrize("n", [1, 2, 3, 104, 300])
def test_permutations_hold_every_number_once(n: int) -> None:
    assert sorted(random_permutation(n, stream(n))) == list(range(n))


def test_a_shuffle_holds_the_same_cards_elsewhere_under_other_ciphertexts() -> None:
    shuffled, permutation, rerandomisers = shuffle(DECK, PK, stream("shuffle"))
    assert shuffled == tuple(reencrypt(DECK[j], PK, rerandomisers[j]) for j in permutation)
    assert [decrypt(card, [mul(card.a, x)]) for card in shuffled] == [CARDS[j] for j in permutation]
    assert len(set(shuffled) | set(DECK)) == 12
    assert shuffle(DECK, PK, stream("shuffle"))[0] == shuffled
    assert shuffle(DECK, PK, stream("another"))[0] != shuffled


def test_randomness_that_would_give_infinity_is_drawn_again() -> None:
    drawn = iter([ORDER - 1, 5])  # G + (q − 1)·G is infinity
    shuffled, _, rerandomisers = shuffle(DECK[:1], PK, lambda size: next(drawn).to_bytes(size, "big"))
    assert rerandomisers == (5,)
    assert shuffled[0].a == mul_base(6)


def test_what_cannot_be_shuffled_is_refused() -> None:
    with pytest.raises(CryptoError, match="no card"):
        shuffle((), PK, stream(0))
    for deck, pk in ((DECK, INFINITY), ((Ciphertext(G, INFINITY),), PK), ((Ciphertext(INFINITY, G),), PK)):
        with pytest.raises(CryptoError, match="infinity"):
            shuffle(deck, pk, stream(0))
