"""Asking the player of this seat: one question at a time, and an answer in its place where time decides."""

import math
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import MappingProxyType

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
