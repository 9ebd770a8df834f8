"""Table talk: remarks beside the steps, calls of them within, the cards given up; and what cannot be called."""

import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto.hashing import REMARK
from seqp2p.crypto.identity import sign
from seqp2p.match.contribution import CallBody, Contribution, TurnBody
from seqp2p.match.encoding import encode
from seqp2p.match.errors import TooEarly, Violation
from seqp2p.match.events import Turned
from seqp2p.match.machine import Match
from seqp2p.match.remark import NO_REMARK, BadRemark, Remark, RemarkPayload, open_remark
from seqp2p.match.seat import SeatKeys
from seqp2p.match.steps import why_not_callable
from seqp2p.rules import PASS, IllegalAction, give, team_of
from seqp2p.rules.status import status
from tests.match.refusal import goes_on, violation
from tests.table import (
    Played,
    altered,
    at_random,
    fields_of,
    make_seats,
    match_at,
    play,
    played,
    shared_match_at,
    snapshot,
)


@pytest.fixture(scope="session")
def quiet() -> Played:
    """Four players in two teams at a table where talk can be called; nobody has talked."""
    return played(4, table_talk=False)


def said(
    table: Played, match: Match, speaker: int, text: str = "play the queen", **changes: Any
) -> tuple[bytes, bytes]:
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


def call(seat: SeatKeys, match: Match, remark: Sequence[bytes], speaker: int) -> Contribution:
    """The call of a remark, whether it can be called or not."""
    return seat._sign(match, CallBody(f"call {speaker}", remark[0], remark[1]))


def turn_of(game: Played, nth: int = 1) -> tuple[Match, SeatKeys, int, Contribution]:
    """The nth turn: the match, the mover, an opponent of the mover, and what the mover played."""
    step = game.step_of("turn", nth)
    match = shared_match_at(game, step)
    assert match.plan is not None
    mover = match.plan.subject
    return match, game.seat(mover), mover % 4 + 1, game.contribution(step, mover)


def give_up(match: Match, seat: SeatKeys, which: int = 0) -> Contribution:
    """One of the cards that a penalised seat can give."""
    return seat.play(match, seat.view(match).legal[which])


def test_a_called_team_gives_up_a_card_each_and_the_turn_goes_on(quiet: Played) -> None:
    match, mover, speaker, honest = turn_of(quiet)
    matches = [match_at(quiet, match.number) for _ in range(4)]
    remark = open_remark(*said(quiet, match, speaker), match.game.id, match.game.agreement)
    for each in matches:
        assert each.receive_remark(remark.payload, remark.signature) == remark
        assert each.head == match.head, "no head depends on a remark"
        each.receive(mover.call(each, remark))
        assert each.kind == "discard"
        assert each.awaited == {seat for seat in range(1, 5) if (seat - speaker) % 2 == 0}
    gifts = [give_up(matches[0], quiet.seat(seat)) for seat in sorted(matches[0].awaited)]
    dice = random.Random(1)
    for each in matches:
        for gift in dice.sample(gifts, len(gifts)):
            events = each.receive(gift)
        assert [(event.seat, event.action.kind) for event in events if isinstance(event, Turned)] == [
            (seat, "give") for seat in range(1, 5) if (seat - speaker) % 2 == 0
        ]
        assert len({one.head for one in matches if one.number == each.number}) == 1
    after = matches[0]
    assert all(snapshot(each) == snapshot(after) for each in matches)
    assert status(after.game.table_position()) == ()
    assert (after.kind, after.plan) == ("turn", match.plan), "the caller's turn goes on"
    for seat in range(1, 5):
        penalised = team_of(seat, 2) == team_of(speaker, 2)
        assert len(after.game.deck.hand(seat)) == len(after.game.table_position().hands[seat - 1]) == 6 - penalised
    assert honest.payload != after.record[-1].contributions[0][1].payload
    play(after, make_seats(4), at_random(5))
    assert after.game.result is not None


def test_a_remark_can_be_called_in_the_callers_first_turn_after_it(quiet: Played) -> None:
    first, caller, speaker, _ = turn_of(quiet)
    mate = (caller.number + 1) % 4 + 1
    remark = said(quiet, first, speaker)
    for nth in range(1, 10):
        match, mover, _, honest = turn_of(quiet, nth)
        contribution = call(mover, match, remark, speaker)
        if mover.number not in {caller.number, mate}:
            violation(match, contribution, mover.number, match.number, "own team")
        elif nth in {1, 3, 5}:
            # The 1st is the turn it is dated to; who moved then may not have seen it, so the 5th is good as well.
            goes_on(match, contribution)
        else:
            violation(match, contribution, mover.number, match.number, "the first turn after it only")
        goes_on(match, honest)


def test_a_remark_of_long_ago_cannot_be_called(quiet: Played) -> None:
    match, mover, speaker, honest = turn_of(quiet, 9)
    early = shared_match_at(quiet, 1)
    remark = said(quiet, early, speaker)
    violation(match, call(mover, match, remark, speaker), mover.number, match.number, "the first turn after it only")
    opened = open_remark(*remark, match.game.id, match.game.agreement)
    with pytest.raises(IllegalAction, match="first turn after it"):
        mover.call(match, opened)
    goes_on(match, honest)


def test_what_cannot_be_called(quiet: Played) -> None:
    match, mover, speaker, honest = turn_of(quiet, 2)
    good = said(quiet, match, speaker)
    goes_on(match, call(mover, match, good, speaker))
    mate, other = (mover.number + 1) % 4 + 1, (speaker + 1) % 4 + 1
    for remark, named, text in (
        ((good[0], bytes(64)), speaker, f"the signature of seat {speaker} on its remark does not verify"),
        ((good[0] + b"\0", good[1]), speaker, "not a remark"),
        ((b"", good[1]), speaker, "not a remark"),
        (said(quiet, match, speaker, game=bytes(32)), speaker, "another game"),
        (said(quiet, match, speaker, text="\x1b[2J"), speaker, "no control"),
        (said(quiet, match, speaker, text="hello", courtesy=True), speaker, "a courtesy cannot be called"),
        (said(quiet, match, speaker, text="well", courtesy=True), speaker, "no such courtesy"),
        (said(quiet, match, speaker, prev=bytes(32)), speaker, "not dated to this game"),
        (said(quiet, match, speaker, step=match.number + 1), speaker, "not dated to this game"),
        (said(quiet, match, speaker, step=match.number - 1), speaker, "not dated to this game"),
        (said(quiet, match, speaker, step=100_000), speaker, "not dated to this game"),
        (good, other, f"the remark is not one of seat {other}"),
        (said(quiet, match, mate), mate, "own team"),
        (said(quiet, match, mover.number), mover.number, "own team"),
        (good, 5, "there is no seat 5"),
        (good, 0, ""),
    ):
        violation(match, call(mover, match, remark, named), mover.number, match.number, text)
    goes_on(match, honest)


def test_a_call_has_its_own_body(quiet: Played) -> None:
    match, mover, speaker, honest = turn_of(quiet)
    payload, signature = said(quiet, match, speaker)
    number, step = mover.number, match.number
    body = fields_of(honest)["body"]
    text = f"call {speaker}"
    violation(match, mover._sign(match, TurnBody(text, (), b"", b"")), number, step, "a call carries the remark")
    of_a_play = mover._sign(match, CallBody(body["action"], payload, signature))
    violation(match, of_a_play, number, step, "only a call carries a remark")
    for other, reason in (
        ({**body, "remark": payload, "signature": signature}, "unknown field"),
        ({"action": text, "signature": signature, "remark": payload}, "not the canonical encoding"),
        ({"action": text, "remark": payload}, "unknown field `remark`"),
        ({"action": text, "remark": payload, "signature": b""}, "signature"),
        ({"action": text, "remark": bytes(1025), "signature": signature}, "remark"),
        ({"action": f"{text} ", "remark": payload, "signature": signature}, ""),
        ({"action": "call", "remark": payload, "signature": signature}, ""),
        ({"action": "pass", "remark": payload, "signature": signature}, ""),
    ):
        violation(match, altered(quiet.identity(number), honest, body=other), number, step, reason)
    goes_on(match, honest)


@settings(max_examples=60)
@given(data=st.data())
def test_whatever_a_call_carries_it_is_right_or_a_violation(quiet: Played, data: st.DataObject) -> None:
    match, mover, speaker, _ = turn_of(quiet)
    payload, signature = said(quiet, match, speaker)
    changed = bytearray(payload)
    changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    resigned = sign(quiet.identity(speaker), REMARK, bytes(changed))
    remark = data.draw(st.sampled_from([(bytes(changed), resigned), (payload, resigned), (bytes(changed), signature)]))
    named = data.draw(st.integers(-1, 13))
    before = snapshot(match)
    with suppress(Violation):
        called = call(mover, match, remark, named)
        match.judge(match.open(called), called)
    assert snapshot(match) == before


def test_a_remark_is_called_once(quiet: Played) -> None:
    match, mover, speaker, _ = turn_of(quiet)
    remark = said(quiet, match, speaker)
    now = match_at(quiet, match.number)
    now.receive(call(mover, now, remark, speaker))
    for seat in sorted(now.awaited):
        now.receive(give_up(now, quiet.seat(seat)))
    assert (now.kind, list(now.awaited)) == ("turn", [mover.number])
    violation(now, call(mover, now, remark, speaker), mover.number, now.number, "called before")
    another = said(quiet, now, speaker, number=2, text="or the king")
    goes_on(now, call(mover, now, another, speaker))


def test_every_penalised_seat_gives_one_card_of_its_own(quiet: Played) -> None:
    match, mover, speaker, _ = turn_of(quiet)
    now = match_at(quiet, match.number)
    now.receive(call(mover, now, said(quiet, now, speaker), speaker))
    step, variant, deck = now.number, now.game.variant, now.game.deck
    one, other = (quiet.seat(seat) for seat in sorted(now.awaited))
    hand = one.hand(now)
    at, *more = sorted(hand)
    face = {position: variant.faces[deck.face(card)] for position, card in hand.items()}
    unlike = next(position for position in more if face[position] != face[at])

    def gift(action: str, shown: Sequence[int]) -> Contribution:
        shares, proof = one._shares(now, shown) if shown else (b"", b"")
        return one._sign(now, TurnBody(action, tuple(shown), shares, proof))

    for action, shown, text in (
        (f"{face[at]} given", [unlike], "the card shown is not the card played"),
        (f"{face[at]} given", [], "1 cards must be shown"),
        (f"{face[at]} given", [at, unlike], "1 cards must be shown"),
        (f"{face[at]} given", [next(iter(other.hand(now)))], "not in the hand"),
        (f"{face[at]} given", [deck.drawn], "not in the hand"),
        ("pass", sorted(hand), "a card must be given up"),
        (f"{face[at]} dead", [at], "a card must be given up"),
        ("end", [], "a card must be given up"),
        (f"call {mover.number}", [], "a card must be given up"),
        ("QH", [], "no action"),
    ):
        violation(now, gift(action, shown), one.number, step, text)
    with pytest.raises(IllegalAction, match="give up a card"):
        one.play(now, PASS)
    violation(
        now, altered(quiet.identity(mover.number), give_up(now, one), seat=mover.number), mover.number, step, "its step"
    )
    goes_on(now, give_up(now, one))
    now.receive(give_up(now, one, 0))
    violation(now, give_up(now, one, 1), one.number, step, "two different contributions")
    now.receive(give_up(now, other))
    assert now.kind == "turn"


def test_only_givers_see_what_they_can_give(quiet: Played) -> None:
    match, mover, speaker, _ = turn_of(quiet)
    now = match_at(quiet, match.number)
    now.receive(call(mover, now, said(quiet, now, speaker), speaker))
    for seat in quiet.seats:
        kinds = {action.kind for action in seat.view(now).legal}
        assert kinds == ({"give"} if seat.number in now.awaited else set())
    giver = quiet.seat(min(now.awaited))
    foreign = next(card for card in quiet.match.game.variant.deck if card not in giver.view(now).hand)
    with pytest.raises(IllegalAction, match="give up a card of your hand"):
        giver.play(now, give(foreign))


def test_what_cannot_be_called_is_not_signed(quiet: Played) -> None:
    match, mover, speaker, _ = turn_of(quiet)
    courtesy = said(quiet, match, speaker, "good game", courtesy=True)
    with pytest.raises(IllegalAction, match="a courtesy cannot be called"):
        mover.call(match, open_remark(*courtesy, match.game.id, match.game.agreement))


def test_nobody_is_called_at_a_table_of_free_talk(duel: Played) -> None:
    step = duel.step_of("turn")
    match = shared_match_at(duel, step)
    assert match.plan is not None
    mover = duel.seat(match.plan.subject)
    speaker = 3 - mover.number
    remark = said(duel, match, speaker)
    violation(match, call(mover, match, remark, speaker), mover.number, step, "talk is free at this table")
    with pytest.raises(IllegalAction, match="talk is free"):
        mover.call(match, open_remark(*remark, match.game.id, match.game.agreement))


def test_nobody_without_team_mates_is_called() -> None:
    game = played(2, seed=6, table_talk=False)
    step = game.step_of("turn")
    match = shared_match_at(game, step)
    assert match.plan is not None
    mover = game.seat(match.plan.subject)
    remark = said(game, match, 3 - mover.number)
    violation(match, call(mover, match, remark, 3 - mover.number), mover.number, step, "has no team-mates")


# --- remarks beside the steps


def test_remarks_are_taken_in_their_order(trio: Played) -> None:
    match = match_at(trio, 9)
    seat = trio.seat(2)
    made: list[Remark] = []
    for text in ("hello", "nice move"):
        payload, signature = seat.say(match, text)
        remark = match.receive_remark(payload, signature)
        assert remark is not None
        made.append(remark)
    assert [remark.said.courtesy for remark in made] == [True, False]
    assert [remark.said.number for remark in made] == [1, 2]
    late = match_at(trio, 12)
    before = snapshot(late)
    assert late.receive_remark(made[1].payload, made[1].signature) is None, "a gap"
    assert snapshot(late) == before
    assert late.receive_remark(made[0].payload, made[0].signature) == made[0]
    assert late.receive_remark(made[0].payload, made[0].signature) is None, "here already"
    assert late.receive_remark(made[1].payload, made[1].signature) == made[1]
    assert late.remarks.counts(3) == (0, 2, 0)
    assert late.head == shared_match_at(trio, 12).head


def test_remarks_of_the_future_and_of_another_past(trio: Played) -> None:
    match = shared_match_at(trio, 9)
    before = snapshot(match)
    ahead = said(trio, shared_match_at(trio, 10), 1)
    with pytest.raises(TooEarly) as early:
        match.receive_remark(*ahead)
    assert (early.value.step, early.value.seat) == (10, 1)
    with pytest.raises(BadRemark):
        match.receive_remark(ahead[0], bytes(64))
    assert snapshot(match) == before


def test_a_remark_on_a_past_that_did_not_stand_is_kept_but_cannot_be_called(trio: Played) -> None:
    for strange in ({"prev": bytes(32)}, {"step": 3}):
        match = match_at(trio, 9)
        remark = match.receive_remark(*said(trio, match, 1, **strange))
        assert remark is not None
        assert why_not_callable(match.game, remark, 2, match.number) is not None


def test_remarks_are_taken_after_the_end(trio: Played) -> None:
    match = match_at(trio, len(trio.steps))
    for seat in (1, 2, 3):
        match.receive(trio.contribution(match.number, seat))
    assert match.kind is None
    payload, signature = trio.seat(1).say(match, "good game")
    assert match.receive_remark(payload, signature) is not None
