"""What came before its step, kept until that is there: by who signed it, within limits."""

from typing import Final

from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import TooEarly
from seqp2p.net.gossip import VoteMessage, digest

# Of one seat. Honest ones are at most a round of shuffles ahead, but for a seat that is catching up.
EARLY_MAX: Final = 64
# Different ones of one seat for one step: two are proof of cheating, more prove no more.
VERSIONS_MAX: Final = 2
# Of one seat, about later steps than the first that is not final: the nearest.
VOTES_MAX: Final = 64


class Early:
    """Contributions to steps that are not open yet.

    Nobody can crowd out another, because each is kept on the account of the seat that signed it.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int], list[tuple[int, Contribution]]] = {}  # (neighbour, …) by (step, author)

    def keep(self, step: int, author: int, sender: int, contribution: Contribution) -> None:
        """Keep one that ``author`` has signed; where there are too many of it, those of the nearest steps."""
        versions = self._kept.setdefault((step, author), [])
        if len(versions) < VERSIONS_MAX and contribution.payload not in [kept.payload for _, kept in versions]:
            versions.append((sender, contribution))
        steps = sorted(number for number, seat in self._kept if seat == author)
        if len(steps) > EARLY_MAX:
            del self._kept[steps[-1], author]

    def due(self, step: int) -> list[tuple[int, Contribution]]:
        """Take what is due once this step is open: neighbours it came from, and contributions, in order of steps."""
        keys = sorted(key for key in self._kept if key[0] <= step)
        return [each for key in keys for each in self._kept.pop(key)]


class EarlyVotes:
    """Votes about steps that are not the base yet. Nobody can crowd out another: each is on its signer's account."""

    def __init__(self) -> None:
        self._kept: dict[
            int, dict[bytes, tuple[int, int, VoteMessage]]
        ] = {}  # (step, neighbour, vote) by digest, by signer

    def keep(self, early: TooEarly, sender: int, message: VoteMessage) -> None:
        """Keep one; where there are too many of its signer, those of the nearest steps."""
        kept = self._kept.setdefault(early.seat, {})
        kept.setdefault(digest(message.payload), (early.step, sender, message))
        if len(kept) > VOTES_MAX:
            del kept[max(kept, key=lambda key: kept[key][0])]

    def due(self, step: int) -> list[tuple[int, VoteMessage]]:
        """Take what is about steps up to this one: neighbours, and what they sent, in order of steps."""
        due = [(key, kept) for kept in self._kept.values() for key, (of, *_) in kept.items() if of <= step]
        taken = sorted((kept.pop(key) for key, kept in due), key=lambda each: each[0])
        return [(sender, message) for _, sender, message in taken]
