"""One seat at one table, live: the match, its mesh, its player and its replay, tied together.

Theory of operation. One task owns the match and takes from one inbox: what the mesh received, what the player chose,
and the clock's ticks. Whatever it takes, it ends in the same place: own contributions that are due are made, recorded
and published, until the open step waits for somebody else. Proofs are made and checked in a worker thread (``judge``
changes nothing), so that links and screens never wait for them.

Whatever this seat signs is in its journal, on the disk, before it is sent: a seat that comes back after a crash never
signs a second thing for the same place.

It ends when the game is over, or cannot go on. Where a majority stays, seats that leave, cheat or cannot be reached
are voted out (voting.py); elsewhere they end the game.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

import trio

from seqp2p.match.contribution import Contribution, open_envelope
from seqp2p.match.errors import OtherPast, TooEarly, Unattributable, Violation
from seqp2p.match.events import Dropped, Event, Result, Undone
from seqp2p.match.machine import Match
from seqp2p.match.outcome import final_result
from seqp2p.match.play_steps import why_not_callable
from seqp2p.match.remark import Remark
from seqp2p.match.seat import OwnSeat
from seqp2p.net.absence import Absence, Absent, Back
from seqp2p.net.asking import Asking, Chosen
from seqp2p.net.early import Early
from seqp2p.net.gossip import Vote, digest
from seqp2p.net.mesh import GameMessage, LinkDown, LinkUp, Mesh, Received
from seqp2p.net.messages import (
    BallotMessage,
    Bye,
    ContributionMessage,
    Evidence,
    HeadMessage,
    LeaveMessage,
    Opening,
    RemarkMessage,
)
from seqp2p.net.openings import Openings
from seqp2p.net.talk import Talk
from seqp2p.net.text import clean
from seqp2p.net.voting import Voting
from seqp2p.players.player import Player
from seqp2p.replay.sidecar import LoggedKind
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import WAIVE, Action, IllegalAction, RulesError, apply

T = TypeVar("T")

# Steps whose proofs take longer than a link or a screen should wait: they are made and checked in a thread.
HEAVY = frozenset({"shuffle", "deal"})
# Steps at which the player chooses; everything else a seat contributes by itself.
CHOSEN = frozenset({"turn", "late", "discard"})
# How long a finished seat waits for the others' opened hands; they send them as soon as they have seen the end.
OPENINGS_WAIT_S = 5.0
TICK_S = 1.0
# Of all seats together, about later steps than the first that is not final.
VOTES_AHEAD_MAX = 512


@dataclass(frozen=True, slots=True)
class AskAbout:
    """Seats have been away for the whole grace: the player who sits here may go on without them (``go_on``)."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """This seat's own player leaves."""

    reason: str


@dataclass(frozen=True, slots=True)
class Said:
    """This seat's own player says something."""

    text: str


@dataclass(frozen=True, slots=True)
class GoOn:
    """This seat's own player does not want to wait for a seat that is away."""

    seat: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


Item: TypeAlias = Received | LinkUp | LinkDown | Chosen | Left | Said | GoOn | Tick
TableEvent: TypeAlias = Event | Absent | Back | AskAbout


class Journal(Protocol):
    """Where signed bytes are kept for this seat to come back after a crash (replay/sidecar.py)."""

    def log(self, kind: LoggedKind, payload: bytes, signature: bytes) -> None:
        """Keep something signed, own or another's, in the order in which it was taken."""
        ...

    def sync(self) -> None:
        """Wait until the disk has it all."""
        ...


@dataclass(frozen=True, slots=True)
class Ending:
    """How the session ends. ``farewell`` is said to the others: empty for leaving."""

    result: Result
    farewell: str


class Session:
    """Plays one seat to the end of its game. ``tell`` gets every event of the match, in order, as it happens."""

    def __init__(
        self,
        match: Match,
        seat: OwnSeat,
        mesh: Mesh,
        player: Player,
        writer: ReplayWriter,
        tell: Callable[[TableEvent], None],
        journal: Journal | None = None,
        *,
        asks: bool = False,
    ) -> None:
        """``asks``: a person plays, who is asked before somebody is dropped for being away. Tests need no journal."""
        self.match = match
        self.seat = seat
        self.mesh = mesh
        self.writer = writer
        self.tell = tell
        self._send, self._inbox = trio.open_memory_channel[Item](0)
        self._asking = Asking(player, self._send.send)
        self._journal = journal
        self._talk = Talk(match, seat, mesh, writer, tell, self._log)
        self._ending: Ending | None = None
        self._absence = Absence(match, seat.number)
        self._voting = Voting(match, seat.number, self._absence, asks=asks)
        self._asked: frozenset[int] = frozenset()
        self._ahead: dict[bytes, tuple[int, Vote]] = {}  # votes about steps that are not the first open one yet
        self._openings = Openings(match, seat, mesh)
        self._early = Early()
        self._accused: list[Violation] = []
        self._open_number = match.number
        self._base_number = match.final
        self._looked_back = (0, 0)  # the open step, and the earlier one that all are asked for meanwhile

    async def leave(self, reason: str) -> None:
        """Say goodbye and let ``run`` return; the replay is completed as it is. After the end this does nothing."""
        await self._put(Left(reason))

    async def say(self, text: str) -> None:
        """Say something to the table. After the end this does nothing."""
        await self._put(Said(text))

    async def go_on(self, seat: int) -> None:
        """Vote to go on without a seat that is away."""
        await self._put(GoOn(seat))

    async def run(self) -> Result:
        """Play until the game is over or cannot go on. The replay is complete and signed when this returns.

        Cancelled (Ctrl-C), or when the player fails, it says goodbye, which takes at most ``close_s``, and completes
        the replay as unfinished.
        """
        links = trio.CancelScope()
        self._absence.moved(trio.current_time())
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                await nursery.start(self._keep_links, links)
                links.shield = True
                nursery.start_soon(self._forward)
                nursery.start_soon(self._tick)
                try:
                    await self._advance()
                    while self._ending is None:
                        await self._take(await self._inbox.receive())
                    await self._open_hands()
                finally:
                    with trio.CancelScope(shield=True):
                        await self.mesh.close("" if self._ending is None else self._ending.farewell)
                nursery.cancel_scope.cancel()
        finally:
            self._inbox.close()
            self.writer.finish(self.match, self.seat.identity_key, self.seat.sign)
        assert self._ending is not None, "the loop ends with an ending"
        return self._ending.result

    # The store that the mesh reads, see mesh.Store.

    def have(self) -> tuple[int, frozenset[int]]:
        """The open step, and the seats whose contributions to it are here; or an earlier step, to be sent all of it."""
        if self._looked_back[0] == self.match.number:
            return self._looked_back[1], frozenset()
        return self.match.number, frozenset(seat for seat, _ in self.match.held)

    def missing(self, step: int, seats: frozenset[int]) -> list[tuple[int, int, Contribution]]:
        """What somebody lacks who is at this step and has these seats' contributions to it."""
        closed = [
            (closed.number, seat, contribution)
            for closed in self.match.record[step - 1 :]
            for seat, contribution in closed.contributions
        ]
        held = [(self.match.number, seat, contribution) for seat, contribution in self.match.held]
        return [
            (number, seat, contribution)
            for number, seat, contribution in closed + held
            if number > step or (number == step and seat not in seats)
        ]

    def votes(self, step: int) -> list[Vote]:
        """The ballots that closed steps since then, and all that is said about the first step that is not final."""
        ballots = [ballot for closed in self.match.record[step - 1 : self.match.final] for ballot in closed.ballots]
        live = [BallotMessage(each.payload, each.signature) for each in ballots]
        base = self.match.chain.base
        if base is not None:
            live += [BallotMessage(each.payload, each.signature) for each in base.ballots.values()]
        return [*live, *(HeadMessage(each.payload, each.signature) for each in self.match.shown)]

    # Tasks that feed the inbox.

    async def _put(self, item: Item) -> None:
        # After the end nobody takes it any more.
        with contextlib.suppress(trio.BrokenResourceError):
            await self._send.send(item)

    async def _keep_links(self, scope: trio.CancelScope, *, task_status: "trio.TaskStatus[None]") -> None:
        # A scope of their own: the goodbye still needs the links when everything else is cancelled.
        with scope:
            await self.mesh.run(self, task_status=task_status)

    async def _forward(self) -> None:
        async for item in self.mesh.incoming:
            await self._send.send(item)

    async def _tick(self) -> None:
        while True:
            await trio.sleep(TICK_S)
            await self._send.send(Tick())

    # The one task that owns the match.

    async def _take(self, item: Item) -> None:
        match item:
            case Received(seat, message):
                await self._take_message(seat, message)
            case Chosen():
                await self._play(item)
            case Said(text):
                if own := self._talk.sign(text):
                    await self._sync()
                    self._talk.say(own)
            case Left(reason):
                await self._leave(reason)
            case GoOn(seat):
                self._voting.allow(seat)
                await self._vote()
            case Tick():
                await self._look()
            case LinkUp(seat):
                self._absence.linked(seat)
            case LinkDown():
                pass  # The next tick sees who can be reached.

    async def _take_message(self, seat: int, message: GameMessage) -> None:
        match message:
            case ContributionMessage():
                await self._receive(message.contribution, seat)
            case BallotMessage() | HeadMessage():
                self._hear(message, seat)
                await self._advance()
            case LeaveMessage():
                await self._take_leave(message.contribution, seat)
            case Evidence(contributions):
                await self._weigh(tuple(signed.contribution for signed in contributions), seat)
            case Opening():
                self._openings.receive(seat, message)
            case RemarkMessage():
                self._talk.receive(seat, message)
            case Bye(reason):
                self._absence.goodbye(seat, clean(reason), trio.current_time())
            case _:
                self._hurry(seat, message.step)

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
            self._look_back(open_envelope(contribution.payload).step)
            self._follow(self.match.settle())
        except Unattributable as error:
            self.mesh.fault(sender, str(error))
        except Violation as violation:
            await self._accuse(violation)
        else:
            if judged is not None:
                self._log("contribution", contribution)
                self._keep(self.match.accept(judged), judged.step, judged.seat, contribution)
                await self._advance()

    def _look_back(self, step: int) -> None:
        """Somebody's past before this step is another, so somebody has signed two different contributions.

        Nothing is proved by it yet. ``have`` asks for what came one step before, and one more each time that has
        another past too, until both contributions of the one who made two are here.
        """
        if step == self.have()[0]:
            self._looked_back = self.match.number, max(1, step - 1)

    def _keep(self, events: tuple[Event, ...], step: int, author: int, contribution: Contribution) -> None:
        """An accepted contribution: to the neighbours, then what follows from it."""
        self.mesh.publish(contribution, author, step)
        self._follow(events)

    def _follow(self, events: tuple[Event, ...]) -> None:
        """What has become of the game: on disk as far as it is final, then told."""
        self.writer.record(self.match)
        if self._open_number != self.match.number:
            self._open_number = self.match.number
            self._absence.moved(trio.current_time())
        for event in events:
            self.tell(event)
            match event:
                case Undone():
                    self._asking.take_back()
                case Dropped(seats) if self.seat.number in seats:
                    self._end("the others have voted to go on without you", farewell="")
                case _:
                    pass
        self._talk.retry()
        if self.match.game.result is not None and self._ending is None:
            self._ending = Ending(self.match.game.result, "the game is over")

    # Ballots, heads, leaves, and proofs of cheating.

    def _hear(self, message: Vote, sender: int) -> None:
        """A ballot or a head; what is too early waits until the step before is final."""
        signed = message.contribution
        try:
            ballot = isinstance(message, BallotMessage)
            events = self.match.receive_ballot(signed) if ballot else self.match.receive_head(signed)
        except TooEarly:
            if len(self._ahead) < VOTES_AHEAD_MAX:
                self._ahead[digest(signed.payload)] = (sender, message)
            return
        except OtherPast:
            return
        except Unattributable as error:
            self.mesh.fault(sender, str(error))
            return
        except Violation as violation:
            self._accused.append(violation)
            return
        if events is not None:
            self._log("ballot" if ballot else "head", signed)
            self.mesh.send_vote(message)
            self._follow(events)

    async def _take_leave(self, signed: Contribution, sender: int) -> None:
        try:
            events = self.match.receive_leave(signed)
        except Unattributable as error:
            self.mesh.fault(sender, str(error))
            return
        if events is not None:
            self._log("leave", signed)
            self.mesh.send_leave(signed)
            self.writer.leave(self.match, signed)
            await self._after_proof()

    async def _weigh(self, evidence: tuple[Contribution, ...], sender: int) -> None:
        """What a neighbour offers as proof of cheating; of what proves nothing nothing is kept."""
        try:
            self.match.weigh(evidence)
        except Violation as violation:
            await self._accuse(violation)
        except (TooEarly, OtherPast):
            pass  # Not to be judged here yet: the signed bytes come again by themselves.
        except Unattributable as error:
            self.mesh.fault(sender, str(error))

    async def _accuse(self, violation: Violation) -> None:
        """Somebody signed what it must not have signed: everybody gets the evidence."""
        if violation.seat in self.match.proven or self._ending is not None:
            return
        self._follow(self.match.accuse(violation))
        self.writer.evidence(self.match, violation)
        self.mesh.send_evidence(violation.evidence)
        await self._after_proof()

    async def _after_proof(self) -> None:
        """A seat has left or is proved a cheat: without an opponent, or a majority to vote it out, the game is over."""
        base = self.match.chain.base
        if self.match.forfeit is not None:
            self._ending = Ending(self.match.forfeit, self.match.forfeit.reason)
        elif base is not None and base.votable:
            await self._vote()
            await self._advance()
        elif self.match.kind != "over" or not self.match.confirmed:
            self._end_by_proof()

    async def _look(self) -> None:
        """Once a second: who is there, what has to be voted on, and whether there is anything left to wait for."""
        now = trio.current_time()
        for event in self._absence.look(self.mesh.reachable, now):
            if isinstance(event, Back):
                self._voting.waits_for(event.seat)
            self.tell(event)
        if (asked := self._voting.to_ask(now)) != self._asked:
            self._asked = asked
            if asked:
                self.tell(AskAbout(tuple(sorted(asked))))
        base = self.match.chain.base
        if base is None or not base.votable:
            if over := self._absence.why_over(now):
                self._end(over)
        elif gone := self._voting.hopeless(now):
            self._end(f"{self._absence.names(gone)} cannot be reached, and those who stay are no majority")
        else:
            await self._show_heads()
            await self._vote()
            await self._advance()

    async def _vote(self) -> None:
        """Sign the ballots that are due, each on the disk before it is sent."""
        while self._ending is None and (due := self._voting.due(trio.current_time())) is not None:
            await self._show_heads()
            if self._voting.due(trio.current_time()) != due:
                continue  # Showing made something final: it is about another step now.
            own = self.seat.ballot(self.match, due.round, due.wish, due.reason)
            self._log("ballot", own)
            await self._sync()
            self._hear(BallotMessage(own.payload, own.signature), self.seat.number)
            self._hear_ahead()

    async def _show_heads(self) -> None:
        """Sign for what is closed and not final, so that it becomes final though nothing is signed on top of it."""
        while self._ending is None and (own := self.seat.heads(self.match)):
            for head in own:
                self._log("head", head)
            await self._sync()
            for head in own:
                self._hear(HeadMessage(head.payload, head.signature), self.seat.number)

    def _hear_ahead(self) -> None:
        waiting, self._ahead = self._ahead, {}
        for sender, message in waiting.values():
            self._hear(message, sender)

    def _log(self, kind: LoggedKind, signed: Contribution) -> None:
        if self._journal is not None:
            self._journal.log(kind, signed.payload, signed.signature)

    async def _sync(self) -> None:
        if self._journal is not None:
            await trio.to_thread.run_sync(self._journal.sync)

    async def _advance(self) -> None:
        """Contribute what is due, take what came early, and ask the player when something is for it to choose."""
        while self._ending is None:
            if self._accused:
                await self._accuse(self._accused.pop())
                continue
            if self._ahead and self._base_number != self.match.final:
                self._base_number = self.match.final
                self._hear_ahead()
                continue
            base = self.match.chain.base
            if base is not None and base.decree.votes:
                await self._vote()
                await self._show_heads()
            if self.seat.owes(self.match) and self.match.kind not in CHOSEN:
                await self._contribute(await self._in_thread_if_heavy(lambda: self.seat.contribute(self.match)))
                continue
            if self.seat.owes(self.match) and (ahead := self._asking.take_ahead()) is not None:
                await self._contribute(self.seat.play(self.match, ahead))
                continue
            self._ask_player()
            due = self._early.due(self.match.number)
            if not due:
                return
            for sender, contribution in due:
                await self._receive(contribution, sender)

    async def _contribute(self, own: Contribution) -> None:
        judged = await self._in_thread_if_heavy(lambda: self.match.judge(own))
        assert judged is not None, "an own contribution is never a duplicate"
        self._log("contribution", own)
        await self._sync()
        self._keep(self.match.accept(judged), judged.step, self.seat.number, own)

    async def _play(self, chosen: Chosen) -> None:
        """What the player chose: sign it, or tell the player why that is not possible."""
        if chosen.step != self.match.number:
            return  # Chosen ahead, and the draw that it would have hurried is made: it is kept for when its own opens.
        if chosen.ahead:
            self._play_ahead(chosen)
            return
        try:
            own = self._signed(chosen.action)
        except RulesError as error:
            self._asking.ask(self._nursery, self.match.number, self.seat.view(self.match), str(error))
            return
        await self._contribute(own)
        await self._advance()

    def _play_ahead(self, chosen: Chosen) -> None:
        """What the player will do once its draw is open: whoever still owes one is not waited for much longer."""
        next_seen = self.seat.view_after(self.match, WAIVE)
        try:
            apply(next_seen.position, chosen.action)
        except RulesError as error:
            self._asking.ask(self._nursery, chosen.step, next_seen, str(error), ahead=True)
        else:
            self.mesh.send_hurry(chosen.step)

    def _signed(self, action: Action) -> Contribution:
        """The contribution that does this; a call is of the speaker's last remark that can be. Raises RulesError."""
        if action.kind != "call":
            return self.seat.play(self.match, action)
        last = self.match.remarks.last_of(action.seat)
        if last is None:
            raise IllegalAction(f"seat {action.seat} has said nothing")
        return self.seat.call(self.match, self._newest_callable(action.seat) or last)

    def _newest_callable(self, speaker: int) -> Remark | None:
        # Not just the last one: a courtesy said quickly would cover up what was said before it.
        game = self.match.game
        for remark in reversed(self.match.remarks.after((0,) * game.players)):
            if remark.said.seat == speaker and not why_not_callable(game, remark, self.seat.number, self.match.number):
                return remark
        return None

    def _ask_player(self) -> None:
        """Ask what is for the player to choose now, unless it is asked already."""
        number = self.match.number
        if self.seat.owes(self.match):
            if self._asking.open != (number, False):
                self._asking.ask(self._nursery, number, self.seat.view(self.match), None)
        elif self.match.kind == "late" and self._asking.open != (number, True):
            # Another seat still owes a draw. If this seat draws next, its choice is asked for now: it ends the wait.
            next_seen = self.seat.view_after(self.match, WAIVE)
            if next_seen.phase == "draw" and next_seen.to_move == self.seat.number:
                self._asking.ask(self._nursery, number, next_seen, None, ahead=True)

    def _hurry(self, sender: int, step: int) -> None:
        """The next player has chosen to draw: whoever still owes a draw must do it now, or has forgotten it."""
        owes_draw = step == self.match.number and self.match.kind == "late" and self.seat.owes(self.match)
        if owes_draw and sender == self.match.game.table_position().mover:
            self._asking.hurry()

    async def _in_thread_if_heavy(self, work: Callable[[], T]) -> T:
        if self.match.kind in HEAVY:
            return await trio.to_thread.run_sync(work)
        return work()

    # Endings.

    def _end(self, reason: str, farewell: str | None = None) -> None:
        """The game cannot go on. With the final position signed by a majority its result holds all the same."""
        result = final_result(self.match.game) if self.match.confirmed else Result("unfinished", (), reason)
        self._ending = Ending(result, reason if farewell is None else farewell)

    def _end_by_proof(self) -> None:
        """Somebody has left or cheated where nobody can be voted out."""
        for violation in self.match.proven.values():
            reason = f"{self._absence.names({violation.seat})} cheated at step {violation.step}: {violation.reason}"
            self._ending = Ending(Result("unfinished", (), reason), reason)
            return
        self._end(f"{self._absence.names(self.match.left.keys())} left the table")

    async def _leave(self, reason: str) -> None:
        """Leave by an own signature, so that nobody waits for this seat."""
        own = self.seat.leave(self.match)
        self._log("leave", own)
        await self._sync()
        if self.match.receive_leave(own) is not None:
            self.writer.leave(self.match, own)
        self.mesh.send_leave(own)
        self._end(reason, farewell="")

    async def _open_hands(self) -> None:
        """Every seat releases its game secret, if the table agreed to it."""
        if not self._openings.agreed:
            return
        self._openings.release()
        with trio.move_on_after(OPENINGS_WAIT_S):
            while not self._openings.complete:
                match await self._inbox.receive():
                    case Received(sender, Opening() as message):
                        self._openings.receive(sender, message)
                    case Left():
                        return
                    case _:
                        pass  # The game is over: nothing else matters any more.
