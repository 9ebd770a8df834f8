"""Checks and decoded messages that all simulated peers of this process share.

Twelve peers check the same bytes, and so do the next hundred games at the same table.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from seqp2p.match.checks import Remembering
from seqp2p.net.frames import HEADER_SIZE, announced
from seqp2p.net.messages import LinkStage, WireMessage, decode_message

_MESSAGES_MAX: Final = 10_000
REMEMBERING: Final = Remembering(signatures_max=60_000, shares_max=20_000, shuffles_max=400, lot_max=4)


@lru_cache(_MESSAGES_MAX)
def decoded(frame: bytes, stage: LinkStage = LinkStage.GAME) -> WireMessage:
    """Return the message in a frame (after its length). Raises what the decoder does."""
    return decode_message(frame[HEADER_SIZE:], stage)


def pieces(data: bytes, size_max: int) -> Iterator[bytes]:
    """Yield the frames that were sent in one piece, each with its length. Raises PeerError if the next is none."""
    at = 0
    while at < len(data):
        end = at + HEADER_SIZE + announced(data[at : at + HEADER_SIZE], size_max)
        yield data[at:end]
        at = end
