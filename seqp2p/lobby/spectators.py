"""The spectators of one table, at its host: let in by the join code, and answered from one log of frames.

Theory of operation. Spectators pull. The host appends every frame that its seat signs or accepts to one log, and sends
nothing unasked but the agreement and its goodbye. Each reader has a position in the log: a ``more`` is answered with
the frames from there on, a batch at a time. A link loses nothing. A spectator that comes back says how many it has.

    accepted ──append──▶ log ──── handle(more): the next batch ───▶ link
                                  say_goodbye: the rest, goodbye ──▶ link

``SpectatorFeed`` decides who may watch and what each is sent; it has no task and no clock of its own.
``SpectatorServer`` runs it on trio, in a nursery that outlives the lobby. A spectator may send ``more``, ``ping`` and
``bye``: nothing it sends reaches the session, and no call of the session waits for it.
"""

import contextlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from functools import partial

import trio

from seqp2p.i18n import message
from seqp2p.lobby.door import CodeDoor, receive_name
from seqp2p.lobby.events import SpectatorCame
from seqp2p.match.table import Agreement, encode_agreement, game_id, name_fault
from seqp2p.net import messages as wire
from seqp2p.net import tls
from seqp2p.net.auth import NO_LOBBY, refuse
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS, Limits, Newest, Pace, pace_of
from seqp2p.net.links import Link
from seqp2p.net.relay import Wire


def of_spectators(limits: Limits) -> Limits:
    """Return the limits of spectators' links: they send next to nothing, and get a little at a time."""
    return replace(
        limits,
        frame_max=limits.watch_frame_max,
        cost_rate=limits.watch_cost_rate,
        cost_burst_s=limits.watch_cost_burst_s,
        link_cost_ms=limits.watch_link_cost_ms,
        resync_max=limits.watch_batch_max,
    )


@dataclass(eq=False)
class FeedReader:
    """One spectator: its link, and its position in the log."""

    key: bytes
    link: Wire
    position: int = 0
    answer_at: float = float("-inf")


class SpectatorFeed:
    """At most ``size_max`` spectators, from the lobby to the end of the game, and the log they are sent.

    ``now`` is a clock, ``limits`` those of ``of_spectators``. No method waits.
    """

    def __init__(self, size_max: int, limits: Limits, now: Callable[[], float]) -> None:
        self._size_max = size_max
        self._limits = limits
        self._now = now
        self._log: list[bytes] = []
        self._readers: dict[bytes, FeedReader] = {}
        self._known = Newest[bytes, str](limits.watch_known_max)  # names by key, of those who gave the code
        self._lobby = self._watching = b""
        self._game: bytes | None = None
        self._seated: frozenset[bytes] = frozenset()
        self._closing = False

    @property
    def readers(self) -> tuple[FeedReader, ...]:
        return tuple(self._readers.values())

    def begin(self, agreement: Agreement) -> None:
        """Send the agreement to all: all seats have agreed. A spectator that has sat down since is one no more."""
        data = encode_agreement(agreement)
        self._game = game_id(data)
        self._seated = frozenset(seat.key for seat in agreement.seats)
        self._watching = wire.encode_message(wire.Watching(data))
        for reader in self.readers:
            if reader.key in self._seated:
                reader.link.end(LinkLost(message("It has sat down.")))
            else:
                reader.link.send_frame(self._watching)

    def show_lobby(self, lobby: wire.LobbyMessage) -> None:
        self._lobby = wire.encode_message(lobby)
        for reader in self.readers:
            reader.link.send_frame(self._lobby)

    # Admission.

    def admit(self, key: bytes, hello: bytes, lobby: bytes = NO_LOBBY) -> None:
        """Let this key as far as the code; raises PeerRefused. ``hello`` is the id it comes for."""
        if hello not in (lobby, self._game):
            raise PeerRefused("wrong_game")
        self.require_room(key)

    def resumes(self, key: bytes, hello: bytes) -> bool:
        """Return True for a key that gave the code before; raises PeerRefused for one that only claims so."""
        if hello != self._game:
            return False
        if key not in self._known:
            raise PeerRefused("not_watching")
        self.require_room(key)  # Others may have come in since it was admitted.
        return True

    def register(self, key: bytes, name: str) -> int:
        """Note that this key has given the code; returns how many watch with it."""
        self._known[key] = name
        return len(self._readers.keys() - {key}) + 1

    def require_room(self, key: bytes) -> None:
        """Raise PeerRefused for the key of a seat, and where all places are taken."""
        if key in self._seated:
            raise PeerRefused("same_key")
        if self._closing or len(self._readers.keys() - {key}) >= self._size_max:
            raise PeerRefused("no_spectators")

    # Links and what comes by them.

    def connect(self, key: bytes, link: Wire) -> FeedReader:
        if old := self._readers.get(key):
            # It proved the key, so it has reconnected before its old connection was known to be dead.
            old.link.end(LinkLost(message("A newer connection has taken its place.")))
        reader = self._readers[key] = FeedReader(key, link)
        if first := self._watching or self._lobby:
            link.send_frame(first)
        return reader

    def disconnect(self, reader: FeedReader, error: NetError | None) -> None:
        """Remove a spectator whose link has ended, for this reason if it is known."""
        if self._readers.get(reader.key) is reader:
            del self._readers[reader.key]
        if isinstance(error, PeerError):
            # One that sends into the game is no spectator: it needs the code again, which may be another by then.
            self._known.pop(reader.key, None)

    def handle(self, reader: FeedReader, received: wire.WireMessage) -> None:
        """Take a message of a spectator; raises LinkLost at its goodbye."""
        match received:
            case wire.More(position):
                # A frame may be on its way: what this link was sent is not sent by it again.
                reader.position = max(reader.position, min(position, len(self._log)))
                self._answer(reader)
            case wire.Bye():
                raise LinkLost(message("It has left."))
            case _:
                pass  # A sign of life.

    # What they are sent.

    def append(self, frame: bytes) -> None:
        """Add a frame to the log: the host's seat has signed or accepted it."""
        self._log.append(frame)

    def say_goodbye(self, reason: str) -> None:
        """Let no more in; send all the rest of the log, asked for or not, and a goodbye.

        All queues share the log's frames: 200 spectators that read nothing hold the game in memory once.
        """
        self._closing = True
        farewell = wire.encode_message(wire.bye(reason))
        for reader in self.readers:
            # More than a link holds would end it, unread.
            self._send(reader, self._limits.unsent_max - reader.link.unsent - len(farewell))
            reader.link.send_frame(farewell)

    def cut_off(self) -> None:
        """End the links that are still there: those who read the goodbye have closed theirs."""
        for reader in self.readers:
            reader.link.end(LinkLost(message("It did not answer the goodbye.")))

    def _answer(self, reader: FeedReader) -> None:
        """Send the next batch, if the pause after the last one is over. Unsent bytes count as a part of it.

        They do not delay the answer: a sign of life may be among them, and the next ``more`` is 0.6 s away.
        """
        now = self._now()
        begins = reader.position
        if self._closing or begins == len(self._log) or now < reader.answer_at:
            return
        self._send(reader, max(self._limits.resync_max, len(self._log[begins])) - reader.link.unsent)
        if begins < reader.position < len(self._log):
            reader.answer_at = now + self._limits.answer_pause_s

    def _send(self, reader: FeedReader, size_max: int) -> None:
        for frame in self._log[reader.position :]:
            size_max -= len(frame)
            if size_max < 0:
                return
            reader.link.send_frame(frame)
            reader.position += 1


@contextlib.asynccontextmanager
async def spectator_server(size_max: int) -> AsyncGenerator["SpectatorServer | None"]:
    """Serve at most so many spectators until the block ends; None if none are allowed."""
    if not size_max:
        yield None
        return
    # Connections have a scope of their own, as in the lobby: a goodbye needs them when all else is cancelled.
    connections = trio.CancelScope(shield=True)
    async with trio.open_nursery() as nursery:
        try:
            with trio.CancelScope(shield=True) as begins:  # In a cancelled one, trio never hands it over.
                server = SpectatorServer(await nursery.start(_within, connections), size_max)
                begins.shield = False
                yield server
        finally:
            connections.cancel()


async def _within(scope: trio.CancelScope, *, task_status: "trio.TaskStatus[trio.Nursery]") -> None:
    with scope:
        async with trio.open_nursery() as nursery:
            task_status.started(nursery)
            await trio.sleep_forever()


class SpectatorServer:
    """The spectators' connections, in a nursery that outlives lobby and game. Only ``until_gone`` waits."""

    def __init__(self, nursery: trio.Nursery, size_max: int, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = of_spectators(limits)
        self.feed = SpectatorFeed(size_max, self._limits, trio.current_time)
        self._nursery = nursery
        self._door: CodeDoor | None = None
        self._changed = trio.lowlevel.ParkingLot()
        self._paces = Newest[bytes, Pace](limits.watch_known_max)  # by key: a pace outlives a link

    def open(self, door: CodeDoor) -> None:
        """Set the way in, when the lobby opens: the code that spectators must know."""
        self._door = door
        self._nursery.start_soon(door.tell_strangers)

    def welcome(self, frames: FrameStream, proof: wire.Proof, source: str) -> None:
        """Serve an authenticated connection with role ``watch`` from this source, in a task of its own."""
        self._nursery.start_soon(self._serve, frames, proof, source)

    def say_goodbye(self, reason: str) -> None:
        """Say goodbye to all, and end the links that are not closed in time."""
        self.feed.say_goodbye(reason)
        self._nursery.start_soon(self._cut_off_later)

    async def until_gone(self) -> None:
        """Wait until the last spectator has closed its link. The caller bounds the time."""
        while self.feed.readers:
            await self._changed.park()

    async def _cut_off_later(self) -> None:
        await trio.sleep(self._limits.close_s)
        self.feed.cut_off()

    # One spectator, from the door to the end of its link.

    async def _serve(self, frames: FrameStream, proof: wire.Proof, source: str) -> None:
        assert self._door is not None, "the lobby opens before anyone comes"
        try:
            async with tls.closing_on_error(frames.stream):
                await self._let_in(frames, proof, source, self._door)
        except NetError:
            return
        pace = self._paces.of(proof.key, partial(pace_of, self._limits))
        if pace.wait_s(trio.current_time()):
            await frames.abort()  # It makes links too often.
            return
        pace.spend(self._limits.link_cost_ms / 1e3, trio.current_time())
        await self._carry(proof.key, frames, pace)

    async def _let_in(self, frames: FrameStream, proof: wire.Proof, source: str, door: CodeDoor) -> None:
        """Check the code, unless it was given before. Raises NetError; PeerRefused once the other side is told."""
        try:
            if self.feed.resumes(proof.key, proof.id):
                return
        except PeerRefused as refused:
            await refuse(frames, refused.code, self._limits)
        await door.check(frames, proof.key, source, rest_s=self._limits.code_rest_s)
        watch = await receive_name(frames, wire.Watch, self._limits)
        if name_fault(watch.name) is not None:
            await refuse(frames, "bad_name", self._limits)
        try:
            self.feed.require_room(proof.key)  # Others may have come in meanwhile.
        except PeerRefused as refused:
            await refuse(frames, refused.code, self._limits)
        door.on_event(SpectatorCame(watch.name, proof.key, self.feed.register(proof.key, watch.name)))

    async def _carry(self, key: bytes, frames: FrameStream, pace: Pace) -> None:
        link = Link(frames, self._limits, pace)
        reader = self.feed.connect(key, link)
        error: NetError | None = None

        async def handle(received: wire.WireMessage) -> None:
            await trio.lowlevel.checkpoint()
            self.feed.handle(reader, received)

        try:
            error = await link.run(wire.LinkStage.WATCHED, handle, wire.Ping)
        finally:
            self.feed.disconnect(reader, error)
            self._changed.unpark_all()
