"""Spectators of games between sessions under trio. tests/sim/test_spectators.py has whole games and all faults."""

import contextlib
import math
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TypeVar

import pytest
import trio
import trio.testing

from seqp2p.live.absence import Absent, Back
from seqp2p.live.mesh import Mesh, MeshEvent
from seqp2p.live.seat_session import Leaving, Saying
from seqp2p.live.spectator import WatchedGame
from seqp2p.live.spectator_session import SpectatorSession
from seqp2p.lobby.door import CodeDoor
from seqp2p.lobby.events import LobbyEvent, Own, SpectatorCame
from seqp2p.lobby.join import WaitingSpectator, watch_table
from seqp2p.lobby.spectators import FeedReader, SpectatorServer
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.contribution import TurnBody, make_payload
from seqp2p.match.errors import Violation
from seqp2p.match.events import Dropped, Remarked, Result
from seqp2p.match.machine import Match
from seqp2p.match.signed import BallotPayload, ReleasedSecret
from seqp2p.match.table import encode_agreement
from seqp2p.net.addresses import listening_addresses
from seqp2p.net.auth import send
from seqp2p.net.dialling import Route
from seqp2p.net.errors import LinkLost
from seqp2p.net.frames import FrameStream
from seqp2p.net.gossip import MatchStore
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Bye, ContributionMessage, HeadMessage, More, WireMessage
from seqp2p.replay.writer import ReplayWriter
from tests.live.parties import WITHOUT_THREADS, Thinker, WithoutThreads, credentials
from tests.lobby.hall import Hall, Seen, own_key, same_game, spectator
from tests.match.voting import play_on, show, staying, table, vote, wish
from tests.net.tools import Wires, address_of, listening
from tests.sim.mini_variant import NAME as MINIATURE
from tests.table import at_random, due, identity, make_agreement, make_seats, match_at, played, randomness, signed


async def test_who_is_behind_at_the_end_is_sent_the_rest(virtual_time: object, tmp_path: Path) -> None:
    """It asks so seldom that the game is over long before it has had it all."""
    hall = Hall(tmp_path, 2, limits=Limits(watch_batch_max=1_000))
    thinker = hall.first = Thinker(3, 3.0)
    async with hall.open() as nursery:
        await thinker.asleep.wait()
        nursery.start_soon(hall.watch, 1)
    same_game(hall.seen[1], hall[1])
    assert len(hall.seen[1].of_kind("OpeningRecord")) == 2


async def test_what_is_said_is_heard(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    async with hall.watched(Thinker(2, 60.0)), trio.open_nursery() as nursery:
        await hall[2].game.put(Saying("good evening"))
        await hall[1].game.put(Saying("and to you"))
        await trio.sleep(5)
        nursery.start_soon(hall.watch, 2)
        await trio.sleep(5)
    for seen in hall.seen.values():
        remarks = [event.text for event in seen.events if isinstance(event, Remarked)]
        assert sorted(remarks) == ["and to you", "good evening"]
        assert len(seen.of_kind("RemarkRecord")) == 2
        assert seen.report().verdict == "verified"


async def test_a_lost_connection_is_made_again_and_a_host_that_stays_away_given_up(
    virtual_time: object, tmp_path: Path
) -> None:
    """It needs no code to come back."""
    hall = Hall(tmp_path, 3, grace_s=20)
    async with hall.watched(Thinker(1, math.inf)) as seen:
        code, feed = hall.code, hall.spectators.feed
        hall.door.renew()
        assert code != hall.code
        asked, handle = list[object](), feed.handle

        def note(reader: FeedReader, received: WireMessage) -> None:
            asked.append(received)
            handle(reader, received)

        feed.handle = note  # type: ignore[method-assign]
        had = feed.readers[0].position
        await trio.aclose_forcefully(seen.waiting.frames.stream)
        await trio.sleep(5)
        assert asked[0] == More(had)
        (reader,) = feed.readers
        assert hall.came == ["spectator 1"]
        hall.crash(1)
        hall.wires.cut(address_of(1))
        reader.link.end(LinkLost("The process is gone."))
        gone_at = trio.current_time()
        await seen.ended.wait()
        assert 20 <= trio.current_time() - gone_at < 22
    assert [event for event in seen.told if isinstance(event, Absent | Back)] == [Absent(1, 20), Back(1), Absent(1, 20)]
    assert seen.result == Result("unfinished", (), "seat 1 (player 1) could not be reached for 20 s")
    assert seen.report().verdict == "unfinished"


async def test_a_host_that_leaves(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    async with hall.watched(Thinker(2, math.inf)) as seen:
        await hall[1].game.put(Leaving("left the table"))
    assert seen.result == hall[2].result == Result("forfeit", (2,), "seat 1 (player 1) left the table")
    assert len(seen.of_kind("LeaveRecord")) == 1
    assert seen.report().verdict == hall[2].report().verdict


# What the seats decide about each other.


async def test_who_comes_after_a_vote_is_shown_how_it_was(virtual_time: object, tmp_path: Path) -> None:
    """Seat 3 is gone; the others have voted it out and dealt anew."""
    hall = Hall(tmp_path, 3, grace_s=10)
    hall.first = Thinker(2, 60.0)
    async with hall.open() as nursery:
        await hall.until(1, lambda match: match.game.position is not None and match.game.position.turn > 3)
        hall.crash(3)
        await hall.until(1, lambda match: bool(match.game.position and match.game.position.out))
        nursery.start_soon(hall.watch, 1)
    seen = hall.seen[1]
    assert seen.result == hall[2].result
    assert seen.match.head == hall[1].match.head
    assert seen.of_kind("CertificateRecord") == hall[1].of_kind("CertificateRecord") != []
    report = seen.report()
    assert (report.verdict, report.result) == ("verified", seen.result), report.reason
    assert Dropped((3,)) in seen.events


# What comes to a spectator at a bad time: beside a host that tests play by hand.


T = TypeVar("T")


async def test_a_farewell_that_waits_for_room_is_not_lost(
    autojump_clock: object, nursery: trio.Nursery, tmp_path: Path
) -> None:
    """The host says goodbye and closes while the spectator still checks what came before."""

    class Slow(WithoutThreads):
        async def in_thread(self, work: Callable[[], T]) -> T:
            await trio.sleep(60)
            return work()

    agreement = make_agreement(2, "kids", grace_s=10)
    here, there = trio.testing.memory_stream_pair()
    waiting = WaitingSpectator(
        own_key(1), agreement, Route(address_of(1), Wires().dial), credentials(1).identity.public, FrameStream(here)
    )
    match = Match(encode_agreement(agreement))
    first = list(due(match, make_seats(2), at_random(1)))
    with trio.fail_after(1_000):
        path = tmp_path / "watch.seqp2p"
        spectator = WatchedGame(waiting, match, path, randomness(1), Limits(watch_backlog_max=1), Slow())

        @nursery.start_soon
        async def host() -> None:
            frames = FrameStream(there)
            for each in first:
                await send(frames, ContributionMessage(each.payload, each.signature))
            await send(frames, Bye("it is late"))
            await trio.sleep(5)
            await frames.abort()

        result = await spectator.run(lambda _: None)
    assert (result.kind, result.reason) == ("unfinished", "the host says: it is late")
    assert match.number == 2


async def test_what_no_step_will_open_for_is_not_waited_for(autojump_clock: object, tmp_path: Path) -> None:
    """One team is left, and that is not final yet: no step is open, and a contribution to the next one is never due."""
    match, seats = table(4, MINIATURE, teams=2, table_talk=False)
    play_on(match, seats, at_random(1), lambda match: match.kind == "turn")
    vote(match, seats, wish("drop", 2))
    play_on(match, seats, at_random(1), lambda match: match.kind == "turn")
    show(match, staying(match, seats))
    for seat in (1, 3):
        match.receive_word(BallotPayload, seats[seat - 1].ballot(match, 1, wish("drop", 4), "late"))
    heads = [head for seat in (1, 3) for head in seats[seat - 1].heads(match)]
    assert (match.kind, match.game.result) == (None, None)
    payload = make_payload(match.game.id, match.number, bytes(32), 4, "turn", TurnBody("pass", (), b"", b""))
    ahead = signed(identity(4), payload)
    with ReplayWriter(tmp_path / "watch.seqp2p", match) as writer, trio.fail_after(60):
        spectator = SpectatorSession(match, 4, writer, lambda _: None, WITHOUT_THREADS)
        await spectator.take(ContributionMessage(ahead.payload, ahead.signature))
        for head in heads:
            await spectator.take(HeadMessage(head.payload, head.signature))
    assert spectator.ending is not None
    assert "there is nobody to play against" in spectator.ending.reason


async def test_an_end_that_a_majority_has_signed_holds_without_the_host_and_before_it_a_cheat_is_the_reason(
    tmp_path: Path,
) -> None:
    game = played(3, "kids", 4)
    match = match_at(game, over := game.step_of("over"))
    with ReplayWriter(tmp_path / "watch.seqp2p", match) as writer:
        spectator = SpectatorSession(match, 1, writer, lambda _: None, WITHOUT_THREADS)
        match.proven[2] = Violation(2, 9, "seat 2 does not hold QH", ())
        await spectator.take(Bye(""))
        assert spectator.ending is not None
        assert spectator.ending.reason == "seat 2 (player 2) cheated at step 9: seat 2 does not hold QH"
        match.proven.clear()
        for seat in (1, 2):
            signed_end = game.contribution(over, seat)
            await spectator.take(ContributionMessage(signed_end.payload, signed_end.signature))
        await spectator.take(Bye(""))
    assert spectator.ending.kind == "won"


# Spectators over real sockets and on the real clock: fifty of them, and one that does not read.


# No test here waits longer, on a machine that is busy with others.
LIMIT_S = 120.0

GAME = played(2, "kids")
LIMITS = Limits(heartbeat_s=0.5, code_rest_s=0.0, authenticate_s=2)
# On a busy machine fifty take longer than two do.
PATIENT = replace(LIMITS, authenticate_s=30, code_exchange_s=30, code_hurry_s=30)


class Theatre:
    """A host that serves a game that was played before, step by step, as if it were going on now."""

    def __init__(self, spectators: SpectatorServer, limits: Limits, listeners: list[trio.SocketListener]) -> None:
        self.spectators = spectators
        self.limits = limits
        self.listeners = listeners
        self.came = 0
        self.changed = trio.Event()
        self.door = CodeDoor(Own(credentials(1), "host", randomness("code"), self.tell, limits=limits), 7)
        table = AgreedTable(credentials(1), GAME.match.game.agreement, 1, {}, [*listeners], spectators=spectators)
        self.mesh = Mesh(table, randomness("mesh"), limits)
        self.step = 0
        self.frames: list[FrameStream] = []

    def play(self, steps: int) -> None:
        for closed in GAME.match.record[self.step : self.step + steps]:
            self.step = closed.number
            for seat, contribution in closed.contributions:
                self.mesh.relay.pass_on(contribution, seat, closed.number)

    async def close(self) -> None:
        """Open the hands, and go."""
        for seat in GAME.seats:
            self.mesh.relay.pass_on(ReleasedSecret(seat.number, seat.release().to_bytes(32, "big")))
        await self.mesh.close("the game is over")

    async def waiting(self, number: int) -> WaitingSpectator:
        (address,) = await listening_addresses(self.listeners)
        found = await watch_table(spectator(number, self.limits), Route(address), self.door.code)
        self.frames.append(found.frames)
        return found

    def tell(self, event: LobbyEvent) -> None:
        self.came += isinstance(event, SpectatorCame)
        self.changed.set()
        self.changed = trio.Event()

    async def let_in(self, count: int) -> None:
        while self.came < count:
            await self.changed.wait()


@contextlib.asynccontextmanager
async def theatre(places: int, limits: Limits = LIMITS) -> AsyncGenerator[Theatre]:
    async with listening() as listeners, trio.open_nursery() as nursery:
        made = Theatre(SpectatorServer(nursery, places, limits), limits, listeners)
        await nursery.start(made.mesh.run, MatchStore(GAME.match), trio.open_memory_channel[MeshEvent](0)[0])
        made.spectators.open(made.door)
        yield made
        nursery.cancel_scope.cancel()
    for frames in made.frames:
        await frames.abort()


@pytest.mark.simulation
@pytest.mark.process
@pytest.mark.slow
async def test_fifty_spectators(tmp_path: Path) -> None:
    """Half of them before the first step, half in the middle; each sees it all, and no step has much to do for them."""
    seen: list[Seen] = []

    async def watch(house: Theatre, number: int) -> None:
        seen.append(Seen(number, await house.waiting(number), tmp_path / f"{number}.seqp2p", PATIENT))
        await seen[-1].run()

    with trio.fail_after(LIMIT_S):
        async with theatre(50, PATIENT) as house, trio.open_nursery() as nursery:
            for number in range(25):
                nursery.start_soon(watch, house, number)
            await house.let_in(25)
            middle = len(GAME.match.record) // 2
            work_s = list[float]()
            for _ in range(middle):
                begun = time.thread_time()
                house.play(1)
                work_s.append(time.thread_time() - begun)
                await trio.sleep(0.01)
            # The host's own work: seconds would say how busy this machine is. Garbage may be collected in one step.
            assert median(work_s) < 0.05, "a step is added to the log, and no more"
            for number in range(25, 50):
                nursery.start_soon(watch, house, number)
            await house.let_in(50)
            for _ in range(middle, len(GAME.match.record)):
                house.play(1)
                await trio.sleep(0.01)
            await house.close()
    assert len(seen) == 50
    for each in seen:
        assert each.result == GAME.match.game.result
        assert each.match.head == GAME.match.head
        assert each.match.openings.keys() == {1, 2}
    assert seen[0].report().verdict == "verified"


@pytest.mark.simulation
@pytest.mark.process
async def test_one_that_does_not_read(tmp_path: Path) -> None:
    """It asks all the time, and takes nothing: nobody waits for it."""
    limits = replace(LIMITS, answer_pause_s=0.0, watch_batch_max=50_000)
    async with theatre(5, limits) as house:
        lazy = (await house.waiting(1)).frames
        (reader,) = house.spectators.feed.readers
        honest = Seen(2, await house.waiting(2), tmp_path / "2.seqp2p", LIMITS)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(honest.run)
            house.play(len(GAME.match.record) - 2)
            for _ in range(100):
                await send(lazy, More(0))
                assert reader.link.unsent < 2 * limits.watch_batch_max
            house.play(2)
            nursery.start_soon(house.close)
            with trio.fail_after(LIMIT_S):
                await honest.ended.wait()
            nursery.cancel_scope.cancel()
        assert honest.result == GAME.match.game.result
