"""One seat's session, handed one thing after the other, without links."""

import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.bots.player import SeatPlayer
from seqp2p.crypto.hashing import BALLOT
from seqp2p.crypto.identity import sign
from seqp2p.live.asking import HASTE_S, PATIENCE_S, Asker, Asking, Chosen, Turns
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
from seqp2p.rules import CLASSIC, DRAW, END, WAIVE, Action, Options, View, apply, legal_actions, start, view
from tests.live.parties import WITHOUT_THREADS, Party, Place, Scripted, checked
from tests.match.test_intake import SHUFFLE, Sums, before_shuffles
from tests.match.voting import at_turn, nth, play_on, show, table, vote, wish
from tests.net.tools import address_of, said
from tests.table import Played, at_random, due, fork, identity, make_seats, match_at, play, signed


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
        self.logged.append(Logged(kind, payload, signature))

    def sync(self) -> None:
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
    intake: type[Intake] | None = None,
    name: str = "game",
) -> AsyncGenerator[Sitting]:
    """A seat at this match; the others are its neighbours."""
    made, asking, events = Linkless(own.number, {*match.game.seats} - {own.number}), Noting(), list[TableEvent]()
    with ReplayWriter(folder / f"{name}.seqp2p", match) as writer:
        recorder = Recorder(match, writer, events.append, journal, WITHOUT_THREADS)
        session = SeatSession(own, made, asking, recorder)
        if intake is not None:
            session.intake = intake(match)
        made.begin(session.store, None)
        await session.begin()
        yield Sitting(session, made, asking, events)


async def test_a_seat_that_is_dropped_takes_nothing_more(tmp_path: Path) -> None:
    """The others have gone on without it, and what they signed next came first."""
    match, seats = at_turn(2, 3)
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
    match, seats = at_turn(2, 3)
    (mover,) = match.awaited
    async with sitting(tmp_path, match, seats[mover - 1]) as here:
        assert here.asking.asked == [match.number]
        here.session._handle(Deferred((Undone(match.number),)), 0)
        await here.session.take(Tick())
    assert here.asking.asked == [match.number] * 2
    assert Undone(match.number) in here.events


async def test_a_seat_that_votes_about_a_final_step_is_shown_its_closing_once(tmp_path: Path) -> None:
    """It may hold all of the step, and be kept by its own vote from closing it so."""
    match, seats = at_turn(2, 3)
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
    match, seats = at_turn(2, 3)
    (mover,) = match.awaited
    foe, number = mover % 3 + 1, match.number

    async with sitting(tmp_path, match, seats[mover - 1]) as here:
        have = here.session.store.have
        assert have() == (number, frozenset())
        # A past that all have agreed on is not opened again.
        for step, asked in ((1, number), (number, number - 1), (number - 1, number - 2), (number, number - 2)):
            payload = make_payload(match.game.id, step, bytes(32), foe, "turn", TurnBody("pass", (), b"", b""))
            await here.hear(foe, signed(identity(foe), payload))
            assert have() == (asked, frozenset())
        choice = seats[mover - 1].view(match).legal[0]
        await here.session.take(Chosen(number, choice, ahead=False))
        assert have()[0] > number - 2


async def test_own_words_of_an_earlier_life_are_written_once(tmp_path: Path) -> None:
    """Others send them again at every step after a resume: no record and no sync for any of them."""
    match, seats = at_turn(2, 4)
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


async def test_a_choice_ahead_is_void_if_its_late_step_was_undone(tmp_path: Path) -> None:
    """A vote has made something else of the step before, and the step of this number is a turn now."""
    match, seats = table(3)
    play_on(match, seats, at_random(1), nth("turn", 2))
    before = match.number
    async with sitting(tmp_path, match, seats[1]) as here:
        await here.session.take(Chosen(before, DRAW, ahead=True))
    assert (match.number, match.kind, match.held, here.events) == (before, "turn", (), [])


async def test_shuffles_wait_for_each_other_for_two_ticks_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third seat of six is away; the last one shows meanwhile that it has the shuffles of the first two."""
    monkeypatch.setattr(Linkless, "all_linked", True)
    sums = Sums()
    intake, shuffles = before_shuffles(6, sums)
    match = intake.match
    async with sitting(tmp_path, match, make_seats(6)[5]) as here:
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


# Asking the player, and what time decides in its place: manual draw, alone and at whole tables.


MANUAL = Options(manual_draw=True)


def seen_in(phase: str) -> View:
    """What a seat sees that is to do something in this phase."""
    hands = [tuple(range(7)), tuple(range(7, 14))]
    position = start(CLASSIC, 2, 2, MANUAL, 1, hands)
    played = apply(position, legal_actions(position)[0])
    forgotten = apply(played, END)
    late = apply(forgotten, legal_actions(forgotten)[0])
    position = {"play": position, "draw": played, "late": late}[phase]
    return view(position, position.to_move)


class Slow:
    """Answers after so long, each time with the next of these."""

    def __init__(self, after_s: float, *actions: Action) -> None:
        self.after_s = after_s
        self.actions = list(actions)
        self.asked: list[str | None] = []
        self.cancelled = 0

    async def choose(self, view: View, refused: str | None) -> Action:
        self.asked.append(refused)
        try:
            await trio.sleep(self.after_s)
        except trio.Cancelled:
            self.cancelled += 1
            raise
        return self.actions.pop(0)


Taken = list[tuple[float, Chosen]]


@asynccontextmanager
async def asked(
    player: SeatPlayer, phase: str, why: str | None = None, *, ahead: bool = False, take_s: float = 0
) -> AsyncGenerator[tuple[Asking, Taken]]:
    """A player is asked about step 7. The session takes what it says, after so long, and when."""
    taken: Taken = []

    async def take(chosen: Chosen) -> None:
        await trio.sleep(take_s)
        taken.append((trio.current_time(), chosen))

    asking = Asking(player, take)
    asking.hurry()  # Nothing is asked.
    async with trio.open_nursery() as nursery:
        asking.begin(nursery)
        asking.ask(7, seen_in(phase), why, ahead=ahead)
        yield asking, taken


async def test_an_answer(autojump_clock: object) -> None:
    player = Slow(100, DRAW)
    async with asked(player, "play", "why not") as (asking, taken):
        assert asking.open == (7, False)
    assert taken == [(100, Chosen(7, DRAW, ahead=False))]
    assert player.asked == ["why not"]
    assert asking.open == (7, False), "it is not asked again by itself"
    assert asking.take_ahead() is None


async def test_another_question_takes_the_first_back(autojump_clock: object) -> None:
    player = Slow(100, DRAW)
    async with asked(player, "play") as (asking, taken):
        await trio.sleep(50)
        asking.ask(8, seen_in("play"), None)
    assert taken == [(150, Chosen(8, DRAW, ahead=False))]
    assert player.cancelled == 1


class Alone:
    """Knows the question that it has before it, as a person does, and forgets it when it is taken back."""

    def __init__(self) -> None:
        self.open: View | None = None

    async def choose(self, view: View, refused: str | None) -> Action:
        assert self.open is None, "two questions at a time"
        self.open = view
        try:
            await trio.sleep_forever()
        finally:
            self.open = None
        raise AssertionError


async def test_a_question_is_not_put_before_the_last_one_is_gone(autojump_clock: object) -> None:
    """Whichever of the two tasks trio runs first."""
    player = Alone()
    async with asked(player, "draw") as (asking, _):
        for step in range(30):
            asking.ask(step, each := seen_in("draw"), None, ahead=step % 2 == 0)
            await wait_all_tasks_blocked()
            assert player.open is each
        asking.take_back()


@pytest.mark.parametrize(("phase", "forgotten"), [("draw", END), ("late", WAIVE)])
async def test_a_draw_is_forgotten(autojump_clock: object, phase: str, forgotten: Action) -> None:
    async with asked(Slow(math.inf), phase) as (_, taken):
        pass
    assert taken == [(PATIENCE_S[phase], Chosen(7, forgotten, ahead=False))]


@pytest.mark.parametrize("at_once", [True, False])
async def test_haste_cuts_the_wait(autojump_clock: object, at_once: bool) -> None:
    """Also of a question that was asked just now, and whose task has not run yet."""
    async with asked(Slow(math.inf), "late") as (asking, taken):
        if not at_once:
            await wait_all_tasks_blocked()
        asking.hurry()
    assert taken == [(HASTE_S, Chosen(7, WAIVE, ahead=False))]


@pytest.mark.parametrize("after_s", [0, HASTE_S - 0.1])
async def test_haste_leaves_a_choice_made_alone(autojump_clock: object, after_s: float) -> None:
    async with asked(Slow(after_s, DRAW), "late") as (asking, taken):
        asking.hurry()
    assert taken == [(after_s, Chosen(7, DRAW, ahead=False))]


async def test_haste_never_makes_the_wait_longer(autojump_clock: object) -> None:
    async with asked(Slow(math.inf), "draw") as (asking, taken):
        await trio.sleep(PATIENCE_S["draw"] - HASTE_S / 2)
        asking.hurry()
    assert taken[0][0] == PATIENCE_S["draw"]


async def test_a_choice_ahead_is_kept_from_the_moment_it_is_made(autojump_clock: object) -> None:
    """Even if the session has not taken the answer when the draw opens."""
    async with asked(Slow(1, DRAW), "draw", ahead=True, take_s=math.inf) as (asking, _):
        await trio.sleep(0.5)
        assert asking.take_ahead() is None
        await trio.sleep(1)
        assert asking.take_ahead() == DRAW
        assert asking.take_ahead() is None
        asking.take_back()


async def test_what_cannot_be_done_ahead_is_not_kept(autojump_clock: object) -> None:
    async with asked(Slow(1, WAIVE), "draw", ahead=True) as (asking, taken):
        pass
    assert taken == [(1, Chosen(7, WAIVE, ahead=True))]
    assert asking.take_ahead() is None


@dataclass
class Late:
    """A table of three where a seat owes a draw. ``mover`` is next to draw, ``third`` only sits there."""

    match: Match
    owing: int
    mover: int
    third: int
    asked: dict[int, Noting]
    turns: dict[int, Turns]


@pytest.fixture
def late() -> Late:
    match, seats = table(3, "classic", manual_draw=True)
    play(match, seats, lambda seen: END if END in seen.legal else seen.legal[0], lambda match: match.kind == "late")
    position = match.game.table_position()
    (third,) = {1, 2, 3} - {position.to_move, position.mover}
    asked = {seat: Noting() for seat in (1, 2, 3)}
    turns = {seat: Turns(match, seats[seat - 1], Linkless(seat, ()), asking) for seat, asking in asked.items()}
    return Late(match, position.to_move, position.mover, third, asked, turns)


def test_only_the_next_player_hurries_and_only_who_owes_a_draw(late: Late) -> None:
    number = late.match.number
    for sender, step in ((late.third, number), (late.mover, number - 1), (late.mover, number + 1)):
        late.turns[late.owing].hurry(sender, step)
    late.turns[late.third].hurry(late.mover, number)
    assert not any(asking.hurried for asking in late.asked.values())
    late.turns[late.owing].hurry(late.mover, number)
    assert late.asked[late.owing].hurried == 1


def test_what_cannot_be_done_ahead_is_asked_for_again(late: Late) -> None:
    step, asked = late.match.number, late.asked[late.mover]
    late.turns[late.mover].ask()
    assert asked.open == (step, True)
    assert late.turns[late.mover].chosen(Chosen(step, Action("place", 1, 1), ahead=True)) is None
    assert asked.open == (step, True)
    first, second = asked.why
    assert first is None
    assert "has played a card: only draw" in str(second)


# Drawing by hand between sessions.

Script = Callable[[View], Awaitable[Action | None]]


def by_phase(**scripts: Script) -> Scripted:
    """A player that does what a script says in its phase, and what comes otherwise."""

    async def script(view: View, refused: str | None) -> Action | None:
        act = scripts.get(view.phase)
        return None if act is None else await act(view)

    return Scripted(script)


def does(action: Action, after_s: float = 0.0) -> Script:
    async def act(_view: View) -> Action:
        await trio.sleep(after_s)
        return action

    return act


FORGETS = does(DRAW, math.inf)


def turns(place: Place) -> list[tuple[float, int, str]]:
    """What was done with the draws, and the placings between."""
    return place.actions("place", "remove", "draw", "end", "waive")


async def played(party: Party, count: int) -> list[tuple[float, int, str]]:
    """The first so many actions at a table; the first mover is called 1, the next 2. Then all leave."""
    async with party.playing():
        await party.until(1, lambda _: len(turns(party[1])) >= count)
        for place in party.places.values():
            place.scope.cancel()
    checked(party, "unfinished")
    done = turns(party[1])[:count]
    first = done[0][1]
    return [(when, (seat - first) % party.players + 1, kind) for when, seat, kind in done]


@pytest.mark.parametrize(("players", "without"), [(2, set[tuple[int, int]]()), (3, {(1, 2)}), (3, {(1, 3)})])
async def test_who_never_draws_forgets(
    virtual_time: object, tmp_path: Path, players: int, without: set[tuple[int, int]]
) -> None:
    """After the placing there are so many seconds, and once more so many when the next has placed."""
    party = Party(tmp_path, players, manual_draw=True, without=without)
    for seat in range(1, players + 1):
        party.sit(seat, by_phase(draw=FORGETS, late=FORGETS))
    done = await played(party, 5)
    assert [(seat, kind) for _, seat, kind in done] == [
        (1, "place"),
        (1, "end"),
        (2, "place"),
        (1, "waive"),
        (2, "end"),
    ]
    start_at, end_at, placed_at, waived_at, last_at = (when for when, _, _ in done)
    assert end_at - start_at == pytest.approx(PATIENCE_S["draw"], abs=0.1)
    assert placed_at == pytest.approx(end_at, abs=0.1)
    # The next player has forgotten its own draw meanwhile, and says so to those it is linked with.
    first = turns(party[1])[0][1]
    linked = not {(first, first % players + 1), (first % players + 1, first)} & without
    expected_s = PATIENCE_S["draw"] + HASTE_S if linked else PATIENCE_S["late"]
    assert waived_at - placed_at == pytest.approx(expected_s, abs=0.1)
    assert last_at == pytest.approx(waived_at, abs=0.1)


def ends_first(asked: list[int]) -> Script:
    """Take two seconds; the first mover forgets its draw then, the others draw. Note the turns asked about."""

    async def act(view: View) -> Action:
        asked.append(view.turn)
        await trio.sleep(2)
        return END if view.turn == 0 else DRAW

    return act


@pytest.mark.parametrize(
    ("late_s", "at_s", "kind"),
    [(1, 3, "draw"), (2 + HASTE_S / 2, 4 + HASTE_S / 2, "draw"), (math.inf, 4 + HASTE_S, "waive")],
)
async def test_a_late_draw(virtual_time: object, tmp_path: Path, late_s: float, at_s: float, kind: str) -> None:
    """In time is before the next has chosen, whose choice ahead holds, or in the moment that its haste leaves."""
    party, asked = Party(tmp_path, 2, manual_draw=True), list[int]()
    for seat in (1, 2):
        party.sit(seat, by_phase(draw=ends_first(asked), late=does(DRAW, late_s)))
    done = await played(party, 5)
    assert done[:4] == [(0, 1, "place"), (2, 1, "end"), (2, 2, "place"), (at_s, 1, kind)]
    if late_s < 2:
        # It had not chosen yet, and is asked anew when its draw opens.
        assert done[4] == (at_s + 2, 2, "draw")
        assert asked == [0, 1, 1]
    else:
        assert done[4] == (at_s, 2, "draw")
        assert asked == [0, 1]


class Dawdler(SeatSession):
    """Takes three seconds for its shares for a drawn card."""

    async def _contribute(self, own: Contribution) -> None:
        if self.match.kind == "draw":
            await trio.sleep(3)
        await super()._contribute(own)


async def test_a_choice_ahead_holds_while_the_late_card_is_dealt(virtual_time: object, tmp_path: Path) -> None:
    """It is made when the late draw is no longer open and its own not yet, and it is not asked for again."""
    party, asked = Party(tmp_path, 3, manual_draw=True), list[int]()
    for seat in (1, 2, 3):
        party.sit(seat, by_phase(draw=ends_first(asked), late=does(DRAW, 0.5)), session=Dawdler)
    done = await played(party, 5)
    assert done[2:] == [(2, 2, "place"), (2.5, 1, "draw"), (5.5, 2, "draw")]
    assert asked[:2] == [0, 1]
