"""The Fiat–Shamir oracle: one way to make every challenge, always bound to a context.

    transcript = label ‖ 0x00 ‖ framed(game, step, seat, prev) ‖ framed(each absorbed item)
    challenge  = SHA-512(transcript ‖ framed("challenge")) mod q, a big-endian number
    weight k   = the first 128 bits of SHA-512(transcript ‖ framed("weight" ‖ k)), k = 0, 1, …

Numbers take 4 bytes, big-endian. A proof absorbs its whole statement before it asks for a challenge: a forgotten part
is the classic hole of deployed proofs (eprint 2023/691).
"""

import hashlib
from dataclasses import dataclass

from seqp2p.crypto.group import ORDER
from seqp2p.crypto.hashing import framed, label_bytes, number

WEIGHT_BITS = 128


@dataclass(frozen=True, slots=True)
class Context:
    """The place of a proof. It holds only in this game, at this step, from this seat, after this past."""

    game: bytes
    step: int
    seat: int
    prev: bytes

    def encode(self) -> bytes:
        return framed(self.game, number(self.step), number(self.seat), self.prev)


class Oracle:
    """A running transcript. Asking changes nothing; absorbing changes every later answer."""

    def __init__(self, label: str, context: Context) -> None:
        self._hash = hashlib.sha512(label_bytes(label) + context.encode())

    def absorb(self, *items: bytes) -> None:
        self._hash.update(framed(*items))

    def digest(self) -> bytes:
        """Return the 64 bytes of the transcript so far, for a prover that makes its nonces depend on it."""
        return self._answer(b"digest")

    def challenge(self, *commitments: bytes) -> int:
        """Return a challenge in 0 … q−1, after these items too. They are not kept: a prover may have to draw again."""
        return int.from_bytes(self._answer(*commitments, b"challenge"), "big") % ORDER

    def weights(self, count: int) -> tuple[int, ...]:
        """Return `count` independent numbers of 128 bits."""
        return tuple(
            int.from_bytes(self._answer(b"weight" + number(k)), "big") >> (512 - WEIGHT_BITS) for k in range(count)
        )

    def _answer(self, *items: bytes) -> bytes:
        asked = self._hash.copy()
        asked.update(framed(*items))
        return asked.digest()


def nonces(label: str, secret: bytes, statement: bytes, fresh: bytes, count: int) -> tuple[int, ...]:
    """Return `count` scalars in 1 … q−1 that depend on the secret, the statement *and* 32 fresh bytes.

    Fresh bytes alone are not enough: a machine whose randomness repeats (a copied virtual machine, a restored
    snapshot) would use one nonce for two statements and reveal the secret.
    """
    drawn = hashlib.shake_256(label_bytes(label) + framed(secret, statement, fresh)).digest(48 * count)
    # 128 bits more than q has: the remainder is uniform to 2^−128.
    return tuple(int.from_bytes(drawn[i : i + 48], "big") % (ORDER - 1) + 1 for i in range(0, len(drawn), 48))
