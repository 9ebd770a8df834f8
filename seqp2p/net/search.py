"""The search for a seat without a direct link, as evidence that it cannot be reached. Decisions only.

Others may say that a seat is gone, or keep back what it sends. So no seat votes against another without evidence before
it has looked for it itself: since the wait began it has dialled every address that the seat had signed, has waited for
it at the relay that both use, if there is one, and has looked for it on the network. A relay that does not answer
counts as well: it must not stall the table. Times are seconds on the caller's clock.
"""

import math
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from seqp2p.net.addresses import Address

DIAL_GAP_S: Final = 1.0
"""Between two dials of one seat: no peer can make this machine connect more often to addresses of its choice."""
LOOK_S: Final = 8.0
"""To look on the network: up to 3 s until the look has begun, and 5 s of looking."""
SEARCH_MAX_S: Final = 30.0
"""How far a search may put off a vote after the grace: an absent seat cannot stall the table with new addresses."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of dials, all of which have failed."""

    began_at: float
    dialled: frozenset[Address]


class Search:
    """The attempts of one seat to reach another. ``signed`` are the addresses to dial that the other has signed."""

    def __init__(self) -> None:
        self.signed: frozenset[Address] = frozenset()
        self.has_relay = False
        """True if both seats use one relay."""
        self.given_up = False
        """True if this seat does not link with the other any more, because of its invalid messages."""
        self._dialled_at = -math.inf
        self._lost_at = -math.inf
        self._meets_since = math.inf
        self._rounds: deque[Round] = deque(maxlen=2)

    def lost(self, now: float) -> None:
        """Note that there is no link any more, or none yet: the look on the network begins."""
        self._lost_at = now
        self._meets_since = math.inf

    def meets(self, now: float) -> None:
        """Note that this seat waits for the other at their relay, or tries to, from now on."""
        self._meets_since = min(self._meets_since, now)

    def plan_s(self, now: float) -> float:
        """Take the time of the next dial. Return the seconds until then."""
        self._dialled_at = max(now, self._dialled_at + DIAL_GAP_S)
        return self._dialled_at - now

    def failed(self, began_at: float, dialled: Collection[Address]) -> None:
        """Note a round of dials that made no link."""
        self._rounds.append(Round(began_at, frozenset(dialled)))

    def is_done(self, since: float, now: float) -> bool:
        """Return True if the seat has been looked for since then, everywhere that it had signed.

        Addresses that it signs later extend the search once, by one round.
        """
        if self.given_up:
            return True
        if now < max(since, self._lost_at, self._meets_since if self.has_relay else since) + LOOK_S:
            return False
        rounds = [each for each in self._rounds if each.began_at >= since]
        return not self.signed or len(rounds) > 1 or any(each.dialled >= self.signed for each in rounds)
