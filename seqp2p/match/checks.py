"""The slow checks of a game: of proofs and of signatures. All are pure functions of bytes.

A match takes them as an argument. ``check`` gets the equations of a proof, and requires them to hold, or gathers them
to be checked as a sum (crypto/equation.py). If many matches see the same bytes in one process (local bots,
tests/sim), ``Remembering`` makes each check once. Nothing else may replace them.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from seqp2p.crypto.elgamal import Ciphertext
from seqp2p.crypto.equation import Check, require
from seqp2p.crypto.group import Point
from seqp2p.crypto.identity import verify
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import Cards, verify_key, verify_shares
from seqp2p.crypto.shuffle import shuffle_equations, verify_shuffle

ShuffleStatement: TypeAlias = tuple[Sequence[Ciphertext], Sequence[Ciphertext], Point, bytes, Context]
"""The arguments of ``Checks.shuffle``."""


class Checks:
    """Each raises CryptoError if its statement is wrong, as far as ``check`` decides at once."""

    def __init__(self, check: Check = require, *, lot_max: int = 1) -> None:
        """``lot_max``: the number of shuffles that may wait to be checked together, because ``check`` makes one sum."""
        self._check = check
        self.lot_max = lot_max

    def key(self, key: Point, proof: bytes, context: Context) -> None:
        """Check that the prover knows the secret of this key (crypto/schnorr.py)."""
        verify_key(key, proof, context, self._check)

    def signature(self, key: bytes, label: str, payload: bytes, signature: bytes) -> None:
        """Check an Ed25519 signature strictly (crypto/identity.py)."""
        verify(key, label, payload, signature)

    def shuffle(
        self, before: Sequence[Ciphertext], after: Sequence[Ciphertext], key: Point, proof: bytes, context: Context
    ) -> None:
        """Check that one deck is the other, re-encrypted in another order (crypto/shuffle.py)."""
        verify_shuffle(before, after, key, proof, context, self._check)

    def shuffle_lot(self, lot: Iterable[ShuffleStatement]) -> None:
        """Check several shuffles together: the error of any is an error of all."""
        self._check(equation for statement in lot for equation in shuffle_equations(*statement))

    def shares(self, key: Point, cards: Cards, shares: Sequence[Point], proof: bytes, context: Context) -> None:
        """Check decryption shares by the owner of this key (crypto/schnorr.py)."""
        verify_shares(key, cards, shares, proof, context, self._check)


CHECKS: Final = Checks()

REMEMBERED_SIZE_MAX: Final = 2_048
"""Bytes of a payload whose signature is remembered: a seat may sign 5,000 large ones that mean nothing."""


class Remembering(Checks):
    """The same checks, with a memory of what they found right: matches in one process that share it check once.

    The memory is keyed by the whole statement of a check, and bounded: the oldest entries go first. A check that fails
    is not remembered, so it fails each time.
    """

    def __init__(
        self,
        check: Check = require,
        *,
        signatures_max: int = 5_000,
        shares_max: int = 1_000,
        shuffles_max: int = 50,
        lot_max: int = 1,
    ) -> None:
        """The defaults hold a few rounds of a table of twelve."""
        super().__init__(check, lot_max=lot_max)
        self._signature = lru_cache(signatures_max)(super().signature)
        self._shares = lru_cache(shares_max)(super().shares)
        self._shuffle = lru_cache(shuffles_max)(super().shuffle)

    def signature(self, key: bytes, label: str, payload: bytes, signature: bytes) -> None:
        """See Checks. That of a large payload is checked each time: it costs less than keeping the payload."""
        check = self._signature if len(payload) <= REMEMBERED_SIZE_MAX else super().signature
        check(key, label, payload, signature)

    def shuffle(
        self, before: Sequence[Ciphertext], after: Sequence[Ciphertext], key: Point, proof: bytes, context: Context
    ) -> None:
        self._shuffle(tuple(before), tuple(after), key, proof, context)

    def shuffle_lot(self, lot: Iterable[ShuffleStatement]) -> None:
        """See Checks. Another match may know some of them."""
        for statement in lot:
            self.shuffle(*statement)

    def shares(self, key: Point, cards: Cards, shares: Sequence[Point], proof: bytes, context: Context) -> None:
        self._shares(key, tuple(cards), tuple(shares), proof, context)
