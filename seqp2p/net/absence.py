"""Whether the game is still waited for: goodbyes, seats that cannot be reached, and programs that do not do their part.

Decisions only: no link and no clock of its own. Times are seconds on the caller's clock.
"""

from collections.abc import Set as AbstractSet
from typing import Final

from seqp2p.match.machine import Match

# Steps over which a player may think as long as it likes; a program does all the others by itself, or ends them soon.
PONDERED: Final = frozenset({"turn", "discard"})
# How long a seat may keep the others waiting with what takes no thinking, though it is there; at least the table's
# grace. A shuffle takes a second or two on a slow machine.
OWED_S: Final = 60.0
# How long after a seat's goodbye its evidence against another seat may still come by way of others.
GOODBYE_WAIT_S: Final = 1.0


class Absence:
    """Who keeps one seat's match waiting, and since when."""

    def __init__(self, match: Match, own_seat: int) -> None:
        self._match = match
        self._own_seat = own_seat
        self._moved_at = 0.0
        self._away_at: float | None = None  # since when nobody who is waited for can be reached
        self._gone: dict[int, tuple[float, str]] = {}  # when a seat said goodbye, and why

    def moved(self, now: float) -> None:
        """The game has begun, or a contribution has been taken."""
        self._moved_at = now

    def goodbye(self, seat: int, reason: str, now: float) -> None:
        """A seat has said goodbye. Who leaves by its own will gives no reason; one for whom the game has ended does."""
        self._gone.setdefault(seat, (now, reason))

    def why_over(self, reachable: frozenset[int], now: float) -> str | None:
        """Why nothing is waited for any longer, in words that name the seats, or None while it is. Ask regularly."""
        waiting = self._match.awaited - {self._own_seat}
        return (
            self._who_left(waiting, now) or self._who_is_away(waiting, reachable, now) or self._who_owes(waiting, now)
        )

    def _who_left(self, waiting: frozenset[int], now: float) -> str | None:
        # What others have to say of the reason may still be on its way, so a goodbye is not taken at once.
        late = {seat for seat, (since, _) in self._gone.items() if now - since >= GOODBYE_WAIT_S}
        if self._match.kind == "over":
            # Whoever has signed the end may go.
            return f"{self.names(waiting)} left the table" if waiting and waiting <= late else None
        if not late:
            return None
        # What others say may be that somebody left: then its own word, if it is here, comes first.
        seat, (_, reason) = min(self._gone.items(), key=lambda gone: gone[1][1] != "")
        return f"{self.names({seat})} says: {reason}" if reason else f"{self.names({seat})} left the table"

    def _who_is_away(self, waiting: frozenset[int], reachable: frozenset[int], now: float) -> str | None:
        if not waiting or waiting & reachable:
            self._away_at = None
            return None
        if self._away_at is None:
            self._away_at = now
        grace_s = self._match.game.agreement.settings.grace_s
        return f"{self.names(waiting)} could not be reached for {grace_s} s" if now - self._away_at >= grace_s else None

    def _who_owes(self, waiting: frozenset[int], now: float) -> str | None:
        owed_s = max(OWED_S, self._match.game.agreement.settings.grace_s)
        if not waiting or self._match.kind in PONDERED or now - self._moved_at < owed_s:
            return None
        step = f"step {self._match.number} ({self._match.kind})"
        return f"{self.names(waiting)} sent nothing valid for {step} in {owed_s:.0f} s"

    def names(self, seats: AbstractSet[int]) -> str:
        """Seats as people are told of them: ``seat 2 (ann), seat 3 (bob)``."""
        entries = self._match.game.agreement.seats
        return ", ".join(f"seat {seat} ({entries[seat - 1].name})" for seat in sorted(seats))
