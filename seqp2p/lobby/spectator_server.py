"""The spectators of one table, as its host keeps them: let in by the join code, shown what the table sees, never heard.

Theory of operation. They come by the host's door, in the lobby or later, and stay in a nursery of their own, so that
the end of the lobby is nothing to them. What each is sent is decided in audience.py; it is sent in rounds, so that
seats are served first. A spectator may send ``have``, ``ping`` and ``bye``: nothing it sends reaches the session, and
no call of the session waits for it.
"""

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final, NoReturn

import trio

from seqp2p.i18n import message, message_of
from seqp2p.lobby.events import SpectatorCame, Tell, TurnedAway
from seqp2p.lobby.pake import CodeKeeper
from seqp2p.lobby.spectator_feed import FeedReader, SpectatorFeed, of_spectators
from seqp2p.match.table import name_fault
from seqp2p.net import tls
from seqp2p.net.auth import receive, refuse
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.gossip import GossipItem
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.links import Link
from seqp2p.net.messages import LinkStage, Ping, Proof, Watch, WireMessage
from seqp2p.net.tls import Credentials

SPECTATORS_MAX: Final = 200
"""More at one host no option allows: 200 links are 200 times each byte of the game."""

# What the person at the host should hear of: somebody guesses at the code.
_GUESSED: Final = frozenset({"wrong_code", "code_burned"})


@dataclass(frozen=True, slots=True)
class SpectatorPlaces:
    """Where spectators are let in: the code they must know, and whom they meet."""

    keeper: CodeKeeper
    credentials: Credentials
    tell: Tell


@contextlib.asynccontextmanager
async def spectator_server(size_max: int) -> AsyncGenerator["SpectatorServer | None"]:
    """Look after at most so many spectators until the block ends; with none allowed there is nobody to look after."""
    if not size_max:
        yield None
        return
    async with trio.open_nursery() as nursery:
        yield SpectatorServer(nursery, size_max)
        nursery.cancel_scope.cancel()


class SpectatorServer(SpectatorFeed[Link]):
    """At most ``size_max`` spectators, from the lobby to the end of the game. Runs in a nursery that outlives both."""

    def __init__(self, nursery: trio.Nursery, size_max: int, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(size_max, of_spectators(limits), trio.current_time)
        self._nursery = nursery
        self._desk: SpectatorPlaces | None = None
        self._news = trio.Event()
        self._changed = trio.Event()
        nursery.start_soon(self._send_rounds)

    # For the lobby and the mesh; none of this waits.

    def open(self, desk: SpectatorPlaces) -> None:
        """The lobby is open: who comes meets this code."""
        self._desk = desk

    def welcome(self, frames: FrameStream, proof: Proof) -> None:
        """Somebody authenticated, with role watch: from here on it is looked after by a task of its own."""
        self._nursery.start_soon(self._attend, frames, proof)

    def spread(self, item: GossipItem, frame: bytes) -> bool:
        """See Audience; it is sent in the next round, if there is anything to send."""
        if put := super().spread(item, frame):
            self._news.set()
        return put

    def say_goodbye(self, reason: str) -> None:
        """See Audience; links that are not closed in time are closed from here."""
        super().say_goodbye(reason)
        self._nursery.start_soon(self._cut_off_later)

    async def until_gone(self) -> None:
        """Wait until the last one has taken its farewell. The caller bounds the time."""
        while self.count:
            await self._changed.wait()

    async def _cut_off_later(self) -> None:
        await trio.sleep(self._limits.close_s)
        self.cut_off()

    # One spectator, from the door to the end of its link.

    async def _attend(self, frames: FrameStream, proof: Proof) -> None:
        assert self._desk is not None, "the lobby has opened before anybody came"
        try:
            async with tls.closing_on_error(frames.stream):
                await self._let_in(frames, proof, self._desk)
        except NetError as error:
            if isinstance(error, PeerRefused) and error.code in _GUESSED:
                self._desk.tell(TurnedAway(message("Somebody could not watch: {reason}", reason=message_of(error))))
            return
        await self._carry(proof.key, frames)

    async def _let_in(self, frames: FrameStream, proof: Proof, desk: SpectatorPlaces) -> None:
        """Check the code, unless it was let in before; raises Refused when the other side has been told, NetError."""
        try:
            if self.comes_back(proof.key, proof.id):
                return
        except PeerRefused as refused:
            await self._refuse(frames, refused.code)
        own = desk.credentials
        await desk.keeper.check(
            frames, proof.key, own.identity.public, own.certificate_hash, rest_s=self._limits.code_rest_s
        )
        try:
            with trio.fail_after(self._limits.authenticate_s):
                watch = await receive(frames, LinkStage.CODE_HOST, self._limits)
        except trio.TooSlowError:
            raise LinkLost(message("It took too long to say who watches.")) from None
        if not isinstance(watch, Watch):
            raise PeerError(message("The other side did not say who watches."))
        if name_fault(watch.name) is not None:
            await self._refuse(frames, "bad_name")
        try:
            self._require_room(proof.key)  # Others may have come in meanwhile.
        except PeerRefused as refused:
            await self._refuse(frames, refused.code)
        desk.tell(SpectatorCame(watch.name, proof.key, self.remember(proof.key, watch.name)))

    async def _refuse(self, frames: FrameStream, code: str) -> NoReturn:
        await refuse(frames, code, self._limits)
        raise PeerRefused(code)

    async def _carry(self, key: bytes, frames: FrameStream) -> None:
        spectator = self.come(key, Link(frames, self._limits))
        error: NetError | None = None
        try:
            error = await spectator.link.run(LinkStage.WATCHED, lambda message: self._handle(spectator, message), Ping)
        finally:
            self.go(spectator, error)
            self._changed.set()
            self._changed = trio.Event()

    async def _handle(self, spectator: FeedReader[Link], message: WireMessage) -> None:
        await trio.lowlevel.checkpoint()
        self.hear(spectator, message)

    async def _send_rounds(self) -> None:
        """Send what is put by, to one spectator after the other, with time for the seats in between."""
        while True:
            await self._news.wait()
            self._news = trio.Event()
            for spectator in self.spectators:
                spectator.flush()
                await trio.sleep(self._limits.watch_pause_s / max(1, self.count))
