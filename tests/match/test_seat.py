"""A seat's own side: what it owes, what it holds, and what it keeps to itself."""

from itertools import combinations

import pytest

from seqp2p.crypto.elgamal import card_points, reencrypt
from seqp2p.crypto.group import G, mul, mul_base, sub
from seqp2p.match.contribution import TurnBody, open_body, open_envelope
from seqp2p.match.errors import MatchError, Refusal
from seqp2p.match.game import Deck
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.rules import KIDS, PASS, UNKNOWN, RulesError
from tests.match.refusal import at_step
from tests.table import Played, played, shared_match_at


def test_a_seat_owes_what_the_step_awaits(trio: Played) -> None:
    match = Match(trio.agreement)
    for step in trio.steps:
        for _, held in step.contributions:
            assert {seat.number for seat in trio.seats if seat.owes(match)} == match.awaited
            match.receive(held)
    assert not any(seat.owes(match) for seat in trio.seats)


def test_a_seat_can_look_ahead_and_sees_no_more_than_it_knows(trio: Played) -> None:
    at = at_step(trio, "turn")
    step, action = at.match.number, at.seat.view(at.match).legal[0]
    after = at.seat.view_after(at.match, action)
    assert after.turn == 1
    assert after.hand.count(UNKNOWN) == 1, "the card it will draw"
    assert all(set(hand) == {UNKNOWN} for seat, hand in enumerate(after.position.hands, 1) if seat != at.number)
    assert after.board[action.square] == at.seat.view(at.match).team
    assert at.match.number == step


def test_a_turn_takes_an_action_and_the_end_nothing(trio: Played) -> None:
    with pytest.raises(AssertionError, match="a turn takes an action"):
        trio.seat(1).contribute(shared_match_at(trio, trio.step_of("turn")))
    with pytest.raises(AssertionError):
        trio.seat(1).contribute(trio.match)
    with pytest.raises(AssertionError, match="after the end"):
        trio.seat(1)._sign(trio.match, TurnBody("pass", (), b"", b""))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_the_others_together_cannot_open_a_hand_or_the_pile(players: int) -> None:
    """n − 1 secrets and the whole record: every sum of what they can compute for a card is no card's point."""
    game = played(players, "kids", 4)
    points = frozenset(card_points("kids", len(game.match.game.variant.deck)))
    match = shared_match_at(game, game.step_of("turn", 5))
    deck = match.game.deck
    for victim in game.seats:
        secrets = [seat.release() for seat in game.seats if seat is not victim]
        for position in (*deck.hand(victim.number), *range(deck.drawn, len(deck.ciphertexts))):
            card = deck.ciphertexts[position]
            shares = [mul(card.a, secret) for secret in secrets]
            assert deck.partial.get(position, card.b) not in points
            for count in range(len(shares) + 1):
                for some in combinations(shares, count):
                    opened = card.b
                    for share in some:
                        opened = sub(opened, share)
                    assert opened not in points
        for position in deck.hand(victim.number):
            share = mul(deck.ciphertexts[position].a, victim.release())
            assert sub(deck.partial[position], share) in points, "the holder alone can"


def test_a_seat_never_publishes_the_share_of_a_card_it_holds(long_game: Played) -> None:
    """In a whole game with a reshuffle and passes, the holder publishes its share only for cards that a turn shows."""
    match = Match(long_game.agreement)
    published: set[bytes] = set()
    shown: set[int] = set()
    for number, step in enumerate(long_game.steps, 1):
        for _, held in step.contributions:
            body = open_body(open_envelope(held.payload))
            shares = getattr(body, "shares", b"")
            published.update(shares[at : at + 33] for at in range(0, len(shares), 33))
            shown.update(getattr(body, "cards", ()))
            match.receive(held)
        if number % 20:
            continue
        deck = match.game.deck
        for seat in long_game.seats:
            for position in set(deck.hand(seat.number)) - shown:
                assert mul(deck.ciphertexts[position].a, seat.release()).encoded not in published


def secret_texts(seat: SeatKeys) -> list[str]:
    """How the secrets of a seat could look in a text."""
    secrets = [seat._identity.secret_bytes(), seat.release().to_bytes(32, "big")]
    numbers = [str(seat.release()), f"{seat.release():x}"]
    return [text for data in secrets for text in (data.hex(), repr(data)[2:-1], repr(data[:12])[2:-1])] + numbers


def test_no_text_and_no_error_shows_a_secret(brief: Played) -> None:
    texts: list[str] = []
    for step in (1, 2, 3, 4, 5, 6, 7, 10):
        match = shared_match_at(brief, step)
        texts += [repr(match), repr(vars(match)), repr(match.game), repr(match.game.deck), repr(match.record)]
        for seat in [seat for seat in brief.seats if seat.owes(match)]:
            at = at_step(brief, step, seat.number)
            texts += [repr(seat), str(seat), repr(seat._identity), repr(at.honest)]
            for wrong in ({"shares": b"\2" * 33}, {"proof": bytes(98)}, {"key": bytes(33)}, {"more": 1}):
                with pytest.raises(MatchError) as caught:
                    match.receive(at.with_body(wrong))
                texts += [str(caught.value), repr(caught.value), repr(vars(caught.value))]
            with pytest.raises((RulesError, AssertionError)) as refused:
                seat.play(match, PASS)
            texts += [str(refused.value), repr(refused.value)]
    for seat in brief.seats:
        assert not any(secret in text for secret in secret_texts(seat) for text in texts)


def test_nothing_that_is_sent_holds_a_secret(brief: Played) -> None:
    """A nonce is sent when it is revealed, and not before."""
    payloads = b"".join(held.payload for step in brief.steps for _, held in step.contributions)
    for seat in brief.seats:
        assert seat.release().to_bytes(32, "big") not in payloads
        assert seat._identity.secret_bytes() not in payloads
        assert seat._nonce not in brief.contribution(1, seat.number).payload
        assert seat._nonce in brief.contribution(2, seat.number).payload


# Where the cards lie: pile, hands and discards, with no cryptography but the openings.


SECRETS = {1: 11, 2: 22}
PK = mul_base(33)


def dealt() -> Deck:
    """All kids' cards in the pile, re-encrypted in order; positions 0 and 1 dealt to seats 1 and 2."""
    deck = Deck(KIDS, 2)
    deck.begin(range(42), PK)
    deck.mixing = tuple(reencrypt(card, PK, at + 2) for at, card in enumerate(deck.mixing))
    deck.adopt()
    for seat in (1, 2):
        position = deck.give(seat)
        deck.open_partly(position, [mul(deck.ciphertexts[position].a, SECRETS[3 - seat])])
    return deck


def test_mixing_begins_in_canonical_order() -> None:
    deck, other = Deck(KIDS, 2), Deck(KIDS, 2)
    deck.begin([5, 3, 41], PK)
    other.begin([41, 5, 3], PK)
    assert [card.a for card in deck.mixing] == [G] * 3
    assert deck.mixing == other.mixing
    assert len(set(deck.points)) == 42


def test_the_holders_share_opens_a_card_and_nothing_else_does() -> None:
    deck = dealt()
    assert deck.physical(0, mul(deck.ciphertexts[0].a, SECRETS[1])) == 0
    assert deck.physical(1, mul(deck.ciphertexts[1].a, SECRETS[2])) == 1
    for wrong in (mul(deck.ciphertexts[1].a, SECRETS[1]), mul(deck.ciphertexts[0].a, SECRETS[2]), G):
        with pytest.raises(Refusal, match="deck position 0 opens to no card"):
            deck.physical(0, wrong)


def test_cards_are_given_from_the_top_and_taken_as_discards() -> None:
    deck = dealt()
    assert (deck.hand(1), deck.hand(2), deck.drawn) == ([0], [1], 2)
    assert deck.give(1) == 2
    deck.shown[0] = 0
    deck.take(1, 0)
    assert (deck.hand(1), deck.discards) == ([2], [0])
    with pytest.raises(ValueError, match="not in list"):
        deck.take(1, 0)
