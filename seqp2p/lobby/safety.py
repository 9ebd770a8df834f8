"""Safety words: two words by which two players hear, on the telephone or across the room, that nobody sits between.

What is compared is that both ends know the same two keys at one and the same table. A dishonest host could run two
tables and relay between them, under keys of its own: then the two ends see other keys and another game, and the words
differ but once in 65,536.

Sixteen bits are enough only because nobody can search for words that happen to be equal. So the seed is the joint
randomness that the seats opened in step ``reveal``: every seat has committed to its part before it saw any other, so
whoever sits at both tables has fixed its part of each seed before it can know that seed, whichever it opens first. It
could only break off, in sight of all, and begin again. Words made of the keys or of the agreement alone could be
searched for: 65,536 keys are made in seconds.
"""

from typing import Final

from seqp2p.crypto.hashing import tagged_hash
from seqp2p.lobby.wordlist import WORDS

SAFETY_WORDS: Final = "seqp2p/1 safety words"


def safety_words(seed: bytes, key_a: bytes, key_b: bytes) -> tuple[str, str]:
    """Two words for the seats with these identity keys (32 bytes each), the same whichever is named first.

    ``seed`` is what was opened in step ``reveal``, the parts of all seats in seat order.
    """
    first, second = tagged_hash(SAFETY_WORDS, seed, *sorted((key_a, key_b)))[:2]
    return WORDS[first], WORDS[second]
