"""Cards as ElGamal ciphertexts over the group (protocol: cards as ciphertexts).

A card is a point M of unknown discrete logarithm. Under the joint key PK = ΣX_i its ciphertext is

    (a, b) = (r·G, M + r·PK)

and opens as M = b − Σ D_i, with D_i = x_i·a the decryption share of seat i.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import G, Point, add, decode_points, encode_points, hash_to_point, mul, mul_base, sum_points
from seqp2p.crypto.hashing import CARD
from seqp2p.i18n import message


@dataclass(frozen=True, slots=True)
class Ciphertext:
    a: Point
    b: Point


@lru_cache(maxsize=8)
def card_points(variant_name: str, n: int) -> tuple[Point, ...]:
    """Return M_0 … M_(n−1) of a variant, one for each *physical* card in canonical order: two equal cards differ."""
    return tuple(hash_to_point(f"{CARD} {variant_name}", index) for index in range(n))


def joint_key(keys: Sequence[Point]) -> Point:
    """Return PK = ΣX_i.

    Raises CryptoError if a key or the sum is infinity, or if two keys are the same: two seats never draw one key, so
    the later one is a copy.
    """
    if len(set(keys)) < len(keys):
        raise CryptoError(message("Two seats show the same game key."))
    total = sum_points(keys)
    if total.is_infinity or any(key.is_infinity for key in keys):
        raise CryptoError(message("A game key, or the sum of them all, is the point at infinity."))
    return total


def fresh_deck(pk: Point, cards: Sequence[Point]) -> tuple[Ciphertext, ...]:
    """Return the cards in their order, encrypted with the public randomness r = 1: (G, M + PK). Anyone can check it."""
    return tuple(Ciphertext(G, add(card, pk)) for card in cards)


def reencrypt(ciphertext: Ciphertext, pk: Point, r: int) -> Ciphertext:
    """Return the same card under the old randomness plus r: (a + r·G, b + r·PK). Use each r once."""
    return Ciphertext(add(ciphertext.a, mul_base(r)), add(ciphertext.b, mul(pk, r)))


def encode_deck(deck: Sequence[Ciphertext]) -> bytes:
    """Return 66 bytes a card, a ‖ b. Raises CryptoError for infinity."""
    return encode_points([point for card in deck for point in (card.a, card.b)])


def decode_deck(data: bytes, n: int) -> tuple[Ciphertext, ...]:
    """Return n cards from exactly 66·n bytes. Raises CryptoError."""
    points = decode_points(data, 2 * n)
    return tuple(map(Ciphertext, points[::2], points[1::2]))
