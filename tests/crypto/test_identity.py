import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.second.code import add, decode
from seqp2p.crypto import hashing, identity
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.identity import Identity, check_public, fingerprint, sign, verify
from tests.crypto.tools import stream, with_changed_bytes

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
ANNE = Identity.generate(stream("anne"))
BOB = Identity.generate(stream("bob"))
SIGNATURE = sign(ANNE, hashing.CONTRIBUTION, b"payload")


def write(y: int, sign_of_x: int) -> bytes:
    return (y | sign_of_x << 255).to_bytes(32, "little")


def test_signatures_hold_for_their_key_label_and_data_only() -> None:
    verify(ANNE.public, hashing.CONTRIBUTION, b"payload", SIGNATURE)
    for public, label, data in (
        (BOB.public, hashing.CONTRIBUTION, b"payload"),
        (ANNE.public, hashing.BALLOT, b"payload"),
        (ANNE.public, hashing.CONTRIBUTION, b"payloads"),
    ):
        with pytest.raises(CryptoError, match="not this key's"):
            verify(public, label, data, SIGNATURE)


def test_nothing_is_signed_without_a_label() -> None:
    with pytest.raises(CryptoError, match="not a label"):
        sign(ANNE, "contribution", b"")


def test_what_is_signed_is_label_zero_and_data() -> None:
    Ed25519PublicKey.from_public_bytes(ANNE.public).verify(SIGNATURE, b"seqp2p/1 contribution\0payload")


def test_every_byte_of_a_signature_matters() -> None:
    for _, changed in with_changed_bytes(SIGNATURE):
        with pytest.raises(CryptoError):
            verify(ANNE.public, hashing.CONTRIBUTION, b"payload", changed)
    for wrong in (b"", SIGNATURE[:-1], SIGNATURE + b"\0"):
        with pytest.raises(CryptoError, match="64 bytes"):
            verify(ANNE.public, hashing.CONTRIBUTION, b"payload", wrong)


def test_the_universal_signature_is_refused() -> None:
    # R = A = the neutral element and S = 0 satisfy the equation for every message; OpenSSL agrees.
    neutral = b"\1" + bytes(31)
    signature = neutral + bytes(32)
    Ed25519PublicKey.from_public_bytes(neutral).verify(signature, b"anything at all")
    with pytest.raises(CryptoError, match="identity key has small order"):
        verify(neutral, hashing.CONTRIBUTION, b"anything at all", signature)
    with pytest.raises(CryptoError, match="R of the signature has small order"):
        verify(ANNE.public, hashing.CONTRIBUTION, b"anything at all", signature)


def test_the_small_orders_are_all_there() -> None:
    points = [decode(write(y, 0)) for y in identity._SMALL_ORDER]
    for point in points:
        double = add(point, point)
        fourfold = add(double, double)
        assert add(fourfold, fourfold) == (0, 1)
    # 8 points: y = 1 and −1 have x = 0 and so one point each, the other three have two.
    assert sum(1 if x == 0 else 2 for x, _ in points) == 8


@pytest.mark.parametrize("sign_of_x", [0, 1])
@pytest.mark.parametrize("y", sorted(identity._SMALL_ORDER))
def test_small_orders_are_refused_with_either_sign(y: int, sign_of_x: int) -> None:
    with pytest.raises(CryptoError, match="small order"):
        check_public(write(y, sign_of_x))
    with pytest.raises(CryptoError, match="R of the signature has small order"):
        verify(ANNE.public, hashing.HEAD, b"", write(y, sign_of_x) + SIGNATURE[32:])


@pytest.mark.parametrize("sign_of_x", [0, 1])
@pytest.mark.parametrize("y", range(P, 2**255))
def test_keys_that_are_not_canonical_are_refused(y: int, sign_of_x: int) -> None:
    with pytest.raises(CryptoError, match="not in canonical form"):
        check_public(write(y, sign_of_x))


def test_a_second_form_of_s_is_refused() -> None:
    s = int.from_bytes(SIGNATURE[32:], "little")
    for larger in (s + L, L, 2**256 - 1):
        with pytest.raises(CryptoError, match="not below L"):
            verify(ANNE.public, hashing.CONTRIBUTION, b"payload", SIGNATURE[:32] + larger.to_bytes(32, "little"))


def test_a_key_that_is_no_point_verifies_nothing() -> None:
    # No x belongs to y = 2.
    with pytest.raises(CryptoError):
        verify(write(2, 0), hashing.CONTRIBUTION, b"payload", SIGNATURE)


def about(size: int) -> st.SearchStrategy[bytes]:
    return st.one_of(st.binary(max_size=size + 8), st.binary(min_size=size, max_size=size))


@settings(max_examples=100, deadline=None)
@given(about(32), about(64))
def test_any_bytes_as_key_or_signature(public: bytes, signature: bytes) -> None:
    with pytest.raises(CryptoError):
        verify(public, hashing.CONTRIBUTION, b"payload", SIGNATURE if len(public) == 32 else signature)
    with pytest.raises(CryptoError):
        verify(ANNE.public, hashing.CONTRIBUTION, b"payload", signature)


def test_identities_keep_their_secret_to_themselves() -> None:
    secret = ANNE.secret_bytes()
    assert Identity(secret).public == ANNE.public
    assert secret.hex() not in repr(ANNE)
    assert repr(ANNE) == f"Identity({fingerprint(ANNE.public)})"
    with pytest.raises(CryptoError, match="32 bytes, not 31") as error:
        Identity(secret[1:])
    assert secret[1:].hex() not in str(error.value)


def test_fingerprints_are_short_and_differ() -> None:
    text = fingerprint(ANNE.public)
    assert len(text) == 19
    assert text.replace("-", "").isalnum()
    assert text == text.lower()
    assert text != fingerprint(BOB.public)


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_a_key_of_another_length_is_none(size: int) -> None:
    with pytest.raises(CryptoError, match="takes 32 bytes"):
        check_public((ANNE.public * 2)[:size])
