"""Whole games in which seats are skipped and dropped at every kind of step; the others go on to a verified end."""

from collections.abc import Sequence
from typing import Any

import pytest

from seqp2p.match.ballots import Sanction
from seqp2p.match.errors import Refusal
from seqp2p.match.events import Dealt, Event, Finished, Redealt, Result, Skipped, Voted
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import BallotPayload, LeavePayload
from seqp2p.match.table import encode_agreement
from seqp2p.replay.verify import verify
from tests.match.voting import play_on, show, staying, vote, wish
from tests.replay.tools import verified
from tests.sim import MINIATURE
from tests.table import POLICIES, Until, at_random, make_agreement, make_seats, replay_of, soon

pytestmark = pytest.mark.simulation

MINI = MINIATURE.name


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


def kinds_of(events: Sequence[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def ends_verified(match: Match, seats: Sequence[SeatKeys]) -> None:
    """The seats that stay go on to an end, and their replay verifies."""
    play_on(match, seats, soon(1))
    verified(replay_of(match, staying(match, seats)[0]))


def test_a_skipped_turn_passes_on() -> None:
    match, seats = at_turn(3, 3)
    mover, before = mover_of(match), match.game.table_position()
    assert kinds_of(vote(match, seats, wish("skip", mover))) == [Voted, Voted, Skipped]
    after = match.game.table_position()
    assert (after.mover, after.turn, after.draws) == (mover % 3 + 1, before.turn + 1, before.draws)
    assert match.game.skipped == {mover}
    assert (match.kind, match.final) == ("turn", match.number - 1)
    play_on(match, seats, at_random(1), lambda match: mover not in match.game.skipped)
    assert match.game.skipped == set(), "it has played again"


@pytest.mark.parametrize(
    ("players", "variant", "kind", "count", "action", "policy", "changes"),
    [
        (3, "kids", "turn", 3, "skip", "random", {}),
        (4, "kids", "turn", 5, "drop", "random", {}),
        (3, "kids", "draw", 3, "drop", "random", {}),
        (3, "kids", "shuffle", 2, "drop", "peaceful", {}),
        (4, MINI, "late", 1, "drop", "random", {"manual_draw": True}),
        (6, MINI, "turn", 4, "drop", "random", {"teams": 3}),
    ],
    ids=lambda each: str(each) if isinstance(each, str | int) else "",
)
def test_the_others_go_on_to_a_verified_end(
    players: int, variant: str, kind: str, count: int, action: Sanction, policy: str, changes: dict[str, Any]
) -> None:
    match, seats = table(players, variant, **changes)
    play_on(match, seats, POLICIES[policy](1), nth(kind, count))
    assert match.kind == kind
    gone = match.plan.subject if match.plan and match.plan.subject else min(match.awaited)
    vote(match, seats, wish(action, gone))
    closed = match.record[-1]
    assert (closed.action, closed.about, closed.contributions) == (action, (gone,), ())
    assert len(closed.ballots) == players - 1
    events = kinds_of(play_on(match, seats, soon(1)))
    stay = staying(match, seats)
    assert len(stay) == (players if action == "skip" else players - 1)
    assert (Redealt in events, Dealt in events) == (action == "drop", False)
    for seat in stay:
        match.open_seat(seat.number, seat.release())
    report = verified(replay_of(match, stay[0]))
    assert (report.steps, report.result) == (len(match.record), match.game.result)
    assert report.result is not None
    assert gone not in report.result.winners or action == "skip"


@pytest.mark.parametrize("kind", ["shuffle", "deal"])
def test_another_seat_is_dropped_while_the_cards_are_dealt_again(kind: str) -> None:
    match, seats = at_turn(6, 4)
    vote(match, seats, wish("drop", 2))
    assert match.kind == "shuffle"
    sizes = [len(hand) for hand in match.game.table_position().hands]
    play_on(match, seats, at_random(1), nth(kind, 2 if kind == "shuffle" else 1))
    vote(match, staying(match, seats), wish("drop", 4))
    assert (match.game.gone, match.game.last_gone) == ((2, 4), (4,))
    play_on(match, seats, at_random(1), nth("turn", 1))
    after = [len(hand) for hand in match.game.table_position().hands]
    assert after == [sizes[0], 0, sizes[2], 0]
    assert [len(match.game.deck.hand(seat)) for seat in (1, 2, 3, 4)] == after
    assert sum(after) + match.game.table_position().pile + len(match.game.deck.discards) == 42
    ends_verified(match, seats)


def test_a_card_that_was_to_be_given_up_is_off_the_hand() -> None:
    match, seats = at_turn(5, 4, MINI, table_talk=False)
    caller = mover_of(match)
    remark = match.receive_remark(*seats[caller % 4].say(match, "the queen!"))
    assert remark is not None
    match.receive(seats[caller - 1].call(match, remark))
    assert match.kind == "discard"
    penalised = sorted(match.awaited)
    sizes = [len(hand) for hand in match.game.table_position().hands]
    vote(match, seats, wish("drop", penalised[0]))
    hands = match.game.table_position().hands
    assert [len(hand) for hand in hands] == [
        0 if seat == penalised[0] else size - (seat in penalised) for seat, size in enumerate(sizes, 1)
    ]
    ends_verified(match, seats)


def test_new_hands_after_a_drop_are_not_those_from_before() -> None:
    match, seats = at_turn(4, 3)
    before = {seat.number: seat.hand(match) for seat in seats}
    vote(match, seats, wish("drop", 2))
    play_on(match, seats, at_random(1), nth("turn"))
    for seat in staying(match, seats):
        assert not before[seat.number].keys() & seat.hand(match).keys()
        faces = [match.game.deck.face(card) for card in seat.hand(match).values()]
        assert sorted(faces) == sorted(seat.position(match).hands[seat.number - 1])


# How such games end.


def unfinished_with(match: Match, writer: SeatKeys, result: Result, steps: int) -> None:
    """The report on the replay that this seat writes: a forfeit is named, another end is its reason."""
    report = verify(replay_of(match, writer))
    named = result if result.kind == "forfeit" else None
    assert (report.verdict, report.result, report.reason) == ("unfinished", named, result.reason)
    assert report.steps == steps


def test_throwing_out_the_last_opponent_is_not_winning() -> None:
    match, seats = at_turn(2, 6, MINI, teams=3)
    vote(match, seats, wish("drop", 2, 5))
    assert not match.game.abandoned, "two teams are left"
    play_on(match, seats, at_random(1), nth("turn", 2))
    vote(match, staying(match, seats), wish("drop", 3))
    play_on(match, seats, at_random(1), nth("turn", 1))
    events = vote(match, staying(match, seats), wish("drop", 6))
    (result,) = [event.result for event in events if isinstance(event, Finished)]
    assert (match.game.result, match.kind, match.awaited, match.chain.live) == (result, None, frozenset(), [])
    assert (result.kind, result.winners) == ("unfinished", ())
    assert "without seat 6 (player 6) there is nobody to play against" in result.reason
    unfinished_with(match, seats[0], result, len(match.record))
    with pytest.raises(Refusal, match="only after the end"):
        match.open_seat(1, seats[0].release())  # Nobody has signed a final position.
    match.receive_word(LeavePayload, seats[3].leave(match))
    assert match.forfeit is None, "a team-mate is no opponent"


def test_whoever_leaves_before_the_deal_or_after_the_end_forfeits_nothing() -> None:
    match, seats = table(2)
    play_on(match, seats, at_random(1), lambda match: match.kind == "shuffle")
    match.receive_word(LeavePayload, seats[1].leave(match))
    assert match.forfeit is None
    play_on(match, seats, at_random(1), lambda match: match.kind == "over")
    assert match.kind == "over"
    assert match.forfeit is None


def test_opponents_that_left_forfeit() -> None:
    match, seats = at_turn(2, 4, MINI)
    for leaver in (2, 4):
        assert match.receive_word(LeavePayload, seats[leaver - 1].leave(match)) == ()
        assert match.receive_word(LeavePayload, seats[leaver - 1].leave(match)) is None
    result = Result("forfeit", (1, 3), "seat 2 (player 2), seat 4 (player 4) left the table")
    assert match.forfeit == result
    unfinished_with(match, seats[0], result, match.number - 1)


def test_a_drop_that_decides_the_position_is_followed_by_the_end() -> None:
    """The turn that was broken off was the last that may pass without a chip."""
    match, seats = at_turn(2, 3)
    match.game.position = match.game.table_position()._replace(quiet=match.game.variant.quiet_turns_max - 1)
    vote(match, seats, wish("drop", mover_of(match)))
    assert match.game.table_position().over
    assert match.kind == "over"
    play_on(match, seats, at_random(1))
    assert match.game.result == Result("drawn")


@pytest.mark.parametrize(
    ("players", "until"), [(3, nth("over")), (3, lambda match: match.number == 4), (2, nth("turn", 2))]
)
def test_nothing_is_voted_on_at_the_end_before_the_deal_and_by_two(players: int, until: Until) -> None:
    match, seats = table(players, seed=3)
    play_on(match, seats, at_random(1), until)
    show(match, seats)
    base = match.chain.base
    assert base is match.chain.open
    assert base is not None
    assert not base.votable
    assert match.receive_word(BallotPayload, seats[0].ballot(match, 1, wish("drop", 2), "absent")) is None
    assert base.ballots == {}
