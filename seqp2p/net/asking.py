"""Asking the player of this seat: one question at a time, and an answer in its place where time decides."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import MappingProxyType

import trio

from seqp2p.players.player import Player
from seqp2p.rules import END, WAIVE, Action, View


@dataclass(frozen=True, slots=True)
class Chosen:
    """The player's choice at this step. ``ahead``: for the draw that follows once another seat has made up its mind."""

    step: int
    action: Action
    ahead: bool


# Drawing by hand: whoever does not draw forgets it. The seat whose turn it is has this long after its placing; the one
# that forgot is told sooner by the next player's haste (``hurry``), and by itself after this.
PATIENCE_S = MappingProxyType({"draw": 10.0, "late": 30.0})
# What is left to a seat that owes a draw once the next player has chosen to draw: enough for a choice already made.
HASTE_S = 1.0
FORGOTTEN = MappingProxyType({"draw": END, "late": WAIVE})


class Asking:
    """The question that is open, if any. ``answer`` takes what the player says."""

    def __init__(self, player: Player, answer: Callable[[Chosen], Awaitable[None]]) -> None:
        self._player = player
        self._answer = answer
        self._scope = trio.CancelScope()
        self._patience = trio.CancelScope()
        self.open: tuple[int, bool] | None = None  # (step, ahead)

    def ask(self, nursery: trio.Nursery, step: int, seen: View, why: str | None, *, ahead: bool = False) -> None:
        """Ask; a question that is still open is taken back."""
        self.stop()
        self._scope = trio.CancelScope()
        self.open = (step, ahead)
        nursery.start_soon(self._ask, self._scope, Question(step, seen, why, ahead))

    def stop(self) -> None:
        """Take the open question back."""
        self._scope.cancel()
        self.open = None

    def hurry(self) -> None:
        """The open question is not waited for much longer."""
        self._patience.deadline = min(self._patience.deadline, trio.current_time() + HASTE_S)

    async def _ask(self, scope: trio.CancelScope, question: "Question") -> None:
        with scope:
            await self._answer(await self._answered(question))

    async def _answered(self, question: "Question") -> Chosen:
        phase = question.seen.phase
        self._patience = trio.CancelScope(deadline=trio.current_time() + PATIENCE_S.get(phase, math.inf))
        with self._patience:
            action = await self._player.choose(question.seen, question.why)
            return Chosen(question.step, action, question.ahead)
        return Chosen(question.step, FORGOTTEN[phase], question.ahead)


@dataclass(frozen=True, slots=True)
class Question:
    """What a player is asked: what it sees at this step, and why its last answer was not possible."""

    step: int
    seen: View
    why: str | None
    ahead: bool
