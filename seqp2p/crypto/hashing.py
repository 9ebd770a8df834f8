"""Hashing with labels: every hash names its purpose, and no two purposes share an input.

The layout, for this module and for the oracle alike:

    label ‖ 0x00 ‖ (length of item, 4 bytes big-endian ‖ item) for each item

A label is ASCII, starts with `seqp2p/1 ` (the protocol and its version) and holds no zero byte, so an encoding can be
read in one way only.
"""

import hashlib
from typing import Final

from seqp2p.crypto.errors import CryptoError
from seqp2p.i18n import message

PREFIX: Final = "seqp2p/1 "

# Points of unknown discrete logarithm. A card's label is followed by a space and the variant's name.
GENERATOR: Final = "seqp2p/1 generator"  # H is index 0, H_1 … H_N are 1 … N
CARD: Final = "seqp2p/1 card"

# Challenges (SHA-512, see oracle.py).
KEY_PROOF: Final = "seqp2p/1 key proof"
SHARE_PROOF: Final = "seqp2p/1 share proof"
SHUFFLE_PROOF: Final = "seqp2p/1 shuffle proof"

# Nonces of a prover. No verifier sees them, so another program may choose its own.
KEY_NONCE: Final = "seqp2p/1 key nonce"
SHARE_NONCE: Final = "seqp2p/1 share nonce"
SHUFFLE_NONCE: Final = "seqp2p/1 shuffle nonce"

# SHA-256.
TABLE: Final = "seqp2p/1 table"  # head(0), the game's id
STEP: Final = "seqp2p/1 step"  # head(k)
CLOSED: Final = "seqp2p/1 closed"  # head(k) where ballots closed step k by an action
REMARK_HASH: Final = "seqp2p/1 remark hash"  # the hash of a remark, in the seat's next one
JOINT: Final = "seqp2p/1 joint"  # joint randomness
KEY_COMMITMENT: Final = "seqp2p/1 key commitment"
FINGERPRINT: Final = "seqp2p/1 fingerprint"
PAIR: Final = "seqp2p/1 pair"  # the token of two seats at a relay
REMATCH: Final = "seqp2p/1 rematch"  # the same for the host's next lobby

# Signatures are over label ‖ 0x00 ‖ data, without lengths (see identity.py).
CONTRIBUTION: Final = "seqp2p/1 contribution"
BALLOT: Final = "seqp2p/1 ballot"
HEAD: Final = "seqp2p/1 head"
LEAVE: Final = "seqp2p/1 leave"
REMARK: Final = "seqp2p/1 remark"
LOBBY_LINE: Final = "seqp2p/1 lobby line"
LINK: Final = "seqp2p/1 link"
ADDRESSES: Final = "seqp2p/1 addresses"
FILE: Final = "seqp2p/1 file"


def label_bytes(label: str) -> bytes:
    """Return `label ‖ 0x00`.

    Raises CryptoError for a label that is not ASCII, has another prefix or holds a zero byte.
    """
    if not label.isascii() or not label.startswith(PREFIX) or "\0" in label:
        values = {"label": label, "prefix": PREFIX}
        raise CryptoError(
            message(
                "{label!r} is not a label: it must be ASCII without zero bytes and start with {prefix!r}.", **values
            )
        )
    return label.encode("ascii") + b"\0"


def number(value: int) -> bytes:
    """Return 4 bytes, big-endian, the form of every hashed number. Raises CryptoError for one that does not fit."""
    if not 0 <= value < 1 << 32:
        raise CryptoError(message("{value} does not fit into 4 bytes.", value=value))
    return value.to_bytes(4, "big")


def framed(*items: bytes) -> bytes:
    """Return each item after its length as 4 bytes, big-endian."""
    return b"".join([len(item).to_bytes(4, "big") + item for item in items])


def tagged_hash(label: str, *items: bytes) -> bytes:
    """Return SHA-256 over the label and the items: 32 bytes.

    >>> tagged_hash("seqp2p/1 step", b"a", b"bc") == tagged_hash("seqp2p/1 step", b"ab", b"c")
    False
    """
    return hashlib.sha256(label_bytes(label) + framed(*items)).digest()
