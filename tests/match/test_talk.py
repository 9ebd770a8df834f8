"""Table talk: remarks between steps, calls of them, the cards given up, and calls that are refused.

The vectors have more of what cannot be called or given up: tests/protocol/test_schema.py.
"""

import random
from typing import Any

import pytest

from seqp2p.crypto.hashing import REMARK
from seqp2p.crypto.identity import sign
from seqp2p.match.contribution import CallBody, Contribution, TurnBody
from seqp2p.match.encoding import encode
from seqp2p.match.events import Turned
from seqp2p.match.machine import Match
from seqp2p.match.remark import NO_REMARK, RemarkPayload, open_remark
from seqp2p.match.seat import SeatKeys
from seqp2p.match.steps import why_not_callable
from seqp2p.rules import PASS, IllegalAction, team_of
from seqp2p.rules.status import status
from tests.match.refusal import AtStep, at_step, goes_on, violation
from tests.sim import MINIATURE
from tests.table import Played, at_random, make_seats, match_at, play, played, snapshot

Said = tuple[bytes, bytes]


@pytest.fixture(scope="module")
def quiet() -> Played:
    """Four players in two teams at a table where talk can be called; no seat has talked."""
    return played(4, MINIATURE.name, table_talk=False)


@pytest.fixture
def first(quiet: Played) -> AtStep:
    """The first turn."""
    return at_step(quiet, "turn")


def said(table: Played, match: Match, speaker: int, text: str = "play the queen", **changes: Any) -> Said:
    """A remark by this seat, as it would be now but for the changes: payload and signature."""
    fields: dict[str, Any] = {
        "v": 1,
        "game": match.game.id,
        "seat": speaker,
        "number": 1,
        "last": NO_REMARK,
        "step": match.number,
        "prev": match.head,
        "courtesy": False,
        "text": text,
    }
    payload = encode(RemarkPayload(**{**fields, **changes}))
    return payload, sign(table.identity(speaker), REMARK, payload)


def call(seat: SeatKeys, match: Match, remark: Said, speaker: int) -> Contribution:
    """The call of a remark, whether it can be called or not."""
    return seat._sign(match, CallBody(f"call {speaker}", *remark))


def opponent(at: AtStep) -> int:
    """The seat after the mover."""
    return at.number % 4 + 1


def give_up(match: Match, seat: SeatKeys) -> Contribution:
    """One of the cards that a penalised seat can give."""
    return seat.play(match, seat.view(match).legal[0])


def test_a_called_team_gives_up_a_card_each_and_the_turn_goes_on(quiet: Played, first: AtStep) -> None:
    speaker, penalised = opponent(first), [seat for seat in range(1, 5) if (seat - first.number) % 2]
    matches = [match_at(quiet, first.match.number) for _ in range(4)]
    remark = open_remark(*said(quiet, first.match, speaker), first.match.game.id, first.match.game.agreement)
    for each in matches:
        assert each.receive_remark(remark.payload, remark.signature) == remark
        assert each.head == first.match.head, "no head depends on a remark"
        each.receive(first.seat.call(each, remark))
        assert (each.kind, sorted(each.awaited)) == ("discard", penalised)
    with pytest.raises(IllegalAction, match="give up a card from your hand"):
        quiet.seat(penalised[0]).play(matches[0], PASS)
    gifts = [give_up(matches[0], quiet.seat(seat)) for seat in penalised]
    dice = random.Random(1)
    for each in matches:
        for gift in dice.sample(gifts, len(gifts)):
            events = each.receive(gift)
        given_up = [(event.seat, event.action.kind) for event in events if isinstance(event, Turned)]
        assert given_up == [(seat, "give") for seat in penalised]
    after, *others = matches
    assert all(snapshot(each) == snapshot(after) for each in others)
    assert status(after.game.table_position()) == ()
    assert (after.kind, after.plan) == ("turn", first.match.plan), "the caller's turn goes on"
    hands = [3 - (seat in penalised) for seat in range(1, 5)]
    assert [len(after.game.deck.hand(seat)) for seat in range(1, 5)] == hands
    assert [len(hand) for hand in after.game.table_position().hands] == hands
    play(after, make_seats(4), at_random(5))
    assert after.game.result is not None


def test_a_remark_can_be_called_in_the_callers_first_turn_after_it(quiet: Played, first: AtStep) -> None:
    """The 1st is the turn it is dated to; who moved then may not have seen it, so the 5th is good as well."""
    speaker = opponent(first)
    remark = said(quiet, first.match, speaker)
    opened = open_remark(*remark, first.match.game.id, first.match.game.agreement)
    for nth in range(1, 10):
        at = at_step(quiet, quiet.step_of("turn", nth))
        contribution = call(at.seat, at.match, remark, speaker)
        if team_of(at.number, 2) == team_of(speaker, 2):
            at.refuses("own team", contribution)
        elif nth in {1, 3, 5}:
            goes_on(at.match, contribution)
        else:
            at.refuses("only in the first turn after it", contribution)
            with pytest.raises(IllegalAction, match="first turn after it"):
                at.seat.call(at.match, opened)


def test_a_call_and_nothing_else_carries_a_remark_of_the_seat_that_it_names(quiet: Played, first: AtStep) -> None:
    speaker, other = opponent(first), opponent(first) % 4 + 2
    remark = said(quiet, first.match, speaker)
    first.refuses("a call carries the remark", first.signs(TurnBody(f"call {speaker}", (), b"", b"")))
    first.refuses("only a call carries a remark", first.signs(CallBody(first.body["action"], *remark)))
    first.refuses(f"the remark is not one of seat {other}", call(first.seat, first.match, remark, other))


def test_a_remark_is_called_once(quiet: Played, first: AtStep) -> None:
    speaker, called = opponent(first), match_at(quiet, first.match.number)
    called.receive(call(first.seat, called, said(quiet, called, speaker), speaker))
    for seat in sorted(called.awaited):
        called.receive(give_up(called, quiet.seat(seat)))
    assert (called.kind, list(called.awaited)) == ("turn", [first.number])
    remark = said(quiet, first.match, speaker)
    violation(called, call(first.seat, called, remark, speaker), first.number, called.number, "called before")
    another = said(quiet, called, speaker, number=2, text="or the king")
    goes_on(called, call(first.seat, called, another, speaker))


@pytest.mark.parametrize("strange", [{"prev": bytes(32)}, {"step": 3}])
def test_a_remark_on_a_past_that_did_not_stand_is_kept_but_cannot_be_called(
    trio: Played, strange: dict[str, Any]
) -> None:
    match = match_at(trio, 9)
    remark = match.receive_remark(*said(trio, match, 1, **strange))
    assert remark is not None
    assert why_not_callable(match.game, remark, 2, match.number) is not None


def test_remarks_are_taken_after_the_end(trio: Played) -> None:
    match = match_at(trio, len(trio.steps))
    for seat in (1, 2, 3):
        match.receive(trio.contribution(match.number, seat))
    assert match.kind is None
    assert match.receive_remark(*trio.seat(1).say(match, "good game")) is not None
