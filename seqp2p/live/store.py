"""The game of a session, as the mesh reads it: see ``gossip.Store``."""

from seqp2p.match.contribution import Contribution
from seqp2p.match.machine import Match
from seqp2p.net.gossip import VoteMessage
from seqp2p.net.messages import BallotMessage, HeadMessage

# Steps before the last final one. A seat that signs twice can part a past only as long as it signs on it alone.
LOOK_BACK_MAX = 8


class MatchStore:
    """Reads a match, and never changes it."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._looked_back = (0, 0)  # the open step, and the earlier one that all are asked for meanwhile

    def have(self) -> tuple[int, frozenset[int]]:
        """The open step, and the seats whose contributions to it are here; or an earlier step, to be sent all of it."""
        if self._looked_back[0] == self._match.number:
            return self._looked_back[1], frozenset()
        return self._match.number, frozenset(seat for seat, _ in self._match.held)

    def missing(self, step: int, seats: frozenset[int]) -> list[tuple[int, int, Contribution]]:
        """Return the things that a seat lacks at this step, with the contributions of these seats to it."""
        closed = [
            (closed.number, seat, contribution)
            for closed in self._match.record[step - 1 :]
            for seat, contribution in closed.contributions
        ]
        held = [(self._match.number, seat, contribution) for seat, contribution in self._match.held]
        return [
            (number, seat, contribution)
            for number, seat, contribution in closed + held
            if number > step or (number == step and seat not in seats)
        ]

    def votes(self, step: int) -> list[VoteMessage]:
        """Return the ballots that closed steps since then, and all votes about the base."""
        closed = self._match.record[step - 1 : self._match.final]
        live = [BallotMessage(each.payload, each.signature) for step in closed for each in step.ballots]
        base = self._match.chain.base
        if base is not None:
            live += [BallotMessage(each.payload, each.signature) for each in base.ballots.values()]
        return [*live, *(HeadMessage(each.payload, each.signature) for each in self._match.shown)]

    def look_back(self, step: int) -> None:
        """A neighbour has another past before this step, so some seat has signed two different contributions.

        Nothing is proved by it yet. ``have`` asks for what came one step before, and one more each time that has
        another past too, until both contributions of the one who made two are here. Once the cards are dealt, pasts
        part near the last final step: no seat can make all send the whole game again and again.
        """
        first = 1 if self._match.game.position is None else self._match.final - LOOK_BACK_MAX
        if step == self.have()[0]:
            self._looked_back = self._match.number, max(1, first, step - 1)

    def look_at(self, step: int) -> None:
        """Ask all for all of a step: a neighbour says that it closed in another way than is known here."""
        if step < self.have()[0] or self._looked_back[0] != self._match.number:
            self._looked_back = self._match.number, step
