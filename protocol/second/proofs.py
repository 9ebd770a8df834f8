"""Section 8: the oracle and the three proofs."""

import hashlib
import math
from collections.abc import Sequence
from typing import Any

from protocol.second.basics import (
    G,
    Point,
    Q,
    Refused,
    framed,
    hash_point,
    read_point,
    read_points,
    read_scalar,
    require,
    total,
    u32,
    write_point,
)

Deck = Sequence[tuple[Point, Point]]


class Oracle:
    def __init__(self, label: str, context: dict[str, Any]) -> None:
        where = framed(context["game"], u32(context["step"]), u32(context["seat"]), context["prev"])
        self.transcript = label.encode() + b"\0" + where

    def absorb(self, *items: bytes) -> None:
        self.transcript += framed(*items)

    def challenge(self, *commitments: bytes) -> int:
        digest = hashlib.sha512(self.transcript + framed(*commitments, b"challenge")).digest()
        return int.from_bytes(digest, "big") % Q

    def weights(self, count: int) -> list[int]:
        asked = hashlib.sha512(self.transcript)
        found = []
        for k in range(count):
            one = asked.copy()
            one.update(framed(b"weight" + u32(k)))
            found.append(int.from_bytes(one.digest()[:16], "big"))
        return found


def same(left: Point, right: Point) -> None:
    if left != right:
        raise Refused("an equation does not hold")


def check_key(context: dict[str, Any], key: bytes, proof: bytes) -> None:
    require(len(proof) == 65)
    X, T, s = read_point(key), read_point(proof[:33]), read_scalar(proof[33:])
    oracle = Oracle("seqp2p/1 key proof", context)
    oracle.absorb(key)
    same(T, total((s, G), (-oracle.challenge(proof[:33]), X)))


def check_shares(
    context: dict[str, Any], key: bytes, cards: Sequence[tuple[int, Point]], shares: bytes, proof: bytes
) -> list[Point]:
    """The shares, one for each card (deck position and a)."""
    require(len(proof) == 98 and cards)
    D = read_points(shares, len(cards))
    T_1, T_2, s = read_point(proof[:33]), read_point(proof[33:66]), read_scalar(proof[66:])
    oracle = Oracle("seqp2p/1 share proof", context)
    oracle.absorb(key, u32(len(cards)))
    for (position, a), share in zip(cards, D, strict=True):
        oracle.absorb(u32(position), write_point(a), write_point(share))
    c = oracle.challenge(proof[:33], proof[33:66])
    rho = oracle.weights(len(cards)) if len(cards) > 1 else [1]
    same(T_1, total((s, G), (-c, read_point(key))))
    of_a = [(s * r, a) for r, (_, a) in zip(rho, cards, strict=True)]
    same(T_2, total(*of_a, *((-c * r, share) for r, share in zip(rho, D, strict=True))))
    return D


def read_deck(data: bytes, n: int) -> Deck:
    points = read_points(data, 2 * n)
    return list(zip(points[::2], points[1::2], strict=True))


def write_deck(deck: Deck) -> bytes:
    return b"".join(write_point(point) for card in deck for point in card)


def shuffle_challenges(context: dict[str, Any], joint: bytes, deck: bytes, shuffled: bytes, proof: bytes) -> Any:
    """u_1 … u_N and c."""
    n = len(deck) // 66
    oracle = Oracle("seqp2p/1 shuffle proof", context)
    oracle.absorb(u32(n), joint, deck, shuffled)
    oracle.absorb(proof[: 33 * n])
    rest = proof[33 * n : 33 * (3 * n + 5)]
    return oracle.weights(n), oracle.challenge(rest[: 33 * n], rest[33 * n : 33 * n + 165], rest[33 * n + 165 :])


def check_shuffle(context: dict[str, Any], joint: bytes, deck: bytes, shuffled: bytes, proof: bytes) -> None:
    n = len(deck) // 66
    require(n and len(deck) == len(shuffled) == 66 * n and len(proof) == 163 * n + 293)
    before, after, PK = read_deck(deck, n), read_deck(shuffled, n), read_point(joint)
    points = read_points(proof[: 33 * (3 * n + 5)], 3 * n + 5)
    numbers = [read_scalar(proof[at : at + 32]) for at in range(33 * (3 * n + 5), len(proof), 32)]
    C, C_hat, t, t_hat = points[:n], points[n : 2 * n], points[2 * n : 2 * n + 5], points[2 * n + 5 :]
    s, s_hat, s_prime = numbers[:4], numbers[4 : 4 + n], numbers[4 + n :]
    u, c = shuffle_challenges(context, joint, deck, shuffled, proof)
    generators = [hash_point("seqp2p/1 generator", i) for i in range(n + 1)]
    chain = [generators[0], *C_hat]

    def weighted(factor: int, scalars: Sequence[int], of: Sequence[Point]) -> list[tuple[int, Point]]:
        return [(factor * scalar, point) for scalar, point in zip(scalars, of, strict=True)]

    ones = [1] * n
    same(t[0], total((s[0], G), *weighted(-c, ones, C), *weighted(c, ones, generators[1:])))
    same(t[1], total((s[1], G), (-c, C_hat[-1]), (c * math.prod(u), generators[0])))
    same(t[2], total((s[2], G), *weighted(1, s_prime, generators[1:]), *weighted(-c, u, C)))
    a, b = [x for x, _ in before], [x for _, x in before]
    a_after, b_after = [x for x, _ in after], [x for _, x in after]
    same(t[3], total((-s[3], G), *weighted(1, s_prime, a_after), *weighted(-c, u, a)))
    same(t[4], total((-s[3], PK), *weighted(1, s_prime, b_after), *weighted(-c, u, b)))
    for i in range(n):
        same(t_hat[i], total((s_hat[i], G), (s_prime[i], chain[i]), (-c, chain[i + 1])))
