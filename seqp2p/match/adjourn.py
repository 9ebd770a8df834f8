"""Adjourning a game: every seat in it signs that it agrees, in one turn. docs/protocol.md, "Adjourning".

The signatures are outside the steps, as remarks are: no head depends on them, and no record has them. All that follows
is that the seats stop, and wait for each other without votes when they are back.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from seqp2p.i18n import message
from seqp2p.match.contribution import Contribution
from seqp2p.match.game import Game
from seqp2p.match.signed import SITTINGS_MAX, AdjournPayload

ADJOURNED: Final = message("the game is adjourned")
"""The reason of the result of a game that stops so."""
SIGNED_MAX: Final = 200
"""Per seat: more than a person types."""


@dataclass(frozen=True, slots=True, order=True)
class Adjournment:
    """All seats have agreed to stop in this turn. Sitting 0: they never have."""

    sitting: int = 0
    turn: int = 0


class AdjournLog:
    """The signed agreements of the seats of one game."""

    def __init__(self) -> None:
        self._signed: dict[Adjournment, dict[int, Contribution]] = {}
        self.turns_since = 0
        """The turns that a seat which resumes had taken after it knew of the last adjournment."""

    @property
    def all(self) -> list[Contribution]:
        return [each for signed in self._signed.values() for each in signed.values()]

    def of(self, seat: int) -> list[Contribution]:
        """Return the agreements that this seat has signed."""
        return [signed[seat] for signed in self._signed.values() if seat in signed]

    def add(self, word: AdjournPayload, signed: Contribution) -> bool:
        """Keep it; return False for a known one, and for one more than SIGNED_MAX of its seat."""
        place = Adjournment(word.sitting, word.turn)
        if word.seat in self._signed.get(place, ()):
            return False
        if sum(word.seat in seats for seats in self._signed.values()) >= SIGNED_MAX:
            return False
        self._signed.setdefault(place, {})[word.seat] = signed
        return True

    def makes_last(self, signed: Contribution, seats: Collection[int]) -> bool:
        """Return True for an agreement of one of these seats to their last adjournment."""
        agreed = self._signed.get(self.last(seats), {})
        return any(agreed.get(seat) == signed for seat in seats)

    def signed_now(self, game: Game) -> frozenset[int]:
        """Return the seats that have agreed to adjourn in the present turn."""
        return frozenset() if game.position is None else self._seats(self.next(game.seats, game.table_position().turn))

    def _seats(self, place: Adjournment | None) -> frozenset[int]:
        return frozenset(self._signed.get(place, ())) if place else frozenset()

    def last(self, seats: Collection[int]) -> Adjournment:
        """Return the last one that all these seats have agreed to."""
        return max((place for place in self._signed if set(seats) <= self._seats(place)), default=Adjournment())

    def next(self, seats: Collection[int], turn: int) -> Adjournment | None:
        """Return the one that these seats can agree to now; None after SITTINGS_MAX."""
        sitting = self.last(seats).sitting + 1
        return Adjournment(sitting, turn) if sitting <= SITTINGS_MAX else None
