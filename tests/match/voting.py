"""Votes at a table in memory: seats that are away, and those who stay close steps without them."""

from collections.abc import Sequence

from seqp2p.match.ballots import Sanction, Wish
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Event
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import BallotPayload, HeadPayload, is_ballot
from tests.table import Choose, Until, due


def wish(action: Sanction, *about: int) -> Wish:
    """To skip the mover, or to drop seats."""
    return Wish(action, frozenset(about))


def hear(match: Match, *words: Contribution) -> list[Event]:
    """The match takes ballots and heads. Those that do not count have no events."""
    events: list[Event] = []
    for word in words:
        kind = BallotPayload if is_ballot(word.payload) else HeadPayload
        events += match.receive_word(kind, word) or ()
    return events


def show(match: Match, seats: Sequence[SeatKeys]) -> list[Event]:
    """These seats show how they closed the steps without a final closing."""
    return [event for seat in seats for head in seat.heads(match) for event in hear(match, head)]


def vote(match: Match, seats: Sequence[SeatKeys], wanted: Wish, round_: int = 1) -> list[Event]:
    """All of these seats that stay vote so on the step that is open, and say how it closed."""
    events = show(match, seats)
    voters = [seat for seat in seats if seat.number in match.game.seats and seat.number not in wanted.about]
    for seat in voters:
        events += hear(match, seat.ballot(match, round_, wanted, "late"))
    return events + show(match, voters)


def staying(match: Match, seats: Sequence[SeatKeys]) -> list[SeatKeys]:
    """Those of these seats that are in the game."""
    return [seat for seat in seats if seat.number in match.game.seats]


def play_on(
    match: Match, seats: Sequence[SeatKeys], choose: Choose, until: Until = lambda _match: False
) -> list[Event]:
    """Those who are in the game play on until the end, or until the open step is one that ``until`` picks."""
    events: list[Event] = []
    while match.kind is not None and not until(match):
        contributions = list(due(match, staying(match, seats), choose))
        assert contributions, f"nobody contributes to step {match.number}, {match.kind}"
        for contribution in contributions:
            events += match.receive(contribution)
    return events
