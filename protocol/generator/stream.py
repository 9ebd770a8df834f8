"""Fixed randomness: streams of bytes by name, test identities, and a source of choices for bots.

    block k of a stream = SHA-256(UTF-8 of the name ‖ k as 8 bytes, big-endian),  k = 0, 1, …

The blocks follow one another, and every reading takes the next bytes. Nothing here is secret, so nothing made with it
may be used at a real table.
"""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

from seqp2p.crypto.group import random_below
from seqp2p.crypto.identity import Identity

T = TypeVar("T")


class Stream:
    """Return the stream of this name, from its beginning; called with n it gives the next n bytes."""

    def __init__(self, name: str) -> None:
        self._name = name.encode()
        self._counter = 0
        self._rest = b""

    def __call__(self, size: int) -> bytes:
        while len(self._rest) < size:
            self._rest += hashlib.sha256(self._name + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken


def identity(name: str) -> Identity:
    """Return the test identity of this name: its 32 secret bytes are the first of the stream ``identity NAME``."""
    return Identity(Stream(f"identity {name}")(32))


class StreamChoices(random.Random):
    """Choices for a bot, from a stream: place = a number below the length, drawn as crypto.group.random_below does."""

    def __init__(self, name: str) -> None:
        super().__init__(0)
        self._stream = Stream(name)

    def choice(self, seq: Sequence[T]) -> T:  # type: ignore[override]  # the sequences bots choose from, no others
        return seq[random_below(len(seq), self._stream)]
