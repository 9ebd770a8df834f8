"""The real checks with a memory: each statement that was found right is checked once per process.

Twelve peers check the same bytes, and so do the next hundred games at the same table. A statement that was found wrong
is not kept, so it is wrong each time. The key is the whole statement of the check.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from seqp2p.crypto.elgamal import Ciphertext
from seqp2p.crypto.group import Point
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.share_proof import Cards
from seqp2p.match.checks import CHECKS, Checks
from seqp2p.net.frames import HEADER_SIZE, announced
from seqp2p.net.messages import LinkStage, WireMessage, decode_message

_SIGNATURES_MAX: Final = 60_000
_SHARES_MAX: Final = 20_000
_SHUFFLES_MAX: Final = 400
_MESSAGES_MAX: Final = 10_000

_signature = lru_cache(_SIGNATURES_MAX)(CHECKS.signature)
_shuffle = lru_cache(_SHUFFLES_MAX)(CHECKS.shuffle)
_shares = lru_cache(_SHARES_MAX)(CHECKS.shares)


class Remembering(Checks):
    """The checks of ``seqp2p.match.checks``, each made once for the same bytes."""

    def signature(self, key: bytes, label: str, payload: bytes, signature: bytes) -> None:
        """See Checks."""
        _signature(key, label, payload, signature)

    def shuffle(
        self, before: Sequence[Ciphertext], after: Sequence[Ciphertext], key: Point, proof: bytes, context: Context
    ) -> None:
        """See Checks."""
        _shuffle(tuple(before), tuple(after), key, proof, context)

    def shares(self, key: Point, cards: Cards, shares: Sequence[Point], proof: bytes, context: Context) -> None:
        """See Checks."""
        _shares(key, tuple(cards), tuple(shares), proof, context)


REMEMBERING: Final = Remembering()


@lru_cache(_MESSAGES_MAX)
def decoded(frame: bytes, stage: LinkStage = LinkStage.GAME) -> WireMessage:
    """Return the message in a frame (after its length). Raises PeerError and PeerRefused as the decoder does."""
    return decode_message(frame[HEADER_SIZE:], stage)


def pieces(data: bytes, size_max: int) -> Iterator[bytes]:
    """Yield the frames that were sent in one piece, each with its length. Raises PeerError if the next is none."""
    at = 0
    while at < len(data):
        end = at + HEADER_SIZE + announced(data[at : at + HEADER_SIZE], size_max)
        yield data[at:end]
        at = end
