"""One seat at one table, live: the match, its mesh, its player and its replay, tied together.

Theory of operation. One task owns the match and takes from one inbox: what the mesh received, what the player chose,
and the clock's ticks. Whatever it takes, it ends in the same place: own contributions that are due are made, recorded
and published, until the open step waits for somebody else. Proofs are made and checked in a worker thread (``judge``
changes nothing), so that links and screens never wait for them.

It ends when the game is over, or cannot go on: a seat is proved to have cheated, says goodbye, cannot be reached, or
keeps everybody waiting with what its program does by itself.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import trio

from seqp2p.match.contribution import Contribution, open_envelope
from seqp2p.match.errors import OtherPast, TooEarly, Unattributable, Violation
from seqp2p.match.events import Event, Result
from seqp2p.match.machine import Match
from seqp2p.match.play_steps import final_result, why_not_callable
from seqp2p.match.remark import Remark
from seqp2p.match.seat import OwnSeat
from seqp2p.net.absence import Absence
from seqp2p.net.asking import Asking, Chosen
from seqp2p.net.early import Early
from seqp2p.net.mesh import GameMessage, LinkDown, LinkUp, Mesh, Received
from seqp2p.net.messages import Bye, ContributionMessage, Evidence, Opening, RemarkMessage
from seqp2p.net.openings import Openings
from seqp2p.net.talk import Talk
from seqp2p.net.text import clean
from seqp2p.players.player import Player
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


@dataclass(frozen=True, slots=True)
class Left:
    """This seat's own player leaves."""

    reason: str


@dataclass(frozen=True, slots=True)
class Said:
    """This seat's own player says something."""

    text: str


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


Item: TypeAlias = Received | LinkUp | LinkDown | Chosen | Left | Said | Tick


@dataclass(frozen=True, slots=True)
class Ending:
    """How the session ends. ``evidence`` is kept in the replay, ``farewell`` said to the others: empty for leaving."""

    result: Result
    farewell: str
    evidence: tuple[Contribution, ...] = ()


class Session:
    """Plays one seat to the end of its game. ``tell`` gets every event of the match, in order, as it happens."""

    def __init__(
        self,
        match: Match,
        seat: OwnSeat,
        mesh: Mesh,
        player: Player,
        writer: ReplayWriter,
        tell: Callable[[Event], None],
    ) -> None:
        self.match = match
        self.seat = seat
        self.mesh = mesh
        self.writer = writer
        self.tell = tell
        self._send, self._inbox = trio.open_memory_channel[Item](0)
        self._asking = Asking(player, self._send.send)
        self._talk = Talk(match, seat, mesh, writer, tell)
        self._ending: Ending | None = None
        self._absence = Absence(match, seat.number)
        self._openings = Openings(match, seat, mesh)
        self._early = Early()
        self._looked_back = (0, 0)  # the open step, and the earlier one that all are asked for meanwhile

    async def leave(self, reason: str) -> None:
        """Say goodbye and let ``run`` return; the replay is completed as it is. After the end this does nothing."""
        await self._put(Left(reason))

    async def say(self, text: str) -> None:
        """Say something to the table. After the end this does nothing."""
        await self._put(Said(text))

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
            evidence = () if self._ending is None else self._ending.evidence
            self.writer.finish(self.match, evidence, self.seat.identity_key, self.seat.sign)
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
                self._talk.say(text)
            case Left(reason):
                self._end(reason, farewell="")
            case Tick():
                if over := self._absence.why_over(self.mesh.reachable, trio.current_time()):
                    self._end(over)
            case _:
                pass  # A link is made or gone: the next tick sees who can be reached.

    async def _take_message(self, seat: int, message: GameMessage) -> None:
        match message:
            case ContributionMessage():
                await self._receive(message.contribution, seat)
            case Evidence(contributions):
                for signed in contributions:
                    await self._receive(signed.contribution, seat)
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
        except OtherPast:
            self._look_back(open_envelope(contribution.payload).step)
        except Unattributable as error:
            self.mesh.fault(sender, str(error))
        except Violation as violation:
            self._end_by(violation)
        else:
            if judged is not None:
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
        """An accepted contribution: on disk if it closed its step, then to the neighbours, then told."""
        self._absence.moved(trio.current_time())
        self.writer.record(self.match)
        self.mesh.publish(contribution, author, step)
        for event in events:
            self.tell(event)
        self._talk.retry()
        if self.match.game.result is not None:
            self._ending = Ending(self.match.game.result, "the game is over")

    async def _advance(self) -> None:
        """Contribute what is due, take what came early, and ask the player when something is for it to choose."""
        while self._ending is None:
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

    def _end_by(self, violation: Violation) -> None:
        """Somebody signed what it must not have signed: everybody gets the evidence, and the game is over."""
        self.mesh.send_evidence(violation.evidence)
        reason = f"{self._absence.names({violation.seat})} cheated at step {violation.step}: {violation.reason}"
        self._ending = Ending(Result("unfinished", (), reason), reason, violation.evidence)

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
