"""A pace: what one peer may cost, in the long run and at once. No clock and no task of its own.

Theory of operation. One pace belongs to one authenticated peer, and outlives its links. Everything that it makes this
program do has a price in seconds of processor time: a message and its bytes (read from any of its links), bytes that
are sent to it again, a link, and the measured time of each check that changed nothing. When more is spent than the
burst and the rate allow, the peer is not punished but read later: its readers wait, and its new links too.
"""

from typing import Final

from seqp2p.net.limits import Limits

_AT_ONCE_S: Final = 0.001
"""A shorter wait than this is none: clocks are no finer."""

_PAUSE_S: Final = 0.2
"""A wait lasts this much longer than it must: to wake up for each message would cost more than the message."""


class Pace:
    """A token bucket: whoever spends more than it holds has to wait until it is full to zero again."""

    def __init__(self, rate_s: float, burst: float) -> None:
        self._rate_s = rate_s
        self._burst = burst
        self._tokens = burst
        self._at = float("-inf")

    def spend(self, cost: float, now: float) -> None:
        """Spend this much; a negative cost gives back."""
        self._tokens = self._held(now) - cost
        self._at = now

    def wait_s(self, now: float) -> float:
        """Return the seconds to wait until it holds something again; 0 if it does."""
        wait_s = -self._held(now) / self._rate_s
        return wait_s + _PAUSE_S if wait_s > _AT_ONCE_S else 0.0

    def _held(self, now: float) -> float:
        return min(self._burst, self._tokens + (now - self._at) * self._rate_s)


def pace_of(limits: Limits) -> Pace:
    """Return the pace of a new peer."""
    return Pace(limits.cost_rate, limits.cost_burst_s)


def message_price_s(limits: Limits, size: int) -> float:
    """Return the price of reading and handling a message of so many bytes."""
    return limits.message_cost_us / 1e6 + size * limits.byte_cost_ns / 1e9
