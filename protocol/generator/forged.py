"""Replay cases of the steps before the first turn: game keys, shuffles and shares that a cheat may try.

Each is the small game up to a step, and then a step that no honest seat would make. All other parts are right:
commitments, signatures and proofs fit the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final
from unittest.mock import patch

from protocol.generator.case import Case, invalid
from protocol.generator.contributions import small_game
from protocol.generator.games import Game, in_body, opened
from protocol.generator.stream import Stream
from protocol.generator.vectors import flip
from seqp2p.crypto.elgamal import Ciphertext, card_points, encode_deck, fresh_deck
from seqp2p.crypto.group import ORDER, Point, add, encode_point, encode_points, hash_to_point, mul_base
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import key_commitment, prove_key, prove_shares, share
from seqp2p.crypto.shuffle import prove_shuffle, shuffle
from seqp2p.match.contribution import Contribution, RevealBody, SharesBody, ShuffleBody
from seqp2p.match.errors import Failure
from seqp2p.match.steps import positions_of_others
from seqp2p.replay.format import StepRecord, pairs
from seqp2p.rules import CLASSIC

# The x-coordinate p + 1: as a number modulo p it is 1, and 1 is that of a point.
X_NOT_BELOW_P: Final = (2**256 - 2**32 - 977 + 1).to_bytes(32, "big")
NO_POINT: Final = b"\2" + (5).to_bytes(32, "big")
INFINITY: Final = bytes(33)


def refused(game: Game, failure: Failure, seat: int, why: str, *contributions: Contribution) -> Case:
    """Return the game and its open step with these contributions, one of which this seat should not have signed."""
    number = game.match.number
    return invalid(game.written(StepRecord(number, pairs(contributions))), why, failure, number, seat)


def elsewhere(context: Context) -> dict[str, Context]:
    """Return the context with one thing changed, by the name of the change."""
    return {
        "game": replace(context, game=bytes(32)),
        "step": replace(context, step=context.step + 1),
        "seat": replace(context, seat=3 - context.seat),
        "past": replace(context, prev=bytes(32)),
    }


def forged_cases() -> dict[str, Case]:
    """Return all of them by name."""
    cases = _keys() | _shuffles() | _turns_at_shuffling() | _deals()
    return {f"{name}_fail": case for name, case in cases.items()}


# Game keys: seat 2 commits to a key of its choice, and then shows it.

Prove = Callable[[Context], bytes]


def _key(key: bytes, why: str, prove: Prove, *, nonce: bytes | None = None, failure: Failure = "key") -> Case:
    """Seat 2 commits to this key, and shows it in step 2."""
    game, own_nonce = small_game(), Stream("forged nonce")(32)
    one, two = game.contributions()
    commitment = key_commitment(game.match.game.id, 2, key, own_nonce)
    game.match.receive(one)
    game.match.receive(game.changed(two, in_body(commitment=commitment)))
    shown = game.made(2, "reveal", RevealBody(key, prove(game.context(2)), nonce or own_nonce))
    return refused(game, failure, 2, why, game.contribution(1), shown)


def _keys() -> dict[str, Case]:
    x = int.from_bytes(Stream("forged key")(31), "big")
    point = mul_base(x)
    key = encode_point(point)
    unknown = hash_to_point("seqp2p/1 of unknown secret", 0)
    opposite = ORDER - small_game().seats[0].release()

    def proof(context: Context, secret: int = x, of: Point = point) -> bytes:
        return prove_key(secret, of, context, Stream("forged key proof"))

    def with_scalar(scalar: bytes) -> Prove:
        return lambda context: proof(context)[:33] + scalar

    def proof_elsewhere(what: str) -> Prove:
        return lambda context: proof(elsewhere(context)[what])

    cases = {
        "key_at_infinity": _key(INFINITY, "33 zero bytes are no point", proof),
        "key_off_the_curve": _key(NO_POINT, "no point has this x", proof),
        "key_with_x_not_below_p": _key(b"\2" + X_NOT_BELOW_P, "x is p + 1", proof),
        "key_of_unknown_secret": _key(
            encode_point(unknown), "proved with another secret", lambda context: proof(context, of=unknown)
        ),
        "key_proof_with_s_of_zero": _key(key, "s is 0", with_scalar(bytes(32))),
        "key_proof_with_s_of_q": _key(key, "s is q", with_scalar(ORDER.to_bytes(32, "big"))),
        "key_proof_cut_short": _key(key, "64 bytes of 65", lambda context: proof(context)[:-1], failure="step"),
        "key_proof_changed": _key(key, "T is its opposite", lambda context: flip(proof(context), 0)),
        "nonce_not_committed_to": _key(key, "another nonce than the one committed to", proof, nonce=bytes(32)),
        "keys_that_cancel_out": _key(
            encode_point(mul_base(opposite)), "the sum of both keys is infinity",
            lambda context: proof(context, opposite, mul_base(opposite)),
        ),
    }  # fmt: skip
    for what in ("game", "step", "seat", "past"):
        why = f"its challenge is that of another {what}"
        cases[f"key_proof_of_another_{what}"] = _key(key, why, proof_elsewhere(what))
    cases["key_not_committed_to"] = _key_not_committed_to(key, proof)
    return cases


def _key_not_committed_to(key: bytes, prove: Prove) -> Case:
    """A key that is right in itself, shown after a commitment to another."""
    game = small_game().play(until=2)
    shown = game.made(2, "reveal", RevealBody(key, prove(game.context(2)), game.seats[1].secrets.nonce))
    return refused(game, "key", 2, "another key than the one committed to", game.contribution(1), shown)


# Shuffles: step 3 is that of seat 1.


def _shuffles() -> dict[str, Case]:
    game = small_game().play(until=3)
    match, stream = game.match, Stream("forged shuffles")
    before, pk = match.game.deck.mixing, match.game.joint_key
    context = game.context(1)
    honest, order, randomness = shuffle(before, pk, stream)

    def prove(deck: Sequence[Ciphertext], key: Point = pk, where: Context = context) -> bytes:
        return prove_shuffle(before, deck, key, order, randomness, where, stream)

    def case(deck: Sequence[Ciphertext], proof: bytes, why: str) -> Case:
        return refused(game, "shuffle", 1, why, game.made(1, "shuffle", ShuffleBody(encode_deck(deck), proof)))

    def shuffled(deck: Sequence[Ciphertext], key: Point = pk) -> tuple[Sequence[Ciphertext], bytes]:
        after, order, randomness = shuffle(deck, key, stream)
        return after, prove_shuffle(deck, after, key, order, randomness, context, stream)

    proof = prove(honest)
    twice = (honest[1], *honest[1:])
    foreign = (*fresh_deck(pk, card_points("classic", len(CLASSIC.deck))[:1]), *honest[1:])
    mapped = (Ciphertext(add(honest[0].a, honest[1].a), add(honest[0].b, honest[1].b)), *honest[1:])
    again, of_another = shuffled(before[::-1])
    for_one, for_own_key = shuffled(before, match.game.keys[1])
    fewer, of_fewer = shuffled(before[:-1])
    with patch("seqp2p.crypto.shuffle.generators", lambda n: tuple(mul_base(index + 2) for index in range(n))):
        trapdoor = prove(honest)
    cases = {
        "shuffle_with_a_card_twice": case(twice, prove(twice), "the first card is the second again"),
        "shuffle_with_a_foreign_card": case(foreign, prove(foreign), "a card of the classic game is swapped in"),
        "shuffle_by_a_linear_map": case(mapped, prove(mapped), "two cards are added up: no permutation"),
        "shuffle_of_another_deck": case(again, of_another, "a right shuffle, of another deck"),
        "shuffle_under_another_key": case(for_one, for_own_key, "encrypted again under the key of seat 1 alone"),
        "shuffle_with_own_generators": case(honest, trapdoor, "generators of its own, of known logarithms"),
        "shuffle_commitment_changed": case(honest, flip(proof, 0), "c_1 is its opposite"),
        "shuffle_response_changed": case(honest, flip(proof, len(proof) - 1), "the last bit of the last response"),
        "shuffle_scalar_of_zero": case(honest, proof[:-32] + bytes(32), "the last response is 0"),
        "shuffle_scalar_of_q": case(honest, proof[:-32] + ORDER.to_bytes(32, "big"), "the last response is q"),
        "shuffle_point_at_infinity": case(honest, INFINITY + proof[33:], "c_1 is 33 zero bytes"),
        "shuffle_proof_cut_short": case(honest, proof[:-1], "a byte less than a proof has"),
        "shuffle_of_fewer_cards": case(fewer, of_fewer, "a right shuffle, of all cards but one"),
    }
    for what, where in elsewhere(context).items():
        why = f"its challenge is that of another {what}"
        cases[f"shuffle_proof_of_another_{what}"] = case(honest, prove(honest, where=where), why)
    return cases


def _turns_at_shuffling() -> dict[str, Case]:
    """Shuffles that are right in themselves, by the seat whose turn it is not; and one that never comes."""
    third, fourth = small_game().play(until=3), small_game().play(until=4)
    ahead = third.seats[1].contribute(third.match)
    again = fourth.seats[0].contribute(fourth.match)
    early = fourth.made(2, "deal", SharesBody(encode_points([mul_base(1)]), bytes(98)))
    return {
        "shuffle_by_the_next_seat": refused(third, "step", 2, "seat 2 shuffles where seat 1 has to", ahead),
        "one_seat_shuffles_for_both": refused(fourth, "step", 1, "seat 1 shuffles again, for seat 2", again),
        "shuffle_left_out": refused(fourth, "step", 2, "seat 2 deals before it has shuffled", early),
    }


# Shares: step 5 is the deal. Seat 1 gives the shares for the cards of seat 2.


def _deals() -> dict[str, Case]:
    game = small_game().play(until=5)
    match, stream = game.match, Stream("forged shares")
    x, key = game.seats[0].release(), match.game.keys[1]
    cards = [(at, match.game.deck.ciphertexts[at].a) for at in positions_of_others(match.game, 1)]
    right = [share(x, a, stream) for _, a in cards]
    context, other = game.context(1), game.contribution(2)

    def prove(shares: Sequence[Point], secret: int = x, where: Context = context) -> bytes:
        return prove_shares(secret, key, cards, shares, where, stream)

    def case(shares: bytes, proof: bytes, why: str, failure: Failure = "share") -> Case:
        return refused(game, failure, 1, why, game.made(1, "deal", SharesBody(shares, proof)), other)

    proof, data = prove(right), encode_points(right)
    swapped = [right[1], right[0], *right[2:]]
    wrong = [mul_base(7), *right[1:]]
    secret = x % (ORDER - 1) + 1
    others = [share(secret, a, stream) for _, a in cards]
    body = opened(other)["body"]
    cases = {
        "shares_swapped": case(encode_points(swapped), prove(swapped), "each of two shares is for the other card"),
        "share_of_no_card": case(encode_points(wrong), prove(wrong), "the first share is another point"),
        "shares_by_another_secret": case(
            encode_points(others), prove(others, secret), "all shares are of a secret that is not that of its key"
        ),
        "shares_of_the_other_seat": case(body["shares"], body["proof"], "seat 2's shares and proof again"),
        "share_missing": case(data[33:], proof, "a share less than cards"),
        "share_too_many": case(data + data[:33], proof, "a share more than cards"),
        "share_at_infinity": case(INFINITY + data[33:], proof, "the first share is 33 zero bytes"),
        "share_proof_with_s_of_q": case(data, proof[:66] + ORDER.to_bytes(32, "big"), "s is q"),
        "share_proof_with_s_of_zero": case(data, proof[:66] + bytes(32), "s is 0"),
        "share_proof_changed": case(data, flip(proof, 33), "T_2 is its opposite"),
        "share_proof_cut_short": case(data, proof[:-1], "a byte less than a proof has", "step"),
    }
    for what, where in elsewhere(context).items():
        why = f"its challenge is that of another {what}"
        cases[f"share_proof_of_another_{what}"] = case(data, prove(right, where=where), why)
    return cases
