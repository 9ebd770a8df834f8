"""One process of a simulated spectator: the work of ``seqp2p.live.spectator`` with a virtual socket.

The product's own ``SpectatorSession`` takes the messages. The process gives the code, tries again for a while if there
is no answer, and looks for its host when the link is lost.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from seqp2p.i18n import message_of
from seqp2p.live.absence import Absent, Back
from seqp2p.live.spectator_session import ASK_S, OPENINGS_WAIT_S, Gone, SpectatorSession, WatchEvent, WatchItem
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.net.dialling import pause_s
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import LinkStage, Ping, WireMessage, encode_message
from seqp2p.replay.writer import ReplayWriter, Signer
from seqp2p.testing.event_queue import Appointment
from seqp2p.testing.memory import decoded, pieces
from seqp2p.testing.mesh import Answered
from seqp2p.testing.sim_process import Machine, SimProcess
from seqp2p.testing.spectator_server import GIVES_CODE
from seqp2p.testing.wires import End, keep_alive

_KNOCKS_MAX: Final = 8
_KNOCK_AGAIN_S: Final = 2.0


class SpectatorMachine(Machine, Protocol):
    """The machine of a spectator's process."""

    def dial(self, visit: "SimSpectator", hello: bytes, answered: Answered) -> None:
        """Dial the host."""
        ...

    def looked(self, visit: "SimSpectator") -> None:
        """Note that it has taken something: the moment to check invariants."""
        ...

    def ended(self, visit: "SimSpectator", result: Result | None, reason: str) -> None:
        """Note that the process is done; without a result it has seen nothing."""
        ...


@dataclass(frozen=True)
class Ticket:
    """The ticket of a spectator: its parts."""

    match: Match
    host: int
    writer: ReplayWriter
    tell: Callable[[WatchEvent], None]
    key: bytes
    sign: Signer


class SimSpectator(SimProcess[WatchItem]):
    """A running spectator. Dishonest ones override ``adopt`` and ``_hear``."""

    def __init__(self, machine: SpectatorMachine, ticket: Ticket, dice: random.Random) -> None:
        super().__init__(machine)
        self.machine = machine
        self.spectator = SpectatorSession(ticket.match, ticket.host, ticket.writer, ticket.tell, self)
        self.end: End | None = None
        self._ticket = ticket
        self._dice = dice
        self._failures = 0
        self._search: Appointment | None = None  # the time of giving up
        self._seeing_hands = False

    def start(self) -> None:
        """Give the code."""
        self.machine.dial(self, GIVES_CODE, self._let_in)

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

    # The link to the host.

    def adopt(self, end: End) -> None:
        """Use a link to the host."""
        self.end, self._failures = end, 0
        self.say(self.spectator.alive())
        keep_alive(end, self.after, DEFAULT_LIMITS, Ping)

    def say(self, *messages: WireMessage) -> None:
        """Send a message to the host, if there is a link."""
        if self.end is not None:
            for message in messages:
                self.end.send_frame(encode_message(message))

    def _ask_on(self) -> None:
        self.say(self.spectator.alive())
        self.after(ASK_S, self._ask_on)

    def _hear(self, end: End, data: bytes) -> None:
        try:
            for frame in pieces(data, DEFAULT_LIMITS.frame_max):
                heard = self.spectator.hear(decoded(frame, LinkStage.SPECTATOR))
                if heard is not None:
                    self.put(heard)
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
        delay_s = pause_s(self._failures, 0.5 + self._dice.random() / 2, DEFAULT_LIMITS)
        self.after(delay_s, self._dial_again)

    def _dial_again(self) -> None:
        if self._search is not None:
            self.machine.dial(self, self.spectator.match.game.id, self._answered)

    def _answered(self, answer: End | PeerRefused | None) -> None:
        if self._search is None:
            if isinstance(answer, End):
                answer.cease()
        elif isinstance(answer, End) and answer.open:
            self._end_search(Back(self._ticket.host))
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

    # The inbox.

    def leave(self, reason: str) -> None:
        """Stop watching."""
        self._inbox.appendleft(Gone(reason))
        self._pump()

    def _take(self, item: WatchItem) -> None:
        if not self._seeing_hands:
            self._drive(self.spectator.take(item))
        elif not self.spectator.take_hands(item):
            self._finish()

    def _taken(self) -> None:
        self.machine.looked(self)
        if self.spectator.ending is not None:
            self._seeing_hands = True
            if self.spectator.see_hands():
                self.after(OPENINGS_WAIT_S, self._finish)
            else:
                self._finish()

    def _finish(self) -> None:
        if self.alive:
            self._ticket.writer.finish(self.spectator.match, self._ticket.key, self._ticket.sign)
            self._close(power=False)
            self.machine.ended(self, self.spectator.ending, "")

    def die(self, *, power: bool) -> None:
        """End without a goodbye. Without power its system does not close the connection either."""
        self._close(power=power)

    def _close(self, *, power: bool) -> None:
        self._stop()
        if self.end is not None:
            self.end.vanish() if power else self.end.cease()
