"""Virtual time: future events in order. Two events at the same time happen in the order of their scheduling."""

import heapq
from collections.abc import Callable


class Appointment:
    """A future event that can be cancelled."""

    __slots__ = ("_what", "at")

    def __init__(self, at: float, what: Callable[[], None]) -> None:
        self.at = at
        self._what: Callable[[], None] | None = what

    def call_off(self) -> None:
        self._what = None

    def happen(self) -> None:
        what, self._what = self._what, None
        if what is not None:
            what()


class EventQueue:
    """An event heap and its clock. ``now`` is in virtual seconds from the start; ``done`` counts past events."""

    def __init__(self) -> None:
        self.now = 0.0
        self.done = 0
        self._heap: list[tuple[float, int, Appointment]] = []
        self._count = 0

    def at(self, when: float, what: Callable[[], None]) -> Appointment:
        """Do this at that time, or now if it is past."""
        self._count += 1
        appointment = Appointment(max(when, self.now), what)
        heapq.heappush(self._heap, (appointment.at, self._count, appointment))
        return appointment

    def after(self, delay_s: float, what: Callable[[], None]) -> Appointment:
        return self.at(self.now + delay_s, what)

    def step(self) -> bool:
        """Run the next event. Return False if there is none."""
        if not self._heap:
            return False
        self.now, _, appointment = heapq.heappop(self._heap)
        self.done += 1
        appointment.happen()
        return True
