"""The labels of the hashes that only a match makes; those of proofs and signatures are in crypto/hashing.py."""

from typing import Final

TABLE: Final = "seqp2p/1 table"  # head(0), the game's id
STEP: Final = "seqp2p/1 step"  # head(k)
CLOSED: Final = "seqp2p/1 closed"  # head(k) where ballots closed step k by an action
REMARK_HASH: Final = "seqp2p/1 remark hash"  # the hash of a remark, in the seat's next one
JOINT: Final = "seqp2p/1 joint"  # joint randomness
