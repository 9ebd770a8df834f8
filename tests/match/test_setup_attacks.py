"""Adversaries before the first turn: commitments and keys. Each is refused, and named.

What a proof does not prove is for tests/crypto to say, and the vectors and small replays of protocol/ have a false
proof, key, deck or share of every kind: tests/protocol/test_contributions.py, tests/replay/test_playback.py.
"""

import pytest

from seqp2p.crypto.group import encode_point, mul_base
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import key_commitment, prove_key
from seqp2p.match.contribution import Contribution, RevealBody, make_payload
from seqp2p.match.machine import Match
from tests.match.refusal import violation
from tests.table import Played, altered, fields_of, randomness, signed

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
