"""One seat at one table, live: the match, its mesh, its player and its replay, tied together.

Theory of operation. One task owns the match and takes from one inbox: what the mesh received, what the player chose,
and the clock's ticks. Whatever it takes, it ends in the same place: own contributions that are due are made, recorded
and published, until the open step waits for somebody else. Proofs are made and checked in a worker thread (``judge``
changes nothing), so that links and screens never wait for them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import trio

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_scalar, encode_scalar
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import OtherPast, Refusal, TooEarly, Unattributable, Violation
from seqp2p.match.events import Event, Result
from seqp2p.match.machine import Match
from seqp2p.match.play_steps import final_result
from seqp2p.match.seat import OwnSeat
from seqp2p.net.asking import Asking, Chosen
from seqp2p.net.mesh import GameMessage, LinkDown, LinkUp, Mesh, Received
from seqp2p.net.messages import Bye, ContributionMessage, Evidence, Hurry, Opening, RemarkMessage
from seqp2p.net.talk import Talk
from seqp2p.players.player import Player
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import WAIVE, Action, IllegalAction, RulesError

T = TypeVar("T")

# Steps whose proofs take longer than a link or a screen should wait: they are made and checked in a thread.
HEAVY = frozenset({"shuffle", "deal"})
# Steps at which the player chooses; everything else a seat contributes by itself.
CHOSEN = frozenset({"turn", "late", "discard"})
# Contributions that came before their step opened. An honest peer is at most one round of shuffles ahead.
EARLY_MAX = 64
# How long a finished seat waits for the others' opened hands; they send them as soon as they have seen the end.
OPENINGS_WAIT_S = 5.0
# How long after a seat's goodbye its evidence against another seat may still come by way of others.
GOODBYE_WAIT_S = 1.0
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


@dataclass
class Ending:
    """How the session ends, once it does; ``evidence`` is kept in the replay."""

    result: Result | None = None
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
        self._ahead: Action | None = None  # what the player will do when the draw of its own turn is open
        self._ending = Ending()
        self._alive_at = 0.0  # when something last moved, on trio's clock
        self._gone: dict[int, float] = {}  # when a seat said goodbye, by seat
        self._early: dict[tuple[int, int], tuple[int, Contribution]] = {}  # (neighbour, contribution) by (step, seat)
        self._early_openings: dict[int, tuple[int, Opening]] = {}  # (neighbour, message) by seat

    async def leave(self, reason: str) -> None:
        """Say goodbye and let ``run`` return; the replay is completed as unfinished."""
        await self._send.send(Left(reason))

    async def say(self, text: str) -> None:
        """Say something to the table."""
        await self._send.send(Said(text))

    async def run(self) -> Result:
        """Play until the game is over or cannot go on. The replay is complete and signed when this returns.

        Cancelled (Ctrl-C), it says goodbye and completes the replay as unfinished.
        """
        self._alive_at = trio.current_time()
        try:
            async with trio.open_nursery() as nursery:
                await nursery.start(self.mesh.run, self)
                nursery.start_soon(self._forward)
                nursery.start_soon(self._tick)
                self._nursery = nursery
                await self._advance()
                while self._ending.result is None:
                    await self._take(await self._inbox.receive())
                await self._exchange_openings()
                await self.mesh.close(self._ending.result.reason or "the game is over")
                nursery.cancel_scope.cancel()
        finally:
            # Also when cancelled: what was recorded becomes a signed, unfinished replay.
            self.writer.finish(self.match, self._ending.evidence, self.seat.identity_key, self.seat.sign)
        assert self._ending.result is not None, "the loop ends with a result"
        return self._ending.result

    # The store that the mesh reads, see mesh.Store.

    def have(self) -> tuple[int, frozenset[int]]:
        """The open step, and the seats whose contributions to it are here."""
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
            case LinkUp() | LinkDown():
                self._alive_at = trio.current_time()
            case Chosen():
                await self._play(item)
            case Said(text):
                self._talk.say(text)
            case Left(reason):
                self._end(reason)
            case Tick():
                self._check_goodbyes()
                self._check_absence()

    async def _take_message(self, seat: int, message: GameMessage) -> None:
        match message:
            case ContributionMessage():
                await self._receive(message.contribution, seat)
            case Evidence(contributions):
                for signed in contributions:
                    await self._receive(signed.contribution, seat)
            case Opening():
                self._receive_opening(seat, message)
            case RemarkMessage():
                self._talk.receive(seat, message)
            case Hurry(step):
                self._hurry(seat, step)
            case Bye():
                self._gone.setdefault(seat, trio.current_time())

    async def _receive(self, contribution: Contribution, sender: int) -> None:
        """A contribution from a neighbour: judged, kept and passed on; then whatever that makes possible."""
        if self._ending.result is not None:
            return
        try:
            judged = await self._in_thread_if_heavy(lambda: self.match.judge(contribution))
        except TooEarly as early:
            if len(self._early) < EARLY_MAX:
                self._early.setdefault((early.step, early.seat), (sender, contribution))
        except OtherPast:
            pass  # Nothing to prove by it, and nothing to use.
        except Unattributable as error:
            self.mesh.fault(sender, str(error))
        except Violation as violation:
            self._end_by(violation)
        else:
            if judged is not None:
                self._keep(self.match.accept(judged), judged.step, judged.seat, contribution)
                await self._advance()

    def _keep(self, events: tuple[Event, ...], step: int, author: int, contribution: Contribution) -> None:
        """An accepted contribution: on disk if it closed its step, then to the neighbours, then told."""
        self._alive_at = trio.current_time()
        self.writer.record(self.match)
        self.mesh.publish(contribution, author, step)
        for event in events:
            self.tell(event)
        self._talk.retry()
        if self.match.game.result is not None:
            self._ending.result = self.match.game.result

    async def _advance(self) -> None:
        """Contribute what is due, take what came early, and ask the player when something is for it to choose."""
        while self._ending.result is None:
            if self.seat.owes(self.match) and self.match.kind not in CHOSEN:
                await self._contribute(await self._in_thread_if_heavy(lambda: self.seat.contribute(self.match)))
                continue
            if self.seat.owes(self.match) and self._ahead is not None:
                action, self._ahead = self._ahead, None
                await self._contribute(self.seat.play(self.match, action))
                continue
            self._ask_player()
            key = next((key for key in self._early if key[0] <= self.match.number), None)
            if key is None:
                return
            sender, contribution = self._early.pop(key)
            await self._receive(contribution, sender)

    async def _contribute(self, own: Contribution) -> None:
        judged = await self._in_thread_if_heavy(lambda: self.match.judge(own))
        assert judged is not None, "an own contribution is never a duplicate"
        self._keep(self.match.accept(judged), judged.step, self.seat.number, own)

    async def _play(self, chosen: Chosen) -> None:
        """What the player chose: sign it, or tell the player why that is not possible."""
        if chosen.step != self.match.number or self._ending.result is not None:
            return
        if chosen.ahead:
            self._ahead = chosen.action
            self.mesh.send_hurry(chosen.step)
            return
        try:
            own = self._signed(chosen.action)
        except RulesError as error:
            self._asking.ask(self._nursery, self.match.number, self.seat.view(self.match), str(error))
            return
        await self._contribute(own)
        await self._advance()

    def _signed(self, action: Action) -> Contribution:
        """The contribution that does this; a call is of the speaker's last remark. Raises RulesError."""
        if action.kind != "call":
            return self.seat.play(self.match, action)
        remark = self.match.remarks.last_of(action.seat)
        if remark is None:
            raise IllegalAction(f"seat {action.seat} has said nothing")
        return self.seat.call(self.match, remark)

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

    def _end(self, reason: str, evidence: tuple[Contribution, ...] = ()) -> None:
        if self._ending.result is None:
            self._ending = Ending(Result("unfinished", (), reason), evidence)

    def _end_by(self, violation: Violation) -> None:
        """Somebody signed what it must not have signed: everybody gets the evidence, and the game is over."""
        name = self._name(violation.seat)
        self.mesh.send_evidence(violation.evidence)
        self._end(
            f"seat {violation.seat} ({name}) cheated at step {violation.step}: {violation.reason}", violation.evidence
        )

    def _check_goodbyes(self) -> None:
        """A seat has left before the end. What others have to say about the reason may still be on its way."""
        late = [seat for seat, since in self._gone.items() if trio.current_time() - since >= GOODBYE_WAIT_S]
        if late and self.match.kind != "over":
            self._end(f"seat {late[0]} ({self._name(late[0])}) left the table")

    def _check_absence(self) -> None:
        """Nothing has moved for the table's grace, and no seat that could move it can be reached."""
        waiting = self.match.awaited - {self.seat.number}
        grace_s = self.match.game.agreement.settings.grace_s
        if waiting and not waiting & self.mesh.reachable and trio.current_time() - self._alive_at >= grace_s:
            names = ", ".join(f"seat {seat} ({self._name(seat)})" for seat in sorted(waiting))
            if self.match.confirmed:
                self._ending.result = final_result(self.match.game)
            self._end(f"{names} could not be reached for {grace_s} s")

    def _name(self, seat: int) -> str:
        return self.match.game.agreement.seats[seat - 1].name

    # After the end: every seat releases its game secret, if the table agreed to it.

    async def _exchange_openings(self) -> None:
        if self.match.game.result is None or not self.match.game.agreement.settings.open_hands:
            return
        secret = self.seat.release()
        self.match.open_seat(self.seat.number, secret)
        self.mesh.send_opening(self.seat.number, encode_scalar(secret))
        for sender, message in self._early_openings.values():
            self._receive_opening(sender, message)
        with trio.move_on_after(OPENINGS_WAIT_S):
            while len(self.match.openings) < self.match.game.players:
                item = await self._inbox.receive()
                if isinstance(item, Received) and isinstance(item.message, Opening):
                    self._receive_opening(item.seat, item.message)

    def _receive_opening(self, sender: int, message: Opening) -> None:
        if self.match.game.result is None:
            self._early_openings.setdefault(message.seat, (sender, message))
            return
        if message.seat in self.match.openings:
            return
        try:
            self.match.open_seat(message.seat, decode_scalar(message.secret))
        except (CryptoError, Refusal) as error:
            self.mesh.fault(sender, str(error))
        else:
            self.mesh.send_opening(message.seat, message.secret)
