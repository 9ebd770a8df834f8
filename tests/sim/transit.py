"""The relay of a virtual LAN: two seats with routers wait there for each other, each with one line.

It is a model of ``seqp2p.net.transit``: lines, tokens and TLS are assumed to work. A line that is joined with one of
another seat, or of a dead process, ends in silence; then a seat waits again.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from seqp2p.net.limits import DEFAULT_LIMITS
from tests.sim.event_queue import EventQueue
from tests.sim.faults import FaultKind
from tests.sim.sim_process import Answered, SimProcess
from tests.sim.wires import End, Network

_SILENCE_S: Final = DEFAULT_LIMITS.relay_silence_s


@dataclass(frozen=True, slots=True)
class _Line:
    process: SimProcess[Any]
    answered: Answered

    def answer(self, end: End | None) -> None:
        if self.process.alive:
            self.answered(end)
        elif end is not None:
            end.cease()


class VirtualTransit:
    """The lines that wait. ``failures`` counts the faults of the relay at this moment, by kind."""

    def __init__(self, agenda: EventQueue, network: Network) -> None:
        self._agenda = agenda
        self._network = network
        self._lines: dict[frozenset[int], dict[int, _Line]] = {}  # by pair of seats, by seat
        self.failures = Counter[FaultKind]()

    def wait(self, process: SimProcess[Any], seat: int, answered: Answered) -> None:
        """Open a line of this process for another seat. The answer is a link, or None if the line has ended."""
        line = _Line(process, answered)
        if self.failures["relay"]:
            self._give_up(line)
            return
        pair = frozenset({process.number, seat})
        lines = self._lines.setdefault(pair, {})
        lines[process.number] = line
        if len(lines) == len(pair):
            self._join(*self._lines.pop(pair).values())

    def _give_up(self, *lines: _Line) -> None:
        for line in lines:
            self._agenda.after(_SILENCE_S, lambda line=line: line.answer(None))  # type: ignore[misc]

    def _join(self, one: _Line, other: _Line) -> None:
        ways = (one.process.number, other.process.number), (other.process.number, one.process.number)
        if (
            self.failures["mispair"]
            or not (one.process.alive and other.process.alive)
            or any(self._network.is_held(*way) for way in ways)
        ):
            self._give_up(one, other)
            return
        ends = self._network.link(one.process.number, one.process, other.process.number, other.process)
        for line, end, way in zip((one, other), ends, ways, strict=True):
            self._agenda.after(self._network.takes_s(*way), lambda line=line, end=end: line.answer(end))  # type: ignore[misc]

    def sever(self) -> None:
        lines, self._lines = self._lines, {}
        for pair in lines.values():
            self._give_up(*pair.values())
