"""The spectators of one table, as its host keeps them: let in by the join code, shown what the table sees, never heard.

Theory of operation. They come by the host's door, in the lobby or later, and stay in a nursery of their own, so that
the end of the lobby is nothing to them. From the start on each asks by ``have`` and gets what it lacks, from step 1,
a batch at a time; what the host accepts meanwhile is put by for all of them and sent in rounds, so that seats are
served first. Whatever is sent is a frame that seats get too. A spectator may send ``have``, ``ping`` and ``bye``:
nothing it sends reaches the session, and no call of the session waits for it.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

import trio

from seqp2p.match.table import Agreement, encode_agreement, game_id, name_fault
from seqp2p.net import tls
from seqp2p.net.auth import NO_LOBBY, receive, refuse
from seqp2p.net.early import EARLY_MAX
from seqp2p.net.errors import LinkLost, NetError, PeerError, Refused
from seqp2p.net.frames import FrameStream
from seqp2p.net.gossip import Item, Store, View, digest
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
        self.view = View(0, 0, limits)  # It has no seat, and neighbours that nobody here knows of.
        self.step = 1
        self.held: frozenset[int] = frozenset()
        self.told = 0  # how many of the kept frames it was sent
        self.waiting: list[bytes] = []
        self.waiting_size = 0

    @property
    def behind(self) -> int:
        """Bytes that it is still to be sent."""
        return self.waiting_size + self.link.unsent

    def put(self, frame: bytes) -> None:
        self.waiting.append(frame)
        self.waiting_size += len(frame)

    def flush(self) -> None:
        """Queue what is put by, as one piece."""
        if self.waiting:
            frames, self.waiting, self.waiting_size = self.waiting, [], 0
            self.link.send_frame(b"".join(frames))


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
            known_max=limits.watch_sent_max,
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
                watcher.link.end(LinkLost("It has sat down."))
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
        """The host passes this on to its neighbours: the spectators get it in their next round.

        Who is far behind, or has much unsent, does not get it now: it asks for what the store has, and is sent the
        kept frames in their order. Anything else may be missed.
        """
        if self._show is None or not self._watchers:
            return
        now = trio.current_time()
        for watcher in self._watchers.values():
            if item.key in self._show.kept:
                self._put_kept(watcher, self._show)
            elif (
                watcher.behind < self._limits.resync_max
                and item.step <= watcher.step + EARLY_MAX
                and watcher.view.wants(item, now)
            ):
                watcher.put(frame)
        self._news.set()

    def say_goodbye(self, reason: str) -> None:
        """Nobody is let in any more; all get what they lack, and a farewell."""
        self._closing = True
        farewell = encode_message(bye(reason))
        frames: dict[bytes, bytes] = {}
        for watcher in tuple(self._watchers.values()):
            if self._show is not None:
                self._put_rest(watcher, self._show, frames)
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
            watcher.link.end(LinkLost("It did not take the farewell."))

    # One spectator, from the door to the end of its link.

    async def _attend(self, frames: FrameStream, proof: Proof) -> None:
        assert self._desk is not None, "the lobby has opened before anybody came"
        try:
            async with tls.closing_on_error(frames.stream):
                await self._let_in(frames, proof, self._desk)
        except NetError as error:
            if isinstance(error, Refused) and error.code in _GUESSED:
                self._desk.tell(TurnedAway(f"Somebody could not watch: {error}"))
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
            raise LinkLost("It took too long to say who watches.") from None
        if not isinstance(watch, Watch):
            raise PeerError("The other side did not say who watches.")
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
            old.link.end(LinkLost("A newer connection has taken its place."))
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
                watcher.step, watcher.held = step, frozenset(seats)
                watcher.view.has(step, watcher.held)
                self._catch_up(watcher)
            case Bye():
                raise LinkLost("It has left.")
            case _:
                pass  # A sign of life.

    # What they are sent.

    def _catch_up(self, watcher: _Watcher) -> None:
        """The next batch of what it lacks, once it has taken the last."""
        if self._show is None or watcher.behind:
            return
        for each in watcher.view.answer(self._show.store, trio.current_time()):
            watcher.put(encode_message(ContributionMessage(each.payload, each.signature)))
        self._put_kept(watcher, self._show)
        watcher.flush()

    def _put_kept(self, watcher: _Watcher, show: Show) -> None:
        for frame in itertools.islice(show.kept.values(), watcher.told, None):
            if watcher.behind >= self._limits.resync_max:
                return
            watcher.put(frame)
            watcher.told += 1

    def _put_rest(self, watcher: _Watcher, show: Show, frames: dict[bytes, bytes]) -> None:
        """Everything it lacks: it cannot ask any more. ``frames`` are those made for others already."""
        now = trio.current_time()
        for step, author, each in show.store.missing(watcher.step, watcher.held):
            key = digest(each.payload)
            if watcher.view.wants(Item(key, author, step), now):
                if key not in frames:
                    frames[key] = encode_message(ContributionMessage(each.payload, each.signature))
                watcher.put(frames[key])
        for frame in itertools.islice(show.kept.values(), watcher.told, None):
            watcher.put(frame)
        watcher.told = len(show.kept)

    async def _send_rounds(self) -> None:
        """Send what is put by, to one spectator after the other, with time for the seats in between."""
        while True:
            await self._news.wait()
            self._news = trio.Event()
            for watcher in tuple(self._watchers.values()):
                watcher.flush()
                await trio.sleep(self._limits.watch_pause_s / max(1, len(self._watchers)))
