"""A simulated spectator: its machine, on which it may die and watch again, and one process after the other.

The product's own ``SpectatorSession`` takes the messages. The process gives the code, tries again for a while if there
is no answer, and looks for its host when the link is lost.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from seqp2p.crypto.identity import sign
from seqp2p.i18n import message_of
from seqp2p.live.absence import Absent, Back
from seqp2p.live.spectator_session import ASK_S, OPENINGS_WAIT_S, Gone, SpectatorSession, WatchEvent, WatchItem
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.net.dialling import pause_s
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import LinkStage, Ping, WireMessage, encode_message
from seqp2p.replay.writer import ReplayWriter
from tests.sim.event_queue import Appointment
from tests.sim.memory import REMEMBERING, decoded, pieces
from tests.sim.sim_process import Machine, SimProcess
from tests.sim.spectator_server import GIVES_CODE
from tests.sim.table import identity
from tests.sim.wires import End, keep_alive

HAD_ENOUGH: Final = "had enough"  # why it leaves
_KNOCKS_MAX: Final = 8
_KNOCK_AGAIN_S: Final = 2.0


class SimSpectator(SimProcess[WatchItem]):
    """A running spectator. Dishonest ones override ``adopt`` and ``_hear``."""

    def __init__(self, machine: "VirtualSpectator", match: Match, writer: ReplayWriter) -> None:
        super().__init__(machine)
        self.machine = machine
        self.spectator = SpectatorSession(match, machine.lan.host, writer, machine.emit, self)
        self.end: End | None = None
        self._writer = writer
        self._failures = 0
        self._search: Appointment | None = None  # the time of giving up
        self._seeing_hands = False

    @property
    def ends(self) -> list[End]:
        return [] if self.end is None else [self.end]

    def start(self) -> None:
        self.dial(self.machine.lan.host, self._let_in, GIVES_CODE)

    def _let_in(self, answer: End | PeerRefused | None) -> None:
        if isinstance(answer, End) and answer.open:
            self._ask_on()
            self.adopt(answer)
        elif isinstance(answer, PeerRefused) or self._failures == _KNOCKS_MAX:
            self.alive = False
            self.machine.ended(self, None, message_of(answer) if isinstance(answer, PeerRefused) else "nobody answers")
        else:
            self._failures += 1
            self.after(_KNOCK_AGAIN_S, self.start)

    def adopt(self, end: End) -> None:
        self.end, self._failures = end, 0
        self.say(self.spectator.ask())
        keep_alive(end, self.after, DEFAULT_LIMITS, Ping)

    def say(self, *messages: WireMessage) -> None:
        if self.end is not None:
            for message in messages:
                self.end.send_frame(encode_message(message))

    def _ask_on(self) -> None:
        self.say(self.spectator.ask())
        self.after(ASK_S, self._ask_on)

    def _hear(self, end: End, data: bytes) -> None:
        try:
            for frame in pieces(data, DEFAULT_LIMITS.frame_max):
                heard = self.spectator.handle(decoded(frame, LinkStage.SPECTATOR))
                if heard is not None:
                    self.put(heard)
                    self.spectator.note(heard)
        except NetError as error:
            end.end(error)

    def _lose(self, end: End, error: NetError) -> None:
        if end is not self.end:
            return
        self.end = None
        lost = self.spectator.lose(error)
        self.put(lost)
        if isinstance(lost, Absent):
            self._search = self.after(self.spectator.grace_s, self._give_up)
            self._look_again()

    def _look_again(self) -> None:
        self._failures += 1
        delay_s = pause_s(self._failures, 0.5 + self.machine.dice.random() / 2, DEFAULT_LIMITS)
        self.after(delay_s, self._dial_again)

    def _dial_again(self) -> None:
        if self._search is not None:
            self.dial(self.machine.lan.host, self._answered, self.spectator.match.game.id)

    def _answered(self, answer: End | PeerRefused | None) -> None:
        if self._search is None:
            if isinstance(answer, End):
                answer.cease()
        elif isinstance(answer, End) and answer.open:
            self._end_search(Back(self.machine.lan.host))
            self.adopt(answer)
        elif isinstance(answer, PeerRefused):
            self._end_search(self.spectator.turned_away(answer))
        else:
            self._look_again()

    def _give_up(self) -> None:
        if self._search is not None:
            self._end_search(self.spectator.give_up())

    def _end_search(self, found: Back | Gone) -> None:
        if self._search is not None:
            self._search.call_off()
            self._search = None
        self.put(found)

    def leave(self, reason: str) -> None:
        self._inbox.appendleft(Gone(reason))
        self._pump()

    def _take(self, item: WatchItem) -> None:
        if not self._seeing_hands:
            self._drive(self.spectator.take(item))
        elif not self.spectator.take_hands(item):
            self._finish()

    def _taken(self) -> None:
        if self is self.machine.process:
            self.machine.lan.witness.notices(self.machine)
        if self.spectator.ending is not None:
            self._seeing_hands = True
            if self.spectator.see_hands():
                self.after(OPENINGS_WAIT_S, self._finish)
            else:
                self._finish()

    def _finish(self) -> None:
        if self.alive:
            own = identity(self.machine.lan.table, self.number)
            self._writer.finish(self.spectator.match, own.public, partial(sign, own))
            self.die(power=False)
            self.machine.ended(self, self.spectator.ending, "")


MakeVisit: TypeAlias = Callable[["VirtualSpectator", Match, ReplayWriter], SimSpectator]


@dataclass(kw_only=True)
class VirtualSpectator(Machine):
    """A machine and its spectator. ``events`` is its history (virtual seconds, event)."""

    make_visit: MakeVisit = SimSpectator
    process: SimSpectator | None = None
    events: list[tuple[float, WatchEvent]] = field(default_factory=list[tuple[float, WatchEvent]])

    @property
    def match(self) -> Match | None:
        return None if self.process is None else self.process.spectator.match

    @property
    def farewell(self) -> str | None:
        """The reason of its host's goodbye, or None if it has read none, or had left before."""
        bye = None if self.process is None else self.process.spectator.farewell
        return None if bye is None or self.result == Result("unfinished", (), HAD_ENOUGH) else bye.reason

    @property
    def path(self) -> Path:
        """The path of the last replay; every process has its own."""
        return Path(f"{self.number}.{self.lives}.seqp2p")

    def start(self) -> None:
        if self.state != "down":
            return
        self.lives += 1
        self.state = "watching"
        match = Match(self.lan.agreement_bytes, checks=REMEMBERING)
        self.process = self.make_visit(self, match, ReplayWriter(self.path, match, disk=self.disk))
        self.process.start()

    def restart(self) -> None:
        if self.lives:
            self.start()

    def leave(self) -> None:
        if self.state == "watching" and self.process is not None:
            self.process.leave(HAD_ENOUGH)

    def emit(self, event: WatchEvent) -> None:
        self.events.append((self.lan.agenda.now, event))

    def ended(self, visit: SimSpectator, result: Result | None, reason: str) -> None:
        if visit is not self.process:
            return
        self.state, self.result, self.gone = ("gone" if result is None else "ended"), result, reason
        if result is None:
            self.disk.delete(self.path)  # It was never let in, and has nothing to keep.
