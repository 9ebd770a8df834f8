"""Seats that keep a game waiting: they cannot be reached, say goodbye, or do not do their part. Decisions only.

No link and no clock of its own; times are seconds on the caller's clock. voting.py says what follows from it.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from seqp2p.i18n import message
from seqp2p.match.machine import Match
from seqp2p.match.outcome import names

# Steps over which a player may think, as long as the table's clock lets it; a program does all the others by itself.
PONDERED: Final = frozenset({"turn", "discard"})
# How long a seat may keep the others waiting with what takes no thinking, though it is there; at least the table's
# grace. A shuffle takes a second or two on a slow machine.
OWED_S: Final = 60.0
# How long after a seat's goodbye its evidence against another seat may still come by way of others.
GOODBYE_WAIT_S: Final = 1.0
# Each machine has its own clock for a turn: no seat is late by less than a message may take.
LATE_MARGIN_S: Final = 1.0
# A link that is made again at once was no absence worth telling.
ABSENT_S: Final = 1.0
# One that has said goodbye is told to be away only if the game still waits for it after so long.
ABSENT_AFTER_GOODBYE_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Absent:
    """A seat cannot be reached, neither directly nor by way of others; it is waited for so long."""

    seat: int
    grace_s: int


@dataclass(frozen=True, slots=True)
class Back:
    """A seat that could not be reached is there again."""

    seat: int


@dataclass(frozen=True, slots=True)
class Awaited:
    """The game was adjourned, and these seats are not back. With none, all are back and it goes on."""

    seats: tuple[int, ...]


class Absence:
    """Notes which of the other seats are away, and since when the open step waits."""

    def __init__(self, match: Match, own_seat: int) -> None:
        self._match = match
        self._own_seat = own_seat
        self._moved_at = 0.0
        self._away_at: dict[int, float] = {}
        self._back_at: dict[int, float] = {}
        self._told: set[int] = set()
        self._gone: dict[int, tuple[float, str]] = {}  # when a seat said goodbye, and why

    @property
    def grace_s(self) -> int:
        """The time for which a seat that cannot be reached is waited for."""
        return self._match.game.agreement.settings.grace_s

    def moved(self, now: float) -> None:
        """The game has begun, or the open step is another."""
        self._moved_at = now

    def goodbye(self, seat: int, reason: str, now: float) -> None:
        """A seat has said goodbye. Who leaves by its own will gives no reason; one for whom the game has ended does."""
        self._gone.setdefault(seat, (now, reason))

    def linked(self, seat: int) -> None:
        """There is a new link to a seat: it is there, also if it said goodbye before."""
        self._gone.pop(seat, None)

    def handle(self, reachable: AbstractSet[int], now: float) -> tuple[Absent | Back, ...]:
        """Note who can be reached, about every second; returns what has changed for people to know."""
        told: list[Absent | Back] = []
        self._told &= set(self._match.game.seats)
        self._away_at = {seat: since for seat, since in self._away_at.items() if self._in_game(seat)}
        for seat in self._match.game.seats:
            if seat == self._own_seat or seat in reachable:
                if self._away_at.pop(seat, None) is not None:
                    self._back_at[seat] = now
                if seat in self._told:
                    self._told.discard(seat)
                    told.append(Back(seat))
            elif now - self._away_at.setdefault(seat, now) >= self._silent_s(seat) and seat not in self._told:
                self._told.add(seat)
                told.append(Absent(seat, self.grace_s))
        return tuple(told)

    def _silent_s(self, seat: int) -> float:
        return ABSENT_AFTER_GOODBYE_S if seat in self._gone else ABSENT_S

    def away(self, now: float) -> frozenset[int]:
        """The seats that have been away for the whole grace."""
        away = (seat for seat, since in self._away_at.items() if now - since >= self.grace_s)
        return frozenset(seat for seat in away if self._in_game(seat))

    @property
    def moved_at(self) -> float:
        """The time since which the open step waits."""
        return self._moved_at

    def away_since(self, seat: int) -> float:
        """Return the time since which a seat has been away; now and always for one that is there."""
        return self._away_at.get(seat, float("inf"))

    def reachable_s(self, seat: int, now: float) -> float:
        """For how long a seat has been there without a break; 0 while it is away."""
        return 0.0 if seat in self._away_at else now - self._back_at.get(seat, float("-inf"))

    def departed(self, now: float) -> frozenset[int]:
        """The seats that said goodbye, a moment ago or longer: what others say of the reason may still be coming."""
        departed = (seat for seat, (since, _) in self._gone.items() if now - since >= GOODBYE_WAIT_S)
        return frozenset(seat for seat in departed if self._in_game(seat))

    def vanished(self, now: float) -> frozenset[int]:
        """Those that said goodbye and cannot be reached by way of others either: a cheat may say it to some alone."""
        return self.departed(now) & self._away_at.keys()

    def _in_game(self, seat: int) -> bool:
        """Return True if it is still in the game: a seat that was dropped is not waited for."""
        return seat in self._match.game.seats

    def late(self, now: float) -> frozenset[int]:
        """The seats that let the table's clock run out."""
        turn_time_s = self._match.game.agreement.settings.turn_time_s
        if not turn_time_s or self._match.kind not in PONDERED or now - self._moved_at < turn_time_s + LATE_MARGIN_S:
            return frozenset()
        return self._match.awaited - {self._own_seat}

    def owing(self, now: float) -> frozenset[int]:
        """The seats whose programs owe what takes no thinking, for longer than any machine needs."""
        if self._match.kind in PONDERED or now - self._moved_at < max(OWED_S, self.grace_s):
            return frozenset()
        return self._match.awaited - {self._own_seat}

    def overdue(self, now: float) -> frozenset[int]:
        """The seats that have had the time of two turns, or owe what takes no thinking."""
        return self.late(now - self._match.game.agreement.settings.turn_time_s) | self.owing(now)

    def why_over(self, now: float) -> str | None:
        """Return the reason to end a game without votes, in words that name the seats, or None."""
        waiting = self._match.awaited - {self._own_seat}
        if self._match.kind == "over":
            # A seat that has signed the end may go.
            quit_ = waiting and waiting <= self.departed(now) | self._match.left.keys() | self._match.proven.keys()
            if quit_:
                return message("{seats} left the table", seats=self.names(waiting))
            return self._who_keeps_waiting(waiting, now)
        if seats := self.vanished(now):
            # The others may only repeat that a seat left: its own word, if it is here, comes first.
            seat = min(seats, key=lambda seat: self._gone[seat][1] != "")
            reason = self._gone[seat][1]
            if not reason:
                return message("{seats} left the table", seats=self.names({seat}))
            return message("{seat} says: {reason}", seat=self.names({seat}), reason=reason)
        return self._who_keeps_waiting(waiting, now)

    def _who_keeps_waiting(self, waiting: frozenset[int], now: float) -> str | None:
        if away := waiting & self.away(now):
            return message("{seats} could not be reached for {grace_s} s", seats=self.names(away), grace_s=self.grace_s)
        if owing := self.owing(now):
            return message(
                "{seats} sent nothing valid for step {step} ({kind}) in {time_s:.0f} s",
                seats=self.names(owing),
                step=self._match.number,
                kind=self._match.kind,
                time_s=max(OWED_S, self.grace_s),
            )
        turn_time_s = self._match.game.agreement.settings.turn_time_s
        # No seat can be skipped here, so it has the time of two turns.
        if late := self.late(now - turn_time_s):
            return message("{seats} did not move in {time_s} s", seats=self.names(late), time_s=2 * turn_time_s)
        return None

    def names(self, seats: AbstractSet[int]) -> str:
        """Seats as people are told of them: ``seat 2 (ann), seat 3 (bob)``."""
        return names(self._match.game, seats)
