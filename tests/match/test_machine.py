"""The step machine: contributions early, twice, out of place, on another past; and the end of a game.

test_intake.py shows that any order comes to the same game.
"""

import random

import pytest

from seqp2p.crypto.group import mul
from seqp2p.match.errors import OtherPast, Refusal, TooEarly, Violation
from seqp2p.match.machine import Match
from tests.crypto.tools import decrypt
from tests.match.refusal import at_step, goes_on, refused, violation
from tests.table import Played, altered, fields_of, match_at, played, shared_match_at, snapshot

TWO = "two different contributions"


def test_only_what_closes_a_step_has_events(trio: Played) -> None:
    match = Match(trio.agreement)
    for step in trio.steps:
        *first, last = [held for _, held in step.contributions]
        for contribution in first:
            head = match.head
            assert match.receive(contribution) == ()
            assert match.head == head
        assert bool(match.receive(last)) == (step.number != 1), "agreeing to the table is no event"


def test_what_is_held_is_in_seat_order(trio: Played) -> None:
    match = Match(trio.agreement)
    for seat in (3, 1):
        match.receive(trio.contribution(1, seat))
    assert match.held == ((1, trio.contribution(1, 1)), (3, trio.contribution(1, 3)))
    assert match.awaited == {2}


def test_a_later_step_is_too_early_on_any_past(trio: Played) -> None:
    match = shared_match_at(trio, 1)
    later = [at_step(trio, step) for step in (2, 3, len(trio.steps))]
    early = [(at, each) for at in later for each in (at.honest, at.altered(prev=bytes(32)))]
    far = at_step(trio, 1, 2)
    for at, contribution in (*early, (far, far.altered(step=100_000))):
        error: TooEarly = refused(match, contribution, TooEarly)
        assert (error.step, error.seat) == (fields_of(contribution)["step"], at.number)
    goes_on(match, trio.contribution(1, 1))


def test_what_is_in_the_record_is_taken_silently_again(trio: Played) -> None:
    before = snapshot(trio.match)
    for step in trio.steps:
        for _, held in step.contributions:
            assert trio.match.receive(held) == ()
    assert snapshot(trio.match) == before


@pytest.mark.parametrize("step", [1, 5, 12, 40])
def test_another_past_is_no_evidence(trio: Played, step: int) -> None:
    at = at_step(trio, step)
    for match in (trio.match, at.match):
        refused(match, at.altered(prev=bytes(32)), OtherPast)
    goes_on(at.match, at.honest)


def test_two_contributions_to_an_open_step_are_equivocation(trio: Played) -> None:
    match = match_at(trio, 1)
    first = trio.contribution(1, 2)
    match.receive(first)
    second = altered(trio.identity(2), first, body={"commitment": bytes(32)})
    assert violation(match, second, 2, 1, TWO).evidence == (first, second)
    goes_on(match, trio.contribution(1, 1))


@pytest.mark.parametrize("kind", ["seat", "shuffle", "deal", "turn", "draw", "over"])
def test_two_contributions_to_a_closed_step_are_equivocation(trio: Played, kind: str) -> None:
    """What the second one says plays no part: it is not even of a kind that could have stood there."""
    at = at_step(trio, kind)
    second = at.altered(kind="nonsense", body={})
    assert violation(trio.match, second, at.number, at.match.number, TWO).evidence == (at.honest, second)


@pytest.mark.parametrize("kind", ["shuffle", "turn", "draw"])
def test_who_contributes_to_a_step_that_is_not_its_own_is_to_blame(trio: Played, kind: str) -> None:
    at = at_step(trio, kind)
    intruder = min({1, 2, 3} - at.match.awaited)
    strange = altered(trio.identity(intruder), at.honest, seat=intruder)
    for match in (at.match, trio.match):
        assert len(violation(match, strange, intruder, at.match.number, "not its step").evidence) == 1
    goes_on(at.match, at.honest)


def test_a_turn_to_a_closed_step_is_none_to_the_open_one(trio: Played) -> None:
    """The seat in turn contributes the due kind, under the number of an earlier turn."""
    first, at = trio.step_of("turn"), at_step(trio, trio.step_of("turn", 2))
    earlier = at.altered(step=first, prev=trio.steps[first - 1].prev)
    assert violation(at.match, earlier, at.number, first, "not its step").failure == "step"


@pytest.mark.parametrize(("players", "votes"), [(2, 2), (3, 2), (4, 3)])
def test_a_strict_majority_confirms_the_result(players: int, votes: int) -> None:
    game = played(players, "kids", 4)
    step = game.step_of("over")
    match = match_at(game, step)
    for count, seat in enumerate(random.Random(players).sample(range(1, players + 1), players), 1):
        match.receive(game.contribution(step, seat))
        assert match.confirmed == (count >= votes)
    assert (match.kind, match.plan, list(match.awaited), match.held) == (None, None, [], ())
    assert match.number == len(match.record) + 1


def test_the_word_of_a_cheat_confirms_nothing(trio: Played) -> None:
    """Two of three have signed the end, and one of them is proved a cheat: it is confirmed when the third has too."""
    step = trio.step_of("over")
    match = match_at(trio, step)
    confirmed: list[bool] = []
    for seat in (1, 2, 3):
        match.receive(trio.contribution(step, seat))
        confirmed.append(match.confirmed)
        if seat == 2:
            match.accuse(Violation(2, 1, "two faces", (trio.contribution(1, 2),)))
            confirmed.append(match.confirmed)
    assert confirmed == [False, True, False, True]


def test_hands_are_opened_after_the_end_only(trio: Played) -> None:
    """A majority has confirmed the result before seat 3 signs, and hands stay closed until it has."""
    secret = trio.seat(1).release()
    over = match_at(trio, trio.step_of("over"))
    for seat in (1, 2):
        over.receive(trio.contribution(over.number, seat))
    assert over.confirmed
    for match in (match_at(trio, 1), match_at(trio, trio.step_of("turn")), over):
        with pytest.raises(Refusal, match="only after the end"):
            match.open_seat(1, secret)
    over.receive(trio.contribution(over.number, 3))
    for seat, wrong in ((2, secret), (1, secret + 1), (1, 0), (4, secret), (0, secret)):
        with pytest.raises(Refusal, match=f"not the game secret of seat {seat}"):
            over.open_seat(seat, wrong)
    assert over.openings == {}
    over.open_seat(1, secret)
    assert over.openings == {1: secret}


def test_opened_hands_open_every_card_of_the_deck(trio: Played) -> None:
    """With all secrets out, any seat can open the pile and the hands, and the cards played are the same."""
    deck, secrets = trio.match.game.deck, trio.match.openings.values()
    opened = [decrypt(card, [mul(card.a, secret) for secret in secrets]) for card in deck.ciphertexts]
    cards = [deck.points.index(point) for point in opened]
    assert sorted(cards) == list(range(42))
    assert {at: cards[at] for at in deck.shown} == deck.shown
    assert [seat.hand(trio.match) for seat in trio.seats] == [{at: cards[at] for at in hand} for hand in deck.hands]
