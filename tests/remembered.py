"""A right proof is checked once: hundreds of tests look at the same few games, each seat for itself.

A proof or a signature is right or wrong by its statement alone, so the same statement with the same proof gets the same
answer. Wrong proofs and those of a batch are not remembered, and the tests of ``seqp2p.crypto`` do without this.
"""

import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import FunctionType
from typing import Any, Final

import pytest

from seqp2p.crypto import identity, schnorr, shuffle
from seqp2p.crypto.equation import require

Verify = Callable[..., None]

# How many of each are remembered. A deck of 104 cards, before and after, takes some 80 kB.
MOST: Final[dict[Verify, int]] = {
    shuffle.verify_shuffle: 400,
    schnorr.verify_shares: 20_000,
    schnorr.verify_key: 20_000,
    identity.verify: 20_000,
}
WHO: Final = ("seqp2p.match.", "seqp2p.replay.")


def hashable(part: Any) -> Hashable:
    """Decks, cards and shares come as lists or as tuples."""
    return tuple(map(hashable, part)) if isinstance(part, list | tuple) else part


def checked_once(verify: Verify, most: int) -> Verify:
    """A verifier that remembers what it found right. A last argument that can be called says how to check."""
    checked = lru_cache(most)(verify)

    def verify_again(*arguments: Any) -> None:
        if callable(arguments[-1]) and arguments[-1] is not require:
            verify(*arguments)
        else:
            checked(*map(hashable, arguments))

    return verify_again


@contextmanager
def remembering() -> Iterator[None]:
    """Matches and replays remember so until the block ends."""
    remembered = {verify: checked_once(verify, most) for verify, most in MOST.items()}
    with pytest.MonkeyPatch.context() as patched:
        for module in [module for name, module in sys.modules.items() if name.startswith(WHO)]:
            for name, value in [*vars(module).items()]:
                if isinstance(value, FunctionType) and value in remembered:
                    patched.setattr(module, name, remembered[value])
        yield
