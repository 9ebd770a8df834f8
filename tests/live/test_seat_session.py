"""One seat's session, handed one thing after the other, without links."""

from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio

from seqp2p.crypto.hashing import BALLOT
from seqp2p.crypto.identity import sign
from seqp2p.live.asking import Asker, Chosen
from seqp2p.live.recorder import Recorder, TableEvent
from seqp2p.live.seat_session import Saying, SeatSession, Tick
from seqp2p.match.contribution import Contribution, TurnBody, make_payload
from seqp2p.match.encoding import encode
from seqp2p.match.events import Dropped, Undone
from seqp2p.match.intake import Deferred, Intake, PendingThing
from seqp2p.match.machine import Match
from seqp2p.match.remark import open_remark
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import (
    BallotPayload,
    HeadPayload,
    SignedBallot,
    SignedHead,
    SignedLeave,
    SignedRemark,
    SignedThing,
)
from seqp2p.net.gossip import LOOK_BACK_MAX, MatchStore, PeerState
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.links import Link
from seqp2p.net.messages import BallotMessage, signed_message
from seqp2p.net.relay import Moved, Neighbour, Received, Relay
from seqp2p.replay.resume import feed
from seqp2p.replay.sidecar import Logged, LoggedKind, from_logged
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import DRAW, View
from tests.live.parties import WITHOUT_THREADS
from tests.match.test_intake import SHUFFLE, Sums, before_shuffles
from tests.match.voting import nth, play_on, show, table, vote, wish
from tests.net.tools import address_of, said
from tests.table import Played, at_random, due, fork, identity, make_seats, match_at, signed


class Noting(Asker):
    """Asks no one, and notes the steps that it was to ask about, and why again."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []
        self.why: list[str | None] = []
        self.hurried = 0

    def ask(self, step: int, seen: View, why: str | None, *, ahead: bool = False) -> None:
        self._begin(step, ahead=ahead)
        self.asked.append(step)
        self.why.append(why)

    def hurry(self) -> None:
        self.hurried += 1

    def _cancel(self) -> None:
        """See Asker."""


class Linkless(Relay[Link]):
    """A relay whose neighbours have no links. ``passed``: what it was to pass on."""

    def __init__(self, own: int, others: Collection[int]) -> None:
        neighbours: dict[int, Neighbour[Link]] = {
            seat: Neighbour(seat, "", PeerState(own, seat, DEFAULT_LIMITS)) for seat in others
        }
        super().__init__(own, neighbours, trio.current_time)
        self.passed: list[SignedThing] = []

    def pass_on(self, thing: SignedThing, author: int = 0, step: int = 0) -> None:
        self.passed.append(thing)
        super().pass_on(thing, author, step)


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


@dataclass
class Sitting:
    """A session that has begun, and its parts."""

    session: SeatSession
    relay: Linkless
    asking: Noting
    events: list[TableEvent]

    async def hear(self, sender: int, *things: SignedThing) -> None:
        """The session takes these from a neighbour."""
        for thing in things:
            await self.session.take(Received(sender, signed_message(thing)))


@asynccontextmanager
async def sitting(
    folder: Path,
    match: Match,
    own: SeatKeys,
    *,
    journal: Counted | None = None,
    relay: type[Linkless] = Linkless,
    intake: type[Intake] | None = None,
    name: str = "game",
) -> AsyncGenerator[Sitting]:
    """A seat at this match; the others are its neighbours."""
    made, asking, events = relay(own.number, {*match.game.seats} - {own.number}), Noting(), list[TableEvent]()
    with ReplayWriter(folder / f"{name}.seqp2p", match) as writer:
        recorder = Recorder(match, writer, events.append, journal, WITHOUT_THREADS)
        session = SeatSession(own, made, asking, recorder)
        if intake is not None:
            session.intake = intake(match)
        made.begin(session.store, None)
        await session.begin()
        yield Sitting(session, made, asking, events)


def second_turn(players: int) -> tuple[Match, list[SeatKeys]]:
    """A match at its second turn, of which all is final that is closed."""
    match, seats = table(players)
    play_on(match, seats, at_random(1), nth("turn", 2))
    show(match, seats)
    return match, seats


async def test_a_seat_that_is_dropped_takes_nothing_more(tmp_path: Path) -> None:
    """The others have gone on without it, and what they signed next came first."""
    match, seats = second_turn(3)
    own, others = seats[1], [seats[0], seats[2]]
    there = fork(match)
    ballots = [(seat.number, seat.ballot(there, 1, wish("drop", own.number), "absent")) for seat in others]
    for _, ballot in ballots:
        there.receive_word(BallotPayload, ballot)
    (head,) = others[0].heads(there)
    there.receive_word(HeadPayload, head)
    show(there, others)
    early = next(due(there, others, at_random(1)))
    async with sitting(tmp_path, match, own) as here:
        await here.hear(1, early, SignedHead(head))
        for seat, ballot in ballots:
            await here.hear(seat, SignedBallot(ballot))
    assert here.session.ending is not None
    assert here.session.ending.result.reason == "the others have voted to go on without you"
    assert here.events[-1] == Dropped((own.number,))
    assert match.number == there.number
    assert match.held == ()


async def test_new_addresses_of_a_seat_are_kept(tmp_path: Path) -> None:
    match, seats = table(3)
    statement, journal = said(2, match.game.agreement.seats[1].nonce, address_of(9), count=2), Counted()
    async with sitting(tmp_path, match, seats[0], journal=journal) as here:
        await here.session.take(Moved(2, statement))
    assert journal.logged[-1] == Logged("here", statement.payload, statement.signature)


async def test_a_question_about_what_is_undone_is_asked_again(tmp_path: Path) -> None:
    match, seats = second_turn(3)
    (mover,) = match.awaited
    async with sitting(tmp_path, match, seats[mover - 1]) as here:
        assert here.asking.asked == [match.number]
        here.session._handle(Deferred((Undone(match.number),)), 0)
        await here.session.take(Tick())
    assert here.asking.asked == [match.number] * 2
    assert Undone(match.number) in here.events


async def test_a_seat_that_votes_about_a_final_step_is_shown_its_closing_once(tmp_path: Path) -> None:
    """It may hold all of the step, and be kept by its own vote from closing it so."""
    match, seats = second_turn(3)
    step, journal = match.final - 5, Counted()
    prev, after = match.game.heads[step - 1 : step + 1]
    shown = encode(HeadPayload(1, match.game.id, step, prev, 1, 0, after))
    async with sitting(tmp_path, match, seats[0], journal=journal) as here:
        before, syncs = [*here.relay.passed], journal.syncs
        for round_, past in ((1, prev), (2, prev), (1, bytes(32))):
            word = BallotPayload(1, match.game.id, step, past, 3, round_, "drop", (2,), "absent", None)
            payload = encode(word)
            await here.hear(3, SignedBallot(Contribution(payload, sign(identity(3), BALLOT, payload))))
    (head,) = here.relay.passed[len(before) :]
    assert isinstance(head, SignedHead)
    assert head.bytes.payload == shown
    assert [each.payload for each in journal.logged].count(shown) == 1
    assert journal.syncs == syncs + 1, "it is on the disk before it is sent"


async def test_another_past_is_asked_for_only_while_the_step_is_open(tmp_path: Path) -> None:
    match, seats = second_turn(3)
    (mover,) = match.awaited
    foe, number = mover % 3 + 1, match.number

    def on_another_past(step: int) -> Contribution:
        body = TurnBody("pass", (), b"", b"")
        return signed(identity(foe), make_payload(match.game.id, step, bytes(32), foe, "turn", body))

    async with sitting(tmp_path, match, seats[mover - 1]) as here:
        have = here.session.store.have
        assert have() == (number, frozenset())
        # A past that all have agreed on is not opened again.
        for step, asked in ((1, number), (number, number - 1), (number - 1, number - 2), (number, number - 2)):
            await here.hear(foe, on_another_past(step))
            assert have() == (asked, frozenset())
        choice = seats[mover - 1].view(match).legal[0]
        await here.session.take(Chosen(number, choice, ahead=False))
        assert have()[0] > number - 2


async def test_own_words_of_an_earlier_life_are_written_once(tmp_path: Path) -> None:
    """Others send them again at every step after a resume: no record and no sync for any of them."""
    match, seats = second_turn(4)
    assert match.plan is not None
    gone = match.plan.subject
    own, *others = [seat for seat in seats if seat.number != gone]
    match.own_seat = own.number
    again, journal = fork(match), Counted()

    ballots = [SignedBallot(seat.ballot(match, 1, wish("drop", gone), "left")) for seat in others]
    async with sitting(tmp_path, match, own, journal=journal) as first:
        await first.session.take(Saying("hello"))
        await first.hear(others[0].number, SignedLeave(seats[gone - 1].leave(match)), *ballots)
    kept, journal = journal, Counted()
    check = Intake(match).check
    taken = [found for each in kept.logged if (found := from_logged(each)) is not None]
    mine = [thing for thing in taken if not isinstance(thing, Contribution) and check(thing).signer == own.number]
    assert {type(each) for each in mine} == {SignedRemark, SignedBallot, SignedHead}

    with ReplayWriter(tmp_path / "before.seqp2p", again) as writer:
        feed(again, tuple(kept.logged), writer, own)
    async with sitting(tmp_path, again, own, journal=journal, name="again") as second:
        places = set[tuple[int, int]]()
        while again.kind is not None and len(places) < 12:
            assert (again.number, again.final) not in places
            places.add((again.number, again.final))
            counts = len(journal.logged), journal.syncs
            await second.hear(others[0].number, *mine)
            assert (len(journal.logged), journal.syncs) == counts
            things: list[SignedThing] = [*due(again, seats, at_random(1))]
            things += [SignedHead(each) for seat in others for each in seat.heads(again)]
            await second.hear(others[0].number, *things)
    assert len(places) == 12


class FullMesh(Linkless):
    """A table where all have links."""

    all_linked = True


async def test_a_choice_ahead_is_void_if_its_late_step_was_undone(tmp_path: Path) -> None:
    """A vote has made something else of the step before, and the step of this number is a turn now."""
    match, seats = table(3)
    play_on(match, seats, at_random(1), nth("turn", 2))
    before = match.number
    async with sitting(tmp_path, match, seats[1]) as here:
        await here.session.take(Chosen(before, DRAW, ahead=True))
    assert (match.number, match.kind, match.held, here.events) == (before, "turn", (), [])


async def test_shuffles_wait_for_each_other_for_two_ticks_at_most(tmp_path: Path) -> None:
    """The third seat of six is away; the last one shows meanwhile that it has the shuffles of the first two."""
    sums = Sums()
    intake, shuffles = before_shuffles(6, sums)
    match = intake.match
    async with sitting(tmp_path, match, make_seats(6)[5], relay=FullMesh) as here:
        first, have = match.number, here.session.store.have
        await here.hear(1, *shuffles[:2])
        assert sums.sizes == []
        assert have() == (first + 2, frozenset())
        await here.session.take(Tick())
        assert match.number == first
        await here.session.take(Tick())
    assert match.number == first + 2
    assert sums.sizes == [2 * SHUFFLE]
    assert have() == (first + 2, frozenset())


async def test_an_early_thing_that_is_not_kept_starts_no_look_at_what_is_due(tmp_path: Path) -> None:
    match, seats = table(2)
    play_on(match, seats, at_random(1), nth("turn", 2))
    own, other = seats
    looks = list[object]()

    class Looking(Intake):
        def due(self, *arguments: Any) -> PendingThing | None:
            looks.append(arguments)
            return super().due(*arguments)

    async with sitting(tmp_path, match, own, intake=Looking) as here:
        first, ahead = other.say(match, "once"), fork(match)
        assert ahead.remarks.add(open_remark(*first, match.game.id, match.game.agreement))
        early = SignedRemark(Contribution(*other.say(ahead, "then")))
        await here.hear(other.number, early)
        kept = len(looks)
        assert kept
        assert len(here.session.intake.pending) == 1
        await here.hear(other.number, early)
        assert len(looks) == kept
        await here.hear(other.number, SignedRemark(Contribution(*first)))
        assert len(looks) > kept
        assert len(here.session.intake.pending) == 0


# What it says that it has, and what it gives.


def test_have_names_the_first_step_that_is_not_final(trio: Played) -> None:
    """The others may have closed it by ballots, which a seat is sent from the step on that it names."""
    match = match_at(trio, 30)
    assert match.final + 1 < match.number
    held = frozenset(seat for seat, _ in match.record[match.final].contributions)
    assert MatchStore(match).have() == (match.final + 1, held)


def test_a_seat_that_closed_a_step_alone_is_sent_the_ballots_that_closed_it_otherwise(trio: Played) -> None:
    """It was cut off right after its turn, and the others have skipped it. The open step would get no ballots."""
    turn = next(step for step in trio.steps[20:] if len(step.contributions) == 1)
    here = match_at(trio, turn.number)
    show(here, trio.seats)
    away = fork(here)
    ((mover, own),) = turn.contributions
    away.receive(own)
    vote(here, trio.seats, wish("skip", mover))
    assert (away.number, away.final) == (turn.number + 1, turn.number - 1)
    asked, held = MatchStore(away).have()
    assert (asked, set(held)) == (turn.number, {mover})
    store = MatchStore(here)
    assert not any(isinstance(each, BallotMessage) for _, each in store.votes(away.number))
    for _, sent in store.votes(asked):
        word = Contribution(sent.payload, sent.signature)
        away.receive_word(BallotPayload if isinstance(sent, BallotMessage) else HeadPayload, word)
    assert away.record[-1].action == "skip"
    assert (away.head, away.final) == (here.head, turn.number)


def test_one_forged_past_does_not_make_everybody_send_the_whole_game_again(trio: Played) -> None:
    """``have`` goes back one step at a time, to a little before the last final one."""
    match = match_at(trio, 30)
    assert match.final > 20
    store = MatchStore(match)
    for _ in range(30):
        store.look_back(store.have()[0])
    assert store.have() == (match.final - LOOK_BACK_MAX, frozenset())
