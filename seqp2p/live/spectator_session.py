"""One spectator at one table: it takes one thing after the other. No task, no link and no clock of its own.

Theory of operation. It plays the same match as the seats, through the same intake (match/intake.py), and checks
everything itself. The host can keep things back, and nothing more. A host gone without a word is looked for as
long as the table waits for a seat. It ends with the game, with evidence that leaves no opponent, and with a host that
leaves or stays away. All that it waits for is in ``Runtime``. spectator.py runs it under trio, tests/sim in a
simulation.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias, assert_never

from seqp2p.i18n import message, message_of
from seqp2p.live.absence import LATER, Absent, Back
from seqp2p.live.runtime import UNDER_TRIO, Runtime
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Event, Result, Undone
from seqp2p.match.game import final_result, names
from seqp2p.match.intake import EVERYTHING, WORDS, Applied, BadSender, Cheating, Deferred, Ignored, Intake, Outcome
from seqp2p.match.machine import Match
from seqp2p.match.signed import OfferedEvidence, ReleasedSecret, SignedLeave, SignedThing
from seqp2p.match.text import clean
from seqp2p.net import messages as wire
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.messages import More, OpeningMessage, RemarkMessage, SignedMessage, WireMessage, signed_thing
from seqp2p.replay.writer import ReplayWriter

ASK_S: Final = 0.6
"""Between two ``more``: a little more than a host's pause between two answers."""
OPENINGS_WAIT_S: Final = 8.0
"""How long after the end the opened hands are waited for: a little longer than the seats wait for each other's."""
ASIDE_MAX: Final = 128
"""Contributions on another past that are kept. Pasts part in the set-up, or a few steps before the open one."""

WatchEvent: TypeAlias = Event | Absent | Back
"""``Absent`` and ``Back`` are about the host."""


@dataclass(frozen=True, slots=True)
class Gone:
    """Nothing more will come, and why."""

    reason: str


WatchItem: TypeAlias = WireMessage | Absent | Back | Gone
HOST: Final = 0
"""The intake's name for the only sender there is."""


class SpectatorSession:
    """Watches one game. ``take`` comes first, for each thing, until there is an ``ending``; then ``take_hands``.

    ``farewell`` is the host's goodbye, once it has come.
    """

    def __init__(
        self,
        match: Match,
        host_seat: int,
        writer: ReplayWriter,
        emit: Callable[[WatchEvent], None],
        runtime: Runtime = UNDER_TRIO,
    ) -> None:
        self.match = match
        self._host_seat = host_seat
        self._host_name = names(match.game, {host_seat})
        self._writer = writer
        self._emit = emit
        self._runtime = runtime
        self._intake = Intake(match)
        self._heard = 0  # things of the host's log
        # The host sends nothing twice: what it had of another past is taken again once steps are undone.
        self._aside = deque[SignedThing](maxlen=ASIDE_MAX)
        self._again = deque[SignedThing]()
        self.farewell: wire.Bye | None = None
        self.ending: Result | None = None

    # The link to the host, for its carrier.

    def ask(self) -> More:
        """Return what is said to the host, at once on each link and then every ASK_S."""
        return More(self._heard)

    def handle(self, received: WireMessage) -> WireMessage | None:
        """Return the message if it is to be taken, or None. Raises PeerRefused, and LinkLost for a farewell."""
        match received:
            case wire.Ping():
                return None
            case wire.Refused(code, reason):
                raise PeerRefused(code, reason)
            case wire.Bye():
                self.farewell = received
                raise LinkLost(message("The host has left."))
            case _:
                return received

    def note(self, kept: WireMessage) -> None:
        """Note that what ``handle`` returned will be taken: the host need not send it again."""
        self._heard += isinstance(kept, SignedMessage)

    def lose(self, error: NetError | None) -> Absent | wire.Bye | Gone:
        """Return the item for the end of the link. An absent host is looked for."""
        if self.farewell is not None:
            return self.farewell
        if isinstance(error, PeerError | PeerRefused):
            return Gone(message_of(error))
        return Absent(self._host_seat, self.grace_s)

    def give_up(self) -> Gone:
        """The host was looked for all the time that the table waits for a seat."""
        return Gone(
            message("{seats} could not be reached for {grace_s} s", seats=self._host_name, grace_s=self.grace_s)
        )

    def turned_away(self, refused: PeerRefused) -> Gone:
        """The host is there again, and lets this spectator watch no longer."""
        if refused.code != "no_spectators":
            return Gone(message_of(refused))
        host = self._host_name
        # It does not say which: a host that was started again knows no spectator from before.
        return Gone(
            message("{host} was restarted and lets nobody watch any more, or others took the places", host=host)
        )

    @property
    def grace_s(self) -> int:
        """How long the host is looked for."""
        return self.match.game.agreement.settings.grace_s

    # What is taken, one thing after the other.

    async def take(self, item: WatchItem) -> None:
        """Take the next thing, in the order in which they came; then all that waited for it."""
        match item:
            case _ if isinstance(item, SignedMessage):
                await self._receive(signed_thing(item))
            case wire.Watching(data):
                if data != self.match.agreement_bytes:
                    self._end(message("the host came back with another table"))
            case wire.Bye(reason):
                self._end(self._farewell(clean(reason)))
            case Gone(reason):
                self._end(reason)
            case Absent() | Back():
                self._emit(item)
            case _:
                pass  # What hurries seats is nothing to a spectator.
        while (thing := self._next_due()) is not None:
            await self._receive(thing)

    def _next_due(self) -> SignedThing | None:
        if self._again:  # before what came early
            return self._again.popleft()
        waiting = self._intake.due(EVERYTHING if self.ending is None else WORDS)
        return None if waiting is None else waiting.thing

    async def _receive(self, thing: SignedThing) -> None:
        if isinstance(thing, Contribution | OfferedEvidence):
            finding = await self._runtime.in_thread(partial(self._intake.check, thing))
        else:
            finding = self._intake.check(thing)
        self._handle(self._intake.take(finding, HOST), thing)

    def _handle(self, outcome: Outcome, thing: SignedThing) -> None:
        match outcome:
            case Applied(events=events) | Cheating(events=events):
                self._writer.keep(self.match, outcome)
                self._follow(events)
                if isinstance(outcome, Cheating) or isinstance(thing, SignedLeave):
                    self.ending = self.ending or self.match.forfeit
            case Deferred(events) | Ignored(events=events):
                if isinstance(outcome, Ignored) and outcome.other_past:
                    self._aside.append(thing)
                self._follow(events)
            case BadSender(reason):
                # A false game secret is of no use. The right one may still come.
                if not isinstance(thing, ReleasedSecret):
                    self._end(message("the host passed on {reason}", reason=reason))
            case _:
                assert_never(outcome)

    def _follow(self, events: tuple[Event, ...]) -> None:
        """Write the new final steps, and emit their events."""
        self._writer.record(self.match)
        for event in events:
            self._emit(event)
            if isinstance(event, Undone):
                self._again.extend(self._aside)
                self._aside.clear()
        self.ending = self.match.game.result or self.ending

    # Endings.

    def _end(self, reason: str) -> None:
        """Nothing more is to be seen. With the final position signed by a majority its result holds all the same."""
        if self.match.confirmed:
            self.ending = final_result(self.match.game)
            return
        for seat, violation in self.match.proven.items():
            cheat, step = names(self.match.game, {seat}), violation.step
            reason = message("{seat} cheated at step {step}: {reason}", seat=cheat, step=step, reason=violation.reason)
        self.ending = self.match.forfeit or Result("unfinished", (), reason)

    def _farewell(self, reason: str) -> str:
        if reason == LATER:
            return message("{seat} has stopped for now", seat=self._host_name)
        if reason:
            return message("the host says: {reason}", reason=reason)
        return message("{seat} has left", seat=self._host_name)

    def see_hands(self) -> bool:
        """Open the hands whose secrets have come. Return True if there are more to wait for.

        After the end the seats open their hands, if the table agreed to it. Never before: it is checked here too.
        """
        if not self.match.may_open:
            return False
        while (waiting := self._intake.due((ReleasedSecret,))) is not None:
            self._intake.take(self._intake.check(waiting.thing), HOST)
        # A seat that was dropped need not open its hand.
        return not self.match.openings.keys() >= set(self.match.game.seats)

    def take_hands(self, item: WatchItem) -> bool:
        """Take something that comes after the end. Return True if there are hands to wait for still."""
        match item:
            case OpeningMessage() | RemarkMessage():
                thing = signed_thing(item)
                self._handle(self._intake.take(self._intake.check(thing), HOST), thing)
            case wire.Bye() | Gone():
                return False
            case _:
                pass  # The game is over: nothing else matters any more.
        return self.see_hands()
