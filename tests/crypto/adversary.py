"""A second prover and a second verifier of shuffles, written from the formulas alone.

The prover takes any matrix where an honest one has a permutation: it does all that a cheat can do. The verifier
makes its hashes and cuts its bytes by hand, as somebody would who has the specification and not this package.
"""

import hashlib
from collections.abc import Sequence
from itertools import pairwise

from seqp2p.crypto.elgamal import Ciphertext, encode_deck
from seqp2p.crypto.group import (
    ORDER,
    G,
    Point,
    Randomness,
    add,
    decode_point,
    encode_point,
    mul,
    mul_base,
    random_scalar,
    sub,
    sum_points,
)
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.shuffle_proof import ShuffleProof, challenge, challenges, generator, generators

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


def _frame(*items: bytes) -> bytes:
    return b"".join(len(item).to_bytes(4, "big") + item for item in items)


def plain_verify(deck: Deck, shuffled: Deck, pk: Point, proof: bytes, context: Context) -> bool:
    n = len(deck)
    ends = [0]
    for width in (33 * n, 33 * n, 5 * 33, 33 * n, 4 * 32, 32 * n, 32 * n):
        ends.append(ends[-1] + width)
    regions = [proof[start:end] for start, end in pairwise(ends)]
    c, ch, t, th = ([decode_point(x[i : i + 33]) for i in range(0, len(x), 33)] for x in regions[:4])
    s, sh, sp = ([int.from_bytes(x[i : i + 32], "big") for i in range(0, len(x), 32)] for x in regions[4:])

    number = n.to_bytes(4, "big")
    start = b"seqp2p/1 shuffle proof\0" + _frame(
        context.game, context.step.to_bytes(4, "big"), context.seat.to_bytes(4, "big"), context.prev
    )
    start += _frame(number, encode_point(pk), encode_deck(deck), encode_deck(shuffled), regions[0])
    u = [
        int.from_bytes(hashlib.sha512(start + _frame(b"weight" + k.to_bytes(4, "big"))).digest()[:16], "big")
        for k in range(n)
    ]
    start += _frame(*regions[1:4], b"challenge")
    x = int.from_bytes(hashlib.sha512(start).digest(), "big") % ORDER

    product = 1
    for weight in u:
        product = product * weight % ORDER
    a, b = [card.a for card in deck], [card.b for card in deck]
    a_after, b_after = [card.a for card in shuffled], [card.b for card in shuffled]
    H, Hs = generator(0), generators(n)
    links = [H, *ch]
    right = [
        sub(mul(G, s[0]), mul(sub(sum_points(c), sum_points(Hs)), x)),
        sub(mul(G, s[1]), mul(sub(ch[-1], mul(H, product)), x)),
        sub(add(mul(G, s[2]), dot(sp, Hs)), mul(dot(u, c), x)),
        sub(add(mul(G, -s[3]), dot(sp, a_after)), mul(dot(u, a), x)),
        sub(add(mul(pk, -s[3]), dot(sp, b_after)), mul(dot(u, b), x)),
        *(sub(add(mul(G, sh[i]), mul(links[i], sp[i])), mul(links[i + 1], x)) for i in range(n)),
    ]
    return right == [*t, *th]
