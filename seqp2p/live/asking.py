"""Asking the player of this seat: one question at a time, and an answer in its place where time decides."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

import trio

from seqp2p.bots.player import SeatPlayer
from seqp2p.rules import END, WAIVE, Action, View


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


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a player: its view at this step, and the reason why its last answer was impossible.

    ``scope`` ends when the question is taken back, ``patience`` when the answer is not waited for any more.
    """

    step: int
    seen: View
    why: str | None
    ahead: bool
    patience: trio.CancelScope
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)


class Asker(Protocol):
    """Asks the player of a seat one question at a time. The answer comes back as ``Chosen``."""

    @property
    def open(self) -> tuple[int, bool] | None:
        """The step that was asked about last, and whether ahead of it."""
        ...

    def ask(self, step: int, seen: View, why: str | None, *, ahead: bool = False) -> None:
        """Ask; an open question is taken back."""
        ...

    def take_back(self) -> None:
        """Void questions and answers, after steps were undone."""
        ...

    def hurry(self) -> None:
        """The open question is not waited for much longer."""
        ...

    def take_ahead(self) -> Action | None:
        """Return the choice for the draw that was asked about ahead, once; then None."""
        ...


class Asking:
    """The question that is open, if any. ``answer`` takes what the player says. ``begin`` comes first."""

    def __init__(self, player: SeatPlayer, answer: Callable[[Chosen], Awaitable[None]]) -> None:
        self._player = player
        self._answer = answer
        # A question that is taken back may not have noticed when the next one is put: the player has one at a time.
        self._one_at_a_time = trio.Lock()
        self._question: Question | None = None
        self._ahead: Action | None = None

    def begin(self, nursery: trio.Nursery) -> None:
        """Questions are tasks in this nursery."""
        self._nursery = nursery

    @property
    def open(self) -> tuple[int, bool] | None:
        """The step that was asked about last, and whether ahead of it."""
        return (self._question.step, self._question.ahead) if self._question else None

    def ask(self, step: int, seen: View, why: str | None, *, ahead: bool = False) -> None:
        """Ask; an open question is taken back."""
        if self._question:
            self._question.scope.cancel()
        patience = trio.CancelScope(deadline=trio.current_time() + PATIENCE_S.get(seen.phase, math.inf))
        self._question = Question(step, seen, why, ahead, patience)
        self._ahead = None
        self._nursery.start_soon(self._ask, self._question)

    def take_back(self) -> None:
        """Void questions and answers, after steps were undone."""
        if self._question:
            self._question.scope.cancel()
        self._question = self._ahead = None

    def hurry(self) -> None:
        """The open question is not waited for much longer."""
        if self._question:
            patience = self._question.patience
            patience.deadline = min(patience.deadline, trio.current_time() + HASTE_S)

    def take_ahead(self) -> Action | None:
        """Return the choice for the draw that was asked about ahead, once; then None."""
        ahead, self._ahead = self._ahead, None
        return ahead

    async def _ask(self, question: Question) -> None:
        with question.scope:
            chosen = Chosen(question.step, await self._answered(question), question.ahead)
            if chosen.ahead and chosen.action in question.seen.legal:
                # Kept at once: the draw may open before the answer is taken, and would be asked about again.
                self._ahead = chosen.action
            await self._answer(chosen)

    async def _answered(self, question: Question) -> Action:
        with question.patience:
            async with self._one_at_a_time:
                return await self._player.choose(question.seen, question.why)
        return FORGOTTEN[question.seen.phase]
