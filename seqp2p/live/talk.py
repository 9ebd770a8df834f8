"""Remarks in a live game: own ones are signed; of another seat's, only so many are taken at once."""

from collections.abc import Callable

from seqp2p.match.contribution import Contribution
from seqp2p.match.intake import Applied
from seqp2p.match.machine import Match
from seqp2p.match.remark import REMARK_LENGTH_MAX, REMARKS_MAX
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import SignedRemark
from seqp2p.match.text import cleaned
from seqp2p.net.limits import DEFAULT_LIMITS, Limits, Window


class Talk:
    """The remarks of one live game. The intake asks ``may_hear``: a seat that says too much at once is heard later."""

    def __init__(self, match: Match, seat: SeatKeys, now: Callable[[], float], limits: Limits = DEFAULT_LIMITS) -> None:
        self._match = match
        self._seat = seat
        self._now = now
        seats = range(1, match.game.players + 1)
        self._heard = {seat: Window(limits.remark_burst, limits.remark_burst_s) for seat in seats}

    def signed(self, text: str) -> SignedRemark | None:
        """Sign a remark, as typed. Return None where nothing is left to show, and after too many remarks."""
        shown = cleaned(text, REMARK_LENGTH_MAX)
        number, _ = self._match.remarks.next_of(self._seat.number)
        if not shown or number > REMARKS_MAX:
            return None
        return SignedRemark(Contribution(*self._seat.say(self._match, shown)))

    def may_hear(self, seat: int) -> bool:
        """Return False while the last remarks of this seat are too many for their time."""
        return seat == self._seat.number or self._heard[seat].left(self._now()) > 0

    def note(self, outcome: Applied) -> None:
        """Count it, if it is a remark."""
        if isinstance(outcome.thing, SignedRemark):
            self._heard[outcome.seat].add(self._now())
