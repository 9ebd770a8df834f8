"""The host against spectators that do what they must not, and against those who would like to be some."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from seqp2p.live.absence import Absent, Back
from seqp2p.live.mesh import Mesh
from seqp2p.live.spectator import Backlog
from seqp2p.live.spectator_session import Gone
from seqp2p.lobby import place
from seqp2p.lobby.events import LobbyShown, Strangers
from seqp2p.lobby.join import WaitingSpectator, knock, watch_table
from seqp2p.lobby.place import HostLines, meet_host
from seqp2p.lobby.spectators import SpectatorFeed, SpectatorServer, of_spectators, spectator_server
from seqp2p.match.events import Remarked
from seqp2p.match.table import encode_agreement
from seqp2p.net import messages as wire
from seqp2p.net.addresses import Address
from seqp2p.net.auth import receive, send
from seqp2p.net.dialling import Route, reach
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused, TableClosed
from seqp2p.net.frames import HEADER_SIZE, FrameStream, frame
from seqp2p.net.limits import DEFAULT_LIMITS, Limits, message_price_s
from tests.live.parties import Thinker, checked
from tests.live.parties import credentials as seat_credentials
from tests.live.relays import MemoryRelay
from tests.lobby.hall import Hall, Seen, own_key, same_game, spectator
from tests.lobby.house import House, LyingHost, Opened, Player, Script, telling
from tests.net.tools import Seat, address_of, refused
from tests.table import make_agreement, played, randomness

pytestmark = pytest.mark.usefixtures("autojump_clock", "cheap_codes", "cheap_places")

SPECTATOR = wire.LinkStage.SPECTATOR


@asynccontextmanager
async def waiting_host(tmp_path: Path, **more: Any) -> AsyncGenerator[Hall]:
    """A host whose game waits for the other seat."""
    hall = Hall(tmp_path, 2, **more)
    async with hall.open(alone=True):
        yield hall


async def settled(frames: FrameStream) -> None:
    """Read until the host refuses or ends the link; raises its NetError."""
    while True:
        await receive(frames, SPECTATOR, DEFAULT_LIMITS)


async def test_a_server_that_begins_cancelled_ends() -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        async with spectator_server(3):
            await trio.sleep_forever()
    assert scope.cancelled_caught


async def test_nothing_that_spectators_say_reaches_the_game(virtual_time: object, tmp_path: Path) -> None:
    """A spectator that says more than it may is cut off, and needs the code again. Others watch on."""
    # tests/net/test_messages.py has all messages that are out of place on a spectator's link.
    forbidden: list[wire.WireMessage] = [
        wire.ContributionMessage(b"payload", bytes(64)),
        wire.Have(1, ()),
        wire.Watch("again"),
        wire.Sit("me"),
    ]
    rubbish = [b"\xff" * 50, bytes(5_000), wire.encode_message(wire.Bye("x" * 200))[4:] + b"\0"]
    hall, inbox = Hall(tmp_path, 2), list[object]()
    hall.first = Thinker(2, 60.0)
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 99)
        await hall.first.asleep.wait()
        note(hall[1].game, inbox)
        for number, data in enumerate([*map(wire.encode_message, forbidden), *map(frame, rubbish)]):
            frames = await hall.knock(number)
            await send(frames, wire.More(0))
            await frames.send(data)
            with trio.fail_after(30), pytest.raises(NetError):
                await settled(frames)
            with refused("not_watching"):
                await settled(await hall.come_back(number))
        await trio.sleep(0.1)
        assert len(hall.spectators.feed.readers) == 1
        assert not [item for item in inbox if type(item).__name__ != "Tick"]
    checked(hall)
    same_game(hall.seen[99], hall[1])


def note(game: Any, inbox: list[object]) -> None:
    """Keep what the session of a game takes from now on."""
    take = game._session.take

    async def noting(item: object) -> None:
        inbox.append(item)
        await take(item)

    game._session.take = noting


async def test_new_links_begin_with_no_burst(virtual_time: object, tmp_path: Path) -> None:
    """A spectator that comes again all the time gets four links at once, and then one a second."""
    async with waiting_host(tmp_path, limits=Limits(watch_known_max=1)) as hall:
        await (await hall.knock(2)).abort()
        await (await hall.knock(1)).abort()
        assert len(hall.spectators._paces) == 1, "only so many paces are kept"
        served, begun = 0, trio.current_time()
        while trio.current_time() < begun + 10:
            frames = await hall.come_back(1)
            with trio.move_on_after(0.1), suppress(NetError):
                served += isinstance(await receive(frames, SPECTATOR, DEFAULT_LIMITS), wire.Watching)
            await frames.abort()
            await trio.sleep(0.1)
        assert 6 <= served <= 15


async def test_a_flood_on_one_link_is_read_at_its_pace(virtual_time: object, tmp_path: Path) -> None:
    more, read, limits = wire.More(0), list[object](), DEFAULT_LIMITS
    async with waiting_host(tmp_path) as hall:
        frames = await hall.knock(1)
        feed: Any = hall.spectators.feed
        feed.handle = lambda _, message: read.append(message)
        begun = trio.current_time()
        with trio.move_on_after(20):
            while True:
                await frames.send(wire.encode_message(more) * 100)
                await trio.sleep(0.5)
        most_s = limits.watch_cost_burst_s + limits.watch_cost_rate * (trio.current_time() - begun)
        price_s = message_price_s(limits, len(wire.encode_message(more)) - HEADER_SIZE)
        assert 20 < len(read) <= most_s / price_s + 1


async def test_wrong_codes_are_counted_and_burn_the_code_during_the_game(virtual_time: object, tmp_path: Path) -> None:
    async with waiting_host(tmp_path) as hall:
        right = hall.code
        wrong = "7-acorn-acorn" if right != "7-acorn-acorn" else "7-acorn-amber"
        for code, why in ((wrong, "wrong_code"), (wrong, "wrong_code"), (wrong, "code_burned"), (right, "code_burned")):
            with refused(why):
                await hall.waiting(1, code=code)
        await trio.sleep(1.5)
        assert [event for event in hall.said if isinstance(event, Strangers)][-1] == Strangers(4, 4)
        await hall.knock(1)
        assert hall.came == ["spectator 1"], "the new code is good for watching"


@pytest.mark.parametrize("again", [False, True])
async def test_of_those_who_come_at_once_for_the_last_place_one_gets_it(
    virtual_time: object, tmp_path: Path, again: bool
) -> None:
    """All give the code at the same time, or come back at the same time; the others are told why."""
    codes: list[str] = []

    async def come(hall: Hall, number: int) -> None:
        with suppress(NetError):
            try:
                await settled(await (hall.come_back(number) if again else hall.knock(number)))
            except PeerRefused as refusal:
                codes.append(refusal.code)

    async with waiting_host(tmp_path, places=1) as hall, trio.open_nursery() as nursery:
        for number in (1, 2, 3) if again else ():
            await (await hall.knock(number)).abort()
            await trio.sleep(1)
        for number in (1, 2, 3):
            nursery.start_soon(come, hall, number)
        await trio.sleep(1)
        assert codes == ["no_spectators"] * 2
        assert len(hall.spectators.feed.readers) == 1
        assert len(hall.came) == (3 if again else 1)
        nursery.cancel_scope.cancel()


async def test_one_connection_of_each_key(virtual_time: object, tmp_path: Path) -> None:
    async with waiting_host(tmp_path) as hall:
        first = await hall.knock(1)
        second = await hall.come_back(1)
        watching = await receive(second, SPECTATOR, DEFAULT_LIMITS)
        assert watching == wire.Watching(hall[1].match.agreement_bytes)
        with trio.fail_after(30), pytest.raises(NetError):
            await settled(first)
        assert len(hall.spectators.feed.readers) == 1


@pytest.mark.parametrize(
    ("message", "code"),
    [(wire.Watch("\x1b[31m"), "bad_name"), (wire.Sit("me"), ""), (None, "")],
    ids=["name", "sit", "silent"],
)
async def test_after_the_code(
    virtual_time: object, tmp_path: Path, message: wire.WireMessage | None, code: str
) -> None:
    async with waiting_host(tmp_path) as hall:
        link = await knock(spectator(1, limits=hall.limits), Route(address_of(1), hall.wires.dial), hall.code, "watch")
        if message is not None:
            await send(link.frames, message)
        with pytest.raises(NetError) as error, trio.fail_after(30):
            await receive(link.frames, SPECTATOR, DEFAULT_LIMITS)
        assert (error.value.code if isinstance(error.value, PeerRefused) else "") == code
        assert hall.came == []


async def test_a_spectator_by_a_relay_comes_back_after_the_place_has_moved(
    virtual_time: object, tmp_path: Path
) -> None:
    moved = trio.Event()
    async with trio.open_nursery() as outside:
        relay = MemoryRelay(outside)
        lines = HostLines(address_of(9), relay.dial, DEFAULT_LIMITS, lambda _: moved.set(), lambda _: None)
        lines.move("1")
        outside.start_soon(lines.run)
        here = await place.meeting_place("1")

        async def dial(_: Address) -> trio.abc.Stream:
            return await meet_host(address_of(9), here, relay.dial, DEFAULT_LIMITS)

        hall = Hall(tmp_path, 2)
        hall.more_listeners = lines.listeners
        async with hall.open(alone=True) as nursery:
            seen = hall.seat_spectator(1, await hall.waiting(1, dial))
            nursery.start_soon(seen.run)
            await trio.sleep(1)
            moved = trio.Event()
            lines.move("2")
            await moved.wait()
            await relay.leave()
            relay.come_back()
            with refused("code_burned"):  # There nobody gives the code any more.
                await hall.waiting(2, dial)
            await trio.sleep(1)
            assert seen.told == [Absent(1, 120), Back(1)]
        outside.cancel_scope.cancel()


async def test_a_table_without_spectators(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    async with hall.open(alone=True) as nursery:
        hall.sit(2)
        nursery.start_soon(hall.run, hall[2])
        with refused("no_spectators"):
            await reach(address_of(2), own_key(1), hall.wires.dial, hall.limits, role="watch")


# The log of a host's spectators, and its answers to their ``more``, over links that only write down.


GAME = played(2, "kids")
FRAMES = [
    wire.encode_message(wire.ContributionMessage(each.payload, each.signature))
    for step in GAME.steps
    for _, each in step.contributions
]
VOTES = [wire.encode_message(wire.HeadMessage(b"%200d" % number, bytes(64))) for number in range(100)]
FAREWELL = wire.encode_message(wire.bye("it is late"))
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
    """A feed whose game has begun, with the whole game and votes in its log, one reader, and a clock by hand."""

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
        for each in (*FRAMES, *votes):
            self.feed.append(each)

    def hear(self, asked: wire.More, after_s: float = 0.0) -> list[bytes]:
        """Return what the reader is sent when it says this after so many seconds."""
        self.now += after_s
        self.feed.handle(self.reader, asked)
        return self.link.read()

    def batches(self) -> list[list[bytes]]:
        """Return all that it is sent while it goes on asking."""
        heard: list[list[bytes]] = []
        while batch := self.hear(wire.More(sum(map(len, heard))), 0.6):
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
        feed.handle(reader, wire.bye(""))
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
    watched.feed.handle(watched.reader, wire.Ping())
    assert watched.link.frames == []
    assert watched.hear(wire.More(0)) == EVERYTHING


def test_one_that_is_level_gets_what_is_new_when_it_asks_for_more() -> None:
    watched = Watched()
    watched.hear(wire.More(0))
    for number, new in enumerate((b"one", b"two"), len(EVERYTHING)):
        assert watched.hear(wire.More(number), 0.1) == []
        watched.feed.append(new)
        assert watched.hear(wire.More(number)) == [new], "no pause follows an answer with all there is"


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
    assert [watched.hear(wire.More(0)) for _ in range(300)] == [EVERYTHING[:1], *[[]] * 299]
    watched.link.unsent = 1
    assert watched.hear(wire.More(0), DEFAULT_LIMITS.answer_pause_s) == []
    assert watched.hear(wire.More(0)) == EVERYTHING[1:2]


def test_an_answer_goes_behind_a_sign_of_life_that_is_unsent() -> None:
    """The unsent bytes are together no more than a batch, or one larger frame."""
    size_max = sum(map(len, FRAMES[:3])) + 15
    watched = Watched(watch_batch_max=size_max)
    watched.link.unsent = 15
    watched.feed.handle(watched.reader, wire.More(0))
    assert (watched.link.frames, watched.link.unsent) == (FRAMES[:3], size_max)


def test_one_that_comes_back_gets_the_log_from_where_it_was() -> None:
    assert Watched().hear(wire.More(7)) == EVERYTHING[7:]
    assert Watched().hear(wire.More(2**31 - 1)) == []


def test_nothing_is_sent_twice_on_one_link() -> None:
    """An answer may be on its way when it asks again."""
    watched = Watched()
    assert watched.hear(wire.More(0)) == EVERYTHING
    assert [watched.hear(wire.More(0), 10.0) for _ in range(3)] == [[]] * 3


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
            feed.handle(reader, wire.More(number % 7))
    feed.say_goodbye("it is late")
    queued = [data for link in links for data in link.frames]
    assert sum(map(len, queued)) > 100 * sum(map(len, EVERYTHING))
    assert sum(map(len, {id(data): data for data in queued}.values())) == sum(map(len, [*EVERYTHING, FAREWELL]))


def test_one_that_asks_after_the_farewell_is_not_answered() -> None:
    watched = Watched()
    watched.feed.say_goodbye("it is late")
    watched.link.read()
    watched.feed.append(b"late")
    assert watched.hear(wire.More(0)) == []


# A spectator before there is a table, and against a host that lies.


A32, A64 = bytes(32), bytes(64)
AGREEMENT = make_agreement(2, "kids", grace_s=5)
TABLE = wire.Watching(encode_agreement(AGREEMENT))


@pytest.fixture
async def spectators(nursery: trio.Nursery) -> SpectatorServer:
    return SpectatorServer(nursery, 5)


async def test_a_spectator_is_let_in_before_the_start_and_shown_the_seats(
    house: Opened, nursery: trio.Nursery, spectators: SpectatorServer
) -> None:
    made, watching = await house(2, spectators=spectators), Player()
    nursery.start_soon(partial(made.watch, 20, on_event=watching.events.append))
    await trio.sleep(60)  # The lobby may take long: both sides show that they are there.
    await made.enter(2)
    await trio.sleep(1)
    assert len(spectators.feed.readers) == 1, "the end of the lobby is nothing to a spectator"
    assert made.tables[1].spectators is spectators
    shown = [(event.own_seat, [seat and seat.name for seat in event.seats]) for event in watching.told(LobbyShown)]
    assert shown == [(0, ["host", None]), (0, ["host", "ben"])]


async def test_at_the_door_when_the_lobby_closes(
    house: Opened, nursery: trio.Nursery, spectators: SpectatorServer
) -> None:
    """The game lets in a spectator that had no time to say its name in the lobby."""
    made, begun = await house(2, spectators=spectators), trio.Event()

    async def dial(address: Address) -> trio.abc.Stream:
        stream = await made.wires.dial(address)
        await begun.wait()
        return stream

    nursery.start_soon(partial(made.watch, 20, dial=dial))
    await made.enter(2)
    begun.set()
    await nursery.start(Seat(Mesh(made.tables[1], randomness("mesh")), 2).run)
    await trio.sleep(1)
    assert len(spectators.feed.readers) == 1
    assert made.wires.dialled.count(address_of(1)) == 3


async def test_what_is_refused_in_the_lobby(house: Opened, nursery: trio.Nursery, spectators: SpectatorServer) -> None:
    made = await house(3, 2, spectators=spectators)
    with refused("same_key"):
        await made.watch(2)
    with pytest.raises(ValueError, match="name"):
        await made.watch(20, "\x1b")
    with refused("no_spectators"):
        await (await house(3)).watch(20)


async def test_there_is_no_server_where_none_may_watch() -> None:
    async with spectator_server(0) as none:
        assert none is None


@pytest.mark.parametrize("at_once", [False, True], ids=["the lobby", "all at once"])
async def test_spectators_are_told_when_the_lobby_is_given_up(nursery: trio.Nursery, at_once: bool) -> None:
    told = trio.Event()

    async def watch(made: House) -> None:
        with pytest.raises(TableClosed, match="has closed the table"):
            await made.watch(20)
        told.set()

    with trio.CancelScope() as process:
        async with spectator_server(3) as server, trio.open_nursery() as tasks:
            made = House(tasks, 2, spectators=server)
            await made.open()
            nursery.start_soon(watch, made)
            await trio.sleep(1)
            assert server is not None
            assert len(server.feed.readers) == 1
            (process if at_once else made[1].scope).cancel()
    with trio.fail_after(1):
        await told.wait()


async def test_what_is_too_much_to_keep_is_not_read(nursery: trio.Nursery) -> None:
    backlog, items = Backlog(10), [Gone(str(number)) for number in range(10)]
    taken: list[int] = []

    @nursery.start_soon
    async def fill() -> None:
        for number, item in enumerate(items):
            await backlog.put(item, 6)
            taken.append(-number)

    await trio.sleep(1)
    assert taken == [0, -1]
    backlog.push(Gone("first"))
    assert [await backlog.take() for _ in range(11)] == [Gone("first"), *items]


async def waiting(host: LyingHost) -> WaitingSpectator:
    return await watch_table(spectator(1), Route(address_of(1), host.wires.dial), host.code)


async def watched(tmp_path: Path, *scripts: Script) -> Seen:
    """What a spectator makes of a host with these scripts."""
    async with trio.open_nursery() as nursery:
        host = LyingHost(*scripts, who=seat_credentials(1))
        nursery.start_soon(host.run)
        seen = Seen(1, await waiting(host), tmp_path / "seen.seqp2p")
        with trio.fail_after(300):
            await seen.run()
        nursery.cancel_scope.cancel()
    return seen


ELSEWHERE = wire.Watching(encode_agreement(make_agreement(3, "kids", seed=2)))


@pytest.mark.parametrize(
    ("messages", "error", "text"),
    [
        ([wire.Watching(b"agreement")], PeerError, "an invalid table"),
        ([ELSEWHERE], PeerError, "a table at which it has no seat"),
        ([wire.ContributionMessage(b"payload", A64)], PeerError, "before it showed the table"),
        ([wire.Ping(), wire.refusal("no_spectators")], PeerRefused, "no more spectators"),
        ([wire.bye("another\x1b[31m time")], LinkLost, r"has closed the table: another\[31m time"),
    ],
)
async def test_before_the_table(
    nursery: trio.Nursery, messages: list[wire.WireMessage], error: type[NetError], text: str
) -> None:
    host = LyingHost(telling(*messages), who=seat_credentials(1))
    nursery.start_soon(host.run)
    with pytest.raises(error, match=text):
        await waiting(host)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (wire.ContributionMessage(b"payload", A64), "the host passed on not a contribution"),
        (wire.RemarkMessage(b"payload", A64), "the host passed on"),
        (wire.BallotMessage(b"payload", A64), "the host passed on"),
        (wire.HeadMessage(b"payload", A64), "the host passed on"),
        (wire.LeaveMessage(b"payload", A64), "the host passed on"),
        (wire.EvidenceMessage((wire.Signed(b"one", A64),)), "the host passed on"),
        (ELSEWHERE, "the host came back with another table"),
        (wire.Bye("good night"), "the host says: good night"),
        (wire.Bye(""), "seat 1 (player 1) has left"),
        (wire.refusal("same_key"), "This identity already sits at the table."),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_what_nobody_signed(virtual_time: object, tmp_path: Path, message: wire.WireMessage, reason: str) -> None:
    seen = await watched(tmp_path, telling(TABLE, TABLE, message))
    assert seen.result is not None
    assert seen.result.kind == "unfinished"
    assert seen.reason.startswith(reason)
    assert seen.report().verdict == "unfinished"


async def test_bytes_that_are_no_message(virtual_time: object, tmp_path: Path) -> None:
    async def script(_: LyingHost, frames: FrameStream) -> None:
        await send(frames, TABLE)
        await frames.send(b"\0\0\0\1\xff")
        await trio.sleep(1)

    assert "bytes that are not a message" in (await watched(tmp_path, script)).reason


async def test_a_host_that_forgets_its_spectators(virtual_time: object, tmp_path: Path) -> None:
    async def lost(_: LyingHost, frames: FrameStream) -> None:
        await send(frames, TABLE)

    seen = await watched(tmp_path, lost, telling(wire.refusal("not_watching")))
    assert "no longer knows this spectator" in seen.reason


SENT: list[wire.WireMessage] = [
    wire.ContributionMessage(each.payload, each.signature) for step in GAME.steps for _, each in step.contributions
]
MADE_UP = wire.OpeningMessage(1, b"\0" * 31 + b"\1")
HANDS = [wire.OpeningMessage(seat.number, seat.release().to_bytes(32, "big")) for seat in GAME.seats]


@pytest.mark.parametrize(
    ("messages", "opened"),
    [
        ([*SENT[:4][::-1], *SENT, *SENT, wire.bye("over")], set()),
        ([MADE_UP, *SENT], set()),
        ([MADE_UP, *SENT, HANDS[1], MADE_UP, HANDS[0]], {1, 2}),
    ],
    ids=["out of order and twice", "a made-up hand", "hands after a made-up one"],
)
async def test_what_comes_too_early_waits_and_nothing_made_up_counts(
    virtual_time: object, tmp_path: Path, messages: list[wire.WireMessage], opened: set[int]
) -> None:
    seen = await watched(tmp_path, telling(wire.Watching(GAME.agreement), *messages))
    assert seen.result is not None
    assert seen.result.kind in ("won", "drawn")
    assert seen.match.openings.keys() == opened
    assert seen.report().verdict == "verified"


async def test_what_is_ahead_waits(virtual_time: object, tmp_path: Path) -> None:
    """A remark of a later step waits for it; a contribution on another past is passed over."""
    remark = wire.RemarkMessage(*GAME.seats[0].say(GAME.match, "well played"))
    other = played(2, "kids", policy="peaceful").match.record[-1].contributions[0][1]
    early: list[wire.WireMessage] = [remark, wire.ContributionMessage(other.payload, other.signature), wire.Hurry(1)]
    seen = await watched(tmp_path, telling(wire.Watching(GAME.agreement), *early, *SENT))
    assert [event.text for event in seen.events if isinstance(event, Remarked)] == ["well played"]
    assert seen.report().verdict == "verified"
