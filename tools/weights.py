"""The file of weights for the bot ``learned``, which ``seqp2p.bots.value`` reads."""

import struct
from collections.abc import Iterator, Sequence
from hashlib import sha256

from seqp2p.bots.value import MAGIC, SCALE, VERSION


def write_weights(name: str, rows: Sequence[Sequence[Sequence[float]]], out: Sequence[Sequence[float]]) -> bytes:
    header = f"{MAGIC} {VERSION} {name} {len(rows)} {len(rows[0])} {len(rows[0][0])}\n".encode("ascii")
    numbers = b"".join(struct.pack(f"<{len(row)}h", *_whole(row)) for row in (*(r for rs in rows for r in rs), *out))
    return header + sha256(header + numbers).digest() + numbers


def _whole(row: Sequence[float]) -> Iterator[int]:
    for weight in row:
        yield max(-(1 << 15), min((1 << 15) - 1, round(weight * SCALE)))
