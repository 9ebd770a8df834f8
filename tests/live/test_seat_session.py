"""One seat's session, handed one thing after the other, without links."""

from pathlib import Path

import trio

from seqp2p.live.asking import Asker
from seqp2p.live.recorder import TableEvent
from seqp2p.live.seat_session import SeatSession
from seqp2p.match.events import Dropped
from seqp2p.match.signed import BallotPayload, HeadPayload
from seqp2p.net.gossip import PeerState
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.links import Link
from seqp2p.net.messages import BallotMessage, ContributionMessage, HeadMessage
from seqp2p.net.relay import Neighbour, Received, Relay
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import View
from tests.live.parties import WITHOUT_THREADS
from tests.match.test_ballots_games import nth, table
from tests.match.voting import play_on, show, wish
from tests.table import at_random, due, fork


class Silent(Asker):
    """Asks no one."""

    def ask(self, step: int, seen: View, why: str | None, *, ahead: bool = False) -> None:
        """See Asker."""

    def hurry(self) -> None:
        """See Asker."""

    def _cancel(self) -> None:
        """See Asker."""


async def test_a_seat_that_is_dropped_takes_nothing_more(tmp_path: Path) -> None:
    """The others have gone on without it, and what they signed next came first."""
    match, seats = table(3)
    play_on(match, seats, at_random(1), nth("turn", 2))
    show(match, seats)
    own, others = seats[1], [seats[0], seats[2]]
    there = fork(match)
    ballots = [(seat.number, seat.ballot(there, 1, wish("drop", own.number), "absent")) for seat in others]
    for _, ballot in ballots:
        there.receive_word(BallotPayload, ballot)
    (head,) = others[0].heads(there)
    there.receive_word(HeadPayload, head)
    show(there, others)
    early = next(due(there, others, at_random(1)))
    neighbours: dict[int, Neighbour[Link]] = {
        seat.number: Neighbour(seat.number, "", PeerState(own.number, seat.number, DEFAULT_LIMITS)) for seat in others
    }
    relay, events = Relay(own.number, neighbours, trio.current_time), list[TableEvent]()
    with ReplayWriter(tmp_path / "game.seqp2p", match) as writer:
        session = SeatSession(match, own, relay, Silent(), writer, events.append, None, WITHOUT_THREADS)
        relay.begin(session.store, None)
        await session.begin()
        await session.take(Received(1, ContributionMessage(early.payload, early.signature)))
        await session.take(Received(1, HeadMessage(head.payload, head.signature)))
        for seat, ballot in ballots:
            await session.take(Received(seat, BallotMessage(ballot.payload, ballot.signature)))
    assert session.ending is not None
    assert events[-1] == Dropped((own.number,))
    assert match.number == there.number
    assert match.held == ()
