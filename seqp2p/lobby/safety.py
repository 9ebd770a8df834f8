"""Safety words: two words by which two players learn, on the telephone or across the room, that no one sits between.

Equal words show that both ends know the same two keys at the same table. A dishonest host could run two tables and
relay between them, under keys of its own: then the two ends see other keys and another game, and the words differ but
once in 65,536.

Sixteen bits are enough only because no one can search for words that happen to be equal. So the seed is the joint
randomness that the seats opened in step ``reveal``. Every seat has committed to its part before it saw any other: a
host of both tables has fixed its part of each seed before it can know that seed, in either order. It could only break
off, in sight of all, and begin again. Words made of the keys or of the agreement alone could be
searched for: 65,536 keys are made in seconds.
"""

from typing import Final

from seqp2p.crypto.hashing import tagged_hash
from seqp2p.lobby.wordlist import WORDS

SAFETY_WORDS: Final = "seqp2p/1 safety words"


def safety_words(seed: bytes, key_a: bytes, key_b: bytes) -> tuple[str, str]:
    """Return two words for the seats with these identity keys (32 bytes each), in either order.

    ``seed`` is the randomness opened in step ``reveal``, the parts of all seats in seat order.
    """
    first, second = tagged_hash(SAFETY_WORDS, seed, *sorted((key_a, key_b)))[:2]
    return WORDS[first], WORDS[second]
