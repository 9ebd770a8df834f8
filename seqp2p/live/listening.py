"""A seat that was resumed listens before it signs.

Theory of operation. The files of a seat can be an older copy: a backup, put back in the middle of a game. What the seat
has signed since is with the others alone, and to sign a second thing for one place is to cheat. So a seat that is
resumed asks first, as every seat does on every link: the answer to ``have`` holds what the seat has signed itself. The
neighbour's second ``have`` on a link says that the first was answered. The seat signs again once another member has
answered, and each that is linked by then; it gives all of them time to be linked. An own signature that its file lacks
ends it: SeatSession stops then.

No majority is asked for: of three seats one may be gone for good. So a copy is not noticed while those who hold its
last signatures are away, or keep them back.
"""

from collections.abc import Set as AbstractSet
from typing import Final

from seqp2p.match.machine import Match

PATIENCE_S: Final = 30.0
"""A linked seat is waited for so long. An honest one answers when it has taken what came before."""
SETTLE_S: Final = 5.0
"""From the beginning, a member is given so long to be linked: else one that is quick could answer for all."""


class Listening:
    """The answers that one resumed seat has had. Times are on the caller's clock."""

    def __init__(self, match: Match, own_seat: int) -> None:
        self._match = match
        self._own_seat = own_seat
        self.answers: set[int] = set()  # the seats that have answered
        self._begun_at = 0.0
        self._since: dict[int, float] = {}  # when each linked seat was first seen

    def begin(self, now: float) -> None:
        """Note that the session begins."""
        self._begun_at = now

    def answered(self, seat: int, step: int) -> None:
        """Note that a seat has answered; ``step`` is its first that is not final.

        The answer is whole if all steps before that are closed here; else the next ``have`` asks for the rest. They
        need not be final here: that can take a signature of this seat.
        """
        if step <= self._match.number:
            self.answers.add(seat)

    def is_over(self, linked: AbstractSet[int], now: float) -> bool:
        """Return True if the seat may sign again. Seats that have left or are proved cheats are not waited for."""
        others = self._others
        self._since = {seat: self._since.get(seat, now) for seat in linked & others}
        waits = any(now - since < PATIENCE_S for seat, since in self._since.items() if seat not in self.answers)
        waits |= now - self._begun_at < SETTLE_S and not others <= linked | self.answers
        return not others or (not waits and self.has_answer)

    @property
    def has_answer(self) -> bool:
        """True if a seat has answered that counts."""
        return not self._others.isdisjoint(self.answers)

    @property
    def _others(self) -> frozenset[int]:
        gone = self._match.left.keys() | self._match.proven.keys() | {self._own_seat}
        return frozenset(self._match.game.seats) - gone
