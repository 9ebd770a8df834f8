"""Whole games in which seats are skipped and dropped at every kind of step; the others go on to a verified end."""

from collections.abc import Sequence
from typing import Any

import pytest

from seqp2p.crypto.group import ORDER
from seqp2p.match.ballots import Sanction
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import Refusal
from seqp2p.match.events import Dealt, Dropped, Event, Finished, Redealt, Result, Skipped, Voted
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys, SeatSecrets
from seqp2p.match.signed import BallotPayload, HeadPayload, LeavePayload
from seqp2p.match.table import encode_agreement
from seqp2p.replay.verify import verify
from tests.match.voting import play_on, show, staying, vote, wish
from tests.table import (
    POLICIES,
    Until,
    at_random,
    identity,
    make_agreement,
    make_seats,
    randomness,
    replay_of,
    soon,
)

pytestmark = pytest.mark.simulation


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


def kinds_of(events: Sequence[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def test_a_skipped_turn_passes_on() -> None:
    match, seats = table(3)
    play_on(match, seats, at_random(1), nth("turn", 3))
    assert match.plan is not None
    mover, before = match.plan.subject, match.game.table_position()
    events = vote(match, seats, wish("skip", mover))
    assert kinds_of(events) == [Voted, Voted, Skipped]
    after = match.game.table_position()
    assert (after.mover, after.turn, after.draws) == (mover % 3 + 1, before.turn + 1, before.draws)
    assert match.game.skipped == {mover}
    assert (match.kind, match.final) == ("turn", match.number - 1)
    play_on(match, seats, at_random(1), lambda match: mover not in match.game.skipped)
    assert match.game.skipped == set(), "it has played again"


CASES: list[tuple[int, str, str, int, Sanction, str, dict[str, Any]]] = [
    (3, "kids", "turn", 3, "skip", "random", {}),
    (4, "kids", "turn", 2, "skip", "random", {}),
    (3, "kids", "turn", 1, "drop", "random", {}),
    (4, "kids", "turn", 5, "drop", "random", {}),
    (3, "kids", "draw", 3, "drop", "random", {}),
    (4, "kids", "draw", 2, "drop", "random", {}),
    (3, "kids", "shuffle", 2, "drop", "peaceful", {}),
    (4, "classic", "late", 1, "drop", "random", {"manual_draw": True}),
    (6, "classic", "turn", 4, "drop", "random", {"teams": 3}),
]


@pytest.mark.parametrize(
    ("players", "variant", "kind", "count", "action", "policy", "changes"),
    CASES,
    ids=lambda each: str(each) if isinstance(each, str | int) else "",
)
def test_the_others_go_on_to_a_verified_end(
    players: int, variant: str, kind: str, count: int, action: Sanction, policy: str, changes: dict[str, Any]
) -> None:
    match, seats = table(players, variant, **changes)
    choose = POLICIES[policy](1)
    play_on(match, seats, choose, nth(kind, count))
    assert match.kind == kind
    gone = match.plan.subject if match.plan and match.plan.subject else min(match.awaited)
    vote(match, seats, wish(action, gone))
    closed = match.record[-1]
    assert (closed.action, closed.about, closed.contributions) == (action, (gone,), ())
    assert len(closed.ballots) == players - 1
    events = play_on(match, seats, soon(1))
    stay = staying(match, seats)
    assert len(stay) == (players if action == "skip" else players - 1)
    assert ((Redealt in kinds_of(events)), Dealt in kinds_of(events)) == (action == "drop", False)
    for seat in stay:
        match.open_seat(seat.number, seat.release())
    report = verify(replay_of(match, stay[0]))
    assert (report.verdict, report.steps) == ("verified", len(match.record)), report.reason
    assert report.result == match.game.result
    assert report.result is not None
    assert gone not in report.result.winners or action == "skip"


def test_each_keeps_its_own_match_and_the_record_of_the_one_who_left_is_the_beginning() -> None:
    agreement = encode_agreement(make_agreement(3, "kids", 2))
    seats = make_seats(3, 2)
    matches = {seat.number: Match(agreement, seat.number) for seat in seats}
    choose, gone, until = at_random(2), 0, nth("draw", 2)

    def tell(kind: type[BallotPayload | HeadPayload] | None, signed: Contribution) -> None:
        for number, match in matches.items():
            if number != gone:
                match.receive_word(kind, signed) if kind else match.receive(signed)

    while any(match.kind is not None for number, match in matches.items() if number != gone):
        for seat in seats:
            match = matches[seat.number]
            if seat.number == gone or match.kind is None:
                continue
            if not gone and until(match):
                gone = min(match.awaited)
                continue
            if seat.owes(match):
                tell(
                    None,
                    seat.play(match, choose(seat.view(match))) if match.kind == "turn" else seat.contribute(match),
                )
                continue
            for head in seat.heads(match):
                tell(HeadPayload, head)
            due = (
                match.chain.base.decree.ballot_due(seat.number, wish("drop", gone), stuck=False)
                if match.chain.base
                else None
            )
            if gone and due and gone in match.game.seats and match.chain.base is match.chain.open:
                tell(BallotPayload, seat.ballot(match, due[0], due[1], "absent"))
    left, *others = (matches[gone], *(match for number, match in matches.items() if number != gone))
    assert others[0].record == others[1].record
    assert others[0].record[: left.final] == left.record[: left.final]
    assert left.final < others[0].final
    assert {verify(replay_of(match, seats[0])).verdict for match in others} == {"verified"}
    assert verify(replay_of(left, seats[gone - 1])).verdict == "unfinished"


@pytest.mark.parametrize("kind", ["shuffle", "deal"])
def test_another_seat_is_dropped_while_the_cards_are_dealt_anew(kind: str) -> None:
    match, seats = table(4)
    play_on(match, seats, at_random(1), nth("turn", 6))
    vote(match, seats, wish("drop", 2))
    assert match.kind == "shuffle"
    sizes = [len(hand) for hand in match.game.table_position().hands]
    play_on(match, seats, at_random(1), nth(kind, 2 if kind == "shuffle" else 1))
    vote(match, staying(match, seats), wish("drop", 4))
    assert match.game.gone == (2, 4)
    assert match.game.last_gone == (4,)
    play_on(match, seats, at_random(1), nth("turn", 1))
    after = [len(hand) for hand in match.game.table_position().hands]
    assert after == [sizes[0], 0, sizes[2], 0]
    assert [len(match.game.deck.hand(seat)) for seat in (1, 2, 3, 4)] == after
    assert sum(after) + match.game.table_position().pile + len(match.game.deck.discards) == 42
    play_on(match, seats, soon(1))
    assert verify(replay_of(match, seats[0])).verdict == "verified"


def test_a_card_that_was_to_be_given_up_is_off_the_hand() -> None:
    match, seats = table(4, "classic", table_talk=False)
    play_on(match, seats, at_random(1), nth("turn", 5))
    assert match.plan is not None
    caller = match.plan.subject
    speaker = caller % 4 + 1
    remark = match.receive_remark(*seats[speaker - 1].say(match, "the queen!"))
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
    play_on(match, seats, soon(1))
    assert verify(replay_of(match, seats[caller - 1])).verdict == "verified"


def test_new_hands_after_a_drop_are_not_those_from_before() -> None:
    match, seats = table(3)
    play_on(match, seats, at_random(1), nth("turn", 4))
    before = {seat.number: seat.hand(match) for seat in seats}
    vote(match, seats, wish("drop", 2))
    play_on(match, seats, at_random(1), nth("turn"))
    for seat in staying(match, seats):
        assert not before[seat.number].keys() & seat.hand(match).keys()
        faces = [match.game.deck.face(card) for card in seat.hand(match).values()]
        assert sorted(faces) == sorted(seat.position(match).hands[seat.number - 1])


# How such games end.


def ended_without(match: Match, seats: Sequence[SeatKeys], *gone: int) -> Result:
    events = vote(match, seats, wish("drop", *gone))
    (finished,) = [event for event in events if isinstance(event, Finished)]
    assert finished.result == match.game.result
    assert (match.kind, match.awaited, match.chain.live) == (None, frozenset(), [])
    return finished.result


def test_throwing_out_the_last_opponent_is_not_winning() -> None:
    match, seats = table(6, "classic", teams=3)
    play_on(match, seats, at_random(1), nth("turn", 2))
    vote(match, seats, wish("drop", 2, 5))
    assert match.game.result is None, "two teams are left"
    play_on(match, seats, at_random(1), nth("turn", 2))
    vote(match, staying(match, seats), wish("drop", 3))
    play_on(match, seats, at_random(1), nth("turn", 1))
    result = ended_without(match, staying(match, seats), 6)
    assert (result.kind, result.winners) == ("unfinished", ())
    assert "without seat 6 (player 6) there is nobody to play against" in result.reason
    report = verify(replay_of(match, seats[0]))
    assert (report.verdict, report.result, report.steps) == ("unfinished", None, len(match.record))
    assert report.reason == result.reason
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


def test_whoever_left_by_its_own_signature_forfeits() -> None:
    match, seats = table(4, "classic")
    play_on(match, seats, at_random(1), nth("turn", 2))
    for leaver in (2, 4):
        assert match.receive_word(LeavePayload, seats[leaver - 1].leave(match)) == ()
        assert match.receive_word(LeavePayload, seats[leaver - 1].leave(match)) is None
    result = match.forfeit
    assert result == Result("forfeit", (1, 3), "seat 2 (player 2), seat 4 (player 4) left the table")
    report = verify(replay_of(match, seats[0]))
    assert (report.verdict, report.result) == ("unfinished", result)


def test_an_opponent_that_left_or_cheated_is_dropped_and_forfeits() -> None:
    match, seats = table(3, "classic")
    play_on(match, seats, at_random(1), nth("turn", 2))
    vote(match, seats, wish("drop", 2))
    play_on(match, seats, at_random(1), lambda match: match.kind == "turn")
    assert match.kind == "turn"
    match.receive_word(LeavePayload, seats[2].leave(match))
    result = match.forfeit
    assert result == Result("forfeit", (1,), "seat 3 (player 3) left the table")
    report = verify(replay_of(match, seats[0]))
    assert (report.verdict, report.result, report.reason) == ("unfinished", result, result.reason)


def test_keys_that_cancel_each_other_end_the_game() -> None:
    """Three seats that made their keys together, and a fourth: as long as it is there, they add up to something."""
    match, seats = table(4, "kids")
    secrets = [seat.release() for seat in seats]
    third = SeatSecrets((-secrets[0] - secrets[1]) % ORDER, b"n" * 32)
    seats[2] = SeatKeys(3, identity(3), randomness("third"), third)
    seats[2].waits_to_sign = False
    play_on(match, seats, at_random(1), nth("turn", 2))
    result = ended_without(match, seats, 4)
    assert result.kind == "unfinished"
    assert "cancel each other out" in result.reason
    assert verify(replay_of(match, seats[0])).verdict == "unfinished"


def test_a_drop_that_decides_the_position_is_followed_by_the_end() -> None:
    """The turn that was broken off was the last that may pass without a chip."""
    match, seats = table(3)
    play_on(match, seats, at_random(1), nth("turn", 2))
    assert match.plan is not None
    match.game.position = match.game.table_position()._replace(quiet=match.game.variant.quiet_turns_max - 1)
    vote(match, seats, wish("drop", match.plan.subject))
    assert match.game.table_position().over
    assert match.kind == "over"
    play_on(match, seats, at_random(1))
    assert match.game.result == Result("drawn")


def test_nothing_is_voted_on_at_the_end_before_the_deal_and_by_two() -> None:
    for players, until in ((3, nth("over")), (3, lambda match: match.number == 4), (2, nth("turn", 2))):
        match, seats = table(players, seed=3)
        play_on(match, seats, at_random(1), until)
        show(match, seats)
        base = match.chain.base
        assert base is match.chain.open
        assert base is not None
        assert not base.votable
        assert match.receive_word(BallotPayload, seats[0].ballot(match, 1, wish("drop", 2), "absent")) is None
        assert base.ballots == {}


def test_two_teams_of_two_go_on_with_three() -> None:
    match, seats = table(4, "classic")
    play_on(match, seats, at_random(1), nth("turn", 3))
    events = vote(match, seats, wish("drop", 4))
    assert Dropped((4,)) in events
    play_on(match, seats, soon(1))
    assert match.game.result is not None
    assert match.game.result.kind == "won"
