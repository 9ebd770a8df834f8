"""One seat at one table: what it makes of whatever it takes. No task, no link and no clock of its own.

Theory of operation. Whoever runs it gives it one thing after the other: what the relay received, what the player
chose, and the clock's ticks. Whatever it takes, it ends in the same place: own contributions that are due are made,
recorded and published, until the open step waits for somebody else. What it waits for itself is in ``Runtime`` alone:
proofs are made and checked, and the disk is synced, while links and screens go on (``judge`` changes nothing).

It ends when the game is over, or cannot go on. Where a majority stays, seats that leave, cheat or cannot be reached
are voted out (voting.py); elsewhere they end the game. session.py runs it under trio, seqp2p/testing in a simulation.
"""

from collections.abc import Callable
from typing import TypeVar

from seqp2p.i18n import message, message_of
from seqp2p.live.absence import Absence, Back
from seqp2p.live.asking import Asker, Chosen
from seqp2p.live.ballot_box import BallotBox
from seqp2p.live.early import Early
from seqp2p.live.evidence import Proofs
from seqp2p.live.inbox import Ending, GoOn, InboxItem, Leaving, Saying, Tick
from seqp2p.live.recorder import Journal, Recorder, TableEvent
from seqp2p.live.runtime import UNDER_TRIO, Runtime
from seqp2p.live.secret_release import Openings
from seqp2p.live.store import MatchStore
from seqp2p.live.talk import Talk
from seqp2p.live.turns import Turns
from seqp2p.live.voting import AskAbout, Voting
from seqp2p.match.contribution import Contribution, open_envelope
from seqp2p.match.errors import OtherPast, TooEarly, Unattributable, Violation
from seqp2p.match.events import Dropped, Event, Result, Undone
from seqp2p.match.machine import Match
from seqp2p.match.outcome import final_result
from seqp2p.match.seat import SeatKeys
from seqp2p.net.messages import (
    BallotMessage,
    Bye,
    ContributionMessage,
    EvidenceMessage,
    HeadMessage,
    LeaveMessage,
    OpeningMessage,
    RemarkMessage,
)
from seqp2p.net.relay import AnyRelay, GameMessage, LinkDown, LinkUp, Received
from seqp2p.net.text import clean
from seqp2p.replay.writer import ReplayWriter

T = TypeVar("T")

# Steps whose proofs take longer than a link or a screen should wait: they are made and checked in a thread.
HEAVY = frozenset({"shuffle", "deal"})
# Steps at which the player chooses; everything else a seat contributes by itself.
CHOSEN = frozenset({"turn", "late", "discard"})


class SeatSession:
    """Plays one seat. ``_begin`` comes first, then ``_take`` for each thing, until there is an ending."""

    def __init__(
        self,
        match: Match,
        seat: SeatKeys,
        relay: AnyRelay,
        asking: Asker,
        writer: ReplayWriter,
        tell: Callable[[TableEvent], None],
        journal: Journal | None = None,
        runtime: Runtime = UNDER_TRIO,
        *,
        asks: bool = False,
    ) -> None:
        """``asks``: a person plays, who is asked before somebody is dropped for being away. Tests need no journal."""
        self.match = match
        self.seat = seat
        self._relay = relay
        self._runtime = runtime
        self._ledger = Recorder(match, relay, writer, tell, journal, runtime)
        self._store = MatchStore(match)
        self._asking = asking
        self._turns = Turns(match, seat, relay, asking)
        self._talk = Talk(self._ledger, seat)
        self._ending: Ending | None = None
        self._absence = Absence(match, seat.number)
        self._voting = Voting(match, seat.number, self._absence, asks=asks)
        self._asked: frozenset[int] = frozenset()
        self._ballots = BallotBox(self._ledger, seat, self._voting, self._follow)
        self._openings = Openings(match, seat, relay)
        self._early = Early()
        self._proofs = Proofs(self._ledger, self._follow)
        self._open_number = match.number

    async def _begin(self) -> bool:
        """The links are there: say what others may lack, and do what is due. Says whether all was over before."""
        self._absence.moved(self._runtime.now())
        self._talk.say_again()
        self._proofs.say_again()
        # A seat taken again may find that all is over; the others may still lack its last word.
        self._follow(())
        final = self.match.record[: self.match.final]
        dropped = {seat for closed in final if closed.action == "drop" for seat in closed.about}
        if self._ending is None and self.seat.number in dropped:
            self._be_dropped()
        over = self._ending is not None
        await self._advance()
        return over

    async def _take(self, item: InboxItem) -> None:
        match item:
            case Received(seat, message):
                await self._take_message(seat, message)
            case Chosen():
                if (own := self._turns.chosen(item)) is not None:
                    await self._contribute(own)
                    await self._advance()
            case Saying(text):
                await self._talk.say(text)
            case Leaving(reason):
                await self._leave(reason)
            case GoOn(seat):
                self._voting.allow(seat)
                await self._ballots.vote()
                await self._advance()
            case Tick():
                await self._look()
            case LinkUp(seat):
                self._absence.linked(seat)
                self._see()
            case LinkDown():
                pass  # The next tick sees who can be reached.

    async def _take_message(self, seat: int, message: GameMessage) -> None:
        match message:
            case ContributionMessage():
                await self._receive(message.contribution, seat)
            case BallotMessage() | HeadMessage():
                self._ballots.hear(message, seat)
                await self._advance()
            case LeaveMessage():
                if self._proofs.take_leave(message.contribution, seat):
                    await self._after_proof()
            case EvidenceMessage(contributions):
                offered = tuple(signed.contribution for signed in contributions)
                if (violation := await self._in_thread_if_heavy(lambda: self._proofs.weigh(offered, seat))) is not None:
                    await self._accuse(violation)
            case OpeningMessage():
                self._openings.receive(seat, message)
            case RemarkMessage():
                self._talk.receive(seat, message)
            case Bye(reason):
                self._absence.goodbye(seat, clean(reason), self._runtime.now())
            case _:
                self._turns.hurry(seat, message.step)

    async def _receive(self, contribution: Contribution, sender: int) -> None:
        """A contribution from a neighbour: judged, kept and passed on; then whatever that makes possible."""
        if self._ending is not None:
            return
        try:
            judged = await self._in_thread_if_heavy(lambda: self.match.judge(contribution))
        except TooEarly as early:
            self._early.keep(early.step, early.seat, sender, contribution)
            # Signed on top of what is closed here, it may show that to be final.
            self._follow(self.match.settle())
        except OtherPast:
            self._store.look_back(open_envelope(contribution.payload).step)
            self._follow(self.match.settle())
        except Unattributable as error:
            self._relay.fault(sender, message_of(error))
        except Violation as violation:
            await self._accuse(violation)
        else:
            if judged is not None:
                self._ledger.log("contribution", contribution)
                self._keep(self.match.accept(judged), judged.step, judged.seat, contribution)
                await self._advance()

    def _keep(self, events: tuple[Event, ...], step: int, author: int, contribution: Contribution) -> None:
        """An accepted contribution: to the neighbours, then what follows from it."""
        self._relay.publish(contribution, author, step)
        self._follow(events)

    def _follow(self, events: tuple[Event, ...]) -> None:
        """What has become of the game is kept and told, and what depends on it put right."""
        if self._open_number != self.match.number:
            self._open_number = self.match.number
            self._absence.moved(self._runtime.now())
        self._ledger.record(events)
        for event in events:
            match event:
                case Undone():
                    self._asking.take_back()
                case Dropped(seats) if self.seat.number in seats:
                    self._be_dropped()
                case _:
                    pass
        self._talk.retry()
        if self.match.game.result is not None and self._ending is None:
            self._ending = Ending(self.match.game.result, message("the game is over"))

    # Ballots, heads, leaves, and proofs of cheating.

    async def _accuse(self, violation: Violation) -> None:
        if self._ending is None and self._proofs.accuse(violation):
            await self._after_proof()

    async def _after_proof(self) -> None:
        """A seat has left or is proved a cheat: without an opponent, or a majority to vote it out, the game is over."""
        base = self.match.chain.base
        if self.match.forfeit is not None:
            self._ending = Ending(self.match.forfeit, self.match.forfeit.reason)
        elif base is not None and base.votable:
            await self._ballots.vote()
            await self._advance()
        elif not self._may_be_confirmed():
            self._end_by_proof()

    def _may_be_confirmed(self) -> bool:
        """Whether the final position has, or may yet get, the signatures of a majority: nobody can deny it alone."""
        seats, signed = set(self.match.game.seats), {seat for seat, _ in self.match.held}
        signed = (signed | (seats - self.match.left.keys())) - self.match.proven.keys()
        return self.match.kind == "over" and 2 * len(signed) > len(seats)

    def _see(self) -> None:
        """Who can be reached, and who cannot."""
        for event in self._absence.look(self._relay.reachable, self._runtime.now()):
            if isinstance(event, Back):
                self._voting.waits_for(event.seat)
            self._ledger.tell(event)

    async def _look(self) -> None:
        """Once a second: who is there, what has to be voted on, and whether there is anything left to wait for."""
        now = self._runtime.now()
        self._talk.retry()
        self._see()
        if (asked := self._voting.to_ask(now)) != self._asked:
            self._asked = asked
            if asked:
                self._ledger.tell(AskAbout(tuple(sorted(asked))))
        base = self.match.chain.base
        if base is not None and base.decree.unexplained:
            self._store.look_at(base.number)
        if base is None or not base.votable:
            if over := self._absence.why_over(now):
                self._end(over)
        elif gone := self._voting.hopeless(now):
            if gone & self.match.proven.keys():
                self._end_by_proof()
            else:
                self._end(
                    message(
                        "{seats} cannot be reached, and those who stay are no majority", seats=self._absence.names(gone)
                    )
                )
        else:
            await self._ballots.vote()
            await self._advance()

    async def _advance(self) -> None:
        """Contribute what is due, take what came early, and ask the player when something is for it to choose."""
        while self._ending is None:
            if self._ballots.accused:
                await self._accuse(self._ballots.accused.pop())
                continue
            if self._ballots.hear_ahead():
                continue
            if self._ballots.pressing:
                await self._ballots.vote()
            if self.seat.owes(self.match) and self.match.kind not in CHOSEN:
                await self._contribute(await self._in_thread_if_heavy(lambda: self.seat.contribute(self.match)))
                continue
            if self.seat.owes(self.match) and (ahead := self._asking.take_ahead()) is not None:
                await self._contribute(self.seat.play(self.match, ahead))
                continue
            self._turns.ask()
            opened = self.match.chain.opened
            due = self._early.due(opened) + self._proofs.due(opened)
            if not due:
                return
            for sender, contribution in due:
                await self._receive(contribution, sender)

    async def _contribute(self, own: Contribution) -> None:
        judged = await self._in_thread_if_heavy(lambda: self.match.judge(own))
        assert judged is not None, "an own contribution is never a duplicate"
        self._ledger.log("contribution", own)
        await self._ledger.sync()
        self._keep(self.match.accept(judged), judged.step, self.seat.number, own)

    async def _in_thread_if_heavy(self, work: Callable[[], T]) -> T:
        if self.match.kind in HEAVY:
            return await self._runtime.in_thread(work)
        return work()

    # Endings.

    def _be_dropped(self) -> None:
        self._end(message("the others have voted to go on without you"), farewell="")

    def _end(self, reason: str, farewell: str | None = None) -> None:
        """The game cannot go on. With the final position signed by a majority its result holds all the same."""
        result = final_result(self.match.game) if self.match.confirmed else Result("unfinished", (), reason)
        self._ending = Ending(result, reason if farewell is None else farewell)

    def _end_by_proof(self) -> None:
        """Somebody has left or cheated where nobody can be voted out."""
        for violation in self.match.proven.values():
            seat, step = self._absence.names({violation.seat}), violation.step
            reason = message("{seat} cheated at step {step}: {reason}", seat=seat, step=step, reason=violation.reason)
            self._ending = Ending(Result("unfinished", (), reason), reason)
            return
        self._end(message("{seats} left the table", seats=self._absence.names(self.match.left.keys())))

    async def _leave(self, reason: str) -> None:
        """Leave by an own signature, so that nobody waits for this seat."""
        own = self.seat.leave(self.match)
        self._ledger.log("leave", own)
        await self._ledger.sync()
        if self.match.receive_leave(own) is not None:
            self._ledger.writer.leave(self.match, own)
        self._relay.send_leave(own)
        self._end(reason, farewell="")
