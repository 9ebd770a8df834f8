"""The log of a host's spectators, and its answers to their ``more``, over links that only write down."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from seqp2p.lobby.spectators import SpectatorFeed, of_spectators
from seqp2p.net.errors import LinkLost, NetError, PeerError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import ContributionMessage, HeadMessage, More, Ping, bye, encode_message
from tests.net.tools import refused
from tests.table import played

GAME = played(2, "kids")
FRAMES = [
    encode_message(ContributionMessage(each.payload, each.signature))
    for step in GAME.steps
    for _, each in step.contributions
]
VOTES = [encode_message(HeadMessage(b"%200d" % number, bytes(64))) for number in range(100)]
FAREWELL = encode_message(bye("it is late"))
EVERYTHING = [*FRAMES, *VOTES]


@dataclass(eq=False)
class WrittenDown:
    """A link that keeps what it is given, and has sent nothing of it yet."""

    frames: list[bytes] = field(default_factory=list)
    unsent: int = 0
    error: NetError | None = None

    def send_frame(self, data: bytes) -> None:
        self.frames.append(data)
        self.unsent += len(data)

    def end(self, error: NetError) -> None:
        self.error = error

    def read(self) -> list[bytes]:
        frames, self.frames, self.unsent = self.frames, [], 0
        return frames


class Watched:
    """A feed whose game has begun, with the whole game and votes on its end in the log, and one reader.

    The clock stands where a test sets it; the changes are those of limits.
    """

    def __init__(self, votes: list[bytes] | None = None, *, begun: bool = True, **changes: Any) -> None:
        self.now = 0.0
        self.feed = SpectatorFeed(200, of_spectators(replace(DEFAULT_LIMITS, **changes)), lambda: self.now)
        self.feed.begin(GAME.match.game.agreement)
        if begun:
            self.fill(VOTES if votes is None else votes)
        self.link = WrittenDown()
        self.reader = self.feed.connect(b"key", self.link)
        assert len(self.link.read()) == 1, "the agreement"

    def fill(self, votes: list[bytes]) -> None:
        for frame in (*FRAMES, *votes):
            self.feed.append(frame)

    def hear(self, asked: More, after_s: float = 0.0) -> list[bytes]:
        """Return what the reader is sent when it says this after so many seconds."""
        self.now += after_s
        self.feed.handle(self.reader, asked)
        return self.link.read()

    def batches(self) -> list[list[bytes]]:
        """Return all that it is sent while it goes on asking."""
        heard: list[list[bytes]] = []
        while batch := self.hear(More(sum(map(len, heard))), 0.6):
            heard.append(batch)
        return heard


def test_who_sits_down_watches_no_longer() -> None:
    feed, link = SpectatorFeed(5, of_spectators(DEFAULT_LIMITS), lambda: 0.0), WrittenDown()
    seated = GAME.match.game.agreement.seats[1].key
    feed.connect(seated, link)
    feed.begin(GAME.match.game.agreement)
    assert str(link.error) == "It has sat down."
    for key, game, code in ((seated, GAME.match.game.id, "same_key"), (b"eve", b"x" * 32, "wrong_game")):
        with refused(code):
            feed.admit(key, game)


def test_a_place_is_kept_for_one_that_is_linked_and_free_when_it_has_left() -> None:
    feed = SpectatorFeed(1, of_spectators(DEFAULT_LIMITS), lambda: 0.0)
    reader = feed.connect(b"ann", WrittenDown())
    feed.require_room(b"ann")
    with refused("no_spectators"):
        feed.require_room(b"ben")
    with pytest.raises(LinkLost, match="has left") as goodbye:
        feed.handle(reader, bye(""))
    feed.disconnect(reader, goodbye.value)
    feed.require_room(b"ben")


def test_only_so_many_may_come_back_and_none_that_was_at_fault() -> None:
    feed, game = SpectatorFeed(5, of_spectators(replace(DEFAULT_LIMITS, watch_known_max=2)), float), GAME.match.game
    feed.begin(game.agreement)
    for key in (b"ann", b"ben", b"cat"):
        feed.register(key, "name")
    for key, error in ((b"ben", PeerError("rubbish")), (b"cat", LinkLost("left"))):
        feed.disconnect(feed.connect(key, WrittenDown()), error)
    assert feed.resumes(b"cat", game.id)
    for key in (b"ann", b"ben"):
        with refused("not_watching"):
            feed.resumes(key, game.id)


def test_nothing_is_sent_unasked() -> None:
    watched = Watched(begun=False)
    watched.fill(VOTES)
    watched.feed.handle(watched.reader, Ping())
    assert watched.link.frames == []
    assert watched.hear(More(0)) == EVERYTHING


def test_one_that_is_level_gets_what_is_new_when_it_asks_for_more() -> None:
    watched = Watched()
    watched.hear(More(0))
    for number, new in enumerate((b"one", b"two"), len(EVERYTHING)):
        assert watched.hear(More(number), 0.1) == []
        watched.feed.append(new)
        assert watched.hear(More(number)) == [new], "no pause follows an answer with all there is"


def test_a_game_comes_in_batches() -> None:
    size_max = max(map(len, FRAMES)) + 100
    sent = Watched(watch_batch_max=size_max).batches()
    assert [frame for batch in sent for frame in batch] == EVERYTHING
    assert max(sum(map(len, batch)) for batch in sent) <= size_max
    assert len(sent) > 5


def test_a_frame_larger_than_a_batch_is_a_batch() -> None:
    assert Watched(watch_batch_max=1).batches() == [[frame] for frame in EVERYTHING]


def test_an_answer_waits_until_the_last_is_read_and_a_pause_is_over() -> None:
    watched = Watched(watch_batch_max=1)
    assert [watched.hear(More(0)) for _ in range(300)] == [EVERYTHING[:1], *[[]] * 299]
    watched.link.unsent = 1
    assert watched.hear(More(0), DEFAULT_LIMITS.answer_pause_s) == []
    assert watched.hear(More(0)) == EVERYTHING[1:2]


def test_an_answer_goes_behind_a_sign_of_life_that_is_unsent() -> None:
    """The unsent bytes are together no more than a batch, or one larger frame."""
    size_max = sum(map(len, FRAMES[:3])) + 15
    watched = Watched(watch_batch_max=size_max)
    watched.link.unsent = 15
    watched.feed.handle(watched.reader, More(0))
    assert (watched.link.frames, watched.link.unsent) == (FRAMES[:3], size_max)


def test_one_that_comes_back_gets_the_log_from_where_it_was() -> None:
    assert Watched().hear(More(7)) == EVERYTHING[7:]
    assert Watched().hear(More(2**31 - 1)) == []


def test_nothing_is_sent_twice_on_one_link() -> None:
    """An answer may be on its way when it asks again."""
    watched = Watched()
    assert watched.hear(More(0)) == EVERYTHING
    assert [watched.hear(More(0), 10.0) for _ in range(3)] == [[]] * 3


@pytest.mark.parametrize("left_out", [0, 1, 20, 100, 101, len(EVERYTHING) - 1, len(EVERYTHING)])
def test_a_goodbye_is_no_more_than_a_link_holds(left_out: int) -> None:
    """A link with more unsent bytes would be cut off, unread."""
    sent = EVERYTHING[: len(EVERYTHING) - left_out]
    size_max = sum(map(len, sent)) + len(FAREWELL)
    watched = Watched(unsent_max=size_max)
    watched.feed.say_goodbye("it is late")
    assert watched.link.frames == [*sent, FAREWELL]
    assert watched.link.unsent == size_max


def test_at_a_goodbye_all_queues_share_the_game() -> None:
    """It is in memory once for any number of links that ask and never read."""
    feed = Watched().feed
    links = [WrittenDown() for _ in range(199)]
    for number, link in enumerate(links):
        reader = feed.connect(b"%d" % number, link)
        link.read()
        if number % 2:
            feed.handle(reader, More(number % 7))
    feed.say_goodbye("it is late")
    queued = [data for link in links for data in link.frames]
    assert sum(map(len, queued)) > 100 * sum(map(len, EVERYTHING))
    assert sum(map(len, {id(data): data for data in queued}.values())) == sum(map(len, [*EVERYTHING, FAREWELL]))


def test_one_that_asks_after_the_farewell_is_not_answered() -> None:
    watched = Watched()
    watched.feed.say_goodbye("it is late")
    watched.link.read()
    watched.feed.append(b"late")
    assert watched.hear(More(0)) == []
