"""The spectators of one table, as its host keeps them: let in by the join code, shown what the table sees, never heard.

Theory of operation. They come by the host's door, in the lobby or later, and stay in a nursery of their own, so that
the end of the lobby is nothing to them. Each asks by ``have`` and gets what it lacks, in order, a batch at a time,
until it is level with the host; from then on what the host accepts is put by for it and sent in rounds, so that seats
are served first. One that does not keep up is not level any more, and asks again. A link loses nothing, so that the
host has only to know how far it has come with each (``at``). Whatever is sent is a frame that seats get too. A
spectator may send ``have``, ``ping`` and ``bye``: nothing it sends reaches the session, and no call of the session
waits for it.
"""

import contextlib
import itertools
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

import trio

from seqp2p.match.table import Agreement, encode_agreement, game_id, name_fault
from seqp2p.net import tls
from seqp2p.net.auth import NO_LOBBY, receive, refuse
from seqp2p.net.errors import LinkLost, NetError, PeerError, Refused
from seqp2p.net.frames import FrameStream
from seqp2p.net.gossip import Item, Store
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.links import Link
from seqp2p.net.lobby import Tell, TurnedAway, WatcherCame
from seqp2p.net.messages import (
    Bye,
    ContributionMessage,
    Have,
    Message,
    Ping,
    Proof,
    Stage,
    Watch,
    Watching,
    bye,
    encode_message,
)
from seqp2p.net.pake import CodeKeeper
from seqp2p.net.tls import Credentials
from seqp2p.said import said, why

SPECTATORS_MAX: Final = 200
"""More at one host no option allows: 200 links are 200 times each byte of the game."""

# What the person at the host should hear of: somebody guesses at the code.
_GUESSED: Final = frozenset({"wrong_code", "code_burned"})


@dataclass(frozen=True, slots=True)
class Desk:
    """Where spectators are let in: the code they must know, and whom they meet."""

    keeper: CodeKeeper
    credentials: Credentials
    tell: Tell


@dataclass(frozen=True, slots=True)
class Show:
    """What there is to see. ``store`` has the contributions, ``kept`` the frames that all get, also who comes later."""

    agreement: Agreement
    store: Store
    kept: Mapping[bytes, bytes]
    frame: bytes = field(init=False)
    game: bytes = field(init=False)

    def __post_init__(self) -> None:
        data = encode_agreement(self.agreement)
        object.__setattr__(self, "frame", encode_message(Watching(data)))
        object.__setattr__(self, "game", game_id(data))

    @property
    def seated(self) -> frozenset[bytes]:
        """The keys that have a seat, and so cannot watch."""
        return frozenset(seat.key for seat in self.agreement.seats)


class _Watcher:
    """One spectator: its link, what it is known to have, and what is put by for it."""

    def __init__(self, key: bytes, frames: FrameStream, limits: Limits) -> None:
        self.key = key
        self.link = Link(frames, limits)
        self.at: tuple[int, frozenset[int]] | None = None  # sent: all before this step, and these seats' parts of it
        self.told = 0  # how many of the kept frames it was sent
        self.level = False  # it was sent all there is
        self.has: tuple[int, frozenset[int]] | None = None  # what it said last
        self.said_at = 0.0  # when it first said so
        self.answer_at = float("-inf")
        self.waiting: list[bytes] = []
        self.waiting_size = 0

    @property
    def behind(self) -> int:
        """Bytes that it is still to be sent."""
        return self.waiting_size + self.link.unsent

    def put(self, frame: bytes) -> None:
        self.waiting.append(frame)
        self.waiting_size += len(frame)

    def put_contribution(self, step: int, author: int, frame: bytes) -> None:
        before, seats = self.at or (0, frozenset())
        self.at = step, (seats | {author} if step == before else frozenset({author}))
        self.put(frame)

    def flush(self) -> None:
        """Queue what is put by, as one piece."""
        if self.waiting:
            frames, self.waiting, self.waiting_size = self.waiting, [], 0
            self.link.send_frame(b"".join(frames))


@contextlib.asynccontextmanager
async def watched_by(size_max: int) -> AsyncGenerator["Watchers | None"]:
    """Look after at most so many spectators until the block ends; with none allowed there is nobody to look after."""
    if not size_max:
        yield None
        return
    async with trio.open_nursery() as nursery:
        yield Watchers(nursery, size_max)
        nursery.cancel_scope.cancel()


class Watchers:
    """At most ``size_max`` spectators, from the lobby to the end of the game. Runs in a nursery that outlives both."""

    def __init__(self, nursery: trio.Nursery, size_max: int, limits: Limits = DEFAULT_LIMITS) -> None:
        self._nursery = nursery
        self._size_max = size_max
        self._limits = replace(
            limits,
            frame_max=limits.watch_frame_max,
            rate_bytes_s=limits.watch_rate_bytes_s,
            rate_burst=limits.watch_rate_burst,
            resync_max=limits.watch_batch_max,
        )
        self._desk: Desk | None = None
        self._show: Show | None = None
        self._watchers: dict[bytes, _Watcher] = {}
        self._known: dict[bytes, str] = {}  # names by key, of those who were let in by the code
        self._closing = False
        self._news = trio.Event()
        self._changed = trio.Event()
        nursery.start_soon(self._send_rounds)

    @property
    def count(self) -> int:
        """How many watch now."""
        return len(self._watchers)

    # For the lobby and the mesh; none of this waits.

    def open(self, desk: Desk) -> None:
        """The lobby is open: who comes meets this code."""
        self._desk = desk

    def begin(self, show: Show) -> None:
        """All seats have agreed. Who watches and has sat down since is a seat, and no spectator any more."""
        self._show = show
        for watcher in tuple(self._watchers.values()):
            if watcher.key in show.seated:
                watcher.link.end(LinkLost(said("It has sat down.")))
            else:
                watcher.link.send_frame(show.frame)

    def admit(self, proof: Proof, lobby: bytes = NO_LOBBY) -> None:
        """Whether somebody may come as far as the code; raises Refused. ``lobby`` is what the hello said."""
        if proof.id != lobby and not (self._show and proof.id == self._show.game):
            raise Refused("wrong_game")
        self._require_room(proof.key)

    def welcome(self, frames: FrameStream, proof: Proof) -> None:
        """Somebody authenticated, with role watch: from here on it is looked after by a task of its own."""
        self._nursery.start_soon(self._attend, frames, proof)

    def spread(self, item: Item, frame: bytes) -> None:
        """The host passes this on to its neighbours: those spectators that are level get it in their next round."""
        assert self._show is not None, "what is spread is of a game that has begun"
        for watcher in self._watchers.values():
            watcher.level = watcher.level and watcher.behind < self._limits.resync_max
            if not watcher.level:
                continue
            if item.author is not None:
                watcher.put_contribution(item.step, item.author, frame)
            elif item.key in self._show.kept:
                self._put_kept(watcher, self._show)
            else:
                watcher.put(frame)
            self._news.set()

    def say_goodbye(self, reason: str) -> None:
        """Nobody is let in any more; all get what they lack, and a farewell."""
        self._closing = True
        farewell = encode_message(bye(reason))
        frames: dict[bytes, bytes] = {}  # A frame made for one is every other's, too.
        for watcher in tuple(self._watchers.values()):
            if self._show is not None:
                # One that had no time to ask has nothing.
                self._put_lacking(watcher, watcher.at or (1, frozenset()), self._show, self._limits.unsent_max, frames)
            watcher.put(farewell)
            watcher.flush()
        self._nursery.start_soon(self._cut_off)

    async def until_gone(self) -> None:
        """Wait until the last one has taken its farewell. The caller bounds the time."""
        while self._watchers:
            await self._changed.wait()

    async def _cut_off(self) -> None:
        # Whoever reads the farewell closes the link; that of one who does not is closed from here.
        await trio.sleep(self._limits.close_s)
        for watcher in self._watchers.values():
            watcher.link.end(LinkLost(said("It did not take the farewell.")))

    # One spectator, from the door to the end of its link.

    async def _attend(self, frames: FrameStream, proof: Proof) -> None:
        assert self._desk is not None, "the lobby has opened before anybody came"
        try:
            async with tls.closing_on_error(frames.stream):
                await self._let_in(frames, proof, self._desk)
        except NetError as error:
            if isinstance(error, Refused) and error.code in _GUESSED:
                self._desk.tell(TurnedAway(said("Somebody could not watch: {reason}", reason=why(error))))
            return
        await self._carry(_Watcher(proof.key, frames, self._limits))

    async def _let_in(self, frames: FrameStream, proof: Proof, desk: Desk) -> None:
        """Check the code, unless it was let in before; raises Refused when the other side has been told, NetError."""
        if self._show is not None and proof.id == self._show.game:
            if proof.key not in self._known:
                await self._refuse(frames, "not_watching")
            return
        own = desk.credentials
        await desk.keeper.check(
            frames, proof.key, own.identity.public, own.certificate_hash, rest_s=self._limits.code_rest_s
        )
        try:
            with trio.fail_after(self._limits.authenticate_s):
                watch = await receive(frames, Stage.CODE_HOST, self._limits)
        except trio.TooSlowError:
            raise LinkLost(said("It took too long to say who watches.")) from None
        if not isinstance(watch, Watch):
            raise PeerError(said("The other side did not say who watches."))
        if name_fault(watch.name) is not None:
            await self._refuse(frames, "bad_name")
        try:
            self._require_room(proof.key)  # Others may have come in meanwhile.
        except Refused as refused:
            await self._refuse(frames, refused.code)
        self._remember(proof.key, watch.name)
        others = self._watchers.keys() - {proof.key}
        desk.tell(WatcherCame(watch.name, proof.key, len(others) + 1))

    def _require_room(self, key: bytes) -> None:
        if self._show is not None and key in self._show.seated:
            raise Refused("same_key")
        if self._closing or len(self._watchers.keys() - {key}) >= self._size_max:
            raise Refused("no_spectators")

    async def _refuse(self, frames: FrameStream, code: str) -> NoReturn:
        await refuse(frames, code, self._limits)
        raise Refused(code)

    def _remember(self, key: bytes, name: str) -> None:
        self._known.pop(key, None)
        self._known[key] = name
        if len(self._known) > self._limits.watch_known_max:
            del self._known[next(iter(self._known))]

    async def _carry(self, watcher: _Watcher) -> None:
        if old := self._watchers.get(watcher.key):
            # It proved the key: it has come back before its old connection was known to be dead.
            old.link.end(LinkLost(said("A newer connection has taken its place.")))
        self._watchers[watcher.key] = watcher
        if self._show is not None:
            watcher.link.send_frame(self._show.frame)
        try:
            error = await watcher.link.run(Stage.WATCHED, lambda message: self._handle(watcher, message), Ping)
            if isinstance(error, PeerError):
                # Whoever sends into the game is no spectator: it needs the code again, which may be another by then.
                self._known.pop(watcher.key, None)
        finally:
            if self._watchers.get(watcher.key) is watcher:
                del self._watchers[watcher.key]
            self._changed.set()
            self._changed = trio.Event()

    async def _handle(self, watcher: _Watcher, message: Message) -> None:
        await trio.lowlevel.checkpoint()
        match message:
            case Have(step, seats):
                self._has(watcher, (step, frozenset(seats)))
                self._catch_up(watcher)
            case Bye():
                raise LinkLost(said("It has left."))
            case _:
                pass  # A sign of life.

    # What they are sent.

    def _has(self, watcher: _Watcher, has: tuple[int, frozenset[int]]) -> None:
        """It says how far it has come. If it says the same for long, it may have lost what it was sent."""
        now = trio.current_time()
        if has != watcher.has:
            watcher.has, watcher.said_at = has, now
        if watcher.at is None or now - watcher.said_at >= self._limits.resend_s:
            watcher.at, watcher.level, watcher.said_at = has, False, now

    def _catch_up(self, watcher: _Watcher) -> None:
        """The next batch of what it lacks, once it has read the last."""
        now = trio.current_time()
        if self._show is None or watcher.at is None or watcher.level or watcher.behind or now < watcher.answer_at:
            return
        watcher.answer_at = now + self._limits.answer_pause_s
        watcher.level = self._put_lacking(watcher, watcher.at, self._show, self._limits.resync_max, {})
        watcher.flush()

    def _put_lacking(
        self, watcher: _Watcher, at: tuple[int, frozenset[int]], show: Show, size_max: int, frames: dict[bytes, bytes]
    ) -> bool:
        """Put by what it lacks, up to this size; whether that is all. Contributions come first: the rest is on them."""
        for step, author, each in show.store.missing(*at):
            if watcher.waiting and watcher.waiting_size + len(each.payload) > size_max:
                return False
            if each.payload not in frames:
                frames[each.payload] = encode_message(ContributionMessage(each.payload, each.signature))
            watcher.put_contribution(step, author, frames[each.payload])
        if not self._put_kept(watcher, show, size_max):
            return False
        for vote in show.store.votes(at[0]):
            watcher.put(encode_message(vote))
        return True

    def _put_kept(self, watcher: _Watcher, show: Show, size_max: int | None = None) -> bool:
        for frame in itertools.islice(show.kept.values(), watcher.told, None):
            if size_max is not None and watcher.waiting and watcher.waiting_size + len(frame) > size_max:
                return False
            watcher.put(frame)
            watcher.told += 1
        return True

    async def _send_rounds(self) -> None:
        """Send what is put by, to one spectator after the other, with time for the seats in between."""
        while True:
            await self._news.wait()
            self._news = trio.Event()
            for watcher in tuple(self._watchers.values()):
                watcher.flush()
                await trio.sleep(self._limits.watch_pause_s / max(1, len(self._watchers)))
