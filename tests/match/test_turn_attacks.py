"""Adversaries in play: cards not held, cards not theirs, false passes, shares of other cards. Each is named."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto.group import G, add, encode_points, mul
from seqp2p.match.contribution import Contribution, SharesBody, TurnBody
from seqp2p.match.errors import Refusal
from seqp2p.match.events import Turned
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.steps import check_shown
from seqp2p.rules import PASS, IllegalAction, exchange, format_action, place, view
from tests.match.refusal import goes_on, violation
from tests.table import Played, fields_of, match_at, played, shared_match_at, with_body


def turn(match: Match, seat: SeatKeys, action: str, positions: Sequence[int]) -> Contribution:
    """A turn that shows these deck positions with true shares and a true proof, whatever it says."""
    shares, proof = seat._shares(match, positions) if positions else (b"", b"")
    return seat._sign(match, TurnBody(action, tuple(positions), shares, proof))


def mover_at(game: Played, step: int) -> tuple[Match, SeatKeys, Contribution]:
    """The match at a turn, the mover's own side, and what the mover played."""
    match = shared_match_at(game, step)
    assert match.plan is not None
    assert match.kind == "turn"
    return match, game.seat(match.plan.subject), game.contribution(step, match.plan.subject)


def first_turn(game: Played) -> tuple[Match, SeatKeys, Contribution, int]:
    step = game.step_of("turn")
    return *mover_at(game, step), step


def turns(game: Played, kind: str | None = None) -> list[int]:
    """The steps at which an action of this kind was taken."""
    actions = iter(event.action.kind for event in game.events if isinstance(event, Turned))
    steps = [n for n, step in enumerate(game.steps, 1) if fields_of(step.contributions[0][1])["kind"] == "turn"]
    return [step for step, action in zip(steps, actions, strict=True) if kind in (None, action)]


def plain_text(match: Match, face: int) -> str:
    """Placing this card on the first square that bears it."""
    variant = match.game.variant
    return format_action(variant, place(face, variant.board.grid.index(face)))


def test_a_card_that_is_not_held_cannot_be_played(duel: Played) -> None:
    match, seat, honest, step = first_turn(duel)
    hand = seat.hand(match)
    held = {match.game.deck.face(card) for card in hand.values()}
    other = next(face for face in match.game.variant.board.grid if face not in held and face >= 0)
    for position in hand:
        violation(match, turn(match, seat, plain_text(match, other), [position]), seat.number, step, "the card played")
    goes_on(match, honest)


def test_a_card_of_somebody_else_cannot_be_played(duel: Played) -> None:
    """Nor one of the pile, nor one that was never dealt."""
    match, seat, honest, step = first_turn(duel)
    action = fields_of(honest)["body"]["action"]
    other = duel.seat(3 - seat.number)
    for position in (*other.hand(match), match.game.deck.drawn, 103):
        violation(match, turn(match, seat, action, [position]), seat.number, step, "not in the hand")
    for position in (104, 2**31 - 1):
        false = with_body(duel.identity(seat.number), honest, cards=[position])
        violation(match, false, seat.number, step, "not in the hand")
    goes_on(match, honest)


def test_a_card_is_played_once(duel: Played) -> None:
    """The very body of an earlier turn, and the card of it with a share and a proof made anew."""
    earlier = duel.step_of("turn")
    _, seat, first = mover_at(duel, earlier)
    step = next(step for step in turns(duel)[1:] if mover_at(duel, step)[1] is seat)
    match, _, honest = mover_at(duel, step)
    body = fields_of(first)["body"]
    violation(match, with_body(duel.identity(seat.number), honest, **body), seat.number, step, "not in the hand")
    violation(match, turn(match, seat, body["action"], body["cards"]), seat.number, step, "not in the hand")
    goes_on(match, honest)


def test_the_card_shown_is_the_card_that_the_share_opens(duel: Played) -> None:
    """The share of one card of the hand at the position of another: the proof is about positions, too."""
    match, seat, honest, step = first_turn(duel)
    (played_at,) = fields_of(honest)["body"]["cards"]
    for position in set(seat.hand(match)) - {played_at}:
        shares, proof = seat._shares(match, [position])
        for body in ({"shares": shares}, {"shares": shares, "proof": proof}, {"proof": proof}):
            violation(match, with_body(duel.identity(seat.number), honest, **body), seat.number, step, "share proof")
    goes_on(match, honest)


def test_a_false_share_is_refused(duel: Played) -> None:
    match, seat, honest, step = first_turn(duel)
    (at,) = fields_of(honest)["body"]["cards"]
    true = mul(match.game.deck.ciphertexts[at].a, seat.release())
    for false in (add(true, G), mul(true, 2), mul(true, -1), match.game.deck.ciphertexts[at].a, G):
        lie = with_body(duel.identity(seat.number), honest, shares=encode_points([false]))
        violation(match, lie, seat.number, step, "share proof")
    goes_on(match, honest)


def test_a_share_that_opens_to_no_card_is_refused(duel: Played) -> None:
    """No proof lets such a share through; if one did, the deck would still know."""
    deck = first_turn(duel)[0].game.deck
    for share in (G, deck.ciphertexts[0].a):
        with pytest.raises(Refusal, match="deck position 0 opens to no card"):
            deck.physical(0, share)


@pytest.mark.parametrize(
    "action",
    ["", " ", "pass ", "Pass", "QH", "QH  e5", "qh e5", "10H e5", "QH e55", "QH xx", "QH dead dead", "\x1b[2J e5"],
)
def test_what_is_no_action_is_refused(duel: Played, action: str) -> None:
    match, seat, honest, step = first_turn(duel)
    cards = fields_of(honest)["body"]["cards"]
    violation(match, turn(match, seat, action, cards), seat.number, step, "")
    violation(match, turn(match, seat, action, []), seat.number, step, "")
    goes_on(match, honest)


@settings(max_examples=60)
@given(
    action=st.text(max_size=64)
    | st.lists(st.sampled_from(["QH", "JC", "JS", "e5", "xe5", "a1", "j10", "dead", "pass", "a5-e5", "e1-e5"])).map(
        lambda words: " ".join(words)[:64]
    )
)
def test_whatever_the_text_of_an_action_it_is_legal_or_a_violation(duel: Played, action: str) -> None:
    match, seat, honest, step = first_turn(duel)
    cards = fields_of(honest)["body"]["cards"]
    violation(match, turn(match, seat, action, cards), seat.number, step, "")


def test_a_card_goes_on_its_own_square_only(long_game: Played) -> None:
    """Late in the game: every square, taken ones and corners too, with the card that the mover plays."""
    step = turns(long_game)[60]
    match, seat, honest = mover_at(long_game, step)
    seen = view(seat.position(match), seat.number)
    legal = {format_action(match.game.variant, action) for action in seen.legal}
    card = fields_of(honest)["body"]["action"].split()[0]
    cards = fields_of(honest)["body"]["cards"]
    texts = [f"{card} {x}{column}{row}" for x in ("", "x") for column in "abcdefghij" for row in range(1, 11)]
    accepted = set()
    for text in [*texts, f"{card} dead", "pass"]:
        contribution = turn(match, seat, text, cards)
        if text in legal:
            accepted.add(text)
            goes_on(match, contribution)
        else:
            violation(match, contribution, seat.number, step, "")
    assert accepted


def test_an_exchange_is_of_a_dead_card(duel: Played) -> None:
    match, seat, honest, step = first_turn(duel)
    for position, card in seat.hand(match).items():
        face = match.game.deck.face(card)
        text = format_action(match.game.variant, exchange(face))
        violation(match, turn(match, seat, text, [position]), seat.number, step, "dead")
    goes_on(match, honest)


def test_a_second_exchange_in_one_turn_is_refused(long_game: Played) -> None:
    variant = long_game.match.game.variant
    tried = 0
    for step in turns(long_game, "exchange")[-2:]:
        exchanger = long_game.steps[step - 1].contributions[0][0]
        match, seat, honest = mover_at(long_game, step + 2)  # its draw is in between
        assert seat.number == exchanger
        position = seat.position(match)
        for at, card in seat.hand(match).items():
            face = match.game.deck.face(card)
            if not position.table.look.reach[face] & position.free and face not in variant.removing:
                text = format_action(variant, exchange(face))
                violation(match, turn(match, seat, text, [at]), seat.number, step + 2, "cannot be exchanged")
                tried += 1
        goes_on(match, honest)
    assert tried


def test_a_pass_while_a_card_can_be_played_is_a_violation(duel: Played) -> None:
    """A pass shows the whole hand: so everybody sees what could have been played."""
    match, seat, honest, step = first_turn(duel)
    violation(match, turn(match, seat, "pass", sorted(seat.hand(match))), seat.number, step, "cannot pass")
    with pytest.raises(IllegalAction):
        seat.play(match, PASS)
    goes_on(match, honest)


def test_a_pass_shows_every_card_once_and_in_order(long_game: Played) -> None:
    step = turns(long_game, "pass")[0]
    match, seat, honest = mover_at(long_game, step)
    hand = sorted(seat.hand(match))
    assert list(fields_of(honest)["body"]["cards"]) == hand
    for shown in ([], hand[:-1], hand[1:], hand[::-1], [*hand[:-1], hand[0]], [*hand, hand[-1]], [hand[0]] * 7):
        violation(match, turn(match, seat, "pass", shown), seat.number, step, "7 cards must be shown, by ascending")
    stranger = long_game.seat(3 - seat.number)
    other = sorted([*hand[1:], next(iter(stranger.hand(match)))])
    violation(match, turn(match, seat, "pass", other), seat.number, step, "not in the hand")
    goes_on(match, honest)


def test_a_pass_before_the_exchange_is_refused(long_game: Played) -> None:
    """The turn of a pass began with the exchange of a dead card: nobody may pass it over."""
    step = next(step - 2 for step in turns(long_game, "pass") if step - 2 in turns(long_game, "exchange"))
    match, seat, honest = mover_at(long_game, step)
    violation(match, turn(match, seat, "pass", sorted(seat.hand(match))), seat.number, step, "must be exchanged first")
    goes_on(match, honest)


def test_a_play_shows_one_card(duel: Played) -> None:
    match, seat, honest, step = first_turn(duel)
    action = fields_of(honest)["body"]["action"]
    hand = sorted(seat.hand(match))
    for shown in ([], hand[:2], hand):
        violation(match, turn(match, seat, action, shown), seat.number, step, "1 cards must be shown")
    goes_on(match, honest)


def test_a_card_shown_by_a_pass_is_played_with_a_proof_of_its_own(long_game: Played) -> None:
    """Share and proof of an earlier step of the same seat, for the same card: the proof is bound to its step."""
    passes = turns(long_game, "pass")
    step, match, seat, honest, first = next(
        (step, *mover_at(long_game, step), earlier)
        for earlier in passes
        for step in turns(long_game)
        if step > earlier
        and mover_at(long_game, step)[1] is mover_at(long_game, earlier)[1]
        and fields_of(mover_at(long_game, step)[2])["body"]["cards"][0]
        in fields_of(mover_at(long_game, earlier)[2])["body"]["cards"]
    )
    shown = fields_of(mover_at(long_game, first)[2])["body"]
    index = shown["cards"].index(fields_of(honest)["body"]["cards"][0])
    share = shown["shares"][33 * index : 33 * index + 33]
    if fields_of(honest)["body"]["action"] != "pass":
        assert share == fields_of(honest)["body"]["shares"], "the share of a card is always the same"
    replayed = with_body(long_game.identity(seat.number), honest, shares=share, proof=shown["proof"])
    caught = violation(match, replayed, seat.number, step, "")
    assert "share proof" in caught.reason or "points take" in caught.reason
    goes_on(match, honest)


def test_an_empty_hand_is_shown_by_nothing(duel: Played) -> None:
    """A player without a card passes (a penalty can bring that about): no shares, and no proof of them."""
    match = match_at(duel, duel.step_of("turn"))
    seat = mover_at(duel, duel.step_of("turn"))[1]
    match.game.deck.hand(seat.number).clear()
    bodies: list[tuple[bytes, bytes]] = [(b"", b""), (b"", b"x" * 98), (b"x" * 33, b"")]
    context = seat._context(match)
    assert check_shown(match.game, PASS, TurnBody("pass", (), *bodies[0]), context) == {}
    with pytest.raises(Refusal, match="a proof where nothing is shown"):
        check_shown(match.game, PASS, TurnBody("pass", (), *bodies[1]), context)
    with pytest.raises(ValueError, match="0 points take"):
        check_shown(match.game, PASS, TurnBody("pass", (), *bodies[2]), context)


def test_a_seat_signs_nothing_that_the_rules_refuse(duel: Played) -> None:
    match, seat, _, _ = first_turn(duel)
    hand = {match.game.deck.face(card) for card in seat.hand(match).values()}
    other = next(face for face in match.game.variant.board.grid if face not in hand and face >= 0)
    for action in (PASS, exchange(other), place(other, match.game.variant.board.grid.index(other))):
        with pytest.raises(IllegalAction):
            seat.play(match, action)


def test_the_share_for_a_drawn_card_is_of_the_top_of_the_pile(trio: Played) -> None:
    step = trio.step_of("draw")
    match = shared_match_at(trio, step)
    assert match.plan is not None
    drawer, top = match.plan.subject, match.game.deck.drawn
    for number in sorted(match.awaited):
        seat, honest = trio.seat(number), trio.contribution(step, number)
        own = next(iter(seat.hand(match)))
        held = next(iter(trio.seat(drawer).hand(match)))
        for positions, text in (([top + 1], "share proof"), ([own], "share proof"), ([held], "share proof")):
            violation(match, seat._sign(match, SharesBody(*seat._shares(match, positions))), number, step, text)
        both = SharesBody(*seat._shares(match, [top, top + 1]))
        violation(match, seat._sign(match, both), number, step, "1 points take")
        goes_on(match, honest)
    violation(match, trio.seat(drawer).contribute(match), drawer, step, "not its step")


def test_the_share_of_another_seat_is_not_ones_own(trio: Played) -> None:
    step = trio.step_of("draw")
    match = shared_match_at(trio, step)
    (one, honest), (_, other) = trio.steps[step - 1].contributions
    stolen: dict[str, Any] = fields_of(other)["body"]
    violation(match, with_body(trio.identity(one), honest, **stolen), one, step, "share proof")


def test_kids_exchange_as_often_as_there_are_cards() -> None:
    """A long game of kids exchanges many times in one turn; all of it is accepted by a match that only watches."""
    game = played(2, "kids", 7, "peaceful")
    exchanges = [event for event in game.events if isinstance(event, Turned) and event.action.kind == "exchange"]
    assert len(exchanges) > 10
    assert match_at(game, len(game.steps)).game.table_position().over
