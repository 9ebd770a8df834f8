"""Seats that keep a game waiting: they cannot be reached, or do not do their part. Decisions only.

No link and no clock of its own; times are seconds on the caller's clock. voting.py says what follows from it.

A seat that was resumed gathers the others first: until it has been linked with each member once, it begins no ballot
about an absent or late seat. So players who stopped for the night can come back one after the other. A person may
give up a seat by name; a program gives up after ``PATIENCE`` times the grace.
"""

import math
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from seqp2p.i18n import message
from seqp2p.match.game import names
from seqp2p.match.machine import Match

LATER: Final = "later"
"""The reason in the goodbye of a seat that stops for now."""
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
# One that has said goodbye on one link and can be reached so long after is there: it had another link.
STAYS_S: Final = 15.0
# In graces: how long a resumed seat without a person gathers the others.
PATIENCE: Final = 10
# In graces: how long a seat without a person leaves it to people what becomes of a seat that has stopped for now. The
# seats of people vote after two.
LEFT_TO_PEOPLE: Final = 3
ANSWER_S: Final = 30.0
"""How long the answer of a linked seat is waited for. An honest one answers when it has taken what came before."""
SETTLE_S: Final = 5.0
"""How long a member has to be linked, from the beginning: else one that is quick could answer for all."""


@dataclass(frozen=True, slots=True)
class Absent:
    """A seat cannot be reached, neither directly nor by way of others; it is waited for so long.

    ``grace_s`` is None while this seat gathers the others; if the seat is away when that ends, it is told again.
    ``later``: the player of the absent seat has stopped for now, and means to come back.
    """

    seat: int
    grace_s: int | None
    later: bool = False


@dataclass(frozen=True, slots=True)
class Back:
    """A seat that could not be reached is there again."""

    seat: int


class Absence:
    """Notes which of the other seats are away, and since when the open step waits."""

    def __init__(
        self,
        match: Match,
        own_seat: int,
        *,
        resumed: bool = False,
        asks: bool = False,
        people: AbstractSet[int] = frozenset(),
    ) -> None:
        """``asks``: a person plays. ``people``: for a seat without one, the seats that may have one."""
        self._match = match
        self._own_seat = own_seat
        self._unmet = set(match.game.seats) - {own_seat}
        self._given_up: set[int] = set()
        self.gathers = resumed  # it waits for members that it has not been linked with
        self._patience_s = math.inf if asks else PATIENCE * self.grace_s
        self._people = people
        self._begun_at = 0.0
        self.moved_at = 0.0  # the time since which the open step waits
        self._away_at: dict[int, float] = {}
        self._back_at: dict[int, float] = {}
        self._told: set[int] = set()
        self._gone: dict[int, tuple[float, str]] = {}  # when a seat said goodbye, and why
        self._stopped_at: dict[int, float] = {}  # since when a stop for now is left to people, in the open step

    @property
    def grace_s(self) -> int:
        """How long a seat that cannot be reached is waited for."""
        return self._match.game.agreement.settings.grace_s

    def begin(self, now: float) -> None:
        self._begun_at = self.moved_at = now

    def moved(self, now: float) -> None:
        self.moved_at = now
        self._stopped_at = {seat: now for seat in self._stopped_at if self._has_stopped(seat)}

    def goodbye(self, seat: int, reason: str, now: float) -> None:
        self._gone.setdefault(seat, (now, reason))
        if reason == LATER:
            self._stopped_at.setdefault(seat, now)

    def linked(self, seat: int) -> None:
        """Note a new link to a seat: it is there, also if it said goodbye before."""
        self._gone.pop(seat, None)
        self._unmet.discard(seat)
        self._given_up.discard(seat)

    def give_up(self, seat: int) -> None:
        """Note that the person who plays here does not wait until this seat is gathered."""
        self._given_up.add(seat)

    def handle(self, reachable: AbstractSet[int], now: float) -> tuple[Absent | Back, ...]:
        """Note who can be reached, about every second; returns what has changed for people to know."""
        told: list[Absent | Back] = []
        graces_begin = self._told - self._given_up if self._gather(now) else set[int]()
        self._told &= self._members
        self._away_at = {seat: since for seat, since in self._away_at.items() if seat in self._members}
        for seat in self._match.game.seats:
            if seat == self._own_seat or seat in reachable:
                if self._away_at.pop(seat, None) is not None:
                    self._back_at[seat] = now
                if seat in self._gone and now - self._gone[seat][0] >= STAYS_S:
                    del self._gone[seat]
                if seat in self._told:
                    self._told.discard(seat)
                    told.append(Back(seat))
                continue
            away_s = now - self._away_at.setdefault(seat, now)
            silent_s = 0.0 if self._has_stopped(seat) else ABSENT_AFTER_GOODBYE_S if seat in self._gone else ABSENT_S
            if seat in graces_begin or (seat not in self._told and away_s >= silent_s):
                self._told.add(seat)
                grace_s = None if self.gathers else self.grace_s
                told.append(Absent(seat, grace_s, later=self._has_stopped(seat)))
        return tuple(told)

    def _gather(self, now: float) -> bool:
        """Stop gathering, and begin all waits again, if it is time. Return True if it does so now."""
        unmet = self._members & self._unmet - self._given_up - self._match.left.keys() - self._match.proven.keys()
        if not self.gathers or (unmet and now - self._begun_at < self._patience_s):
            return False
        self.gathers = False
        self.moved_at = now
        self._stopped_at = dict.fromkeys(self._stopped_at, now)
        self._away_at = {seat: at if seat in self._given_up else now for seat, at in self._away_at.items()}
        return True

    def _has_stopped(self, seat: int) -> bool:
        """Return True if the last word of a seat was that it stops for now."""
        return seat in self._gone and self._gone[seat][1] == LATER

    @property
    def _members(self) -> frozenset[int]:
        """The seats in the game: one that was dropped is not waited for."""
        return frozenset(self._match.game.seats)

    def away(self, now: float) -> frozenset[int]:
        """Return the seats that could not be reached for the whole grace."""
        return frozenset(seat for seat, since in self._away_at.items() if now - since >= self.grace_s) & self._members

    def spared(self, now: float) -> frozenset[int]:
        """Return the seats about which this seat begins no ballot for being away or late."""
        if self.gathers:
            return self._members - self._given_up
        if self._people_in_game <= self.away(now):
            return frozenset()
        long_s = LEFT_TO_PEOPLE * self.grace_s
        return frozenset(seat for seat, at in self._stopped_at.items() if self._has_stopped(seat) and now - at < long_s)

    @property
    def _people_in_game(self) -> frozenset[int]:
        return self._members & self._people - self._match.left.keys() - self._match.proven.keys()

    def is_alone(self, now: float) -> bool:
        """Return True if this seat has no person, and all people in the game are away."""
        return not self.gathers and bool(self._people_in_game) and self._people_in_game <= self.away(now)

    def may_return(self, now: float) -> frozenset[int]:
        """Return the seats that have stopped for now, or were away for the grace: at all, if this seat is late."""
        missing = self._away_at.keys() if self._own_seat in self._timed_out(now) else self.away(now)
        return frozenset(seat for seat in self._gone if self._has_stopped(seat)) | missing

    def away_since(self, seat: int) -> float:
        """Return the time since which a seat has been away; now and always for one that is there."""
        return self._away_at.get(seat, float("inf"))

    def reachable_s(self, seat: int, now: float) -> float:
        """For how long a seat has been there without a break; 0 while it is away."""
        return 0.0 if seat in self._away_at else now - self._back_at.get(seat, float("-inf"))

    def late(self, now: float) -> frozenset[int]:
        """The other seats that let the table's clock run out."""
        return self._timed_out(now) - {self._own_seat}

    def _timed_out(self, now: float) -> frozenset[int]:
        turn_time_s = self._match.game.agreement.settings.turn_time_s
        if not turn_time_s or self._match.kind not in PONDERED or now - self.moved_at < turn_time_s + LATE_MARGIN_S:
            return frozenset()
        return self._match.awaited

    def owing(self, now: float) -> frozenset[int]:
        """The seats whose programs owe what takes no thinking, for longer than any machine needs."""
        if self._match.kind in PONDERED or now - self.moved_at < max(OWED_S, self.grace_s):
            return frozenset()
        return self._match.awaited - {self._own_seat}

    def overdue(self, now: float) -> frozenset[int]:
        """The seats that have had the time of two turns, or owe what takes no thinking."""
        return self.late(now - self._match.game.agreement.settings.turn_time_s) | self.owing(now)

    def why_over(self, now: float) -> str | None:
        """Return the reason to end a game without votes, in words that name the seats, or None."""
        waiting = self._match.awaited - {self._own_seat}
        # One that has just said goodbye waits: others may still pass on why.
        departed = {seat for seat, (at, _) in self._gone.items() if now - at >= GOODBYE_WAIT_S} & self._members
        if self._match.kind == "over":
            # A seat that has signed the end may go. One that has stopped for now may sign it later, if that matters.
            if not self._match.confirmed:
                departed -= {seat for seat in departed if self._has_stopped(seat)}
            if waiting and waiting <= departed | self._match.left.keys() | self._match.proven.keys():
                return message("{seats} left the table", seats=self.names(waiting))
        elif self._match.game.position is None and (gone := departed & self._away_at.keys()):
            # Others may only repeat that a seat left: its own word, if it is here, comes first.
            seat = min(gone, key=lambda seat: self._gone[seat][1] != "")
            reason = self._gone[seat][1]
            if reason in {"", LATER}:
                return message("{seats} left the table", seats=self.names({seat}))
            return message("{seat} says: {reason}", seat=self.names({seat}), reason=reason)
        return self._who_keeps_waiting(waiting, now)

    def _who_keeps_waiting(self, waiting: frozenset[int], now: float) -> str | None:
        if self.gathers:
            return None
        if away := waiting & self.away(now):
            return message("{seats} could not be reached for {grace_s} s", seats=self.names(away), grace_s=self.grace_s)
        if owing := self.owing(now):
            at = {"seats": self.names(owing), "step": self._match.number, "kind": self._match.kind}
            time_s = max(OWED_S, self.grace_s)
            return message("{seats} sent nothing valid for step {step} ({kind}) in {time_s:.0f} s", time_s=time_s, **at)
        turn_time_s = self._match.game.agreement.settings.turn_time_s
        # No seat can be skipped here, so it has the time of two turns. A late seat ends the game by its own clock as
        # well: for it the goodbye of the others would be a mere absence.
        if late := self._timed_out(now - turn_time_s):
            return message("{seats} did not move in {time_s} s", seats=self.names(late), time_s=2 * turn_time_s)
        return None

    def names(self, seats: AbstractSet[int]) -> str:
        """Seats as people are told of them: ``seat 2 (ann), seat 3 (bob)``."""
        return names(self._match.game, seats)


class Listening:
    """The answers that one resumed seat has had: it listens before it signs. Times are on the caller's clock.

    The files of a seat can be an older copy: a backup, put back in the middle of a game. Then only the others have what
    the seat has signed since, and to sign a second thing for one place is to cheat. So a resumed seat asks first, as
    every seat does on every link: the answer to ``have`` holds the seat's own signatures, and the neighbour's second
    ``have`` on a link says that the first was answered. The seat signs again once another member has answered, and each
    that is linked by then. SeatSession stops the seat at an own signature that its file lacks.

    No majority is asked for: of three seats one may be gone for good. So a copy is not noticed while those who hold its
    last signatures are away, or keep them back.
    """

    def __init__(self, match: Match, own_seat: int) -> None:
        self._match = match
        self._own_seat = own_seat
        self.answers: set[int] = set()  # the seats that have answered
        self._begun_at = 0.0
        self._since: dict[int, float] = {}  # when each linked seat was first seen

    def begin(self, now: float) -> None:
        self._begun_at = now

    def answered(self, seat: int, step: int) -> None:
        """Note that a seat has answered; ``step`` is its first step not final yet.

        The answer is whole if all steps before that are closed here; else the next ``have`` asks for the rest. They
        need not be final here: that can take a signature of this seat.
        """
        if step <= self._match.number:
            self.answers.add(seat)

    def is_over(self, linked: AbstractSet[int], now: float) -> bool:
        """Return True if the seat may sign again. Seats that have left or are proved cheats are not waited for."""
        others = self._others
        self._since = {seat: self._since.get(seat, now) for seat in linked & others}
        waits = any(now - since < ANSWER_S for seat, since in self._since.items() if seat not in self.answers)
        waits |= now - self._begun_at < SETTLE_S and not others <= linked | self.answers
        return not others or (not waits and self.has_answer)

    @property
    def has_answer(self) -> bool:
        return not self._others.isdisjoint(self.answers)

    @property
    def _others(self) -> frozenset[int]:
        gone = self._match.left.keys() | self._match.proven.keys() | {self._own_seat}
        return frozenset(self._match.game.seats) - gone
