"""Ballots and heads of a live game: taken, kept, passed on, and those of this seat signed when they are due."""

from collections.abc import Callable
from typing import Literal

from seqp2p.i18n import message_of
from seqp2p.live.early import EarlyVotes
from seqp2p.live.recorder import Recorder
from seqp2p.live.voting import Voting
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import OtherPast, TooEarly, Unattributable, Violation
from seqp2p.match.events import Event
from seqp2p.match.seat import SeatKeys
from seqp2p.net.gossip import VoteMessage
from seqp2p.net.messages import BallotMessage, HeadMessage


class BallotBox:
    """One seat's part in the votes of its game.

    ``follow`` gets the events of what is taken, also none. Votes that prove their seat a cheat are in ``accused``.
    """

    def __init__(
        self, ledger: Recorder, seat: SeatKeys, voting: Voting, follow: Callable[[tuple[Event, ...]], None]
    ) -> None:
        self._ledger = ledger
        self._match = ledger.match
        self._seat = seat
        self._voting = voting
        self._follow = follow
        self._ahead = EarlyVotes()
        self._ahead_of = self._match.final
        self.accused: list[Violation] = []

    def hear(self, message: VoteMessage, sender: int) -> None:
        """A ballot or a head, a neighbour's or an own one; one that is too early waits until its step is the base."""
        signed = message.contribution
        ballot = isinstance(message, BallotMessage)
        try:
            events = self._match.receive_ballot(signed) if ballot else self._match.receive_head(signed)
        except TooEarly as early:
            self._ahead.keep(early, sender, message)
            # Signed on top of what is closed here, it may show that to be final.
            self._follow(self._match.settle())
        except OtherPast:
            pass  # Of no use here, and no evidence.
        except Unattributable as error:
            self._ledger.mesh.fault(sender, message_of(error))
        except Violation as violation:
            self.accused.append(violation)
        else:
            if events is not None:
                if sender != self._seat.number:
                    self._ledger.log("ballot" if ballot else "head", signed)
                self._ledger.mesh.send_vote(message)
                self._follow(events)

    def hear_ahead(self) -> bool:
        """Hear again what came too early, if a step has become final since; says whether one has."""
        if self._ahead_of == self._match.final:
            return False
        self._ahead_of = self._match.final
        for sender, message in self._ahead.due(self._match.number):
            self.hear(message, sender)
        return True

    @property
    def pressing(self) -> bool:
        """Whether somebody has voted on the first step that is not final, or has to be voted out at once."""
        base = self._match.chain.base
        at_fault = self._match.left.keys() | self._match.proven.keys()
        return base is not None and (bool(base.decree.votes) or not at_fault.isdisjoint(base.decree.members))

    async def vote(self) -> None:
        """Sign the ballots that are due, and the heads of what they closed."""
        await self.show_heads()
        while (due := self._voting.due(self._ledger.runtime.now())) is not None:
            own = self._seat.ballot(self._match, due.round, due.wish, due.reason)
            await self._keep("ballot", own)
            self.hear(BallotMessage(own.payload, own.signature), self._seat.number)
            await self.show_heads()
            self.hear_ahead()

    async def show_heads(self) -> None:
        """Sign for what is closed and not final, so that it becomes final though nothing is signed on top of it."""
        while own := self._seat.heads(self._match):
            for head in own:
                await self._keep("head", head)
                self.hear(HeadMessage(head.payload, head.signature), self._seat.number)

    async def _keep(self, kind: Literal["ballot", "head"], own: Contribution) -> None:
        self._ledger.log(kind, own)
        await self._ledger.sync()
