"""Every proof alone and in a batch: what it is bound to, and that any other bytes are refused. Then keys alone."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto import schnorr
from seqp2p.crypto.elgamal import card_points, fresh_deck
from seqp2p.crypto.equation import Batch, Check, require
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import (
    INFINITY,
    ORDER,
    POINT_SIZE,
    Point,
    Randomness,
    add,
    encode_point,
    encode_scalar,
    mul,
    mul_base,
    neg,
    sub,
)
from seqp2p.crypto.oracle import Context, Oracle
from seqp2p.crypto.schnorr import key_commitment, prove_key, prove_shares, share, verify_key, verify_shares
from seqp2p.crypto.shuffle import prove_shuffle, shuffle, verify_shuffle
from tests.crypto.tools import CONTEXT, OTHER_CONTEXTS, point, stream, with_changed_bytes

x = 0xC0FFEE << 200
X = mul_base(x)
CARDS = tuple((3 * place, point(place)) for place in range(1, 6))
SHARES = tuple(share(x, a, stream(position)) for position, a in CARDS)
DECK = fresh_deck(X, card_points("classic", 2))
SHUFFLED, PERMUTATION, RERANDOMISERS = shuffle(DECK, X, stream("shuffle"))


@dataclass(frozen=True)
class Kind:
    """A kind of proof, with a true statement."""

    size: int
    prove: Callable[[Context, Randomness], bytes]
    verify: Callable[[bytes, Context, Check], None]


KINDS = {
    "key": Kind(65, partial(prove_key, x, X), partial(verify_key, X)),
    "shares": Kind(98, partial(prove_shares, x, X, CARDS, SHARES), partial(verify_shares, X, CARDS, SHARES)),
    "one share": Kind(
        98, partial(prove_shares, x, X, CARDS[:1], SHARES[:1]), partial(verify_shares, X, CARDS[:1], SHARES[:1])
    ),
    "shuffle": Kind(
        163 * 2 + 293,
        partial(prove_shuffle, DECK, SHUFFLED, X, PERMUTATION, RERANDOMISERS),
        partial(verify_shuffle, DECK, SHUFFLED, X),
    ),
}
PROOFS = {name: kind.prove(CONTEXT, stream(name)) for name, kind in KINDS.items()}
each_kind = pytest.mark.parametrize("name", KINDS)


def holds_in_a_batch(name: str, proof: bytes, context: Context) -> bool:
    """Return True if a proof passes in one sum with right proofs of every kind."""
    batch = Batch(stream("weights"))
    for other, kind in KINDS.items():
        kind.verify(PROOFS[other], CONTEXT, batch.gather)
    try:
        KINDS[name].verify(proof, context, batch.gather)
    except CryptoError:
        return False
    return batch.hold()


@each_kind
def test_a_right_proof_holds_and_repeats_with_its_randomness(name: str) -> None:
    kind, proof = KINDS[name], PROOFS[name]
    kind.verify(proof, CONTEXT, require)
    assert holds_in_a_batch(name, proof, CONTEXT)
    assert len(proof) == kind.size
    assert kind.prove(CONTEXT, stream(name)) == proof
    other = kind.prove(CONTEXT, stream("other"))
    assert other[:POINT_SIZE] != proof[:POINT_SIZE]
    kind.verify(other, CONTEXT, require)


@each_kind
@pytest.mark.parametrize("item", OTHER_CONTEXTS)
def test_a_proof_replayed_elsewhere_is_refused(name: str, item: str) -> None:
    with pytest.raises(CryptoError, match="does not hold"):
        KINDS[name].verify(PROOFS[name], OTHER_CONTEXTS[item], require)
    assert not holds_in_a_batch(name, PROOFS[name], OTHER_CONTEXTS[item])


@each_kind
def test_every_byte_matters(name: str) -> None:
    for place, changed in with_changed_bytes(PROOFS[name]):
        with pytest.raises(CryptoError):
            KINDS[name].verify(changed, CONTEXT, require)
        if not place % 9:
            assert not holds_in_a_batch(name, changed, CONTEXT)


@each_kind
def test_a_proof_of_another_length_is_called_so(name: str) -> None:
    proof = PROOFS[name]
    for wrong in (b"", proof[:-1], proof + b"\0"):
        with pytest.raises(CryptoError, match=f"takes {len(proof)} bytes"):
            KINDS[name].verify(wrong, CONTEXT, require)


@each_kind
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_other_bytes_are_refused(name: str, data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([0, 33, len(PROOFS[name]), len(PROOFS[name]) + 1]))
    with pytest.raises(CryptoError):
        KINDS[name].verify(data.draw(st.binary(min_size=size, max_size=size)), CONTEXT, require)


@each_kind
def test_a_nonce_is_never_used_for_two_contexts(name: str) -> None:
    """A machine restored from a snapshot draws the same bytes again."""
    contexts = (CONTEXT, *OTHER_CONTEXTS.values())
    assert len({KINDS[name].prove(context, stream("same"))[:POINT_SIZE] for context in contexts}) == 5


def test_a_rogue_key_has_no_proof() -> None:
    rogue = sub(mul_base(5), X)  # the joint key would be 5·G
    assert add(rogue, X) == mul_base(5)
    for proof in (PROOFS["key"], prove_key(5, rogue, CONTEXT, stream("rogue"))):
        with pytest.raises(CryptoError, match="does not hold"):
            verify_key(rogue, proof, CONTEXT)


def test_the_key_at_infinity_is_refused() -> None:
    with pytest.raises(CryptoError, match="infinity"):
        verify_key(INFINITY, PROOFS["key"], CONTEXT)


@pytest.mark.parametrize("name", ["key", "one share"])
def test_a_response_of_zero_is_drawn_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([(ORDER - 2 * x,), (8,)])
    monkeypatch.setattr(schnorr, "nonces", lambda *_: next(drawn))
    monkeypatch.setattr(Oracle, "challenge", lambda *_: 2)
    proof = KINDS[name].prove(CONTEXT, stream("zero"))
    assert (proof[:POINT_SIZE], proof[-32:]) == (encode_point(mul_base(8)), encode_scalar(8 + 2 * x))
    KINDS[name].verify(proof, CONTEXT, require)


def test_errors_show_no_secret() -> None:
    with pytest.raises(CryptoError) as error:
        prove_key(ORDER + 5, X, CONTEXT, stream("bad"))
    assert str(ORDER + 5) not in str(error.value)


def test_commitments_bind_game_seat_key_and_nonce() -> None:
    key, nonce = encode_point(X), bytes(range(32))
    commitments = {
        key_commitment(CONTEXT.game, 2, key, nonce),
        key_commitment(bytes(32), 2, key, nonce),
        key_commitment(CONTEXT.game, 3, key, nonce),
        key_commitment(CONTEXT.game, 2, encode_point(point(9)), nonce),
        key_commitment(CONTEXT.game, 2, key, bytes(32)),
    }
    assert len(commitments) == 5
    assert {len(commitment) for commitment in commitments} == {32}
    for wrong in ((key[1:], nonce), (key, nonce + b"\0")):
        with pytest.raises(CryptoError, match="A key takes 33 bytes"):
            key_commitment(CONTEXT.game, 2, *wrong)


PROOF = PROOFS["shares"]


def refused(
    X: Point = X,
    cards: schnorr.Cards = CARDS,
    shares: tuple[Point, ...] = SHARES,
    proof: bytes = PROOF,
    match: str = "does not hold",
) -> None:
    with pytest.raises(CryptoError, match=match):
        verify_shares(X, cards, shares, proof, CONTEXT)


def test_shares_are_multiples() -> None:
    assert [mul(a, x) for _, a in CARDS] == list(SHARES)


def test_each_item_of_the_statement_is_bound() -> None:
    refused(X=point(8))
    for i, (position, a) in enumerate(CARDS):
        refused(cards=(*CARDS[:i], (position + 1, a), *CARDS[i + 1 :]))
        refused(cards=(*CARDS[:i], (position, add(a, a)), *CARDS[i + 1 :]))
        refused(shares=(*SHARES[:i], add(SHARES[i], X), *SHARES[i + 1 :]))
    refused(cards=CARDS[:4], shares=SHARES[:4])
    refused(cards=(*CARDS, CARDS[0]), shares=(*SHARES, SHARES[0]))
    refused(cards=CARDS[::-1], shares=SHARES[::-1])


def test_shares_of_other_cards_are_refused() -> None:
    refused(shares=SHARES[1:] + SHARES[:1])
    refused(shares=(SHARES[0],) * 5)


@pytest.mark.parametrize("attack", ["swapped", "shifted"])
def test_errors_that_cancel_without_weights_are_refused(attack: str) -> None:
    # Both keep Σ D_k = x·Σ a_k: only random weights tell them from honest shares.
    bent = list(SHARES)
    if attack == "swapped":
        bent[0], bent[1] = bent[1], bent[0]
    else:
        bent[0], bent[1] = add(bent[0], X), add(bent[1], neg(X))
    proof = prove_shares(x, X, CARDS, bent, CONTEXT, stream("bent"))
    refused(shares=tuple(bent), proof=proof, match="T_2 of the share proof")


def test_another_key_proves_nothing() -> None:
    other = x + 1
    shares = tuple(mul(a, other) for _, a in CARDS)
    refused(shares=shares, proof=prove_shares(other, X, CARDS, shares, CONTEXT, stream("o")), match="T_1")
    refused(shares=shares, proof=prove_shares(x, X, CARDS, shares, CONTEXT, stream("o")), match="T_2")


def test_malformed_statements_are_refused() -> None:
    refused(cards=(), shares=(), match="one share for each card: 0 for 0")
    refused(shares=SHARES[:4], match="one share for each card: 4 for 5")
    refused(X=INFINITY, match="infinity")
    refused(shares=(*SHARES[:4], INFINITY), match="infinity")
    refused(cards=((1, INFINITY), *CARDS[1:]), match="infinity")
    refused(cards=((-1, point(1)), *CARDS[1:]), match="4 bytes")
