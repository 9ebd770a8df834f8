"""Remarks in a live game: own ones are signed; of another seat's, only so many are taken at once."""

from collections import deque
from collections.abc import Callable

from seqp2p.match.contribution import Contribution
from seqp2p.match.intake import Applied
from seqp2p.match.machine import Match
from seqp2p.match.remark import REMARK_LENGTH_MAX, REMARKS_MAX
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import SignedRemark
from seqp2p.match.text import cleaned
from seqp2p.net.limits import DEFAULT_LIMITS, Limits


class Talk:
    """The remarks of one live game. The intake asks ``may_hear``: a seat that says too much at once is heard later."""

    def __init__(self, match: Match, seat: SeatKeys, now: Callable[[], float], limits: Limits = DEFAULT_LIMITS) -> None:
        self._match = match
        self._seat = seat
        self._now = now
        self._limits = limits
        self._heard: dict[int, deque[float]] = {}  # when the last remarks of each seat were taken

    def signed(self, text: str) -> SignedRemark | None:
        """Sign a remark, as typed. Return None where nothing is left to show, and after too many remarks."""
        shown = cleaned(text, REMARK_LENGTH_MAX)
        number, _ = self._match.remarks.next_of(self._seat.number)
        if not shown or number > REMARKS_MAX:
            return None
        return SignedRemark(Contribution(*self._seat.say(self._match, shown)))

    def may_hear(self, seat: int) -> bool:
        """Return False while the last remarks of this seat are too many for their time."""
        times = self._heard.get(seat)
        if seat == self._seat.number or times is None or len(times) < self._limits.remark_burst:
            return True
        return self._now() - times[0] >= self._limits.remark_burst_s

    def note(self, outcome: Applied) -> None:
        """Count it, if it is a remark."""
        if isinstance(outcome.thing, SignedRemark):
            times = self._heard.setdefault(outcome.seat, deque(maxlen=self._limits.remark_burst))
            times.append(self._now())
