"""What the tests of the cryptography share: randomness that repeats, a context, and changed bytes."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count

from seqp2p.crypto.elgamal import Ciphertext
from seqp2p.crypto.group import Point, Randomness, mul_base, sub, sum_points
from seqp2p.crypto.oracle import Context

CONTEXT = Context(game=bytes(range(32)), step=7, seat=2, prev=bytes(range(32, 64)))

OTHER_CONTEXTS = {
    "game": replace(CONTEXT, game=bytes(32)),
    "step": replace(CONTEXT, step=8),
    "seat": replace(CONTEXT, seat=3),
    "prev": replace(CONTEXT, prev=bytes(32)),
}


def stream(seed: object) -> Randomness:
    """The same randomness for the same seed."""
    calls = count()
    return lambda size: hashlib.shake_256(f"{seed!r} {next(calls)}".encode()).digest(size)


def point(number: int) -> Point:
    return mul_base(number * 0x9E3779B97F4A7C15F39CC0605CEDC835)


def with_changed_bytes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the data with one bit of a byte flipped, and the place, for each byte."""
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << (place % 8)
        yield place, bytes(changed)


def decrypt(ciphertext: Ciphertext, shares: Iterable[Point]) -> Point:
    """The card's point if the shares are those of all seats."""
    return sub(ciphertext.b, sum_points(shares))
