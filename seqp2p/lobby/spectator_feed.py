"""Who watches one table, and what each is sent. No connection, no task and no clock of its own.

Theory of operation. A spectator asks by ``have`` and gets what it lacks, in order, a batch at a time, until it is level
with the host; from then on what the host accepts is put by for it until whoever runs this sends it (``flush``), so that
seats are served first. One that does not keep up is not level any more, and asks again. A link loses nothing, so that
the host has only to know how far it has come with each (``at``). Whatever is sent is a frame that seats get too. With
the farewell there is no more asking: everybody is given all that it lacks, in frames that all their queues share.
spectators.py makes the links; whoever simulates a network has links of its own (seqp2p/testing).
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeAlias, TypeVar

from seqp2p.i18n import message
from seqp2p.match.table import Agreement, encode_agreement, game_id
from seqp2p.net.auth import NO_LOBBY
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.gossip import GossipItem, Store, VoteMessage
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Bye, ContributionMessage, Have, Watching, WireMessage, bye, encode_message
from seqp2p.net.relay import Wire


class Outlet(Wire, Protocol):
    """A live link to a spectator."""

    @property
    def unsent(self) -> int:
        """Bytes that are queued, or on their way to the system."""
        ...


W = TypeVar("W", bound=Outlet)
_Place: TypeAlias = tuple[int, frozenset[int]]
"""All before a step, and these seats' parts of it."""


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


class FeedReader(Generic[W]):
    """One spectator: its link, what it is known to have, and what is put by for it."""

    def __init__(self, key: bytes, link: W) -> None:
        self.key = key
        self.link = link
        self.at: _Place = (1, frozenset())  # what it was sent
        self.told = 0  # how many of the kept frames it was sent
        self.level = False  # it was sent all there is
        self.has: _Place | None = None  # what it said last
        self.said_at = 0.0  # when it first said so
        self.answer_at = float("-inf")
        self.waiting: list[bytes] = []
        self.waiting_size = 0

    @property
    def behind(self) -> int:
        """Bytes that it is still to be sent."""
        return self.waiting_size + self.link.unsent

    def put(self, frame: bytes) -> None:
        """Put a frame by."""
        self.waiting.append(frame)
        self.waiting_size += len(frame)

    def put_contribution(self, step: int, author: int, frame: bytes) -> None:
        """Put a contribution by, with its place."""
        before, seats = self.at
        self.at = step, (seats | {author} if step == before else frozenset({author}))
        self.put(frame)

    def flush(self) -> None:
        """Queue what is put by, as one piece."""
        if self.waiting:
            self.link.send_frame(b"".join(self.take()))

    def take(self) -> list[bytes]:
        """What is put by, for whoever queues it."""
        frames, self.waiting, self.waiting_size = self.waiting, [], 0
        return frames


def of_spectators(limits: Limits) -> Limits:
    """The limits of their links: they say next to nothing, and are sent a little at a time."""
    return replace(
        limits,
        frame_max=limits.watch_frame_max,
        rate_bytes_s=limits.watch_rate_bytes_s,
        rate_burst=limits.watch_rate_burst,
        resync_max=limits.watch_batch_max,
    )


class SpectatorFeed(Generic[W]):
    """At most ``size_max`` spectators, from the lobby to the end of the game. ``now`` is a clock, ``limits`` those of
    ``of_spectators``. None of this waits.
    """

    def __init__(self, size_max: int, limits: Limits, now: Callable[[], float]) -> None:
        self._size_max = size_max
        self._limits = limits
        self._now = now
        self._show: Show | None = None
        self._spectators: dict[bytes, FeedReader[W]] = {}
        self._known: dict[bytes, str] = {}  # names by key, of those who were let in by the code
        self._closing = False

    @property
    def count(self) -> int:
        """How many watch now."""
        return len(self._spectators)

    @property
    def spectators(self) -> tuple[FeedReader[W], ...]:
        """Those who watch now."""
        return tuple(self._spectators.values())

    def begin(self, show: Show) -> None:
        """All seats have agreed. Who watches and has sat down since is a seat, and no spectator any more."""
        self._show = show
        for spectator in self.spectators:
            if spectator.key in show.seated:
                spectator.link.end(LinkLost(message("It has sat down.")))
            else:
                spectator.link.send_frame(show.frame)

    # Who may come in.

    def admit(self, key: bytes, hello: bytes, lobby: bytes = NO_LOBBY) -> None:
        """Whether somebody may come as far as the code; raises Refused. ``hello`` is the id it says it comes for."""
        if hello != lobby and not self._is_this_game(hello):
            raise PeerRefused("wrong_game")
        self._require_room(key)

    def comes_back(self, key: bytes, hello: bytes) -> bool:
        """Whether it was let in before, and need not give the code; raises Refused for one that only says so."""
        if not self._is_this_game(hello):
            return False
        if key not in self._known:
            raise PeerRefused("not_watching")
        self._require_room(key)  # Others may have come in since it was admitted.
        return True

    def remember(self, key: bytes, name: str) -> int:
        """It has given the code; returns how many watch with it."""
        self._known.pop(key, None)
        self._known[key] = name
        if len(self._known) > self._limits.watch_known_max:
            del self._known[next(iter(self._known))]
        return len(self._spectators.keys() - {key}) + 1

    def _require_room(self, key: bytes) -> None:
        """Whether it may watch, as far as its key and the others are concerned; raises Refused."""
        if self._show is not None and key in self._show.seated:
            raise PeerRefused("same_key")
        if self._closing or len(self._spectators.keys() - {key}) >= self._size_max:
            raise PeerRefused("no_spectators")

    def _is_this_game(self, hello: bytes) -> bool:
        return self._show is not None and hello == self._show.game

    # One spectator, from the door to the end of its link.

    def come(self, key: bytes, link: W) -> FeedReader[W]:
        """It is in, on this link."""
        if old := self._spectators.get(key):
            # It proved the key: it has come back before its old connection was known to be dead.
            old.link.end(LinkLost(message("A newer connection has taken its place.")))
        spectator = self._spectators[key] = FeedReader(key, link)
        if self._show is not None:
            link.send_frame(self._show.frame)
        return spectator

    def go(self, spectator: FeedReader[W], error: NetError | None) -> None:
        """Its link has ended, and why if that is known."""
        if self._spectators.get(spectator.key) is spectator:
            del self._spectators[spectator.key]
        if isinstance(error, PeerError):
            # Whoever sends into the game is no spectator: it needs the code again, which may be another by then.
            self._known.pop(spectator.key, None)

    def hear(self, spectator: FeedReader[W], received: WireMessage) -> None:
        """It says something; raises LinkLost when it is goodbye."""
        match received:
            case Have(step, seats):
                self._has(spectator, (step, frozenset(seats)))
                self._catch_up(spectator)
            case Bye():
                raise LinkLost(message("It has left."))
            case _:
                pass  # A sign of life.

    # What they are sent.

    def spread(self, item: GossipItem, frame: bytes) -> bool:
        """The host passes this on to its neighbours: it is put by for those spectators that are level, if any."""
        assert self._show is not None, "what is spread is of a game that has begun"
        put = False
        for spectator in self._spectators.values():
            spectator.level = spectator.level and spectator.behind < self._limits.resync_max
            if not spectator.level:
                continue
            put = True
            if item.author is not None:
                spectator.put_contribution(item.step, item.author, frame)
            elif item.key in self._show.kept:
                self._put_kept(spectator, self._show)
            else:
                spectator.put(frame)
        return put

    def say_goodbye(self, reason: str) -> None:
        """Nobody is let in any more; all get what they lack, also who had no time to ask for it, and a farewell.

        Each frame is queued by itself, and is the same in all queues: 200 who read nothing hold the game once.
        """
        self._closing = True
        farewell = encode_message(bye(reason))
        frames: dict[bytes, bytes] = {}
        lacking: dict[tuple[_Place, int, int], list[bytes]] = {}  # Those who have come equally far lack the same.
        for spectator in self.spectators:
            spectator.flush()
            if self._show is not None:
                # More than a link holds would end it, unread.
                room = self._limits.unsent_max - spectator.link.unsent - len(farewell)
                place = spectator.at, spectator.told, room
                if place not in lacking:
                    if self._put_lacking(spectator, self._show, room, frames):
                        self._put_votes(spectator, self._show, room, frames)
                    lacking[place] = spectator.take()
                for frame in lacking[place]:
                    spectator.link.send_frame(frame)
            spectator.link.send_frame(farewell)

    def cut_off(self) -> None:
        """Whoever reads the farewell closes the link; that of one who does not is closed from here."""
        for spectator in self.spectators:
            spectator.link.end(LinkLost(message("It did not take the farewell.")))

    def _has(self, spectator: FeedReader[W], has: _Place) -> None:
        """It says how far it has come. If it says the same for long, it may have lost what it was sent."""
        now, first = self._now(), spectator.has is None
        if has != spectator.has:
            spectator.has, spectator.said_at = has, now
        if first or now - spectator.said_at >= self._limits.resend_s:
            spectator.at, spectator.level, spectator.said_at = has, False, now

    def _catch_up(self, spectator: FeedReader[W]) -> None:
        """The next batch of what it lacks, once it has read the last."""
        now = self._now()
        if self._show is None or self._closing or spectator.level or spectator.behind or now < spectator.answer_at:
            return
        spectator.answer_at = now + self._limits.answer_pause_s
        frames: dict[bytes, bytes] = {}
        spectator.level = self._put_lacking(spectator, self._show, self._limits.resync_max, frames)
        if spectator.level:
            self._put_votes(spectator, self._show, self._limits.unsent_max, frames)
        spectator.flush()

    def _put_lacking(self, spectator: FeedReader[W], show: Show, size_max: int, frames: dict[bytes, bytes]) -> bool:
        """Put by what it lacks, up to this size; whether that is all. Contributions come first: the rest is on them.

        Behind those to a step that was closed by ballots come these, or it would never get beyond it. ``frames`` are
        those that were made already, by payload.
        """
        here = spectator.at[0]
        for step, author, each in show.store.missing(*spectator.at):
            ballots = [_frame(ballot, frames) for ballot in show.store.closing(here, step)]
            frame = _frame(ContributionMessage(each.payload, each.signature), frames)
            if not self._fits(spectator, sum(map(len, ballots)) + len(frame), size_max):
                return False
            for ballot in ballots:
                spectator.put(ballot)
            spectator.put_contribution(step, author, frame)
            here = step
        return self._put_kept(spectator, show, size_max)

    def _fits(self, spectator: FeedReader[W], size: int, size_max: int) -> bool:
        """Whether so much more fits. Whoever asks gets one thing at least; with the farewell there is only the room."""
        return spectator.waiting_size + size <= size_max or not (spectator.waiting or self._closing)

    def _put_votes(self, spectator: FeedReader[W], show: Show, size_max: int, frames: dict[bytes, bytes]) -> None:
        """Put by what was voted and concerns one that was sent all. What does not fit is lost to it."""
        for vote in show.store.votes(spectator.at[0]):
            frame = _frame(vote, frames)
            if spectator.waiting_size + len(frame) > size_max:
                return
            spectator.put(frame)

    def _put_kept(self, spectator: FeedReader[W], show: Show, size_max: int | None = None) -> bool:
        for frame in itertools.islice(show.kept.values(), spectator.told, None):
            if size_max is not None and not self._fits(spectator, len(frame), size_max):
                return False
            spectator.put(frame)
            spectator.told += 1
        return True


def _frame(message: ContributionMessage | VoteMessage, frames: dict[bytes, bytes]) -> bytes:
    """Its frame: the one that was made already, if any."""
    if message.payload not in frames:
        frames[message.payload] = encode_message(message)
    return frames[message.payload]
