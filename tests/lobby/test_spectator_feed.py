"""The log of a host's spectators: what a ``have`` is answered with, over links that only write down."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count

import pytest

from seqp2p.lobby.spectators import FeedReader, SpectatorFeed, of_spectators
from seqp2p.net.errors import NetError
from seqp2p.net.gossip import GossipItem, digest
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.messages import ContributionMessage, Have, HeadMessage, Ping, bye, encode_message
from tests.table import played

GAME = played(2, "kids")
PLACES = [(step.number, seat) for step in GAME.steps for seat, _ in step.contributions]
FRAMES = [
    encode_message(ContributionMessage(each.payload, each.signature))
    for step in GAME.steps
    for _, each in step.contributions
]
VOTES = [encode_message(HeadMessage(b"%200d" % number, bytes(64))) for number in range(100)]
FAREWELL = encode_message(bye("it is late"))
EVERYTHING = [*FRAMES, *VOTES]
END = Have(len(GAME.steps) + 1, ())


@dataclass(eq=False)
class WrittenDown:
    """A link that keeps what it is given, and has sent nothing of it yet."""

    frames: list[bytes] = field(default_factory=list)
    unsent: int = 0

    def send_frame(self, data: bytes) -> None:
        self.frames.append(data)
        self.unsent += len(data)

    def end(self, error: NetError) -> None:
        raise AssertionError(error)

    def read(self) -> list[bytes]:
        """What was sent since the last reading."""
        frames, self.frames, self.unsent = self.frames, [], 0
        return frames


class Clock:
    """Seconds, as a test sets them."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def feed_of(limits: Limits = DEFAULT_LIMITS, clock: Clock | None = None, places: int = 5) -> SpectatorFeed:
    """A feed whose game has begun, with an empty log."""
    feed = SpectatorFeed(places, of_spectators(limits), clock or Clock())
    feed.begin(GAME.match.game.agreement)
    return feed


def fill(feed: SpectatorFeed, votes: int = len(VOTES)) -> None:
    """Append the whole game, and votes on its end."""
    for (step, seat), frame in zip(PLACES, FRAMES, strict=True):
        feed.append(GossipItem(digest(frame), seat, step), frame)
    for frame in VOTES[:votes]:
        feed.append(GossipItem(digest(frame)), frame)


def reader_of(feed: SpectatorFeed, key: bytes = b"key") -> tuple[FeedReader, WrittenDown]:
    """A new reader that has read the agreement."""
    link = WrittenDown()
    reader = feed.connect(key, link)
    assert len(link.read()) == 1
    return reader, link


def test_nothing_is_sent_unasked() -> None:
    feed = feed_of()
    reader, link = reader_of(feed)
    fill(feed)
    feed.handle(reader, Ping())
    assert link.frames == []
    feed.handle(reader, Have(1, ()))
    assert link.read() == EVERYTHING


def test_one_that_is_level_gets_what_is_new_at_its_next_have() -> None:
    clock = Clock()
    feed = feed_of(clock=clock)
    reader, link = reader_of(feed)
    fill(feed)
    feed.handle(reader, Have(1, ()))
    link.read()
    for new in (b"one", b"two"):
        clock.now += 0.1
        feed.handle(reader, END)
        assert link.frames == []
        feed.append(GossipItem(digest(new)), new)
        feed.handle(reader, END)
        assert link.read() == [new], "no pause follows an answer with all there is"


def batches(feed: SpectatorFeed, clock: Clock, reader: FeedReader, link: WrittenDown) -> Iterator[list[bytes]]:
    for number in count(1):
        clock.now += 0.6
        feed.handle(reader, Have(number, ()))
        if not (batch := link.read()):
            return
        yield batch


def test_a_game_comes_in_batches() -> None:
    clock = Clock()
    size_max = max(map(len, FRAMES)) + 100
    feed = feed_of(replace(DEFAULT_LIMITS, watch_batch_max=size_max), clock)
    reader, link = reader_of(feed)
    fill(feed)
    sent = list(batches(feed, clock, reader, link))
    assert [frame for batch in sent for frame in batch] == EVERYTHING
    assert max(sum(map(len, batch)) for batch in sent) <= size_max
    assert len(sent) > 5


def test_a_frame_larger_than_a_batch_is_a_batch() -> None:
    clock = Clock()
    feed = feed_of(replace(DEFAULT_LIMITS, watch_batch_max=1), clock)
    reader, link = reader_of(feed)
    fill(feed)
    assert list(batches(feed, clock, reader, link)) == [[frame] for frame in EVERYTHING]


def test_an_answer_waits_until_the_last_is_read_and_a_pause_is_over() -> None:
    clock = Clock()
    feed = feed_of(replace(DEFAULT_LIMITS, watch_batch_max=1), clock)
    reader, link = reader_of(feed)
    fill(feed)
    for _ in range(300):
        feed.handle(reader, Have(1, ()))
    assert link.read() == EVERYTHING[:1]
    clock.now = DEFAULT_LIMITS.answer_pause_s
    link.unsent = 1
    feed.handle(reader, Have(1, ()))
    assert link.read() == []
    feed.handle(reader, Have(1, ()))
    assert link.read() == EVERYTHING[1:2]


def test_a_have_is_answered_behind_a_sign_of_life_that_is_unsent() -> None:
    """All that is unsent together is no more than a batch, or one frame that is larger."""
    size_max = sum(map(len, FRAMES[:3])) + 15
    feed = feed_of(replace(DEFAULT_LIMITS, watch_batch_max=size_max))
    reader, link = reader_of(feed)
    fill(feed)
    link.unsent = 15
    feed.handle(reader, Have(1, ()))
    assert (link.frames, link.unsent) == (FRAMES[:3], size_max)


def test_one_that_reconnects_is_not_sent_the_contributions_it_has() -> None:
    feed = feed_of()
    fill(feed)
    reader, link = reader_of(feed)
    feed.handle(reader, Have(4, (2,)))
    lacking = [
        frame for (step, seat), frame in zip(PLACES, FRAMES, strict=True) if step > 4 or (step == 4 and seat != 2)
    ]
    assert link.read() == [*lacking, *VOTES]


def test_what_comes_after_the_first_have_is_sent_whatever_its_step() -> None:
    """Steps that were undone are played again, with the same numbers."""
    clock = Clock()
    feed = feed_of(clock=clock)
    fill(feed, votes=0)
    reader, link = reader_of(feed)
    feed.handle(reader, END)
    assert link.read() == []
    feed.append(GossipItem(b"again", 1, 4), b"again")
    clock.now = 0.6
    feed.handle(reader, END)
    assert link.read() == [b"again"]


@pytest.mark.parametrize("says", [Have(4, (2,)), Have(1, ())])
def test_one_that_stands_still_gets_what_it_lacks_again(says: Have) -> None:
    clock = Clock()
    feed = feed_of(clock=clock)
    reader, link = reader_of(feed)
    fill(feed)
    feed.handle(reader, says)
    first = link.read()
    for _ in range(2):
        clock.now += DEFAULT_LIMITS.resend_s - 0.1
        feed.handle(reader, says)
        assert link.read() == []
        clock.now += 0.1
        feed.handle(reader, says)
        assert link.read() == first


def test_one_that_has_all_and_waits_is_sent_nothing_again() -> None:
    clock = Clock()
    feed = feed_of(clock=clock)
    reader, link = reader_of(feed)
    fill(feed)
    feed.handle(reader, Have(1, ()))
    link.read()
    for _ in range(20):
        clock.now += 1.0
        feed.handle(reader, END)
    assert link.frames == []


def test_one_that_is_far_ahead_gets_no_contributions() -> None:
    feed = feed_of()
    fill(feed)
    reader, link = reader_of(feed)
    feed.handle(reader, Have(100_000, tuple(range(1, 13))))
    assert link.read() == VOTES


@pytest.mark.parametrize("left_out", [0, 1, 20, 100, 101, len(EVERYTHING) - 1, len(EVERYTHING)])
def test_a_goodbye_is_no_more_than_a_link_holds(left_out: int) -> None:
    """However little fits before the farewell: a link with too much would be cut off, unread."""
    sent = EVERYTHING[: len(EVERYTHING) - left_out]
    size_max = sum(map(len, sent)) + len(FAREWELL)
    feed = feed_of(replace(DEFAULT_LIMITS, unsent_max=size_max))
    fill(feed)
    _, link = reader_of(feed)
    feed.say_goodbye("it is late")
    assert link.frames == [*sent, FAREWELL]
    assert link.unsent == size_max


def test_at_a_goodbye_all_queues_share_the_game() -> None:
    """However many ask for it and never read: it is in memory once, however far each has come."""
    feed = feed_of(places=200)
    fill(feed)
    links: list[WrittenDown] = []
    for number in range(200):
        reader, link = reader_of(feed, b"%d" % number)
        links.append(link)
        if number % 2:
            feed.handle(reader, Have(1 + number % 7, ()))
    feed.say_goodbye("it is late")
    queued = [data for link in links for data in link.frames]
    assert sum(map(len, queued)) > 100 * sum(map(len, EVERYTHING))
    assert sum(map(len, {id(data): data for data in queued}.values())) == sum(map(len, [*EVERYTHING, FAREWELL]))


def test_a_have_after_the_farewell_is_not_answered() -> None:
    feed = feed_of()
    reader, link = reader_of(feed)
    fill(feed)
    feed.say_goodbye("it is late")
    link.read()
    feed.append(GossipItem(b"late"), b"late")
    feed.handle(reader, Have(1, ()))
    assert link.frames == []
