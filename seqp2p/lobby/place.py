"""The meeting place of a table: where its host waits at a relay, and joiners come.

Theory of operation. The place's digits, which are a part of the join code, give four tokens for lines at the relay
(transit.py). The host keeps a line at each, as a server. A joiner tries one token at random, and after a while another
one: a line that is taken or forgotten at one token does not keep it out. Nothing that the relay sees depends on the
secret words of the code, which have so few bits that they could be searched. The digits are hashed by scrypt, because a
relay that sees tokens could search for their places; that it finds them gives it one guess at the words for each joiner
(pake.py), as it would have by guessing. The mark is for adverts on a LAN, which do not show the place.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

import trio

from seqp2p.crypto.hashing import label_bytes

MEETING_PLACE: Final = "seqp2p/1 meeting place"
TOKENS: Final = 4
_TOKEN_SIZE: Final = 32
_MARK_SIZE: Final = 8
_COST: Final = 1 << 15
"""32 MB and 0.1 to 0.25 s for each place that is tried: to try 10^14 takes 300,000 years of one core at least."""
_MEMORY_MAX: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class MeetingPlace:
    """The four tokens of 32 bytes, and the 16 hexadecimal digits that tables on a LAN advertise."""

    tokens: tuple[bytes, ...]
    mark: str


async def meeting_place(digits: str) -> MeetingPlace:
    """Return the meeting place of these 14 digits. It takes 0.25 s, in a thread."""
    return await trio.to_thread.run_sync(hash_place, digits)


def hash_place(digits: str) -> MeetingPlace:
    """Return the meeting place of these 14 digits. Slow: run in a thread."""
    size = TOKENS * _TOKEN_SIZE
    data = hashlib.scrypt(
        digits.encode("ascii"),
        salt=label_bytes(MEETING_PLACE),
        n=_COST,
        r=8,
        p=1,
        maxmem=_MEMORY_MAX,
        dklen=size + _MARK_SIZE,
    )
    tokens = tuple(data[begin : begin + _TOKEN_SIZE] for begin in range(0, size, _TOKEN_SIZE))
    return MeetingPlace(tokens, data[size:].hex())
