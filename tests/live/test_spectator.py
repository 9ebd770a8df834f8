"""Spectators of whole games between sessions: they see what the seats see, and the game does not feel them."""

import math
from pathlib import Path

import pytest
import trio

from seqp2p.live.absence import Absent, Back
from seqp2p.live.seat_session import Leaving, Saying
from seqp2p.match.contribution import open_envelope
from seqp2p.match.events import Dropped, Finished, Remarked, Result, Turned
from seqp2p.net.errors import LinkLost
from seqp2p.net.limits import Limits
from seqp2p.net.messages import (
    ContributionMessage,
    Have,
    OpeningMessage,
)
from tests.live.parties import Crook, Thinker, at, checked, of_kind
from tests.lobby.hall import Hall, Seen, hear, hear_all, same_game, say
from tests.net.tools import address_of


def turns(seen: Seen) -> int:
    return sum(isinstance(event, Turned) for event in seen.events)


@pytest.mark.parametrize("players", [2, 3])
async def test_a_whole_game(virtual_time: object, tmp_path: Path, players: int) -> None:
    hall = Hall(tmp_path, players)
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 1)
        nursery.start_soon(hall.watch, 2)
    checked(hall)
    assert sorted(hall.came) == ["spectator 1", "spectator 2"]
    for seen in hall.seen.values():
        same_game(seen, hall[2])
        assert len(seen.of_kind("OpeningRecord")) == players
        assert isinstance(seen.events[-1], Finished)


async def test_in_the_middle(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    thinker = Thinker(3, 60.0)
    hall.first = thinker
    async with hall.open() as nursery:
        await thinker.asleep.wait()
        before = hall[1].match.number
        nursery.start_soon(hall.watch, 1)
        await trio.sleep(30)
        assert hall.seen[1].match.number == before, "it has caught up while seat 1 thinks"
    same_game(hall.seen[1], hall[1])


async def test_no_more_than_one_batch_at_a_time(virtual_time: object, tmp_path: Path) -> None:
    """Catching up goes by what the spectator asks for; what the game does meanwhile is not sent twice."""
    hall = Hall(tmp_path, 2, limits=Limits(watch_batch_max=4_000))
    thinker = Thinker(3, 60.0)
    hall.first = thinker
    async with hall.open() as nursery:
        await thinker.asleep.wait()
        frames = await hall.knock(1)
        await say(frames, Have(1, ()))
        sizes: list[int] = []
        with trio.move_on_after(1):
            while True:
                message = await hear(frames)
                if isinstance(message, ContributionMessage):
                    sizes.append(len(message.payload))
        assert sum(sizes[:-1]) < 4_000
        await frames.abort()
        nursery.start_soon(hall.watch, 2)
    same_game(hall.seen[2], hall[1])


async def test_who_is_behind_at_the_end_is_sent_the_rest(virtual_time: object, tmp_path: Path) -> None:
    """It asks so seldom that the game is over long before it has had it all."""
    hall = Hall(tmp_path, 2, limits=Limits(watch_batch_max=1_000))
    thinker = Thinker(3, 3.0)
    hall.first = thinker
    async with hall.open() as nursery:
        await thinker.asleep.wait()
        nursery.start_soon(hall.watch, 1)
    same_game(hall.seen[1], hall[1])
    assert len(hall.seen[1].of_kind("OpeningRecord")) == 2


async def test_hands_are_opened_after_the_end_only(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    async with hall.open():
        frames = await hall.knock(1)
        heard = await hear_all(frames, Have(1, ()))
    signed = set[int]()
    opened = list[int]()
    for message in heard:
        match message:
            case ContributionMessage(payload) if (envelope := open_envelope(payload)).kind == "over":
                signed.add(envelope.seat)
            case OpeningMessage(seat):
                assert signed == {1, 2}, "every seat has signed the end"
                opened.append(seat)
            case _:
                pass
    assert sorted(opened) == [1, 2]


async def test_hands_that_stay_closed(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2, open_hands=False)
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 1)
    same_game(hall.seen[1], hall[1])
    assert hall.seen[1].of_kind("OpeningRecord") == []


async def test_what_is_said_is_heard(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    thinker = Thinker(2, 60.0)
    hall.first = thinker
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 1)
        await thinker.asleep.wait()
        await hall[2].session.put(Saying("good evening"))
        await hall[1].session.put(Saying("and to you"))
        await trio.sleep(5)
        nursery.start_soon(hall.watch, 2)
        await trio.sleep(5)
    for seen in hall.seen.values():
        remarks = [event.text for event in seen.events if isinstance(event, Remarked)]
        assert sorted(remarks) == ["and to you", "good evening"]
        assert len(seen.of_kind("RemarkRecord")) == 2
        assert seen.report().verdict == "verified"


# The host goes away


async def test_a_lost_connection_is_made_again(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    thinker = Thinker(2, 60.0)
    hall.first = thinker
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 1)
        await thinker.asleep.wait()
        await trio.sleep(5)
        code = hall.code
        hall.door._show("8-amber-falcon")  # It needs no code to come back.
        assert code != hall.code
        await trio.aclose_forcefully(hall.seen[1].waiting.frames.stream)
        await trio.sleep(5)
        assert len(hall.spectators.feed.readers) == 1
    same_game(hall.seen[1], hall[1])
    away = [event for event in hall.seen[1].told if isinstance(event, Absent | Back)]
    assert away == [Absent(1, 120), Back(1)]
    assert hall.came == ["spectator 1"]


async def test_a_host_that_stays_away(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 3, variant="kids", grace_s=20)
    thinker = Thinker(2, math.inf)
    hall.first = thinker
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 1)
        await thinker.asleep.wait()
        await trio.sleep(5)
        hall.crash(1)
        hall.wires.cut(address_of(1))
        for spectator in hall.spectators.feed.readers:
            spectator.link.end(LinkLost("The process is gone."))
        gone_at = trio.current_time()
        await hall.seen[1].ended.wait()
        assert 20 <= trio.current_time() - gone_at < 22
    seen = hall.seen[1]
    assert seen.result is not None
    assert (seen.result.kind, seen.reason) == ("unfinished", "seat 1 (player 1) could not be reached for 20 s")
    assert seen.report().verdict == "unfinished"


async def test_a_host_that_leaves(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    thinker = Thinker(2, math.inf)
    hall.first = thinker
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 1)
        await thinker.asleep.wait()
        await trio.sleep(5)
        await hall[1].session.put(Leaving("left the table"))
    seen = hall.seen[1]
    assert seen.result == Result("unfinished", (), "seat 1 (player 1) left the table"), "only a winner names itself"
    assert hall[2].result == Result("forfeit", (2,), seen.result.reason)
    assert len(seen.of_kind("LeaveRecord")) == 1
    assert seen.report().verdict == hall[2].report().verdict


async def test_a_spectator_that_leaves(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    thinker = Thinker(2, 60.0)
    hall.first = thinker
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 1)
        await thinker.asleep.wait()
        await trio.sleep(5)
        await hall.seen[1].spectator.leave("left")
        await trio.sleep(1)
        assert hall.seen[1].reason == "left"
        assert len(hall.spectators.feed.readers) == 0
    checked(hall)
    assert hall.seen[1].report().verdict == "unfinished"


async def test_a_cheat_is_seen(virtual_time: object, tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)

    def two_turns(crook: Crook, own: object) -> list[tuple[tuple[int, ...], object]]:
        seat = crook.seat
        some, other = (seat.play(crook.match, action) for action in seat.view(crook.match).legal[:2])
        return [(crook.others, some), (crook.others, other)]

    hall.crooks.append((2, Crook, {"when": at("turn", 2), "what": two_turns}))
    async with hall.open() as nursery:
        nursery.start_soon(hall.watch, 1)
    seen = hall.seen[1]
    assert hall[1].result is not None
    assert hall[1].result.kind == "forfeit"
    assert seen.result == Result("unfinished", (), hall[1].result.reason)
    assert seen.report().result is None, "only a winner writes a forfeit"
    assert "seat 2" in (seen.report().reason or "")
    assert len(seen.of_kind("EvidenceRecord")) == 1


# What the seats decide about each other


@pytest.mark.parametrize("late", [False, True])
async def test_going_on_without_a_seat(virtual_time: object, tmp_path: Path, late: bool) -> None:
    """Seat 3 is gone, the others vote it out and deal anew; who watches later is shown how."""
    hall = Hall(tmp_path, 3, grace_s=10)
    hall.first = Thinker(2, 60.0)
    async with hall.open() as nursery:
        if not late:
            nursery.start_soon(hall.watch, 1)
        await hall.until(1, lambda match: match.game.position is not None and match.game.position.turn > 3)
        hall.crash(3)
        await hall.until(1, lambda match: bool(match.game.position and match.game.position.out))
        if late:
            nursery.start_soon(hall.watch, 1)
    seen = hall.seen[1]
    assert seen.result == hall[2].result
    assert seen.match.head == hall[1].match.head
    assert seen.of_kind("CertificateRecord") == of_kind(hall[1], "CertificateRecord") != []
    report = seen.report()
    assert (report.verdict, report.result) == ("verified", seen.result), report.reason
    assert Dropped((3,)) in seen.events
