"""Proofs about a secret logarithm: of a game key (Schnorr), and of decryption shares (Chaum and Pedersen).

Schnorr's proof for X = x·G: T = w·G, c from the oracle over (context, X, T), s = w + c·x; it holds iff
T = s·G − c·X. The proof is T ‖ s, 33 + 32 bytes. Committing first and proving later excludes rogue keys (computed from
the others' keys) and copied keys.

Chaum and Pedersen's proof of log_G X = log_a* D* for

    a* = Σ ρ_k·a_k,   D* = Σ ρ_k·D_k,   ρ_k of 128 bits from the oracle over the statement (for one card: ρ = 1).

T_1 = w·G, T_2 = w·a*, c from the oracle over (statement, T_1, T_2), s = w + c·x. It holds iff
T_1 = s·G − c·X and T_2 = s·a* − c·D*. The proof is T_1 ‖ T_2 ‖ s, 33 + 33 + 32 bytes, however many the cards.
The statement is (context, X, number of cards, and for each its position, a and D).
"""

from collections.abc import Sequence

from seqp2p.crypto.equation import Bracket, Check, Equation, require
from seqp2p.crypto.errors import CryptoError, require_size
from seqp2p.crypto.group import (
    ORDER,
    POINT_SIZE,
    SCALAR_SIZE,
    G,
    Point,
    Randomness,
    Term,
    combine,
    decode_point,
    decode_points,
    decode_scalar,
    encode_point,
    encode_scalar,
    mul_base,
    mul_blinded,
    random_scalar,
)
from seqp2p.crypto.hashing import KEY_COMMITMENT, KEY_NONCE, KEY_PROOF, SHARE_NONCE, SHARE_PROOF, number, tagged_hash
from seqp2p.crypto.oracle import Context, Oracle, nonces
from seqp2p.i18n import message

KEY_PROOF_SIZE = POINT_SIZE + SCALAR_SIZE
NONCE_SIZE = 32
SHARE_PROOF_SIZE = 2 * POINT_SIZE + SCALAR_SIZE
T_1_NAME = message("T_1 of the share proof")
T_2_NAME = message("T_2 of the share proof")
Cards = Sequence[tuple[int, Point]]
"""The position in the deck and the first half `a` of the ciphertext, for each card."""


def key_commitment(game: bytes, seat: int, key: bytes, nonce: bytes) -> bytes:
    """Return SHA-256 over (game, seat, the key's 33 bytes, a fresh nonce of 32 bytes): 32 bytes.

    It is bound to the seat, so a copy of another seat's commitment can never be opened.
    Raises CryptoError for another length of key or nonce.
    """
    if len(key) != POINT_SIZE or len(nonce) != NONCE_SIZE:
        sizes = {"right": POINT_SIZE, "nonce_size": NONCE_SIZE}
        raise CryptoError(message("A key takes {right} bytes and its nonce {nonce_size}.", **sizes))
    return tagged_hash(KEY_COMMITMENT, game, number(seat), key, nonce)


def prove_key(x: int, X: Point, context: Context, randomness: Randomness) -> bytes:
    """Return 65 bytes that prove knowledge of x with X = x·G."""
    oracle = _key_oracle(X, context)
    while True:
        (w,) = nonces(KEY_NONCE, encode_scalar(x), oracle.digest(), randomness(32), 1)
        T = mul_base(w)
        s = (w + oracle.challenge(encode_point(T)) * x) % ORDER
        if s:
            return encode_point(T) + encode_scalar(s)


def verify_key(X: Point, proof: bytes, context: Context, check: Check = require) -> None:
    """Raise CryptoError unless the proof holds for X in this context."""
    check([key_equation(X, proof, context)])


def key_equation(X: Point, proof: bytes, context: Context) -> Equation:
    """Return the equation that must hold. Raises CryptoError if the proof does not decode, or X is infinity."""
    require_size(message("A key proof"), proof, KEY_PROOF_SIZE)
    T = decode_point(proof[:POINT_SIZE])
    s = decode_scalar(proof[POINT_SIZE:])
    c = _key_oracle(X, context).challenge(encode_point(T))
    return Equation(message("T of the key proof"), T, (Bracket(1, ((s, G), (-c, X))),))


def share(x: int, a: Point, randomness: Randomness) -> Point:
    """Return D = x·a, blinded: x lives as long as the game."""
    return mul_blinded(a, x, random_scalar(randomness))


def prove_shares(
    x: int, X: Point, cards: Cards, shares: Sequence[Point], context: Context, randomness: Randomness
) -> bytes:
    """Return 98 bytes that prove shares[k] = x·a_k for every card, with X = x·G.

    Raises CryptoError if there is no card, or not one share for each.
    """
    oracle = _share_oracle(X, cards, shares, context)
    a_sum = combine(*_weighted(oracle, [a for _, a in cards]))
    statement = oracle.digest()
    while True:
        (w,) = nonces(SHARE_NONCE, encode_scalar(x), statement, randomness(32), 1)
        T_1 = mul_base(w)
        T_2 = mul_blinded(a_sum, w, random_scalar(randomness))
        s = (w + oracle.challenge(encode_point(T_1), encode_point(T_2)) * x) % ORDER
        if s:
            return encode_point(T_1) + encode_point(T_2) + encode_scalar(s)


def verify_shares(
    X: Point, cards: Cards, shares: Sequence[Point], proof: bytes, context: Context, check: Check = require
) -> None:
    """Raise CryptoError unless every share is right. One proof for all does not tell which share is wrong."""
    check(share_equations(X, cards, shares, proof, context))


def share_equations(
    X: Point, cards: Cards, shares: Sequence[Point], proof: bytes, context: Context
) -> tuple[Equation, Equation]:
    """Return the equations that must hold. Raises CryptoError if the proof or the statement is malformed."""
    require_size(message("A share proof"), proof, SHARE_PROOF_SIZE)
    T_1, T_2 = decode_points(proof[: 2 * POINT_SIZE], 2)
    s = decode_scalar(proof[2 * POINT_SIZE :])
    oracle = _share_oracle(X, cards, shares, context)
    c = oracle.challenge(encode_point(T_1), encode_point(T_2))
    a_terms = _weighted(oracle, [a for _, a in cards])
    D_terms = _weighted(oracle, shares)
    return (
        Equation(T_1_NAME, T_1, (Bracket(1, ((s, G), (-c, X))),)),
        Equation(T_2_NAME, T_2, (Bracket(s, a_terms), Bracket(-c, D_terms))),
    )


def _key_oracle(X: Point, context: Context) -> Oracle:
    oracle = Oracle(KEY_PROOF, context)
    oracle.absorb(encode_point(X))
    return oracle


def _share_oracle(X: Point, cards: Cards, shares: Sequence[Point], context: Context) -> Oracle:
    if not cards or len(cards) != len(shares):
        counts = {"shares": len(shares), "cards": len(cards)}
        raise CryptoError(message("A share proof needs one share for each card: {shares} for {cards} cards.", **counts))
    oracle = Oracle(SHARE_PROOF, context)
    oracle.absorb(encode_point(X), number(len(cards)))
    for (position, a), D in zip(cards, shares, strict=True):
        oracle.absorb(number(position), encode_point(a), encode_point(D))
    return oracle


def _weighted(oracle: Oracle, points: Sequence[Point]) -> tuple[Term, ...]:
    weights = oracle.weights(len(points)) if len(points) > 1 else (1,)
    return tuple(zip(weights, points, strict=True))
