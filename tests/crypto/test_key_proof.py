import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto import key_proof
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import INFINITY, ORDER, add, encode_point, encode_scalar, mul_base, sub
from seqp2p.crypto.key_proof import key_commitment, prove_key, verify_key
from seqp2p.crypto.oracle import Context, Oracle
from tests.crypto.tools import CONTEXT, OTHER_CONTEXTS, point, stream, with_changed_bytes

x = 0xC0FFEE << 200
X = mul_base(x)
PROOF = prove_key(x, X, CONTEXT, stream("key"))


def test_a_right_proof_holds_and_repeats_with_its_randomness() -> None:
    verify_key(X, PROOF, CONTEXT)
    assert len(PROOF) == 65
    assert prove_key(x, X, CONTEXT, stream("key")) == PROOF
    other = prove_key(x, X, CONTEXT, stream("other"))
    assert other[:33] != PROOF[:33]
    verify_key(X, other, CONTEXT)


@pytest.mark.parametrize("item", OTHER_CONTEXTS)
def test_a_proof_replayed_elsewhere_is_refused(item: str) -> None:
    with pytest.raises(CryptoError, match="T of the key proof"):
        verify_key(X, PROOF, OTHER_CONTEXTS[item])


def test_a_rogue_key_has_no_proof() -> None:
    rogue = sub(mul_base(5), X)  # the joint key would be 5·G
    assert add(rogue, X) == mul_base(5)
    for proof in (PROOF, prove_key(5, rogue, CONTEXT, stream("rogue"))):
        with pytest.raises(CryptoError, match="does not hold"):
            verify_key(rogue, proof, CONTEXT)


def test_a_copied_key_has_no_proof_for_the_seat_of_the_copier() -> None:
    with pytest.raises(CryptoError, match="does not hold"):
        verify_key(X, PROOF, OTHER_CONTEXTS["seat"])


def test_the_key_at_infinity_is_refused() -> None:
    with pytest.raises(CryptoError, match="infinity"):
        verify_key(INFINITY, PROOF, CONTEXT)


def test_every_byte_matters() -> None:
    for place, changed in with_changed_bytes(PROOF):
        with pytest.raises(CryptoError):
            verify_key(X, changed, CONTEXT)
        assert changed != PROOF, place


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=70), st.binary(min_size=65, max_size=65)))
def test_any_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(CryptoError):
        verify_key(X, data, CONTEXT)


def test_one_nonce_is_never_used_for_two_contexts() -> None:
    # A machine restored from a snapshot draws the same bytes again.
    commitments = {prove_key(x, X, context, stream("key"))[:33] for context in (CONTEXT, *OTHER_CONTEXTS.values())}
    assert len(commitments) == 5


def test_a_response_of_zero_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([(ORDER - 2 * x,), (8,)])
    monkeypatch.setattr(key_proof, "nonces", lambda *_: next(drawn))
    monkeypatch.setattr(Oracle, "challenge", lambda *_: 2)
    assert prove_key(x, X, CONTEXT, stream("zero")) == encode_point(mul_base(8)) + encode_scalar(8 + 2 * x)


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


def test_contexts_out_of_range_are_refused() -> None:
    with pytest.raises(CryptoError, match="4 bytes"):
        verify_key(X, PROOF, Context(b"", 2**40, 0, b""))


@pytest.mark.parametrize("proof", [PROOF[:-1], PROOF + b"\0", b""])
def test_a_proof_of_another_length_is_called_so(proof: bytes) -> None:
    with pytest.raises(CryptoError, match=r"A key proof takes 65 bytes"):
        verify_key(X, proof, CONTEXT)
