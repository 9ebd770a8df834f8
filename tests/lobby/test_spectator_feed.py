"""What a host decides to send to its spectators, with links that are only written down."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pytest
import trio
import trio.testing

from seqp2p.lobby.spectator_feed import Show, SpectatorFeed, of_spectators
from seqp2p.lobby.spectator_server import SpectatorServer
from seqp2p.net.errors import NetError
from seqp2p.net.gossip import GossipItem, PlacedItem, VoteMessage
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import ContributionMessage, Have, HeadMessage, bye, encode_message
from seqp2p.testing.memory import pieces
from tests.table import played

GAME = played(2, "kids")
VOTES = [HeadMessage(b"%200d" % number, bytes(64)) for number in range(100)]


@dataclass(eq=False)
class WrittenDown:
    """A link that keeps what it is given, and has sent nothing of it yet."""

    frames: list[bytes] = field(default_factory=list)
    unsent: int = 0

    def send_frame(self, data: bytes) -> None:
        self.frames += pieces(data, 1_000_000)
        self.unsent += len(data)

    def end(self, error: NetError) -> None:
        raise AssertionError(error)


class Queue(WrittenDown):
    """One that keeps it as the queue of a link does."""

    def send_frame(self, data: bytes) -> None:
        self.frames.append(data)
        self.unsent += len(data)


@dataclass(frozen=True)
class AllOfIt:
    """A store with a whole game, and many votes on its end; ``closed`` are ballots that closed step 3."""

    closed: Sequence[VoteMessage] = ()

    def have(self) -> tuple[int, frozenset[int]]:
        return len(GAME.steps) + 1, frozenset()

    def missing(self, step: int, seats: frozenset[int]) -> Iterable[PlacedItem]:
        return [
            (closed.number, seat, each)
            for closed in GAME.steps
            for seat, each in closed.contributions
            if closed.number > step or (closed.number == step and seat not in seats)
        ]

    def votes(self, step: int) -> Iterable[VoteMessage]:
        return VOTES

    def closing(self, first: int, after: int) -> Iterable[VoteMessage]:
        return self.closed if first <= 3 < after else ()


SHOW = Show(GAME.match.game.agreement, AllOfIt(), {})


GAME_FRAMES = [
    encode_message(ContributionMessage(each.payload, each.signature)) for *_, each in AllOfIt().missing(0, frozenset())
]
FAREWELL = encode_message(bye("it is late"))
EVERYTHING = [*GAME_FRAMES, *map(encode_message, VOTES), FAREWELL]


@pytest.mark.parametrize("left_out", [0, 1, 20, 100, 101, len(EVERYTHING) - 2, len(EVERYTHING) - 1])
def test_a_goodbye_is_no_more_than_a_link_holds(left_out: int) -> None:
    """However little fits before the farewell: a link with too much would be cut off, unread."""
    size_max = sum(map(len, EVERYTHING)) - sum(map(len, EVERYTHING[-1 - left_out : -1]))
    audience = SpectatorFeed[WrittenDown](5, of_spectators(replace(DEFAULT_LIMITS, unsent_max=size_max)), lambda: 0.0)
    link = WrittenDown()
    audience.come(b"key", link)
    audience.begin(SHOW)
    link.frames, link.unsent = [], 0
    audience.say_goodbye("it is late")
    assert link.frames == [*EVERYTHING[: len(EVERYTHING) - 1 - left_out], FAREWELL]
    assert link.unsent == size_max


def test_at_a_goodbye_all_queues_share_the_game() -> None:
    """However many ask for it and never read: it is in memory once, however far each has come."""
    audience = SpectatorFeed[WrittenDown](200, of_spectators(replace(DEFAULT_LIMITS, watch_batch_max=1)), lambda: 0.0)
    audience.begin(SHOW)
    links = [Queue() for _ in range(200)]
    for number, link in enumerate(links):
        spectator = audience.come(b"%d" % number, link)
        if number % 2:
            audience.hear(spectator, Have(1 + number % 7, ()))
        link.frames.clear()
    audience.say_goodbye("it is late")
    queued = [data for link in links for data in link.frames]
    assert sum(map(len, queued)) > 100 * sum(map(len, EVERYTHING))
    assert sum(map(len, {id(data): data for data in queued}.values())) == sum(map(len, EVERYTHING))


def test_whoever_asks_after_the_farewell_gets_nothing() -> None:
    audience = SpectatorFeed[WrittenDown](5, of_spectators(DEFAULT_LIMITS), lambda: 0.0)
    audience.begin(SHOW)
    link = WrittenDown()
    spectator = audience.come(b"key", link)
    audience.say_goodbye("it is late")
    link.unsent = 0
    audience.hear(spectator, Have(1, ()))
    assert link.frames[-1] == FAREWELL


def test_a_step_that_ballots_closed_comes_with_them() -> None:
    """In the very batch, however much of the game is to come: without them its spectator could take none of that."""
    ballots = VOTES[:3]
    now = iter(range(1_000))
    limits = of_spectators(replace(DEFAULT_LIMITS, watch_batch_max=max(map(len, GAME_FRAMES))))
    audience = SpectatorFeed[WrittenDown](5, limits, lambda: float(next(now)))
    audience.begin(replace(SHOW, store=AllOfIt(ballots)))
    link = WrittenDown()
    spectator = audience.come(b"key", link)
    link.frames.clear()
    while not spectator.level:
        link.unsent = 0
        audience.hear(spectator, Have(1 + next(now), ()))
    third = sum(len(step.contributions) for step in GAME.steps[:3])
    sent = [*GAME_FRAMES[:third], *map(encode_message, ballots), *GAME_FRAMES[third:], *map(encode_message, VOTES)]
    assert list(dict.fromkeys(link.frames)) == list(dict.fromkeys(sent))


async def test_a_round_is_for_those_who_get_something() -> None:
    """Where nothing was put by for anybody, nobody is woken up."""
    item, frame = GossipItem(b"digest"), encode_message(VOTES[0])
    async with trio.open_nursery() as nursery:
        spectators = SpectatorServer(nursery, 5)
        spectators.begin(SHOW)
        audience = cast("SpectatorFeed[WrittenDown]", spectators)  # What it does with links of its own is not used.
        spectator = audience.come(b"key", WrittenDown())
        assert not spectators.spread(item, frame)
        assert not spectators._news.is_set()
        spectator.link.unsent = 0
        audience.hear(spectator, Have(len(GAME.steps) + 1, ()))
        spectator.link.unsent = 0
        assert spectators.spread(item, frame)
        assert spectators._news.is_set()
        await trio.testing.wait_all_tasks_blocked(0.1)
        assert spectator.link.frames[-1] == frame
        nursery.cancel_scope.cancel()
