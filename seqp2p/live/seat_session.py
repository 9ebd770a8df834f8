"""One seat at one table: it takes one thing after the other. No task, no link and no clock of its own.

Theory of operation. Its caller gives it one thing after the other: what the relay received, what the player chose, and
the clock's ticks. Each time it ends in the same place: own contributions that are due are made, recorded and published,
until the open step waits for another seat. What it waits for itself is in ``Runtime`` alone: proofs are made and
checked, and the disk is synced, while links and screens go on.

    signed thing ──Intake──▶ Applied     journal, neighbours, replay, events
                             Cheating    the same, with all evidence of it; then a vote, or the end
                             Deferred    it waits in the intake
                             Ignored     of another past: ask for what came before
                             BadSender   a fault of the neighbour

It ends when the game is over, or cannot go on. Where a majority stays, seats that leave, cheat or cannot be reached
are voted out (voting.py); elsewhere they end the game. game.py runs it under trio, tests/sim in a simulation.
"""

from collections.abc import Callable, Collection
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias, TypeVar, assert_never

from seqp2p.crypto.group import encode_scalar
from seqp2p.i18n import message
from seqp2p.live.absence import LATER, Absence, Back, Listening
from seqp2p.live.asking import Asker, Chosen, Talk, Turns
from seqp2p.live.recorder import Recorder
from seqp2p.live.voting import AskAbout, Voting
from seqp2p.match.ballots import VOTES_MAX
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import decode
from seqp2p.match.events import DROPPED, STOPPED, Dropped, Event, Result, Undone
from seqp2p.match.game import final_result
from seqp2p.match.intake import (
    NOTHING_NEW,
    Applied,
    BadSender,
    Cheating,
    Deferred,
    Finding,
    Ignored,
    Intake,
    Outcome,
    PendingThing,
)
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import (
    BALLOT_SIZE_MAX,
    BallotPayload,
    OfferedEvidence,
    ReleasedSecret,
    SignedBallot,
    SignedHead,
    SignedLeave,
    SignedRemark,
    SignedThing,
)
from seqp2p.match.text import clean
from seqp2p.net.gossip import MatchStore
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import Bye, Have, Hurry, OpeningMessage, signed_thing
from seqp2p.net.relay import AnyRelay, FirstHave, GameMessage, LinkDown, LinkUp, Moved, Received
from seqp2p.replay.sidecar import OlderCopy, SeatStopped

T = TypeVar("T")

# Steps whose proofs take longer than a link or a screen should wait: they are made and checked in a thread.
HEAVY = frozenset({"shuffle", "deal"})
# Steps at which the player chooses; everything else a seat contributes by itself.
CHOSEN = frozenset({"turn", "late", "discard"})
# How long a finished seat waits for the others' opened hands; they send them as soon as they have seen the end.
OPENINGS_WAIT_S = 5.0
MESSAGE_PRICE_S: Final = DEFAULT_LIMITS.message_cost_us / 1e6
REMARKS: Final = (SignedRemark,)
VOTES: Final = (SignedBallot, SignedHead)


@dataclass(frozen=True, slots=True)
class Leaving:
    """This seat's own player leaves for good."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stopping:
    """This seat's own player stops for now."""


@dataclass(frozen=True, slots=True)
class Saying:
    """This seat's own player says something."""

    text: str


@dataclass(frozen=True, slots=True)
class GoOn:
    """This seat's own player does not want to wait for an absent seat; or, with 0, waits for all of them."""

    seat: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


InboxItem: TypeAlias = (
    Received | FirstHave | LinkUp | LinkDown | Moved | Chosen | Leaving | Stopping | Saying | GoOn | Tick
)


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a session. ``farewell`` is said to the others: empty for leaving.

    ``resumable``: the game can go on later. The replay is not complete, and the seat's own file stays.
    """

    result: Result
    farewell: str
    resumable: bool = False


def price_s(outcome: Outcome, sender: int, cost_s: float) -> float:
    """Return the price of a thing for its sender: the time of its check, or the price of its message back.

    A contribution that was accepted, new evidence, and what the sender has passed on for another seat are free.
    """
    match outcome:
        case Applied(Contribution()) | Cheating():
            return -MESSAGE_PRICE_S
        case Applied(seat=seat):
            return cost_s if seat == sender else -MESSAGE_PRICE_S
        case Deferred() | Ignored() | BadSender():
            return cost_s
        case _:
            assert_never(outcome)


def is_idle(outcome: Outcome) -> bool:
    """Return True if nothing came of a thing: it is not even kept, so nothing can be due by it."""
    return isinstance(outcome, Deferred) and not outcome.kept and not outcome.events


class SeatSession:
    """Plays one seat. ``begin`` comes first, then ``take`` for each thing, until there is an ``ending``.

    Then ``open_hands``, and ``take_hands`` for each thing as long as there is something to wait for.
    """

    def __init__(
        self,
        seat: SeatKeys,
        relay: AnyRelay,
        asking: Asker,
        recorder: Recorder,
        *,
        asks: bool = False,
        people: AbstractSet[int] = frozenset(),
    ) -> None:
        """``asks``: a person plays, who is asked before a seat is dropped for being away.

        ``people``: if no person plays this seat, the other seats that may have one.
        """
        match, runtime = recorder.match, recorder.runtime
        self.match = match
        self.seat = seat
        self.ending: Ending | None = None
        self.stopped: SeatStopped | None = None  # why it cannot go on, and must not end the game either
        self._relay = relay
        self._runtime = runtime
        self._recorder = recorder
        self._asking = asking
        self._turns = Turns(match, seat, relay, asking)
        self._talk = Talk(match, seat, runtime.now)
        self.intake = Intake(match, self._talk.may_hear, lambda: relay.all_linked)
        self.store = MatchStore(match, self.intake)
        self._listening = Listening(match, seat.number)
        self._unsaid: list[str] = []  # while it waits to sign
        self._absence = Absence(match, seat.number, resumed=seat.waits_to_sign, asks=asks, people=people)
        self._voting = Voting(match, seat.number, self._absence, relay, asks=asks)
        self._asked: frozenset[int] = frozenset()
        self._reassured: set[int] = set()  # final steps whose heads were signed for a seat that voted about them
        self._logged: set[tuple[SignedThing, int, int]] = set()  # own things, with the steps open and final then
        self._last_lot: list[Contribution] = []
        self._open_number = match.number
        self._fault_is_new = False  # a seat has left or is proved a cheat, and what follows from it is not done yet

    async def begin(self) -> bool:
        """Send things that others may lack, and do the due work. Return True if all was over before."""
        now = self._runtime.now()
        self._absence.begin(now)
        self._listening.begin(now)
        self._say_again()
        # A seat that resumes may find that all is over; the others may still lack its last word.
        self._follow(())
        final = self.match.record[: self.match.final]
        dropped = {seat for closed in final if closed.action == "drop" for seat in closed.about}
        if self.ending is None and self.seat.number in dropped:
            self._end(DROPPED, farewell="")
        over = self.ending is not None
        await self._advance()
        return over

    def _say_again(self) -> None:
        """Send what this seat may be the only one to have."""
        for remark in self.match.remarks.after((0,) * self.match.game.players):
            self._relay.pass_on(SignedRemark(Contribution(remark.payload, remark.signature)))
        for leave in self.match.left.values():
            self._relay.pass_on(SignedLeave(leave))
        for violation in self.match.proven.values():
            self._relay.pass_on(OfferedEvidence(violation.evidence))

    async def take(self, item: InboxItem) -> None:  # noqa: C901, PLR0912  # a row for each item
        match item:
            case Received(seat, message):
                await self._take_message(seat, message)
            case Chosen():
                if (own := self._turns.chosen(item)) is not None:
                    await self._contribute(own)
                    await self._advance()
            case Saying(text):
                await self._say(text)
            case Leaving(reason):
                await self._leave(reason)
            case GoOn(0):
                self._voting.wait(self._runtime.now())
            case GoOn(seat):
                self._voting.allow(seat)
                self._absence.give_up(seat)
                self._see()
                await self._vote()
                await self._advance()
            case Stopping():
                self.stop()
            case Tick():
                await self._look()
            case FirstHave(seat):
                self._relay.answer_first(seat)
            case LinkUp(seat):
                self._absence.linked(seat)
                self._see()
            case LinkDown():
                pass  # The next tick sees who can be reached.
            case Moved(_, statement):
                self._recorder.log_addresses(statement)
            case _:
                assert_never(item)

    async def _take_message(self, sender: int, message: GameMessage) -> None:
        match message:
            case Bye(reason):
                self._absence.goodbye(sender, clean(reason), self._runtime.now())
            case Hurry(step):
                self._turns.hurry(sender, step)
            case Have(step):
                self._listening.answered(sender, step)
                await self._listen()
            case _:
                await self._take_thing(signed_thing(message), sender)

    async def _take_thing(self, thing: SignedThing, sender: int) -> None:
        """Take a thing from a neighbour, and do what is due by it. If nothing new came of it, the neighbour pays."""
        outcome = await self._receive(thing, sender)
        if isinstance(outcome, Applied | Cheating):
            await self._advance()
            return
        begun = self._runtime.processor_s()
        if isinstance(outcome, Ignored) and isinstance(thing, SignedBallot):
            await self._reassure(thing)
        if not is_idle(outcome) and (isinstance(outcome, Deferred) or isinstance(thing, SignedBallot | SignedHead)):
            await self._advance()
        self._relay.charge(sender, self._runtime.processor_s() - begun)

    async def _listen(self) -> None:
        """Begin to sign, if this seat was resumed and has heard enough; end if nobody answers and nothing moves."""
        now, grace_s = self._runtime.now(), self._absence.grace_s
        if not self.seat.waits_to_sign or self.stopped:
            return
        if self._listening.is_over(self._relay.linked, now):
            self.seat.waits_to_sign = False
            for text in self._unsaid:
                await self._say(text)
            await self._advance()
        elif not self._absence.gathers and not self._listening.has_answer and now - self._absence.moved_at >= grace_s:
            self._end(message("no other seat has answered for {grace_s} s", grace_s=grace_s), resumable=True)

    # Signed things: one loop for all that comes, is own, or has waited.

    async def _receive(self, thing: SignedThing, sender: int) -> Outcome:
        """Check a thing, take it, and do what follows from what came of it."""
        finding, cost_s = await self._check(thing)
        outcome = await self._take_checked(finding, sender)
        if sender != self.seat.number:
            self._relay.charge(sender, price_s(outcome, sender, cost_s))
        if not is_idle(outcome):
            await self._take_due(REMARKS)
        return outcome

    async def _take_own(self, thing: SignedThing) -> None:
        await self._receive(thing, self.seat.number)

    async def _take_checked(self, finding: Finding, sender: int) -> Outcome:
        """Take a checked thing. One that this seat has signed, now or in an earlier life, is on the disk before.

        One that it has not signed, by all that it knows, shows that its files are an older copy.
        """
        thing = finding.thing
        author, payload = finding.signed
        if author == self.seat.number and payload not in self.seat.signed:
            self.stopped, self.seat.waits_to_sign = OlderCopy(), True
            await self._recorder.mark_older()
            return Ignored(NOTHING_NEW)
        own = finding.signer == self.seat.number
        # Another seat may send the same again and again; a step later an early one may be due.
        place = thing, self.match.number, self.match.final
        if own and place not in self._logged and not self.store.changes_nothing(finding):
            self._logged.add(place)
            if isinstance(thing, Contribution):
                self.seat.remember(self.match, thing)
            self._recorder.log(thing)
            await self._recorder.sync()
        outcome = self.intake.take(finding, sender)
        self._handle(outcome, sender)
        return outcome

    async def _check(self, thing: SignedThing) -> tuple[Finding, float]:
        """Return the finding, and the processor time that it took."""

        def timed() -> tuple[Finding, float]:
            begun = self._runtime.processor_s()
            return self.intake.check(thing), self._runtime.processor_s() - begun

        heavy = isinstance(thing, Contribution | OfferedEvidence)
        return await self._in_thread_if_heavy(timed) if heavy else timed()

    async def _take_due(self, kinds: Collection[type[SignedThing]]) -> bool:
        """Take what waited, of kinds that are checked at once. Return True if there was any."""
        found = False
        while (waiting := self.intake.due(kinds)) is not None:
            await self._take_checked(self.intake.check(waiting.thing), waiting.sender)
            found = True
        return found

    def _handle(self, outcome: Outcome, sender: int) -> None:
        match outcome:
            case Applied(thing, seat, step, events):
                if seat != self.seat.number:
                    self._recorder.log(thing)
                self._relay.pass_on(thing, seat, step)
                self._recorder.keep(outcome)
                self._talk.note(outcome)
                self._fault_is_new |= isinstance(thing, SignedLeave)
            case Cheating(violation, events=events):
                self._recorder.log(OfferedEvidence(violation.evidence))
                self._recorder.keep(outcome)
                for evidence in self.match.proofs(violation):
                    self._relay.pass_on(OfferedEvidence(evidence))
                self._fault_is_new = True
            case Deferred(events):
                self._recorder.record(events)
            case Ignored(events=events, other_past=step):
                if step:
                    self.store.look_back(step)
                self._recorder.record(events)
            case BadSender(reason):
                self._relay.fault(sender, reason)
                return
            case _:
                assert_never(outcome)
        self._follow(events)

    def _follow(self, events: tuple[Event, ...]) -> None:
        """Put right what depends on the state of the game."""
        if self._open_number != self.match.number:
            self._open_number = self.match.number
            self._absence.moved(self._runtime.now())
            # From here on it may be out of the reach of ballots.
            self._fault_is_new |= bool({*self.match.left, *self.match.proven} & {*self.match.game.seats})
        for event in events:
            if isinstance(event, Undone):
                self._asking.take_back()
            elif isinstance(event, Dropped) and self.seat.number in event.seats:
                self._end(DROPPED, farewell="")
        if self.match.game.result is not None and self.ending is None:
            self.ending = Ending(self.match.game.result, message("the game is over"))

    async def _after_fault(self) -> None:
        """A seat has left or is proved a cheat: without an opponent, or a majority to vote it out, the game is over."""
        base = self.match.chain.base
        if self.match.forfeit is not None:
            self.ending = Ending(self.match.forfeit, self.match.forfeit.reason)
        elif base is not None and base.votable:
            await self._vote()
        elif not self._may_be_confirmed():
            self._end_by_proof()

    def _may_be_confirmed(self) -> bool:
        """Return True if a majority has signed the final position, or still may: then no seat can deny it alone."""
        seats, signed = set(self.match.game.seats), {seat for seat, _ in self.match.held}
        may = seats - self.match.left.keys() - (set() if self.match.may_sign else {self.seat.number})
        signed = (signed | may) - self.match.proven.keys()
        return self.match.kind == "over" and 2 * len(signed) > len(seats)

    # What time brings.

    def _see(self) -> None:
        for event in self._absence.handle(self._relay.reachable, self._runtime.now()):
            if isinstance(event, Back):
                self._voting.waits_for(event.seat)
            self._recorder.emit(event)

    async def _look(self) -> None:
        """Check once a second for absent seats, due votes, and a hopeless wait."""
        now = self._runtime.now()
        await self._take_due(REMARKS)
        await self._look_at_lot()
        self._see()
        await self._listen()
        if self.ending is not None or self._has_no_vote(now):
            return
        if (asked := self._voting.to_ask(now)) != self._asked:
            self._asked = asked
            self._recorder.emit(AskAbout(tuple(sorted(asked))))
        base = self.match.chain.base
        if base is not None and base.decree.unexplained:
            self.store.look_at(base.number)
        votable = base is not None and base.votable
        if not votable and (over := self._absence.why_over(now)):
            self._end(over, resumable=bool(self._absence.may_return(now) & set(self.match.game.seats)))
        elif gone := self._voting.hopeless(now):
            self._give_up(gone, now)
        elif self._absence.is_alone(now):
            self.stop()
        elif votable:
            await self._vote()
            await self._advance()

    async def _look_at_lot(self) -> None:
        """Check the shuffles that have waited since the last tick: the next seat may be away."""
        lot = self.intake.lot()
        if lot and lot == self._last_lot:
            await self._in_thread_if_heavy(partial(self.intake.check_lot, lot))
            await self._advance()
        self._last_lot = lot

    # What this seat signs.

    async def _advance(self) -> None:
        """Make due contributions, take early things that are due now, and ask the player for an open choice."""
        while self.ending is None and self.stopped is None:
            if self._fault_is_new:
                self._fault_is_new = False
                await self._after_fault()
                continue
            if await self._take_due(VOTES):
                continue
            if (earlier := self.intake.due((Contribution,), (self.seat.number,))) is not None:
                await self._receive(earlier.thing, earlier.sender)
                continue
            if self._pressing:
                await self._vote()
            if self.seat.owes(self.match) and self.match.kind not in CHOSEN:
                await self._contribute(await self._in_thread_if_heavy(lambda: self.seat.contribute(self.match)))
                continue
            if self.seat.owes(self.match) and (ahead := self._asking.take_ahead()) is not None:
                await self._contribute(self.seat.play(self.match, ahead))
                continue
            self._turns.ask()
            if lot := self.intake.due_lot():
                await self._in_thread_if_heavy(partial(self.intake.check_lot, lot))
                continue
            waiting = self._next_due()
            if waiting is None:
                return
            await self._receive(waiting.thing, waiting.sender)

    def _next_due(self) -> PendingThing | None:
        """Take the next due early thing. There is none if the last vote has ended the game for this seat."""
        return self.intake.due() if self.ending is None else None

    async def _contribute(self, own: Contribution) -> None:
        await self._take_own(own)

    async def _in_thread_if_heavy(self, work: Callable[[], T]) -> T:
        if self.match.kind in HEAVY:
            return await self._runtime.in_thread(work)
        return work()

    @property
    def _pressing(self) -> bool:
        """True if a seat has voted on the base, or has to be voted out at once."""
        base = self.match.chain.base
        at_fault = self.match.left.keys() | self.match.proven.keys()
        return base is not None and (bool(base.decree.votes) or not at_fault.isdisjoint(base.decree.members))

    async def _vote(self) -> None:
        """Sign the ballots that are due, and the heads of what they closed."""
        if self.seat.waits_to_sign:
            return
        await self._show_heads()
        while (due := self._voting.due(self._runtime.now())) is not None:
            await self._take_own(SignedBallot(self.seat.ballot(self.match, due.round, due.wish, due.reason)))
            await self._show_heads()

    def _has_no_vote(self, now: float) -> bool:
        """Stop this seat if all its ballots about the base were for nothing. Return True if it did."""
        if self._voting.spent(now):
            why = message(
                "the table could not agree on how step {step} ends: this seat has signed its {count} ballots, and waits"
                " no longer",
                step=self.match.final + 1,
                count=VOTES_MAX,
            )
            self.stopped = SeatStopped(why)
        return self.stopped is not None

    async def _show_heads(self) -> None:
        """Sign the heads of closed steps that are not final, so they become final without a later signature."""
        await self._take_due(VOTES)  # Own ones of an earlier life bind.
        while own := self.seat.heads(self.match):
            for head in own:
                await self._take_own(SignedHead(head))
            await self._take_due(VOTES)

    async def _reassure(self, ballot: SignedBallot) -> None:
        """Show a final step, once, to a seat that still votes about it.

        This seat's signatures above it say the same, but a seat that may not close the step cannot place them.
        """
        word = decode(BallotPayload, ballot.bytes.payload, BALLOT_SIZE_MAX)
        if self.seat.waits_to_sign or word.step in self._reassured or not self.match.may_reassure(word):
            return
        self._reassured.add(word.step)
        head = SignedHead(self.seat.head(self.match, word.step, 0))
        if head not in {thing for thing, *_ in self._logged}:
            self._recorder.log(head)
            await self._recorder.sync()
        self._relay.pass_on(head)

    async def _say(self, text: str) -> None:
        if self.seat.waits_to_sign:
            self._unsaid.append(text)
        elif (remark := self._talk.signed(text)) is not None:
            await self._take_own(remark)

    async def _leave(self, reason: str) -> None:
        """Leave for good. A seat that may not sign yet stops for now instead: it can be resumed."""
        if self.seat.waits_to_sign:
            self.stop()
            return
        await self._take_own(SignedLeave(self.seat.leave(self.match)))
        self._end(reason, farewell="")

    # Endings.

    def stop(self) -> None:
        """Stop for now: nothing is signed, and the seat can be resumed once the cards are dealt."""
        if self.ending is None:
            self._end(STOPPED, farewell=LATER, resumable=True)

    def _end(self, reason: str, farewell: str | None = None, *, resumable: bool = False) -> None:
        """End the session: the game cannot go on now. A final position that a majority has signed holds all the same.

        ``resumable``: it can go on later, if the cards are dealt.
        """
        result = final_result(self.match.game) if self.match.confirmed else Result("unfinished", (), reason)
        resumable &= result.kind == "unfinished" and self.match.game.position is not None
        self.ending = Ending(result, reason if farewell is None else farewell, resumable)

    def _give_up(self, gone: frozenset[int], now: float) -> None:
        """End because those who stay are no majority without these seats.

        If they would be one with the seats that are away, they vote out the others when all are back.
        """
        base = self.match.chain.base
        at_fault = self.match.left.keys() | self.match.proven.keys()
        missing = gone - at_fault
        enough = base is not None and base.decree.majority(base.decree.members - at_fault)
        if gone & self.match.proven.keys() and not enough:
            self._end_by_proof()
            return
        reason = message(
            "{seats} cannot be reached or keep the others waiting, and those who stay are not a majority",
            seats=self._absence.names(missing or gone),
        )
        self._end(reason, resumable=enough and missing <= self._absence.may_return(now))

    def _end_by_proof(self) -> None:
        """End because a seat has left or cheated where no seat can be voted out."""
        for violation in self.match.proven.values():
            seat, step = self._absence.names({violation.seat}), violation.step
            reason = message("{seat} cheated at step {step}: {reason}", seat=seat, step=step, reason=violation.reason)
            self.ending = Ending(Result("unfinished", (), reason), reason)
            return
        self._end(message("{seats} left the table", seats=self._absence.names(self.match.left.keys())))

    # After the end every seat releases its game secret, if the table agreed to it, and the replay opens all hands.

    def open_hands(self, *, linger: bool) -> bool:
        """Release the secret, if the table agreed to it. Return True if there is something to wait for.

        ``linger``: there is in any case. The caller waits for ``OPENINGS_WAIT_S`` at most.
        """
        if not self.match.may_open:
            return linger
        self._take_secret(ReleasedSecret(self.seat.number, encode_scalar(self.seat.release())), self.seat.number)
        while (waiting := self.intake.due((ReleasedSecret,))) is not None:
            self._take_secret(waiting.thing, waiting.sender)
        return not self._hands_are_open

    def take_hands(self, item: InboxItem) -> bool:
        """Take the next thing after the end: nothing but secrets matters. Return True if there is more to wait for."""
        match item:
            case Received(sender, OpeningMessage() as opening):
                self._take_secret(signed_thing(opening), sender)
            case FirstHave(seat):
                self._relay.answer_first(seat)
            case Leaving() | Stopping():
                return False
            case Received() | LinkUp() | LinkDown() | Moved() | Chosen() | Saying() | GoOn() | Tick():
                pass
            case _:
                assert_never(item)
        return not self._hands_are_open

    @property
    def _hands_are_open(self) -> bool:
        """True where the secret of every seat that has played to the end is here."""
        return self.match.may_open and self.match.openings.keys() >= set(self.match.game.seats)

    def _take_secret(self, secret: SignedThing, sender: int) -> None:
        self._handle(self.intake.take(self.intake.check(secret), sender), sender)
