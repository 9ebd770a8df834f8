"""Spectators of games between sessions under trio. tests/sim/test_spectators.py has whole games and all faults."""

import math
from pathlib import Path

import trio

from seqp2p.live.absence import Absent, Back
from seqp2p.live.seat_session import Leaving, Saying
from seqp2p.lobby.spectators import FeedReader
from seqp2p.match.events import Dropped, Remarked, Result
from seqp2p.net.errors import LinkLost
from seqp2p.net.limits import Limits
from seqp2p.net.messages import More, WireMessage
from tests.live.parties import Thinker
from tests.lobby.hall import Hall, same_game
from tests.net.tools import address_of


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


# The host goes away.


async def test_a_lost_connection_is_made_again_and_a_host_that_stays_away_given_up(
    virtual_time: object, tmp_path: Path
) -> None:
    """It needs no code to come back."""
    hall = Hall(tmp_path, 3, grace_s=20)
    async with hall.watched(Thinker(1, math.inf)) as seen:
        code, feed = hall.code, hall.spectators.feed
        hall.door._show("8-amber-falcon")
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
