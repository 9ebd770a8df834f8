"""Joint randomness, which no seat can steer: it comes from nonces that all seats committed to before any was shown.

The stream of words, the drawing below a bound and the permutation are fixed byte by byte in docs/protocol.md,
"Joint randomness", so that every verifier draws the same dealer.
"""

from collections.abc import Iterator, Sequence

from seqp2p.crypto.hashing import JOINT, tagged_hash
from seqp2p.rules import Card, DealerDraw, Variant, dealer_draw

WORD_SIZE = 4


class JointStream:
    """Endless uniform numbers from a seed: 32-bit big-endian words of H(joint ‖ seed ‖ counter), counter 0, 1, …"""

    def __init__(self, seed: bytes) -> None:
        self._words = self._all_words(seed)

    @staticmethod
    def _all_words(seed: bytes) -> Iterator[int]:
        counter = 0
        while True:
            block = tagged_hash(JOINT, seed, counter.to_bytes(4, "big"))
            for at in range(0, len(block), WORD_SIZE):
                yield int.from_bytes(block[at : at + WORD_SIZE], "big")
            counter += 1

    def below(self, bound: int) -> int:
        """Return a uniform number in 0 … bound − 1; words of the last, incomplete run of ``bound`` are skipped."""
        span = 1 << (8 * WORD_SIZE)
        limit = span - span % bound
        word = next(word for word in self._words if word < limit)
        return word % bound

    def permutation(self, size: int) -> tuple[int, ...]:
        """Return a uniform order of 0 … size − 1 (Fisher and Yates, from the last place down)."""
        order = list(range(size))
        for place in range(size - 1, 0, -1):
            other = self.below(place + 1)
            order[place], order[other] = order[other], order[place]
        return tuple(order)

    def cards(self, deck: Sequence[Card]) -> Iterator[Card]:
        """Yield the deck in a random order, card by card; when it is used up, in a new order."""
        while True:
            yield from (deck[place] for place in self.permutation(len(deck)))


def draw_dealer(variant: Variant, players: int, nonces: Sequence[bytes]) -> DealerDraw:
    """Draw the dealer: by cards that every seat turns over, or at random if the variant has no such rule."""
    stream = JointStream(b"".join(nonces))
    if not variant.ranks:
        return DealerDraw(rounds=(), dealer=1 + stream.below(players))
    return dealer_draw(variant, players, stream.cards(variant.deck))
