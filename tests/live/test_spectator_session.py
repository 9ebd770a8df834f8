"""What comes to a spectator at a bad time: beside a host that tests play by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import trio
import trio.testing

from seqp2p.live.spectator import WatchedGame
from seqp2p.live.spectator_session import SpectatorSession
from seqp2p.lobby.join import WaitingSpectator
from seqp2p.match.contribution import TurnBody, make_payload
from seqp2p.match.errors import Violation
from seqp2p.match.machine import Match
from seqp2p.match.signed import BallotPayload
from seqp2p.match.table import encode_agreement
from seqp2p.net.auth import send
from seqp2p.net.dialling import Route
from seqp2p.net.errors import Unreachable
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Bye, ContributionMessage, HeadMessage
from seqp2p.replay.writer import ReplayWriter
from tests.live.parties import WITHOUT_THREADS, WithoutThreads, credentials
from tests.lobby.hall import own_key
from tests.match.voting import play_on, show, staying, table, vote, wish
from tests.net.tools import address_of
from tests.sim.mini_variant import NAME as MINIATURE
from tests.table import at_random, due, identity, make_agreement, make_seats, match_at, played, randomness, signed

T = TypeVar("T")


async def nobody(_address: object) -> trio.abc.Stream:
    await trio.lowlevel.checkpoint()
    raise Unreachable("Nobody is there.")


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
        own_key(1), agreement, Route(address_of(1), nobody), credentials(1).identity.public, FrameStream(here)
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
