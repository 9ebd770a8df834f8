"""The step machine: contributions early, late, twice, in any order, on another past; and the end of a game."""

import random
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto.group import mul
from seqp2p.crypto.hashing import CONTRIBUTION, label_bytes
from seqp2p.match.contribution import Contribution, open_envelope
from seqp2p.match.errors import Refusal, TooEarly, Violation
from seqp2p.match.machine import Match
from seqp2p.match.table import game_id
from tests.crypto.tools import decrypt
from tests.match.ed25519 import sign_with_nonce
from tests.match.refusal import goes_on, other_past, too_early, violation
from tests.table import (
    Played,
    altered,
    make_seats,
    match_at,
    played,
    resigned,
    shared_match_at,
    signed,
    snapshot,
)


def contributions(game: Played) -> list[Contribution]:
    return [held for step in game.steps for _, held in step.contributions]


def test_a_new_match_waits_for_every_seat(trio: Played) -> None:
    match = Match(trio.agreement)
    assert match.head == match.game.id == game_id(trio.agreement)
    assert (match.number, match.kind, sorted(match.awaited), match.held) == (1, "seat", [1, 2, 3], ())
    assert not match.confirmed


@settings(max_examples=8)
@given(dice=st.randoms(use_true_random=False))
def test_any_order_any_repetition_one_game(trio: Played, dice: random.Random) -> None:
    """A network that delays, repeats and overtakes: whatever is too early comes again."""
    match, waiting = Match(trio.agreement), deque(contributions(trio))
    while waiting:
        at = dice.randrange(min(7, len(waiting)))
        contribution = waiting[at]
        step = open_envelope(contribution.payload).step
        if step > match.number:
            with pytest.raises(TooEarly):
                match.receive(contribution)
            continue
        del waiting[at]
        match.receive(contribution)
        if dice.random() < 0.3:
            assert match.receive(contribution) == ()
    assert match.head == trio.match.head
    assert match.record == trio.match.record
    assert snapshot(match)[2:] == snapshot(trio.match)[2:]


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


def test_a_later_step_is_too_early_whatever_its_past(trio: Played) -> None:
    match = Match(trio.agreement)
    for step in (2, 3, len(trio.steps)):
        seat, contribution = trio.steps[step - 1].contributions[0]
        too_early(match, contribution, step, seat)
        too_early(match, altered(trio.identity(seat), contribution, prev=bytes(32)), step, seat)
    far = altered(trio.identity(2), trio.contribution(1, 2), step=100_000)
    too_early(match, far, 100_000, 2)
    goes_on(match, trio.contribution(1, 1))


def test_a_step_after_the_end_never_opens(trio: Played) -> None:
    last = trio.contribution(len(trio.steps), 1)
    number = trio.match.number
    too_early(trio.match, altered(trio.identity(1), last, step=number, prev=trio.match.head), number, 1)


def test_what_is_in_the_record_is_taken_silently_again(trio: Played) -> None:
    before = snapshot(trio.match)
    for contribution in contributions(trio):
        assert trio.match.judge(trio.match.open(contribution), contribution) is None
        assert trio.match.receive(contribution) == ()
    assert snapshot(trio.match) == before


@pytest.mark.parametrize("step", [1, 5, 12, 40])
def test_another_past_is_no_evidence(trio: Played, step: int) -> None:
    seat, contribution = trio.steps[step - 1].contributions[0]
    strange = altered(trio.identity(seat), contribution, prev=bytes(32))
    other_past(trio.match, strange)
    match = shared_match_at(trio, step)
    other_past(match, strange)
    goes_on(match, contribution)


def test_two_contributions_to_an_open_step_are_equivocation(trio: Played) -> None:
    match = match_at(trio, 1)
    first = trio.contribution(1, 2)
    match.receive(first)
    second = altered(trio.identity(2), first, body={"commitment": bytes(32)})
    caught = violation(match, second, 2, 1, "two different contributions")
    assert caught.evidence == (first, second)
    goes_on(match, trio.contribution(1, 1))


@pytest.mark.parametrize("kind", ["seat", "shuffle", "deal", "turn", "draw", "over"])
def test_two_contributions_to_a_closed_step_are_equivocation(trio: Played, kind: str) -> None:
    step = trio.step_of(kind)
    seat, first = trio.steps[step - 1].contributions[-1]
    # What the second one says plays no part: it is not even of a kind that could have stood there.
    second = altered(trio.identity(seat), first, kind="nonsense", body={})
    caught = violation(trio.match, second, seat, step, "two different contributions")
    assert caught.evidence == (first, second)


def test_who_contributes_to_a_closed_step_that_was_not_its_own_is_to_blame(trio: Played) -> None:
    step = trio.step_of("turn")
    ((mover, contribution),) = trio.steps[step - 1].contributions
    intruder = mover % 3 + 1
    caught = violation(
        trio.match, altered(trio.identity(intruder), contribution, seat=intruder), intruder, step, "not its step"
    )
    assert len(caught.evidence) == 1


def test_a_turn_to_a_closed_step_is_none_to_the_open_one(trio: Played) -> None:
    """By the seat whose turn it is, of the kind that is due, under the number of a turn that is over."""
    first, second = trio.step_of("turn"), trio.step_of("turn", 2)
    ((mover, contribution),) = trio.steps[second - 1].contributions
    match = match_at(trio, second)
    earlier = altered(trio.identity(mover), contribution, step=first, prev=trio.steps[first - 1].prev)
    assert violation(match, earlier, mover, first, "not its step").failure == "step"


def test_who_contributes_to_an_open_step_that_is_not_its_own_is_to_blame(trio: Played) -> None:
    for kind in ("shuffle", "turn", "draw"):
        step = trio.step_of(kind)
        _, contribution = trio.steps[step - 1].contributions[0]
        match = shared_match_at(trio, step)
        (intruder, *_) = {1, 2, 3} - match.awaited
        violation(match, altered(trio.identity(intruder), contribution, seat=intruder), intruder, step, "not its step")
        goes_on(match, contribution)


def test_a_wrong_first_contribution_does_not_stand_in_the_way_of_a_right_one(trio: Played) -> None:
    match = match_at(trio, 2)
    right = trio.contribution(2, 1)
    violation(match, altered(trio.identity(1), right, body={}), 1, 2, "missing")
    match.receive(right)
    assert match.awaited == {2, 3}


def test_two_signatures_over_one_payload_make_one_head(brief: Played) -> None:
    """The owner of a key can sign the same bytes as often as it likes: heads hash payloads, not signatures."""
    step = brief.step_of("turn")
    ((mover, first),) = brief.steps[step - 1].contributions
    message = label_bytes(CONTRIBUTION) + first.payload
    second = resigned(first, sign_with_nonce(brief.identity(mover).secret_bytes(), message, 12345))
    assert first.signature != second.signature
    match, other = match_at(brief, step), match_at(brief, step)
    match.receive(first)
    other.receive(second)
    assert match.head == other.head
    assert match.receive(second) == ()
    assert match.record[-1].contributions == ((mover, first),), "the first one stays"


def test_what_is_judged_is_accepted_later(trio: Played) -> None:
    match = match_at(trio, 1)
    contributed = [trio.contribution(1, seat) for seat in (1, 2, 3)]
    judged = [match.judge(match.open(each), each) for each in contributed]
    for one in judged:
        assert one is not None
        match.accept(one)
    assert match.number == 2


@pytest.mark.parametrize(("players", "votes"), [(2, 2), (3, 2), (4, 3)])
def test_a_strict_majority_confirms_the_result(players: int, votes: int) -> None:
    game = played(players, "kids", 4)
    step = game.step_of("over")
    match = match_at(game, step)
    seats = random.Random(players).sample(range(1, players + 1), players)
    for count, seat in enumerate(seats, 1):
        assert not match.confirmed or count > votes
        match.receive(game.contribution(step, seat))
        assert match.confirmed == (count >= votes)
    assert match.kind is None


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


def test_a_wrong_final_position_is_a_violation(trio: Played) -> None:
    step = trio.step_of("over")
    match = shared_match_at(trio, step)
    for seat in (1, 2, 3):
        honest = trio.contribution(step, seat)
        lie = altered(trio.identity(seat), honest, body={"position": bytes(32)})
        violation(match, lie, seat, step, "final position")
        goes_on(match, honest)


def test_nothing_is_open_after_the_end(duel: Played) -> None:
    match = duel.match
    assert (match.kind, match.plan, list(match.awaited), match.held) == (None, None, [], ())
    assert match.number == len(match.record) + 1
    assert match.confirmed


def test_hands_are_opened_after_the_end_only(trio: Played) -> None:
    secrets = {seat.number: seat.release() for seat in make_seats(3, trio.seed)}
    for step in (1, trio.step_of("turn"), trio.step_of("over")):
        match = match_at(trio, step)
        with pytest.raises(Refusal, match="only after the end"):
            match.open_seat(1, secrets[1])
        assert match.openings == {}
    match = match_at(trio, trio.step_of("over"))
    for seat in (1, 2):
        match.receive(trio.contribution(match.number, seat))
    with pytest.raises(Refusal, match="only after the end"):
        match.open_seat(1, secrets[1])  # confirmed, but seat 3 has not signed yet
    match.receive(trio.contribution(match.number, 3))
    match.open_seat(2, secrets[2])
    assert match.openings == {2: secrets[2]}


def test_only_the_seats_own_secret_opens_it(trio: Played) -> None:
    match = match_at(trio, trio.step_of("over"))
    for seat in (1, 2, 3):
        match.receive(trio.contribution(match.number, seat))
    secret = trio.seat(1).release()
    for seat, wrong in ((2, secret), (1, secret + 1), (1, 0), (4, secret), (0, secret)):
        with pytest.raises(Refusal, match=f"not the game secret of seat {seat}"):
            match.open_seat(seat, wrong)
    assert match.openings == {}


def test_a_table_that_agreed_to_closed_hands_opens_none() -> None:
    game = played(2, "kids", 3, open_hands=False)
    with pytest.raises(Refusal, match="agreed"):
        game.match.open_seat(1, game.seat(1).release())


def test_opened_hands_open_every_card_of_the_deck(trio: Played) -> None:
    """With all secrets out, anybody can open the pile and the hands, and what was played is what it was."""
    deck, secrets = trio.match.game.deck, trio.match.openings.values()
    opened = [decrypt(card, [mul(card.a, secret) for secret in secrets]) for card in deck.ciphertexts]
    cards = [deck.points.index(point) for point in opened]
    assert sorted(cards) == list(range(42))
    assert {at: cards[at] for at in deck.shown} == deck.shown
    assert [seat.hand(trio.match) for seat in trio.seats] == [{at: cards[at] for at in hand} for hand in deck.hands]


def test_violations_say_who_where_and_what(trio: Played) -> None:
    contribution = signed(trio.identity(1), b"")
    error = Violation(3, 9, "it bluffed", (contribution,))
    assert str(error) == "seat 3 broke the rules at step 9: it bluffed"
    assert (error.seat, error.step, error.reason, error.evidence) == (3, 9, "it bluffed", (contribution,))
