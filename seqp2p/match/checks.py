"""The checks of a game that take most of its time: of proofs and of signatures. All are pure functions of bytes.

A match takes them as an argument. What becomes of the equations of a proof is for ``check``: they are required to hold,
or gathered to be checked together (crypto/batch.py). Where many matches see the same bytes in one process
(seqp2p/testing), checks that remember what they have found right make each once. Nothing else may stand in their place.
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
    """Each raises CryptoError unless what it is given is right, as far as ``check`` says so at once."""

    def __init__(self, check: Check = require) -> None:
        self._check = check

    def key(self, key: Point, proof: bytes, context: Context) -> None:
        """Somebody knows the secret of this key (crypto/key_proof.py)."""
        verify_key(key, proof, context, self._check)

    def signature(self, key: bytes, label: str, payload: bytes, signature: bytes) -> None:
        """Ed25519, the strict check (crypto/identity.py)."""
        verify(key, label, payload, signature)

    def shuffle(
        self, before: Sequence[Ciphertext], after: Sequence[Ciphertext], key: Point, proof: bytes, context: Context
    ) -> None:
        """One deck is the other, re-encrypted in another order (crypto/shuffle_proof.py)."""
        verify_shuffle(before, after, key, proof, context, self._check)

    def shares(self, key: Point, cards: Cards, shares: Sequence[Point], proof: bytes, context: Context) -> None:
        """Decryption shares by the owner of this key (crypto/share_proof.py)."""
        verify_shares(key, cards, shares, proof, context, self._check)


CHECKS: Final = Checks()
