"""Adversaries in play: cards not held, cards not theirs, false passes, shares of other cards. Each is named."""

from collections.abc import Sequence

import pytest

from seqp2p.crypto.group import encode_point, mul_base
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import key_commitment, prove_key
from seqp2p.match.contribution import CallBody, Contribution, RevealBody, TurnBody, make_payload
from seqp2p.match.errors import Refusal
from seqp2p.match.events import Turned
from seqp2p.match.machine import Match
from seqp2p.match.steps import check_shown
from seqp2p.rules import PASS, IllegalAction, exchange, format_action, place
from tests.match.refusal import AtStep, at_step, goes_on, violation
from tests.table import Played, altered, fields_of, match_at, played, randomness, signed


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


# Adversaries before the first turn: commitments and keys. Each is refused, and named.


NONCE = bytes(range(32))
NOT_COMMITTED_TO = "not those it committed to"


def committed(game: Played, commitments: dict[int, bytes]) -> Match:
    """A match at step ``reveal`` in which some seats have committed to something of their own."""
    match = Match(game.agreement)
    for seat in range(1, game.players + 1):
        honest = game.contribution(1, seat)
        cheat = altered(game.identity(seat), honest, body={"commitment": commitments.get(seat)})
        match.receive(cheat if seat in commitments else honest)
    assert match.kind == "reveal"
    return match


def commitment(game: Played, seat: int, secret: int) -> bytes:
    return key_commitment(game.match.game.id, seat, encode_point(mul_base(secret)), NONCE)


def reveal(game: Played, match: Match, seat: int, secret: int, nonce: bytes = NONCE) -> Contribution:
    """A reveal of the key of this secret, with a true proof."""
    here, key = Context(match.game.id, match.number, seat, match.head), mul_base(secret)
    body = RevealBody(encode_point(key), prove_key(secret, key, here, randomness(seat)), nonce)
    return signed(game.identity(seat), make_payload(match.game.id, match.number, match.head, seat, "reveal", body))


def test_a_commitment_that_was_copied_or_made_up_cannot_be_opened(trio: Played) -> None:
    """Seat 2 repeats what seat 1 committed to, and then what it reveals: both are bound to the seat."""
    match = committed(trio, {2: fields_of(trio.contribution(1, 1))["body"]["commitment"], 3: b"\xaa" * 32})
    first, third = trio.seat(1), trio.seat(3)
    opened = reveal(trio, match, 1, first.release(), first._nonce)
    match.receive(opened)
    violation(match, altered(trio.identity(2), opened, seat=2), 2, 2, NOT_COMMITTED_TO)
    violation(match, reveal(trio, match, 3, third.release(), third._nonce), 3, 2, NOT_COMMITTED_TO)


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_two_seats_with_one_key_are_refused(trio: Played, order: tuple[int, int]) -> None:
    """Two who share a secret can prove it, each bound to its own seat: the second one to show it is refused."""
    first, second = order
    secret = trio.seat(1).release()
    match = committed(trio, {seat: commitment(trio, seat, secret) for seat in order})
    match.receive(reveal(trio, match, first, secret))
    violation(match, reveal(trio, match, second, secret), second, 2, "another seat's too")
