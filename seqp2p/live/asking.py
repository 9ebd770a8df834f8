"""The player of this seat: asked one question at a time, its choices and remarks signed.

Where time decides there is an answer in its place. Of another seat's remarks, only so many are taken at once.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import MappingProxyType

import trio

from seqp2p.bots.player import SeatPlayer
from seqp2p.i18n import message, message_of
from seqp2p.match.contribution import Contribution
from seqp2p.match.intake import Applied
from seqp2p.match.machine import Match
from seqp2p.match.remark import REMARK_LENGTH_MAX, REMARKS_MAX
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import SignedRemark
from seqp2p.match.steps import why_not_callable
from seqp2p.match.text import cleaned
from seqp2p.net.limits import DEFAULT_LIMITS, Limits, Window
from seqp2p.net.relay import AnyRelay
from seqp2p.rules import END, WAIVE, Action, IllegalAction, RulesError, View, apply


@dataclass(frozen=True, slots=True)
class Chosen:
    """The player's choice at this step. ``ahead``: for the draw that follows once another seat has made up its mind."""

    step: int
    action: Action
    ahead: bool


# Drawing by hand: a player who does not draw forgets it. The mover has this long after its placing; a seat that forgot
# is told sooner by the next player's haste (``hurry``), and by itself after this.
PATIENCE_S = MappingProxyType({"draw": 10.0, "late": 30.0})
# What is left to a seat that owes a draw once the next player has chosen to draw: enough for a choice already made.
HASTE_S = 1.0
FORGOTTEN = MappingProxyType({"draw": END, "late": WAIVE})


class Asker(ABC):
    """Asks the player of a seat one question at a time. The answer comes back as ``Chosen``.

    ``open``: the step that was asked about last, and True if ahead of it.
    """

    def __init__(self) -> None:
        self.open: tuple[int, bool] | None = None
        self._ahead: Action | None = None

    @abstractmethod
    def ask(self, step: int, seen: View, why: str | None, *, ahead: bool = False) -> None:
        """Ask; an open question is taken back. An implementation begins with ``_begin``."""

    @abstractmethod
    def hurry(self) -> None:
        """Wait HASTE_S at most for the answer to the open question."""

    @abstractmethod
    def _cancel(self) -> None:
        """Take the open question back, if there is one."""

    def take_back(self) -> None:
        """Void questions and answers, after steps were undone."""
        self._cancel()
        self.open = self._ahead = None

    def take_ahead(self) -> Action | None:
        """Return the choice for the draw that was asked about ahead, once; then None."""
        ahead, self._ahead = self._ahead, None
        return ahead

    def _begin(self, step: int, *, ahead: bool) -> None:
        self._cancel()
        self.open = step, ahead
        self._ahead = None

    def _keep_if_ahead(self, chosen: Chosen, seen: View) -> None:
        """Keep a choice ahead at once: the draw may open before the answer is taken, and would be asked about again."""
        if chosen.ahead and chosen.action in seen.legal:
            self._ahead = chosen.action


class Asking(Asker):
    """Asks a player under trio. ``answer`` takes what the player says. ``begin`` comes first."""

    def __init__(self, player: SeatPlayer, answer: Callable[[Chosen], Awaitable[None]]) -> None:
        super().__init__()
        self._player = player
        self._answer = answer
        # A question that is taken back may not have noticed when the next one is put: the player has one at a time.
        self._one_at_a_time = trio.Lock()
        self._scope, self._patience = trio.CancelScope(), trio.CancelScope()

    def begin(self, nursery: trio.Nursery) -> None:
        """Questions are tasks in this nursery."""
        self._nursery = nursery

    def ask(self, step: int, seen: View, why: str | None, *, ahead: bool = False) -> None:
        self._begin(step, ahead=ahead)
        scope = self._scope = trio.CancelScope()
        patience = self._patience = trio.CancelScope(
            deadline=trio.current_time() + PATIENCE_S.get(seen.phase, math.inf)
        )

        async def put() -> None:
            with scope:
                action = FORGOTTEN.get(seen.phase)
                with patience:
                    async with self._one_at_a_time:
                        action = await self._player.choose(seen, why)
                assert action is not None, "only a draw can be forgotten"
                chosen = Chosen(step, action, ahead)
                self._keep_if_ahead(chosen, seen)
                await self._answer(chosen)

        self._nursery.start_soon(put)

    def hurry(self) -> None:
        self._patience.deadline = min(self._patience.deadline, trio.current_time() + HASTE_S)

    def _cancel(self) -> None:
        self._scope.cancel()


class Turns:
    """The turns of one seat, and its player's other choices."""

    def __init__(self, match: Match, seat: SeatKeys, mesh: AnyRelay, asking: Asker) -> None:
        self._match = match
        self._seat = seat
        self._mesh = mesh
        self._asking = asking

    def chosen(self, choice: Chosen) -> Contribution | None:
        """Sign the player's choice. Return None where it is void, or impossible: then the player is told why."""
        if choice.step != self._match.number:
            return None  # Chosen ahead, and the draw that it would have hurried is made: kept for when its own opens.
        if choice.ahead:
            if self._match.kind == "late":  # Not if the step before was undone, and another kind is open now.
                self._choose_ahead(choice)
            return None
        if not self._seat.owes(self._match):
            self._asking.take_back()  # A vote is going on; it is asked again if the turn is still this seat's.
            return None
        try:
            return self._signed(choice.action)
        except RulesError as error:
            self._asking.ask(self._match.number, self._seat.view(self._match), message_of(error))
            return None

    def _choose_ahead(self, chosen: Chosen) -> None:
        """Note what the player will do once its draw is open: a draw still owed is not waited for much longer."""
        next_seen = self._seat.view_after(self._match, WAIVE)
        try:
            apply(next_seen.position, chosen.action)
        except RulesError as error:
            self._asking.ask(chosen.step, next_seen, message_of(error), ahead=True)
        else:
            self._mesh.send_hurry(chosen.step)

    def _signed(self, action: Action) -> Contribution:
        """Sign this action. A call names the speaker's newest callable remark. Raises RulesError."""
        if action.kind != "call":
            return self._seat.play(self._match, action)
        said, game, number = self._match.remarks.of(action.seat), self._match.game, self._match.number
        if not said:
            raise IllegalAction(message("seat {seat} has said nothing", seat=action.seat))
        # Not just the last one: a courtesy said quickly would cover up what was said before it.
        callable_ = (each for each in reversed(said) if not why_not_callable(game, each, self._seat.number, number))
        return self._seat.call(self._match, next(callable_, said[-1]))

    def ask(self) -> None:
        """Ask for the open choice, unless it is asked already; take back a void question."""
        number = self._match.number
        if self._seat.owes(self._match):
            if self._asking.open != (number, False):
                self._asking.ask(number, self._seat.view(self._match), None)
        elif self._match.kind == "late" and self._asking.open != (number, True):
            # Another seat still owes a draw. If this seat draws next, its choice is asked for now: it ends the wait.
            next_seen = self._seat.view_after(self._match, WAIVE)
            if next_seen.phase == "draw" and next_seen.to_move == self._seat.number:
                self._asking.ask(number, next_seen, None, ahead=True)
        elif self._asking.open is not None:
            step, ahead = self._asking.open
            # One asked ahead stands until the late card is dealt.
            if step != number and not (ahead and self._match.kind == "draw"):
                self._asking.take_back()

    def hurry(self, sender: int, step: int) -> None:
        """The next player has chosen to draw: a draw still owed is made now, or forgotten."""
        owes_draw = step == self._match.number and self._match.kind == "late" and self._seat.owes(self._match)
        if owes_draw and sender == self._match.game.table_position().mover:
            self._asking.hurry()


class Talk:
    """The remarks of one live game. The intake asks ``may_hear``: a seat that says too much at once is heard later."""

    def __init__(self, match: Match, seat: SeatKeys, now: Callable[[], float], limits: Limits = DEFAULT_LIMITS) -> None:
        self._match = match
        self._seat = seat
        self._now = now
        seats = range(1, match.game.players + 1)
        self._heard = {seat: Window(limits.remark_burst, limits.remark_burst_s) for seat in seats}

    def signed(self, text: str) -> SignedRemark | None:
        """Sign a remark, as typed. Return None where nothing is left to show, and after too many remarks."""
        shown = cleaned(text, REMARK_LENGTH_MAX)
        number, _ = self._match.remarks.next_of(self._seat.number)
        if not shown or number > REMARKS_MAX:
            return None
        return SignedRemark(Contribution(*self._seat.say(self._match, shown)))

    def may_hear(self, seat: int) -> bool:
        """Return False while the last remarks of this seat are too many for their time."""
        return seat == self._seat.number or self._heard[seat].left(self._now()) > 0

    def note(self, outcome: Applied) -> None:
        if isinstance(outcome.thing, SignedRemark):
            self._heard[outcome.seat].add(self._now())
