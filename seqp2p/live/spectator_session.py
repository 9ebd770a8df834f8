"""What a spectator makes of whatever it takes. No task, no link and no clock of its own.

Theory of operation. It plays the same match as the seats do, and checks everything itself. The host is believed in
nothing: it can keep things back, and that is all. If it is gone without a word it is looked for as long as the table
waits for a seat. What ends the game ends this: its end, a proof that somebody cheated, a host that leaves or stays
away. What it waits for itself is in ``Runtime`` alone. watching.py runs it under trio, seqp2p/testing in a simulation.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_scalar
from seqp2p.i18n import message, message_of
from seqp2p.live.absence import Absent, Back
from seqp2p.live.early import Early, EarlyVotes
from seqp2p.live.runtime import UNDER_TRIO, Runtime
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import OtherPast, Refusal, TooEarly, Unattributable, Violation
from seqp2p.match.events import Event, Remarked, Result
from seqp2p.match.machine import Match
from seqp2p.match.outcome import final_result, names
from seqp2p.match.remark import BadRemark, open_remark
from seqp2p.net import messages as wire
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.messages import (
    BallotMessage,
    ContributionMessage,
    EvidenceMessage,
    Have,
    HeadMessage,
    LeaveMessage,
    OpeningMessage,
    RemarkMessage,
    WireMessage,
)
from seqp2p.net.text import clean
from seqp2p.replay.writer import ReplayWriter

ASK_S: Final = 0.6
"""Between two ``have`` while there is something new: a little more than a host's pause between two answers."""
OPENINGS_WAIT_S: Final = 8.0
"""How long after the end the opened hands are waited for: a little longer than the seats wait for each other's."""


WatchEvent: TypeAlias = Event | Absent | Back
"""``Absent`` and ``Back`` are the host's: whether it can be reached from here."""


@dataclass(frozen=True, slots=True)
class Gone:
    """Nothing more will come, and why."""

    reason: str


WatchItem: TypeAlias = WireMessage | Absent | Back | Gone


_Dated: TypeAlias = tuple[int, RemarkMessage]


@dataclass(slots=True)
class _Ahead:
    """What came before the match was so far."""

    contributions: Early = field(default_factory=Early)
    # By seat and number, with the step: verified, and not again before that is there.
    remarks: dict[tuple[int, int], _Dated] = field(default_factory=dict[tuple[int, int], _Dated])
    ballots: EarlyVotes = field(default_factory=EarlyVotes)
    heads: EarlyVotes = field(default_factory=EarlyVotes)
    openings: dict[int, OpeningMessage] = field(default_factory=dict[int, OpeningMessage])


class SpectatorSession:
    """Watches one game. ``take`` comes first, for each thing, until there is an ``ending``; then ``take_hands``.

    ``farewell``: the host's goodbye, once heard. ``moved``: there is something new to say by ``alive``.
    """

    def __init__(
        self,
        match: Match,
        host_seat: int,
        writer: ReplayWriter,
        tell: Callable[[WatchEvent], None],
        runtime: Runtime = UNDER_TRIO,
    ) -> None:
        self.match = match
        self._host_seat = host_seat
        self._writer = writer
        self._tell = tell
        self._runtime = runtime
        self._ahead = _Ahead()
        self.farewell: wire.Bye | None = None
        self.moved = False
        self.ending: Result | None = None

    # The link to the host, for whoever carries it.

    def alive(self) -> Have:
        """The sign of life: how far this has come."""
        self.moved = False
        return Have(self.match.number, tuple(seat for seat, _ in self.match.held))

    def hear(self, received: WireMessage) -> WireMessage | None:
        """What is to be taken of what has come, if anything; a farewell is by ``lose``. Raises Refused, LinkLost."""
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

    def lose(self, error: NetError | None) -> Absent | wire.Bye | Gone:
        """The link has ended, for this reason: what is to be taken of that. The host is looked for if it is absent."""
        if self.farewell is not None:
            return self.farewell
        if isinstance(error, PeerError | PeerRefused):
            return Gone(message_of(error))
        return Absent(self._host_seat, self.grace_s)

    def give_up(self) -> Gone:
        """The host was looked for all the time that the table waits for a seat."""
        seats = self._named({self._host_seat})
        return Gone(message("{seats} could not be reached for {grace_s} s", seats=seats, grace_s=self.grace_s))

    def turned_away(self, refused: PeerRefused) -> Gone:
        """The host is there again, and lets this spectator watch no longer."""
        if refused.code != "no_spectators":
            return Gone(message_of(refused))
        host = self._named({self._host_seat})
        # It does not say which: it knows nobody who watched before it was started again, whatever room it has.
        return Gone(
            message("{host} was started again and has no spectators any more, or others took the place", host=host)
        )

    @property
    def grace_s(self) -> int:
        """How long the host is looked for."""
        return self.match.game.agreement.settings.grace_s

    # What is taken, one thing after the other.

    async def take(self, item: WatchItem) -> None:
        """The next thing, in the order in which they came; then whatever that makes possible."""
        await self._take(item)
        await self._receive_due()

    async def _take(self, item: WatchItem) -> None:
        match item:
            case ContributionMessage():
                await self._receive(item.contribution)
            case BallotMessage() | HeadMessage():
                self._hear_vote(item)
            case LeaveMessage():
                self._hear_leave(item.contribution)
            case EvidenceMessage(contributions):
                await self._weigh(tuple(signed.contribution for signed in contributions))
            case RemarkMessage():
                self._receive_remark(item)
            case OpeningMessage():
                self._ahead.openings[item.seat] = item
            case wire.Watching(data):
                if data != self.match.agreement_bytes:
                    self._end(message("the host came back with another table"))
            case wire.Bye(reason):
                self._end(self._farewell(clean(reason)))
            case Gone(reason):
                self._end(reason)
            case Absent() | Back():
                self._tell(item)
            case _:
                pass  # What hurries seats is nothing to a spectator.

    async def _receive(self, contribution: Contribution) -> None:
        try:
            judged = await self._runtime.in_thread(partial(self.match.judge, contribution))
        except TooEarly as early:
            self._ahead.contributions.keep(early.step, early.seat, 0, contribution)
            self._follow(self.match.settle())
        except OtherPast:
            # Of no use here, but for what it shows of the steps before. If somebody signed twice, the proof comes.
            self._follow(self.match.settle())
        except Unattributable as error:
            self._end(message("the host passed on {reason}", reason=message_of(error)))
        except Violation as violation:
            self._accuse(violation)
        else:
            if judged is not None:
                self._follow(self.match.accept(judged))

    async def _receive_due(self) -> None:
        """What came early and is due now: a step may have been opened by a contribution, or by a vote."""
        while self.ending is None and (due := self._ahead.contributions.due(self.match.chain.opened)):
            for _, contribution in due:
                if self.ending is None:
                    await self._receive(contribution)

    def _follow(self, events: tuple[Event, ...]) -> None:
        """What has become of the game: on disk as far as it is final, then told; then what was too early."""
        self.moved = True
        self._writer.record(self.match)
        for event in events:
            self._tell(event)
        due = sorted(place for place, (step, _) in self._ahead.remarks.items() if step <= self.match.number)
        for place in due:
            self._receive_remark(self._ahead.remarks.pop(place)[1])
        # Ballots are about the first step that is not final; heads of any that is closed can make all up to it final.
        ahead = self._ahead
        for _, vote in ahead.ballots.due(self.match.final + 1) + ahead.heads.due(self.match.number):
            self._hear_vote(vote)
        if self.match.game.result is not None:
            self.ending = self.match.game.result

    # Ballots, heads, leaves and proofs: the seats decide by them, and this follows.

    def _hear_vote(self, received: BallotMessage | HeadMessage) -> None:
        events: tuple[Event, ...] | None = None
        final = self.match.final
        try:
            if isinstance(received, BallotMessage):
                events = self.match.receive_ballot(received.contribution)
            else:
                events = self.match.receive_head(received.contribution)
        except TooEarly as early:
            kept = self._ahead.ballots if isinstance(received, BallotMessage) else self._ahead.heads
            kept.keep(early, 0, received)
            # Signed on top of what is closed here, it may show that to be final.
            events = self.match.settle()
        except OtherPast:
            pass
        except Unattributable as error:
            self._end(message("the host passed on {reason}", reason=message_of(error)))
        except Violation as violation:
            self._accuse(violation)
        if events or self.match.final > final:  # Then the ballots on the next step are due.
            self._follow(events or ())

    def _hear_leave(self, signed: Contribution) -> None:
        try:
            events = self.match.receive_leave(signed)
        except Unattributable as error:
            self._end(message("the host passed on {reason}", reason=message_of(error)))
            return
        if events is not None:
            self._writer.leave(self.match, signed)
            self._follow(events)
            self.ending = self.ending or self.match.forfeit

    async def _weigh(self, evidence: tuple[Contribution, ...]) -> None:
        try:
            await self._runtime.in_thread(partial(self.match.weigh, evidence))
        except Violation as violation:
            self._accuse(violation)
        except (TooEarly, OtherPast):
            pass  # Not to be judged here; what the seats make of it comes as ballots.
        except Unattributable as error:
            self._end(message("the host passed on {reason}", reason=message_of(error)))

    def _accuse(self, violation: Violation) -> None:
        known = self.match.knows_of(violation)
        if (events := self.match.accuse(violation)) is not None:
            if not known:
                self._writer.evidence(self.match, violation)
            self._follow(events)
            self.ending = self.ending or self.match.forfeit

    def _receive_remark(self, received: RemarkMessage) -> None:
        """A remark; one that is dated to a later step than the open one waits."""
        game = self.match.game
        try:
            word = open_remark(received.payload, received.signature, game.id, game.agreement).said
        except BadRemark as error:
            self._end(message("the host passed on {reason}", reason=message_of(error)))
            return
        # Not ``chain.opened``, as for contributions: a speaker dates with its ``number`` also where no step is open, at
        # the end or while what closed the last one is not final. Nothing later would let such a remark in.
        if word.step > self.match.number:
            self._ahead.remarks[word.seat, word.number] = word.step, received
            return
        remark = self.match.receive_remark(received.payload, received.signature)
        if remark is not None:
            self._writer.remark(self.match, remark)
            self._tell(Remarked(word.seat, word.number, word.text, word.courtesy))

    # Endings.

    def _end(self, reason: str) -> None:
        """Nothing more is to be seen. With the final position signed by a majority its result holds all the same."""
        if self.match.confirmed:
            self.ending = final_result(self.match.game)
            return
        for seat, violation in self.match.proven.items():
            cheat, step = self._named({seat}), violation.step
            reason = message("{seat} cheated at step {step}: {reason}", seat=cheat, step=step, reason=violation.reason)
        self.ending = self.match.forfeit or Result("unfinished", (), reason)

    def _farewell(self, reason: str) -> str:
        if reason:
            return message("the host says: {reason}", reason=reason)
        return message("{seat} has left", seat=self._named({self._host_seat}))

    def _named(self, seats: set[int]) -> str:
        return names(self.match.game, seats)

    def see_hands(self) -> bool:
        """Open the hands whose secrets have come, and say whether there are more to wait for.

        After the end the seats open their hands, if the table agreed to it. Never before: it is checked here too. One
        that the host has made up is nothing; the right one may still come, for as long as any is waited for.
        """
        game = self.match.game
        if game.result is None or not self.match.confirmed or not game.agreement.settings.open_hands:
            return False
        openings, self._ahead.openings = self._ahead.openings, {}
        for seat, opening in openings.items():
            if seat not in self.match.openings:
                with contextlib.suppress(CryptoError, Refusal):
                    self.match.open_seat(seat, decode_scalar(opening.secret))
        return len(self.match.openings) < game.players

    def take_hands(self, item: WatchItem) -> bool:
        """Something comes after the end; says whether there are hands to wait for still."""
        match item:
            case OpeningMessage() as opening:
                self._ahead.openings[opening.seat] = opening
            case RemarkMessage() as remark:
                self._receive_remark(remark)
            case wire.Bye() | Gone():
                return False
            case _:
                pass  # The game is over: nothing else matters any more.
        return self.see_hands()
