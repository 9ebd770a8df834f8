"""The spectators at one simulated host: the feed of ``seqp2p.lobby.spectators`` over virtual links.

The product's own ``SpectatorFeed`` decides on admission and messages. The join code is taken as right: every spectator
is admitted if there is room.
"""

from dataclasses import replace
from typing import Any, Final

from seqp2p.lobby.spectators import FeedReader, SpectatorFeed, of_spectators
from seqp2p.net.auth import NO_LOBBY
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import LinkStage, Ping
from tests.sim.memory import decoded, pieces
from tests.sim.sim_process import SimProcess
from tests.sim.wires import End, keep_alive

GIVES_CODE: Final = NO_LOBBY
"""The id that a spectator comes for when it gives the code; one that reconnects names the game's."""
# Of a mini game a batch is about the share that it is of a whole one: a spectator can be behind here, too.
_MINI: Final = replace(DEFAULT_LIMITS, watch_batch_max=8_192)


def key_of(spectator: int) -> bytes:
    """Return bytes that stand for a spectator's public key; no seat has them."""
    return spectator.to_bytes(32, "big")


class VirtualSpectatorServer:
    """The links of one process to its spectators."""

    def __init__(self, size_max: int, process: SimProcess[Any]) -> None:
        self._limits = of_spectators(_MINI)
        self.feed = SpectatorFeed(size_max, self._limits, process.now)
        self._process = process
        self._readers: dict[End, FeedReader] = {}

    @property
    def ends(self) -> list[End]:
        return list(self._readers)

    def turns_away(self, spectator: int, hello: bytes) -> PeerRefused | None:
        """Return the reason to refuse it, or None."""
        key = key_of(spectator)
        try:
            self.feed.admit(key, hello)
            if not self.feed.resumes(key, hello):
                self.feed.register(key, f"spectator {spectator}")
        except PeerRefused as refused:
            return refused
        return None

    def adopt(self, end: End) -> None:
        self._readers[end] = self.feed.connect(key_of(end.seat), end)
        keep_alive(end, self._process.after, self._limits, Ping)

    def receive(self, end: End, data: bytes) -> None:
        try:
            for frame in pieces(data, self._limits.frame_max):
                self.feed.handle(self._readers[end], decoded(frame, LinkStage.WATCHED))
        except NetError as error:
            end.end(error)

    def lost(self, end: End, error: NetError) -> None:
        if end in self._readers:
            self.feed.disconnect(self._readers.pop(end), error)

    def say_goodbye(self, reason: str) -> None:
        """Say goodbye to all, and end the links that are not closed in time."""
        self.feed.say_goodbye(reason)
        self._process.after(self._limits.close_s, self.feed.cut_off)
