"""What was found right is not computed again: hundreds of tests look at the same few games, each seat for itself.

A proof or a signature is right or not by nothing but what it is said to prove. So a match that is given the same
statement with the same proof again is told the same. Nothing wrong is remembered, nothing that is gathered for a batch,
and the tests of ``seqp2p.crypto`` call what they test, not this.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final

import pytest

from seqp2p.crypto.equation import require
from seqp2p.match import play_steps, remark, setup_steps, signed
from seqp2p.replay import reading

# A deck of 104 cards, before and after, takes some 80 kB.
SHUFFLES_MAX: Final = 400
OTHERS_MAX: Final = 20_000


def hashable(part: Any) -> Hashable:
    """Decks, cards and shares come as lists or as tuples."""
    return tuple(map(hashable, part)) if isinstance(part, list | tuple) else part


def proved_once(verify: Callable[..., None], most: int) -> Callable[..., None]:
    """A verifier of proofs that remembers what it has checked; its last argument is how equations are checked."""
    checked = lru_cache(most)(verify)

    def verify_again(*arguments: Any) -> None:
        *statement, check = arguments
        if check is require:
            checked(*map(hashable, statement))
        else:
            verify(*arguments)

    return verify_again


@contextmanager
def remembering() -> Iterator[None]:
    """Matches and replays remember so until the block ends."""
    proofs: Sequence[tuple[Any, str, int]] = (
        (setup_steps, "verify_key", OTHERS_MAX),
        (setup_steps, "verify_shares", OTHERS_MAX),
        (setup_steps, "verify_shuffle", SHUFFLES_MAX),
        (play_steps, "verify_shares", OTHERS_MAX),
    )
    signatures = ((signed, "verify"), (remark, "verify"), (reading, "verify_signature"))
    with pytest.MonkeyPatch.context() as patched:
        for module, name, most in proofs:
            patched.setattr(module, name, proved_once(getattr(module, name), most))
        for module, name in signatures:
            patched.setattr(module, name, lru_cache(OTHERS_MAX)(getattr(module, name)))
        yield
