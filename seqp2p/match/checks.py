"""The slow checks of a game: of proofs and of signatures. All are pure functions of bytes.

A match takes them as an argument. ``check`` gets the equations of a proof, and requires them to hold, or gathers them
to be checked together (crypto/batch.py). If many matches see the same bytes in one process (seqp2p/testing), checks
with a memory of right statements make each once. Nothing else may replace them.
"""

from collections.abc import Sequence
from typing import Final

from seqp2p.crypto.elgamal import Ciphertext
from seqp2p.crypto.equation import Check, require
from seqp2p.crypto.group import Point
from seqp2p.crypto.identity import verify
from seqp2p.crypto.key_proof import verify_key
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.share_proof import Cards, verify_shares
from seqp2p.crypto.shuffle_proof import verify_shuffle


class Checks:
    """Each raises CryptoError if its statement is wrong, as far as ``check`` decides at once."""

    def __init__(self, check: Check = require) -> None:
        self._check = check

    def key(self, key: Point, proof: bytes, context: Context) -> None:
        """Check that the prover knows the secret of this key (crypto/key_proof.py)."""
        verify_key(key, proof, context, self._check)

    def signature(self, key: bytes, label: str, payload: bytes, signature: bytes) -> None:
        """Check an Ed25519 signature strictly (crypto/identity.py)."""
        verify(key, label, payload, signature)

    def shuffle(
        self, before: Sequence[Ciphertext], after: Sequence[Ciphertext], key: Point, proof: bytes, context: Context
    ) -> None:
        """Check that one deck is the other, re-encrypted in another order (crypto/shuffle_proof.py)."""
        verify_shuffle(before, after, key, proof, context, self._check)

    def shares(self, key: Point, cards: Cards, shares: Sequence[Point], proof: bytes, context: Context) -> None:
        """Check decryption shares by the owner of this key (crypto/share_proof.py)."""
        verify_shares(key, cards, shares, proof, context, self._check)


CHECKS: Final = Checks()
