"""A second prover of shuffles, written from the formulas alone, and the second program's verifier.

The prover takes any matrix where an honest one has a permutation: it does all that a cheat can do.
"""

from collections.abc import Sequence
from dataclasses import asdict

from protocol.second.basics import Refused
from protocol.second.proofs import check_shuffle
from seqp2p.crypto.elgamal import Ciphertext, encode_deck
from seqp2p.crypto.group import ORDER, Point, Randomness, add, encode_point, mul, mul_base, random_scalar, sum_points
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.shuffle import ShuffleProof, challenge, challenges, generator, generators

Deck = Sequence[Ciphertext]
Matrix = Sequence[Sequence[int]]


def dot(scalars: Sequence[int], points: Sequence[Point]) -> Point:
    return sum_points(mul(point, scalar) for scalar, point in zip(scalars, points, strict=True))


def mapped(deck: Deck, matrix: Matrix, pk: Point, rho: Sequence[int]) -> tuple[Ciphertext, ...]:
    """Output i = Σ_j matrix[i][j]·deck[j] + Enc(0; rho_i)."""
    a, b = [card.a for card in deck], [card.b for card in deck]
    return tuple(
        Ciphertext(add(dot(row, a), mul_base(r)), add(dot(row, b), mul(pk, r)))
        for row, r in zip(matrix, rho, strict=True)
    )


def forge(
    deck: Deck,
    shuffled: Deck,
    pk: Point,
    matrix: Matrix,
    rho: Sequence[int],
    context: Context,
    randomness: Randomness,
) -> bytes:
    """A proof with Σ_j matrix[i][j]·u_j for u'_i, and rho_i for the randomness of output i; all else by the book."""
    n = len(deck)
    H, Hs = generator(0), generators(n)

    def draw(count: int) -> list[int]:
        return [random_scalar(randomness) for _ in range(count)]

    r, r_hat, w, w_hat, w_prime = draw(n), draw(n), draw(4), draw(n), draw(n)
    c = tuple(add(mul_base(r[j]), dot([matrix[i][j] for i in range(n)], Hs)) for j in range(n))
    u, oracle = challenges(deck, shuffled, pk, c, context)
    u_prime = [sum(m * x for m, x in zip(row, u, strict=True)) % ORDER for row in matrix]
    links = [H]
    for i in range(n):
        links.append(add(mul_base(r_hat[i]), mul(links[i], u_prime[i])))
    t = (
        mul_base(w[0]),
        mul_base(w[1]),
        add(mul_base(w[2]), dot(w_prime, Hs)),
        add(mul_base(-w[3]), dot(w_prime, [card.a for card in shuffled])),
        add(mul(pk, -w[3]), dot(w_prime, [card.b for card in shuffled])),
    )
    t_hat = tuple(add(mul_base(w_hat[i]), mul(links[i], w_prime[i])) for i in range(n))
    x = challenge(oracle, tuple(links[1:]), t, t_hat)
    v = [1] * n
    for i in range(n - 1, 0, -1):
        v[i - 1] = u_prime[i] * v[i] % ORDER
    whole = [
        sum(r),
        sum(r_hat[i] * v[i] for i in range(n)),
        sum(r[j] * u[j] for j in range(n)),
        sum(rho[i] * u_prime[i] for i in range(n)),
    ]
    return ShuffleProof(
        c,
        tuple(links[1:]),
        t,
        t_hat,
        tuple((w[k] + x * whole[k]) % ORDER for k in range(4)),
        tuple((w_hat[i] + x * r_hat[i]) % ORDER for i in range(n)),
        tuple((w_prime[i] + x * u_prime[i]) % ORDER for i in range(n)),
    ).encode()


def second_verifier_accepts(deck: Deck, shuffled: Deck, pk: Point, proof: bytes, context: Context) -> bool:
    """Return True if the second program, which shares no code with this one, finds the proof right."""
    try:
        check_shuffle(asdict(context), encode_point(pk), encode_deck(deck), encode_deck(shuffled), proof)
    except Refused:
        return False
    return True
