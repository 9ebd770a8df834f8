"""The spectators at one simulated host: the feed of ``seqp2p.lobby.spectator_server`` over virtual links.

The product's own ``SpectatorFeed`` decides on admission and messages. The join code is taken as right: every spectator
is admitted if there is room.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from seqp2p.lobby.spectator_feed import FeedReader, SpectatorFeed, of_spectators
from seqp2p.net.auth import NO_LOBBY
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.net.gossip import GossipItem
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.messages import LinkStage, Ping
from seqp2p.testing.event_queue import Appointment
from seqp2p.testing.memory import decoded, pieces
from seqp2p.testing.wires import End, keep_alive

GIVES_CODE: Final = NO_LOBBY
"""The id that a new spectator gives with the code; one that reconnects gives the game's id."""
# Of a game in miniature a batch is about the share that it is of a whole one: a spectator can be behind here, too.
_MINIATURE: Final = replace(DEFAULT_LIMITS, watch_batch_max=8_192)


class FeedClock(Protocol):
    """The part of the host's process that serves its spectators."""

    def now(self) -> float:
        """Return the seconds on its own clock."""
        ...

    def after(self, delay_s: float, what: Callable[[], None]) -> Appointment:
        """Set an alarm after so many seconds on its own clock."""
        ...


def key_of(spectator: int) -> bytes:
    """Return a stand-in for a spectator's public key, which is no seat's."""
    return spectator.to_bytes(32, "big")


class VirtualSpectatorFeed(SpectatorFeed[End]):
    """The spectators of one process."""

    def __init__(self, size_max: int, process: FeedClock, limits: Limits = _MINIATURE) -> None:
        super().__init__(size_max, of_spectators(limits), process.now)
        self._process = process
        self._by_end: dict[End, FeedReader[End]] = {}
        self._news = self._sending = False

    @property
    def ends(self) -> list[End]:
        """This side's ends of all their links."""
        return list(self._by_end)

    def turns_away(self, spectator: int, hello: bytes) -> PeerRefused | None:
        """Return the reason to refuse it, or None."""
        key = key_of(spectator)
        try:
            self.admit(key, hello)
            if not self.comes_back(key, hello):
                self.remember(key, f"spectator {spectator}")
        except PeerRefused as refused:
            return refused
        return None

    def adopt(self, end: End) -> None:
        """Use a new link."""
        self._by_end[end] = self.come(key_of(end.seat), end)
        keep_alive(end, self._process.after, self._limits, Ping)

    def receive(self, end: End, data: bytes) -> None:
        """Handle a frame."""
        try:
            for frame in pieces(data, self._limits.frame_max):
                self.hear(self._by_end[end], decoded(frame, LinkStage.WATCHED))
        except NetError as error:
            end.end(error)

    def lost(self, end: End, error: NetError) -> None:
        """Forget a link that has ended."""
        if end in self._by_end:
            self.go(self._by_end.pop(end), error)

    def spread(self, item: GossipItem, frame: bytes) -> bool:
        """See SpectatorFeed. It is sent in the next round, if there is anything to send."""
        if put := super().spread(item, frame):
            self._news = True
            if not self._sending:
                self._sending = True
                self._process.after(0.0, self._send_round)
        return put

    def say_goodbye(self, reason: str) -> None:
        """See SpectatorFeed. Links that are not closed in time are closed from here."""
        super().say_goodbye(reason)
        self._process.after(self._limits.close_s, self.cut_off)

    def _send_round(self) -> None:
        self._news = False
        self._send_to(deque(self.spectators))

    def _send_to(self, left: deque[FeedReader[End]]) -> None:
        if left:
            left.popleft().flush()
            self._process.after(self._limits.watch_pause_s / max(1, self.count), lambda: self._send_to(left))
        elif self._news:
            self._send_round()
        else:
            self._sending = False
