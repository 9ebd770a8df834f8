"""Drawing by hand: the mover draws or ends, who forgot draws late or waives; and what nobody may do in between."""

import random
from collections import Counter

import pytest

from seqp2p.match.contribution import CallBody, SharesBody, TurnBody
from seqp2p.match.events import Drawn, Turned
from seqp2p.match.machine import Match
from seqp2p.match.table import encode_agreement
from seqp2p.rules import PASS, IllegalAction
from seqp2p.rules.status import status
from tests.match.refusal import goes_on, violation
from tests.replay.tools import verified
from tests.table import (
    ACTIONS,
    Played,
    altered,
    at_random,
    due,
    fields_of,
    make_agreement,
    make_seats,
    played,
    replay_bytes,
    shared_match_at,
    snapshot,
    with_body,
)


@pytest.fixture(scope="session")
def by_hand() -> Played:
    """Two players who draw, end, draw late and waive as it falls."""
    return played(2, "classic", 3, manual_draw=True)


def actions(game: Played) -> list[tuple[int, str, Turned]]:
    """Every action with its step and the step's kind."""
    kinds = [fields_of(step.contributions[0][1])["kind"] for step in game.steps]
    steps = [(number, kind) for number, kind in enumerate(kinds, 1) if kind in ACTIONS]
    turned = (event for event in game.events if isinstance(event, Turned))
    return [(*step, event) for step, event in zip(steps, turned, strict=True)]


def step_of(game: Played, step_kind: str, action: str) -> int:
    """The first step of this kind at which this action was taken."""
    return next(step for step, kind, event in actions(game) if (kind, event.action.kind) == (step_kind, action))


def test_every_way_to_draw_or_not_is_met(by_hand: Played) -> None:
    met = Counter((kind, event.action.kind) for _, kind, event in actions(by_hand))
    assert {("turn", "place"), ("turn", "draw"), ("turn", "end"), ("late", "draw"), ("late", "waive")} <= met.keys()
    verified(replay_bytes(by_hand))


def test_a_card_is_drawn_by_draw_and_exchange_only(by_hand: Played) -> None:
    for event, after in zip(by_hand.events, by_hand.events[1:], strict=False):
        if isinstance(event, Turned):
            assert (after == Drawn(event.seat)) == (event.action.kind in ("draw", "exchange"))


@pytest.mark.parametrize("players", [2, 3])
def test_seats_that_play_apart_draw_the_same(players: int) -> None:
    agreement = encode_agreement(make_agreement(players, manual_draw=True))
    matches, seats = [Match(agreement) for _ in range(players)], make_seats(players)
    dice, choose = random.Random(1), at_random(1)
    while matches[0].kind is not None and len(matches[0].record) < 60:
        sent = [c for match, seat in zip(matches, seats, strict=True) for c in due(match, [seat], choose)]
        for match in matches:
            for contribution in dice.sample(sent, len(sent)):
                match.receive(contribution)
        if matches[0].game.position is not None:
            assert status(matches[0].game.position) == ()
    for match in matches[1:]:
        assert snapshot(match) == snapshot(matches[0])


@pytest.mark.parametrize("kind", ["draw", "end"])
def test_the_mover_draws_or_ends_and_does_nothing_else(by_hand: Played, kind: str) -> None:
    step = step_of(by_hand, "turn", kind)
    match = shared_match_at(by_hand, step)
    assert match.plan is not None
    seat, honest = by_hand.seat(match.plan.subject), by_hand.contribution(step, match.plan.subject)
    assert {action.kind for action in seat.view(match).legal} == {"draw", "end"}
    hand = sorted(seat.hand(match))
    face = match.game.variant.faces[match.game.deck.face(seat.hand(match)[hand[0]])]
    for action, shown in (
        (f"{face} a2", hand[:1]),
        (f"{face} dead", hand[:1]),
        (f"{face} given", hand[:1]),
        ("pass", hand),
        ("waive", []),
        ("", []),
    ):
        shares, proof = seat._shares(match, shown) if shown else (b"", b"")
        false = seat._sign(match, TurnBody(action, tuple(shown), shares, proof))
        violation(match, false, seat.number, step, "")
    with pytest.raises(IllegalAction):
        seat.play(match, PASS)
    goes_on(match, honest)


def test_an_action_that_shows_nothing_carries_nothing(by_hand: Played) -> None:
    for kind in ("draw", "end"):
        step = step_of(by_hand, "turn", kind)
        match = shared_match_at(by_hand, step)
        ((number, honest),) = by_hand.steps[step - 1].contributions
        who, seat = by_hand.identity(number), by_hand.seat(number)
        at = sorted(seat.hand(match))[:1]
        shares, proof = seat._shares(match, at)
        for changes, text in (
            ({"cards": at}, "0 cards must be shown"),
            ({"cards": at, "shares": shares, "proof": proof}, "0 cards must be shown"),
            ({"shares": shares}, "0 points take"),
            ({"proof": proof}, "a proof where nothing is shown"),
            ({"proof": b"\0"}, "a proof where nothing is shown"),
        ):
            violation(match, with_body(who, honest, **changes), number, step, text)
        goes_on(match, honest)


def test_nobody_else_draws(by_hand: Played) -> None:
    step = step_of(by_hand, "turn", "draw")
    match = shared_match_at(by_hand, step)
    ((number, honest),) = by_hand.steps[step - 1].contributions
    other = 3 - number
    violation(match, altered(by_hand.identity(other), honest, seat=other), other, step, "not its step")


def test_a_turn_begins_with_no_draw(by_hand: Played) -> None:
    step = by_hand.step_of("turn")
    match = shared_match_at(by_hand, step)
    ((number, honest),) = by_hand.steps[step - 1].contributions
    for action in ("draw", "end", "waive"):
        false = by_hand.seat(number)._sign(match, TurnBody(action, (), b"", b""))
        violation(match, false, number, step, "")
    goes_on(match, honest)


def test_who_owes_a_draw_draws_or_waives(by_hand: Played) -> None:
    step = by_hand.step_of("late")
    match = shared_match_at(by_hand, step)
    assert match.plan is not None
    number = match.plan.subject
    honest, seat = by_hand.contribution(step, number), by_hand.seat(number)
    assert {action.kind for action in seat.view(match).legal} == {"draw", "waive"}
    violation(match, seat._sign(match, TurnBody("end", (), b"", b"")), number, step, "")
    call = seat._sign(match, CallBody("call 1", b"", bytes(64)))
    violation(match, call, number, step, "unknown field `remark`")
    mover = 3 - number
    violation(match, altered(by_hand.identity(mover), honest, seat=mover), mover, step, "not its step")
    violation(match, altered(by_hand.identity(number), honest, kind="turn"), number, step, "another kind than late")
    for other in ("draw", "waive"):
        goes_on(match, seat._sign(match, TurnBody(other, (), b"", b"")))


def test_the_share_for_a_late_draw_is_of_the_top_of_the_pile(by_hand: Played) -> None:
    step = step_of(by_hand, "late", "draw") + 1
    match = shared_match_at(by_hand, step)
    ((number, honest),) = by_hand.steps[step - 1].contributions
    seat, top = by_hand.seat(number), match.game.deck.drawn
    violation(match, seat._sign(match, SharesBody(*seat._shares(match, [top + 1]))), number, step, "share proof")
    goes_on(match, honest)
