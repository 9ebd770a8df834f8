"""Adversaries in play: cards not held, cards not theirs, false passes, shares of other cards. Each is named."""

from collections.abc import Sequence

import pytest

from seqp2p.match.contribution import CallBody, Contribution, TurnBody
from seqp2p.match.errors import Refusal
from seqp2p.match.events import Turned
from seqp2p.match.steps import check_shown
from seqp2p.rules import PASS, IllegalAction, exchange, format_action, place
from tests.match.refusal import AtStep, at_step, goes_on
from tests.table import Played, fields_of, match_at, played


def turn(at: AtStep, action: str, positions: Sequence[int]) -> Contribution:
    """A turn that shows these deck positions with true shares and a true proof."""
    return at.signs(TurnBody(action, tuple(positions), **at.shares(list(positions))))


def turns(game: Played, kind: str) -> list[int]:
    """The turns in which an action of this kind was taken."""
    actions = [event.action.kind for event in game.events if isinstance(event, Turned)]
    kinds = [fields_of(step.contributions[0][1])["kind"] for step in game.steps]
    steps = [number for number, found in enumerate(kinds, 1) if found == "turn"]
    return [number for number, action in zip(steps, actions, strict=True) if action == kind]


def faces(at: AtStep) -> dict[int, int]:
    """The faces of the hand by deck position."""
    return {position: at.match.game.deck.face(card) for position, card in at.seat.hand(at.match).items()}


def a_card_not_held(at: AtStep) -> int:
    return next(face for face in at.match.game.variant.board.grid if face >= 0 and face not in faces(at).values())


@pytest.fixture
def first(duel: Played) -> AtStep:
    return at_step(duel, "turn")


def test_a_card_that_is_not_held_cannot_be_played(first: AtStep) -> None:
    variant, other = first.match.game.variant, a_card_not_held(first)
    text = format_action(variant, place(other, variant.board.grid.index(other)))
    first.refuses("the card played", *(turn(first, text, [position]) for position in faces(first)))


def test_a_pass_shows_every_card_once_and_in_order(long_game: Played) -> None:
    at = at_step(long_game, turns(long_game, "pass")[0])
    hand = sorted(faces(at))
    assert list(at.body["cards"]) == hand
    wrong: list[list[int]] = [[], hand[:-1], hand[1:], hand[::-1], [*hand[:-1], hand[0]], [*hand, hand[-1]]]
    at.refuses("7 cards must be shown, by ascending", *(turn(at, "pass", shown) for shown in wrong))
    foreign = next(iter(long_game.seat(3 - at.number).hand(at.match)))
    at.refuses("not in the hand", turn(at, "pass", sorted([*hand[1:], foreign])))


def test_a_card_that_is_shown_again_has_a_proof_of_its_own(long_game: Played) -> None:
    """Its share is that of the pass before, as a card has one share of a seat; a proof is bound to its step."""
    first, *later = (at_step(long_game, step) for step in turns(long_game, "pass"))
    again = next(at for at in later if at.seat is first.seat)
    old, new = (
        {card: at.body["shares"][33 * index :][:33] for index, card in enumerate(at.body["cards"])}
        for at in (first, again)
    )
    shown_twice = old.keys() & new.keys()
    assert shown_twice
    assert all(old[card] == new[card] for card in shown_twice)
    again.refuses("share proof", again.with_body(proof=first.body["proof"]))


def test_an_empty_hand_is_shown_by_nothing(duel: Played) -> None:
    """A player without a card passes (a penalty can bring that about): no shares, and no proof of them."""
    match, seat = match_at(duel, duel.step_of("turn")), at_step(duel, "turn").seat
    match.game.deck.hand(seat.number).clear()

    def shown(shares: bytes, proof: bytes) -> dict[int, int]:
        return check_shown(match.game, PASS, TurnBody("pass", (), shares, proof), seat._context(match))

    assert shown(b"", b"") == {}
    with pytest.raises(Refusal, match="a proof where nothing is shown"):
        shown(b"", b"x" * 98)
    with pytest.raises(ValueError, match="0 points take"):
        shown(b"x" * 33, b"")


def test_a_seat_signs_nothing_that_the_rules_refuse(first: AtStep) -> None:
    other = a_card_not_held(first)
    for action in (PASS, exchange(other), place(other, first.match.game.variant.board.grid.index(other))):
        with pytest.raises(IllegalAction):
            first.seat.play(first.match, action)


def test_who_owes_a_draw_draws_or_waives() -> None:
    at = at_step(played(2, "classic", 3, manual_draw=True), "late")

    def without_card(action: str) -> Contribution:
        return at.signs(TurnBody(action, (), b"", b""))

    assert {action.kind for action in at.seat.view(at.match).legal} == {"draw", "waive"}
    at.refuses("", without_card("end"))
    at.refuses("unknown field `remark`", at.signs(CallBody("call 1", b"", bytes(64))))
    at.refuses("a kind other than late", at.altered(kind="turn"))
    goes_on(at.match, without_card("draw"), without_card("waive"))
