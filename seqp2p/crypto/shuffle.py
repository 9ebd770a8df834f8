"""Shuffling a deck of ciphertexts: permute, re-encrypt, and prove it (shuffle_proof.py)."""

from collections.abc import Sequence

from seqp2p.crypto.elgamal import Ciphertext, encode_deck, reencrypt
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import Point, Randomness, encode_point, random_below, random_scalar
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.shuffle_proof import prove_shuffle
from seqp2p.i18n import message

Deck = Sequence[Ciphertext]


def random_permutation(n: int, randomness: Randomness) -> tuple[int, ...]:
    """Return a uniform permutation of 0 … n−1, by Fisher and Yates (Knuth, TAOCP 2, 3.4.2 P) with rejection."""
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = random_below(i + 1, randomness)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def shuffle(
    deck: Deck, pk: Point, randomness: Randomness
) -> tuple[tuple[Ciphertext, ...], tuple[int, ...], tuple[int, ...]]:
    """Return (deck', ψ, r') with deck'[i] = deck[ψ(i)] re-encrypted with r'[ψ(i)].

    ψ and r' are secrets: pass them to `prove_shuffle`, then forget them.
    Raises CryptoError for an empty deck, or if the key or a point of the deck is infinity.
    """
    if not deck:
        raise CryptoError(message("There is no card to shuffle."))
    encode_point(pk)
    encode_deck(deck)
    permutation = random_permutation(len(deck), randomness)
    drawn = [_fresh(card, pk, randomness) for card in deck]
    return tuple(drawn[j][0] for j in permutation), permutation, tuple(r for _, r in drawn)


def shuffle_and_prove(
    deck: Deck, pk: Point, context: Context, randomness: Randomness
) -> tuple[tuple[Ciphertext, ...], bytes]:
    """Return a shuffled deck and its proof, for `verify_shuffle`. Raises CryptoError as `shuffle` does."""
    shuffled, permutation, rerandomisers = shuffle(deck, pk, randomness)
    return shuffled, prove_shuffle(deck, shuffled, pk, permutation, rerandomisers, context, randomness)


def _fresh(card: Ciphertext, pk: Point, randomness: Randomness) -> tuple[Ciphertext, int]:
    while True:
        r = random_scalar(randomness)
        again = reencrypt(card, pk, r)
        if not (again.a.is_infinity or again.b.is_infinity):
            return again, r
