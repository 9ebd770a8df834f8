"""The players of simulated seats: bots that think in virtual time."""

import random
from collections.abc import Callable

from seqp2p.bots.registry import FORGETFUL
from seqp2p.live.asking import FORGOTTEN, HASTE_S, PATIENCE_S, Asker, Chosen
from seqp2p.live.seat_session import InboxItem
from seqp2p.rules import Action, View
from tests.sim.event_queue import Appointment
from tests.sim.sim_process import SimProcess

Choose = Callable[[View, str | None], Action]
"""A player's choice from its view and the reason of refusing its last choice, or None."""


def make_bot(name: str, dice: random.Random) -> Choose:
    """Return ``random`` or ``greedy``, which forgets some draws."""
    bot = FORGETFUL[name](dice)
    return lambda view, _why: bot.choose(view)


class VirtualAsking(Asker):
    """Asks in virtual time. ``see`` gets every view handed out."""

    def __init__(
        self, choose: Choose, process: SimProcess[InboxItem], thinks_s: Callable[[], float], see: Callable[[View], None]
    ) -> None:
        super().__init__()
        self._choose = choose
        self._process = process
        self._thinks_s = thinks_s
        self._see = see
        self._alarms: list[Appointment] = []
        self._hurried: Callable[[], None] = lambda: None

    def ask(self, step: int, seen: View, why: str | None, *, ahead: bool = False) -> None:
        self._begin(step, ahead=ahead)
        self._see(seen)

        def forget() -> None:
            self._cancel()
            self._answer(Chosen(step, FORGOTTEN[seen.phase], ahead), seen)

        def choose() -> None:
            self._cancel()
            self._answer(Chosen(step, self._choose(seen, why), ahead), seen)

        self._alarms.append(self._process.after(self._thinks_s(), choose))
        if seen.phase in PATIENCE_S:
            self._alarms.append(self._process.after(PATIENCE_S[seen.phase], forget))
        self._hurried = lambda: self._alarms.append(self._process.after(HASTE_S, forget))

    def hurry(self) -> None:
        if self._alarms:
            self._hurried()

    def _answer(self, chosen: Chosen, seen: View) -> None:
        self._keep_if_ahead(chosen, seen)
        self._process.put(chosen)

    def _cancel(self) -> None:
        for alarm in self._alarms:
            alarm.call_off()
        self._alarms.clear()
