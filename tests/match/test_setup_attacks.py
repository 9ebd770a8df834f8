"""Adversaries before the first turn: commitments, keys, shuffles and the deal. Each is refused, and named."""

import pytest

from seqp2p.crypto.elgamal import Ciphertext, card_points, encode_deck, fresh_deck, reencrypt
from seqp2p.crypto.group import G, Point, add, encode_point, encode_points, mul, mul_base, sub
from seqp2p.crypto.identity import Identity
from seqp2p.crypto.key_proof import key_commitment, prove_key
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.share_proof import prove_shares
from seqp2p.crypto.shuffle import shuffle
from seqp2p.crypto.shuffle_proof import prove_shuffle
from seqp2p.match.contribution import Body, Contribution, RevealBody, SeatBody, ShuffleBody, StepKind, make_payload
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.steps import positions_of_others
from tests.match.refusal import goes_on, violation
from tests.table import (
    Played,
    altered,
    fields_of,
    make_seats,
    match_at,
    played,
    randomness,
    shared_match_at,
    signed,
    with_body,
)

Deck = tuple[Ciphertext, ...]


def context(match: Match, seat: int) -> Context:
    return Context(match.game.id, match.number, seat, match.head)


def contribution(match: Match, seat: int, who: Identity, kind: StepKind, body: Body) -> Contribution:
    return signed(who, make_payload(match.game.id, match.number, match.head, seat, kind, body))


# --- seat and reveal


def committed(game: Played, commitments: dict[int, bytes]) -> Match:
    """A match at step ``reveal`` in which some seats have committed to something of their own."""
    match = Match(game.agreement)
    for seat in range(1, game.players + 1):
        honest = game.contribution(1, seat)
        cheat = altered(game.identity(seat), honest, body={"commitment": commitments.get(seat)})
        match.receive(cheat if seat in commitments else honest)
    assert match.kind == "reveal"
    return match


def reveal(game: Played, match: Match, seat: int, secret: int, key: Point, nonce: bytes) -> Contribution:
    """A reveal of this key, with the proof that this secret makes."""
    proof = prove_key(secret, key, context(match, seat), randomness(seat))
    return contribution(match, seat, game.identity(seat), "reveal", RevealBody(encode_point(key), proof, nonce))


def test_a_copied_commitment_cannot_be_opened(trio: Played) -> None:
    """Seat 2 repeats what seat 1 committed to, and then what it reveals: both are bound to the seat."""
    match = committed(trio, {2: fields_of(trio.contribution(1, 1))["body"]["commitment"]})
    first = trio.seat(1)
    opened = reveal(trio, match, 1, first.release(), mul_base(first.release()), first._nonce)
    match.receive(opened)
    copied = altered(trio.identity(2), opened, seat=2)
    violation(match, copied, 2, 2, "not those it committed to")


def test_a_key_cannot_be_chosen_after_the_others_are_seen(trio: Played) -> None:
    match = shared_match_at(trio, 2)
    late = reveal(trio, match, 2, 77, mul_base(77), trio.seat(2)._nonce)
    violation(match, late, 2, 2, "not those it committed to")
    honest = trio.contribution(2, 2)
    other_nonce = with_body(trio.identity(2), honest, nonce=bytes(32))
    violation(match, other_nonce, 2, 2, "not those it committed to")
    goes_on(match, honest)


def test_a_key_without_its_secret_is_refused(trio: Played) -> None:
    """The rogue key y·G − X_1: who could use it would know x_1 + x_2, and so all that these two should know apart."""
    secret, nonce = 1234567, bytes(range(32))
    rogue = sub(mul_base(secret), mul_base(trio.seat(1).release()))
    match = committed(trio, {2: key_commitment(trio.match.game.id, 2, encode_point(rogue), nonce)})
    violation(match, reveal(trio, match, 2, secret, rogue, nonce), 2, 2, "key proof")


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_two_seats_with_one_key_are_refused(trio: Played, order: tuple[int, int]) -> None:
    """Two who share a secret can prove it, each bound to its own seat: the second one to show it is refused."""
    secret = trio.seat(1).release()
    key, nonce = mul_base(secret), bytes(range(32))
    match = committed(
        trio, {seat: key_commitment(trio.match.game.id, seat, encode_point(key), nonce) for seat in (1, 2)}
    )
    match.receive(reveal(trio, match, order[0], secret, key, nonce))
    second = reveal(trio, match, order[1], secret, key, nonce)
    violation(match, second, order[1], 2, "another seat's too")


def test_keys_that_cancel_out_are_refused(brief: Played) -> None:
    """All seats together can make ΣX_i infinite: then every card would lie open."""
    nonce, keys = bytes(range(32)), {1: 4321, 2: -4321}
    match = committed(
        brief,
        {seat: key_commitment(brief.match.game.id, seat, encode_point(mul_base(x)), nonce) for seat, x in keys.items()},
    )
    order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    match.receive(reveal(brief, match, 1, 4321, mul_base(4321), nonce))
    last = reveal(brief, match, 2, order - 4321, mul_base(-4321), nonce)
    violation(match, last, 2, 2, "infinity")


def test_a_key_proof_holds_for_its_seat_and_game_only(trio: Played) -> None:
    match = shared_match_at(trio, 2)
    honest = trio.contribution(2, 2)
    own = trio.seat(2)
    key = mul_base(own.release())
    here = context(match, 2)
    for strange in (
        Context(bytes(32), here.step, here.seat, here.prev),
        Context(here.game, here.step + 1, here.seat, here.prev),
        Context(here.game, here.step, 3, here.prev),
        Context(here.game, here.step, here.seat, bytes(32)),
    ):
        proof = prove_key(own.release(), key, strange, randomness(1))
        violation(match, with_body(trio.identity(2), honest, proof=proof), 2, 2, "key proof")
    stolen = fields_of(trio.contribution(2, 1))["body"]
    violation(match, altered(trio.identity(2), honest, body=stolen), 2, 2, "not those it committed to")
    goes_on(match, honest)


@pytest.mark.parametrize(
    "key", [bytes(33), b"\2" + bytes(32), b"\4" + bytes(32), b"\2" + b"\xff" * 32, b"\5" + encode_point(G)[1:]]
)
def test_a_key_that_is_no_point_is_refused(trio: Played, key: bytes) -> None:
    match, honest = shared_match_at(trio, 2), trio.contribution(2, 1)
    violation(match, with_body(trio.identity(1), honest, key=key), 1, 2, "no point")


# --- shuffle


def shuffled(match: Match, deck: Deck) -> tuple[Deck, tuple[int, ...], tuple[int, ...]]:
    return shuffle(deck, match.game.joint_key, randomness("shuffle"))


def proved(
    game: Played, match: Match, before: Deck, after: Deck, how: tuple[tuple[int, ...], tuple[int, ...]]
) -> Contribution:
    """What a prover that follows the algorithm makes of a statement, true or false."""
    seat = next(iter(match.awaited))
    proof = prove_shuffle(before, after, match.game.joint_key, *how, context(match, seat), randomness("proof"))
    return contribution(match, seat, game.identity(seat), "shuffle", ShuffleBody(encode_deck(after), proof))


def dishonest(match: Match, deck: Deck, which: str) -> Deck:
    """A deck that is no shuffle of what it should be."""
    first, second, *rest = deck
    pk = match.game.joint_key
    stranger = Ciphertext(G, add(card_points("classic", 104)[0], pk))
    other = {
        "a card twice": (first, reencrypt(first, pk, 5), *rest),
        "the same card twice": (first, first, *rest),
        "a card of another deck": (reencrypt(stranger, pk, 5), second, *rest),
        "no card": (reencrypt(Ciphertext(G, add(G, pk)), pk, 5), second, *rest),
        "halves swapped": (Ciphertext(first.a, second.b), Ciphertext(second.a, first.b), *rest),
        "one re-encrypted again": (reencrypt(first, pk, 5), second, *rest),
        "two places swapped": (second, first, *rest),
        "a linear map": (
            Ciphertext(add(first.a, second.a), add(first.b, second.b)),
            Ciphertext(sub(mul(first.a, 2), second.a), sub(mul(first.b, 2), second.b)),
            *rest,
        ),
        "the sum kept": (
            Ciphertext(add(first.a, G), add(first.b, G)),
            Ciphertext(sub(second.a, G), sub(second.b, G)),
            *rest,
        ),
        "all doubled": tuple(Ciphertext(mul(card.a, 2), mul(card.b, 2)) for card in deck),
    }
    return other[which]


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize(
    "which",
    [
        "a card twice",
        "the same card twice",
        "a card of another deck",
        "no card",
        "halves swapped",
        "one re-encrypted again",
        "two places swapped",
        "a linear map",
        "the sum kept",
        "all doubled",
    ],
)
def test_what_is_no_shuffle_is_refused(brief: Played, which: str, nth: int) -> None:
    step = brief.step_of("shuffle", nth)
    match = shared_match_at(brief, step)
    before = match.game.deck.mixing
    after, *how = shuffled(match, before)
    false = proved(brief, match, before, dishonest(match, after, which), (how[0], how[1]))
    violation(match, false, nth, step, "shuffle proof")
    goes_on(match, brief.contribution(step, nth))


def test_a_shuffle_begins_with_the_deck_of_the_seat_before(brief: Played) -> None:
    """Seat 2 must not shuffle the open deck again, as if seat 1 had done nothing: then it alone would know it."""
    step = brief.step_of("shuffle", 2)
    match = shared_match_at(brief, step)
    fresh = fresh_deck(match.game.joint_key, match.game.deck.points)
    after, *how = shuffled(match, fresh)
    violation(match, proved(brief, match, fresh, after, (how[0], how[1])), 2, step, "shuffle proof")


def test_a_proof_of_another_step_or_seat_is_refused(brief: Played) -> None:
    step = brief.step_of("shuffle", 2)
    match = shared_match_at(brief, step)
    honest = brief.contribution(step, 2)
    own = fields_of(honest)["body"]
    others = fields_of(brief.contribution(step - 1, 1))["body"]
    for body in (others, {**own, "proof": others["proof"]}, {**own, "deck": others["deck"]}):
        violation(match, altered(brief.identity(2), honest, body=body), 2, step, "shuffle proof")


def test_a_shuffle_of_another_game_among_the_same_people_is_refused(brief: Played) -> None:
    """Game keys, nonces and so the id of the game are fresh: nothing of an earlier evening can be used again."""
    other = played(2, "kids", 2)
    step = brief.step_of("shuffle")
    match, theirs = shared_match_at(brief, step), other.contribution(step, 1)
    moved = altered(brief.identity(1), theirs, game=match.game.id, prev=match.head)
    violation(match, moved, 1, step, "shuffle proof")


@pytest.mark.parametrize("change", [-66, -1, 1, 66])
def test_a_deck_has_as_many_cards_as_before(brief: Played, change: int) -> None:
    step = brief.step_of("shuffle")
    match, honest = shared_match_at(brief, step), brief.contribution(step, 1)
    deck = fields_of(honest)["body"]["deck"]
    other = deck[:change] if change < 0 else deck + deck[:change]
    violation(match, with_body(brief.identity(1), honest, deck=other), 1, step, "84 points take")


def test_nobody_shuffles_for_the_others(brief: Played) -> None:
    """Every seat shuffles once, in its turn: the same seat again, or a later seat first, is no step of the game."""
    first, second = brief.step_of("shuffle"), brief.step_of("shuffle", 2)
    match = shared_match_at(brief, second)
    again = brief.seat(1)._sign(match, ShuffleBody(b"", b""))
    violation(match, again, 1, second, "not its step")
    match = shared_match_at(brief, first)
    early = brief.seat(2)._sign(match, ShuffleBody(b"", b""))
    violation(match, early, 2, first, "not its step")


def test_a_reshuffle_is_of_the_discards_only(long_game: Played) -> None:
    """The first deck again, or its proof, is no shuffle of the cards that were played."""
    step = long_game.step_of("shuffle", 3)
    match, honest = shared_match_at(long_game, step), long_game.contribution(step, 1)
    old = fields_of(long_game.contribution(long_game.step_of("shuffle"), 1))["body"]
    violation(match, altered(long_game.identity(1), honest, body=old), 1, step, "points take")
    goes_on(match, honest)


# --- deal


def test_the_shares_of_a_deal_are_of_the_right_cards_in_the_right_order(trio: Played) -> None:
    step = trio.step_of("deal")
    match, honest = shared_match_at(trio, step), trio.contribution(step, 2)
    own, positions = trio.seat(2), positions_of_others(match.game, 2)
    shares = [mul(match.game.deck.ciphertexts[at].a, own.release()) for at in positions]
    statement = [(at, match.game.deck.ciphertexts[at].a) for at in positions]
    foreign = mul(match.game.deck.ciphertexts[20].a, own.release())
    for lie in (
        [shares[1], shares[0], *shares[2:]],  # two cards swapped
        [shares[0], shares[0], *shares[2:]],  # one share for two cards
        [foreign, *shares[1:]],  # a card of the pile
        [add(shares[0], G), sub(shares[1], G), *shares[2:]],  # the sum is right
        [mul(share, 2) for share in shares],  # another secret
    ):
        proof = prove_shares(own.release(), own._key, statement, lie, context(match, 2), randomness(1))
        false = with_body(trio.identity(2), honest, shares=encode_points(lie), proof=proof)
        violation(match, false, 2, step, "share proof")
    goes_on(match, honest)


def test_a_deal_opens_neither_more_nor_fewer_cards(trio: Played) -> None:
    step = trio.step_of("deal")
    match, honest = shared_match_at(trio, step), trio.contribution(step, 2)
    own = trio.seat(2)
    everything = list(range(9))
    for positions in (everything, positions_of_others(match.game, 2)[1:], positions_of_others(match.game, 1)):
        shares, proof = own._shares(match, positions)
        false = with_body(trio.identity(2), honest, shares=shares, proof=proof)
        text = "share proof" if len(positions) == 6 else "6 points take"
        violation(match, false, 2, step, text)
    goes_on(match, honest)


def test_shares_of_another_seat_game_or_step_are_refused(trio: Played) -> None:
    step = trio.step_of("deal")
    match, honest = shared_match_at(trio, step), trio.contribution(step, 2)
    stolen = fields_of(trio.contribution(step, 1))["body"]
    violation(match, altered(trio.identity(2), honest, body=stolen), 2, step, "share proof")
    elsewhere = played(3, "kids", 3)
    theirs = fields_of(elsewhere.contribution(step, 2))["body"]
    violation(match, altered(trio.identity(2), honest, body=theirs), 2, step, "share proof")
    here = context(match, 2)
    own, positions = trio.seat(2), positions_of_others(match.game, 2)
    statement = [(at, match.game.deck.ciphertexts[at].a) for at in positions]
    shares = [mul(a, own.release()) for _, a in statement]
    for strange in (
        Context(here.game, here.step - 1, here.seat, here.prev),
        Context(here.game, here.step, 1, here.prev),
        Context(here.game, here.step, here.seat, bytes(32)),
    ):
        proof = prove_shares(own.release(), own._key, statement, shares, strange, randomness(1))
        violation(match, with_body(trio.identity(2), honest, proof=proof), 2, step, "share proof")
    goes_on(match, honest)


def test_a_seat_with_another_secret_than_its_key_is_refused(trio: Played) -> None:
    step = trio.step_of("deal")
    match, honest = shared_match_at(trio, step), trio.contribution(step, 2)
    changeling: SeatKeys = make_seats(3, seed=99)[1]
    shares, proof = changeling._shares(match, positions_of_others(match.game, 2))
    violation(match, with_body(trio.identity(2), honest, shares=shares, proof=proof), 2, step, "share proof")


def test_commitments_are_any_bytes_but_bind(trio: Played) -> None:
    """A seat that commits to noise is found out at its reveal, and not before."""
    match = committed(trio, {3: b"\xaa" * 32})
    own = trio.seat(3)
    opened = reveal(trio, match, 3, own.release(), mul_base(own.release()), own._nonce)
    violation(match, opened, 3, 2, "not those it committed to")
    assert SeatBody(b"\xaa" * 32).commitment == match.game.commitments[3]


def test_a_match_at_a_step_is_what_the_game_was_then(trio: Played) -> None:
    """The helper that all of these rely on."""
    match = match_at(trio, trio.step_of("deal"))
    assert match.head == trio.steps[trio.step_of("deal") - 1].prev
