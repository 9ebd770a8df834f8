"""Votes at a table in memory: seats that are away, and those who stay close steps without them."""

from collections.abc import Sequence
from typing import Any

from seqp2p.match.ballots import Sanction, Wish
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Event
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import BallotPayload, HeadPayload, is_ballot
from seqp2p.match.table import encode_agreement
from tests.table import Choose, Until, at_random, due, make_agreement, make_seats


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


def table(players: int, variant: str = "kids", seed: int = 1, **changes: Any) -> tuple[Match, list[SeatKeys]]:
    return Match(encode_agreement(make_agreement(players, variant, seed, **changes))), make_seats(players, seed)


def nth(kind: str, count: int = 1) -> Until:
    """The so manieth step of this kind after the deal."""
    seen = set[int]()

    def until(match: Match) -> bool:
        if match.kind == kind and match.game.position is not None:
            seen.add(match.number)
        return len(seen) == count

    return until


def at_turn(
    count: int, players: int, variant: str = "kids", kind: str = "turn", **changes: Any
) -> tuple[Match, list[SeatKeys]]:
    """A table whose so manieth turn is open, or step of another kind; all before it is final."""
    match, seats = table(players, variant, **changes)
    play_on(match, seats, at_random(1), nth(kind, count))
    show(match, seats)
    return match, seats


def mover_of(match: Match) -> int:
    assert match.plan is not None
    return match.plan.subject
