"""One seat's session, handed one thing after the other, without links."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio

from seqp2p.live.asking import Asker, Chosen
from seqp2p.live.recorder import TableEvent
from seqp2p.live.seat_session import Saying, SeatSession, Tick
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Dropped
from seqp2p.match.intake import Intake, PendingThing
from seqp2p.match.machine import Match
from seqp2p.match.remark import open_remark
from seqp2p.match.signed import (
    BallotPayload,
    HeadPayload,
    SignedBallot,
    SignedHead,
    SignedLeave,
    SignedRemark,
    SignedThing,
)
from seqp2p.net.gossip import PeerState
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.links import Link
from seqp2p.net.messages import BallotMessage, ContributionMessage, HeadMessage, RemarkMessage, signed_message
from seqp2p.net.relay import Neighbour, Received, Relay
from seqp2p.replay.resume import feed
from seqp2p.replay.sidecar import Logged, LoggedKind, from_logged
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import DRAW, View
from tests.live.parties import WITHOUT_THREADS
from tests.match.test_ballots_games import nth, table
from tests.match.test_intake import SHUFFLE, Sums, before_shuffles
from tests.match.voting import play_on, show, wish
from tests.table import at_random, due, fork, make_seats


class Silent(Asker):
    """Asks no one."""

    def ask(self, step: int, seen: View, why: str | None, *, ahead: bool = False) -> None:
        """See Asker."""

    def hurry(self) -> None:
        """See Asker."""

    def _cancel(self) -> None:
        """See Asker."""


async def test_a_seat_that_is_dropped_takes_nothing_more(tmp_path: Path) -> None:
    """The others have gone on without it, and what they signed next came first."""
    match, seats = table(3)
    play_on(match, seats, at_random(1), nth("turn", 2))
    show(match, seats)
    own, others = seats[1], [seats[0], seats[2]]
    there = fork(match)
    ballots = [(seat.number, seat.ballot(there, 1, wish("drop", own.number), "absent")) for seat in others]
    for _, ballot in ballots:
        there.receive_word(BallotPayload, ballot)
    (head,) = others[0].heads(there)
    there.receive_word(HeadPayload, head)
    show(there, others)
    early = next(due(there, others, at_random(1)))
    neighbours: dict[int, Neighbour[Link]] = {
        seat.number: Neighbour(seat.number, "", PeerState(own.number, seat.number, DEFAULT_LIMITS)) for seat in others
    }
    relay, events = Relay(own.number, neighbours, trio.current_time), list[TableEvent]()
    with ReplayWriter(tmp_path / "game.seqp2p", match) as writer:
        session = SeatSession(match, own, relay, Silent(), writer, events.append, None, WITHOUT_THREADS)
        relay.begin(session.store, None)
        await session.begin()
        await session.take(Received(1, ContributionMessage(early.payload, early.signature)))
        await session.take(Received(1, HeadMessage(head.payload, head.signature)))
        for seat, ballot in ballots:
            await session.take(Received(seat, BallotMessage(ballot.payload, ballot.signature)))
    assert session.ending is not None
    assert events[-1] == Dropped((own.number,))
    assert match.number == there.number
    assert match.held == ()


@dataclass
class Counted:
    """A journal that counts its syncs."""

    logged: list[Logged] = field(default_factory=list[Logged])
    syncs: int = 0

    def log(self, kind: LoggedKind, payload: bytes, signature: bytes) -> None:
        """See Journal."""
        self.logged.append(Logged(kind, payload, signature))

    def sync(self) -> None:
        """See Journal."""
        self.syncs += 1


async def test_own_words_of_an_earlier_life_are_written_once(tmp_path: Path) -> None:
    """Others send them again at every step after a resume: no record and no sync for any of them."""
    match, seats = table(4)
    play_on(match, seats, at_random(1), nth("turn", 2))
    show(match, seats)
    assert match.plan is not None
    gone = match.plan.subject
    own, *others = [seat for seat in seats if seat.number != gone]
    match.own_seat = own.number
    again, journal = fork(match), Counted()

    def session_of(match: Match, writer: ReplayWriter) -> SeatSession:
        neighbours: dict[int, Neighbour[Link]] = {
            seat.number: Neighbour(seat.number, "", PeerState(own.number, seat.number, DEFAULT_LIMITS))
            for seat in seats
            if seat is not own
        }
        relay = Relay(own.number, neighbours, trio.current_time)
        session = SeatSession(match, own, relay, Silent(), writer, lambda _: None, journal, WITHOUT_THREADS)
        relay.begin(session.store, None)
        return session

    ballots = [SignedBallot(seat.ballot(match, 1, wish("drop", gone), "left")) for seat in others]
    with ReplayWriter(tmp_path / "first.seqp2p", match) as writer:
        first = session_of(match, writer)
        await first.begin()
        await first.take(Saying("hello"))
        words: list[SignedThing] = [SignedLeave(seats[gone - 1].leave(match)), *ballots]
        for thing in words:
            await first.take(Received(others[0].number, signed_message(thing)))
    kept, journal = journal, Counted()
    check = Intake(match).check
    taken = [found for each in kept.logged if (found := from_logged(each)) is not None]
    mine = [thing for thing in taken if not isinstance(thing, Contribution) and check(thing).signer == own.number]
    assert {type(each) for each in mine} == {SignedRemark, SignedBallot, SignedHead}

    with ReplayWriter(tmp_path / "again.seqp2p", again) as writer:
        feed(again, tuple(kept.logged), writer, own)
        second = session_of(again, writer)
        await second.begin()
        places = set[tuple[int, int]]()
        while again.kind is not None and len(places) < 12:
            assert (again.number, again.final) not in places
            places.add((again.number, again.final))
            counts = len(journal.logged), journal.syncs
            for thing in mine:
                await second.take(Received(others[0].number, signed_message(thing)))
            assert (len(journal.logged), journal.syncs) == counts
            things: list[SignedThing] = [*due(again, seats, at_random(1))]
            things += [SignedHead(each) for seat in others for each in seat.heads(again)]
            for thing in things:
                await second.take(Received(others[0].number, signed_message(thing)))
    assert len(places) == 12


class FullMesh(Relay[Link]):
    """A table where all have links."""

    all_linked = True


async def test_a_choice_ahead_is_void_if_its_late_step_was_undone(tmp_path: Path) -> None:
    """A vote has made something else of the step before, and the step of this number is a turn now."""
    match, seats = table(3)
    play_on(match, seats, at_random(1), nth("turn", 2))
    others = [seat for seat in seats if seat is not seats[1]]
    neighbours: dict[int, Neighbour[Link]] = {
        seat.number: Neighbour(seat.number, "", PeerState(2, seat.number, DEFAULT_LIMITS)) for seat in others
    }
    relay, events = Relay(2, neighbours, trio.current_time), list[TableEvent]()
    with ReplayWriter(tmp_path / "game.seqp2p", match) as writer:
        session = SeatSession(match, seats[1], relay, Silent(), writer, events.append, None, WITHOUT_THREADS)
        relay.begin(session.store, None)
        await session.begin()
        before = match.number
        await session.take(Chosen(before, DRAW, ahead=True))
    assert (match.number, match.kind, match.held, events) == (before, "turn", (), [])


async def test_shuffles_wait_for_each_other_for_two_ticks_at_most(tmp_path: Path) -> None:
    """The third seat of six is away; the last one shows meanwhile that it has the shuffles of the first two."""
    sums = Sums()
    intake, shuffles = before_shuffles(6, sums)
    match, own = intake.match, make_seats(6)[5]
    relay = FullMesh(6, {1: Neighbour(1, "", PeerState(6, 1, DEFAULT_LIMITS))}, trio.current_time)
    with ReplayWriter(tmp_path / "game.seqp2p", match) as writer:
        session = SeatSession(match, own, relay, Silent(), writer, lambda _: None, None, WITHOUT_THREADS)
        relay.begin(session.store, None)
        await session.begin()
        first = match.number
        for shuffle in shuffles[:2]:
            await session.take(Received(1, ContributionMessage(shuffle.payload, shuffle.signature)))
        assert sums.sizes == []
        assert session.store.have() == (first + 2, frozenset())
        await session.take(Tick())
        assert match.number == first
        await session.take(Tick())
    assert match.number == first + 2
    assert sums.sizes == [2 * SHUFFLE]
    assert session.store.have() == (first + 2, frozenset())


async def test_an_early_thing_that_is_not_kept_starts_no_look_at_what_is_due(tmp_path: Path) -> None:
    match, seats = table(2)
    play_on(match, seats, at_random(1), nth("turn", 2))
    own, other = seats
    neighbour: Neighbour[Link] = Neighbour(other.number, "", PeerState(own.number, other.number, DEFAULT_LIMITS))
    relay, looks = Relay(own.number, {other.number: neighbour}, trio.current_time), list[object]()

    class Looking(Intake):
        def due(self, *arguments: Any) -> PendingThing | None:
            looks.append(arguments)
            return super().due(*arguments)

    with ReplayWriter(tmp_path / "game.seqp2p", match) as writer:
        session = SeatSession(match, own, relay, Silent(), writer, lambda _: None, None, WITHOUT_THREADS)
        session.intake = Looking(match)
        relay.begin(session.store, None)
        first, ahead = other.say(match, "once"), fork(match)
        assert ahead.remarks.add(open_remark(*first, match.game.id, match.game.agreement))
        early = RemarkMessage(*other.say(ahead, "then"))
        await session.take(Received(other.number, early))
        kept = len(looks)
        assert kept
        assert len(session.intake.pending) == 1
        await session.take(Received(other.number, early))
        assert len(looks) == kept
        await session.take(Received(other.number, RemarkMessage(*first)))
        assert len(looks) > kept
        assert len(session.intake.pending) == 0
