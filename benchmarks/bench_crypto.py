"""Shuffles and decryption shares, in milliseconds and as a ratio to the price of their point multiplications.

The floor of each operation is its number of point multiplications, counted one equation at a time, times the
price of one, which is measured in the same rounds and on libsecp256k1 itself, without this package's own layer. A
round takes a few milliseconds of single multiplications and then the operation; the median over the rounds is
taken of the ratios, so a machine that slows down for a moment slows down both.

What is measured begins and ends with bytes, as on the wire: verifying includes the decoding of the deck or the
shares. One thread; N = 104 cards in a deck, M = 30 shares in one contribution.
"""

import secrets
import statistics
from collections.abc import Callable
from dataclasses import dataclass

from btclib_libsecp256k1 import ffi, lib
from btclib_libsecp256k1.context import ctx
from measuring import seconds

from seqp2p.crypto.elgamal import Ciphertext, card_points, decode_deck, encode_deck, fresh_deck
from seqp2p.crypto.group import decode_points, encode_points, mul_base, random_scalar
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import prove_shares, share, verify_shares
from seqp2p.crypto.shuffle import shuffle_and_prove, verify_shuffle

N = 104
M = 30
ROUNDS = 40
SINGLES = 60  # multiplications of each kind in a round

CONTEXT = Context(bytes(32), 1, 2, bytes(32))


@dataclass(frozen=True, slots=True)
class Case:
    operation: Callable[[], object]
    general: int  # multiplications of any point
    base: int  # multiplications of the base point


def cases() -> dict[str, Case]:
    randomness = secrets.token_bytes
    x = random_scalar(randomness)
    X = mul_base(x)
    # A deck that has been shuffled before: in a fresh one every first half is G, which would be cheaper.
    fresh = fresh_deck(X, card_points("classic", N))
    deck_bytes = encode_deck(shuffle_and_prove(fresh, X, CONTEXT, randomness)[0])
    deck = decode_deck(deck_bytes, N)

    def shuffle_prove() -> tuple[bytes, bytes]:
        shuffled, proof = shuffle_and_prove(deck, X, CONTEXT, randomness)
        return encode_deck(shuffled), proof

    shuffled_bytes, shuffle_proof = shuffle_prove()

    def shuffle_verify() -> None:
        verify_shuffle(deck, decode_deck(shuffled_bytes, N), X, shuffle_proof, CONTEXT)

    dealt: tuple[Ciphertext, ...] = deck[:M]
    cards = [(position, card.a) for position, card in enumerate(dealt)]

    def share_prove() -> tuple[bytes, bytes]:
        shares = [share(x, a, randomness) for _, a in cards]
        return encode_points(shares), prove_shares(x, X, cards, shares, CONTEXT, randomness)

    share_bytes, share_proof = share_prove()

    def share_verify() -> None:
        verify_shares(X, cards, decode_points(share_bytes, M), share_proof, CONTEXT)

    return {
        # r'·PK, three sums over ω'_i, both halves of the chain; r'·G, r·G, and the chain's two.
        "shuffle_prove": Case(shuffle_prove, 6 * N, 4 * N),
        # Three sums of 2·N terms, and two terms a link with its ŝ·G.
        "shuffle_verify": Case(shuffle_verify, 8 * N, N),
        # Two for each blinded share, one for each term of a*, two for the blinded T_2; T_1.
        "share_prove": Case(share_prove, 3 * M + 2, 1),
        # One for each term of a* and of D*, s·a*, c·D* and c·X; s·G.
        "share_verify": Case(share_verify, 2 * M + 3, 1),
    }


def measure(case: Case) -> dict[str, float]:
    create, multiply = lib.secp256k1_ec_pubkey_create, lib.secp256k1_ec_pubkey_tweak_mul
    scalars = [secrets.token_bytes(32) for _ in range(SINGLES)]
    points = [ffi.new("secp256k1_pubkey *") for _ in scalars]
    case.operation()
    times: list[float] = []
    ratios: list[float] = []
    for _ in range(ROUNDS):
        base = seconds(lambda: [create(ctx, point, k) for point, k in zip(points, scalars, strict=True)]) / SINGLES
        general = seconds(lambda: [multiply(ctx, point, k) for point, k in zip(points, scalars, strict=True)]) / SINGLES
        taken = seconds(case.operation)
        times.append(taken)
        ratios.append(taken / (case.general * general + case.base * base))
    return {"ms": round(statistics.median(times) * 1e3, 3), "ratio": round(statistics.median(ratios), 3)}


def run() -> dict[str, dict[str, float]]:
    """For each operation its milliseconds, and their ratio to the floor."""
    return {name: measure(case) for name, case in cases().items()}
