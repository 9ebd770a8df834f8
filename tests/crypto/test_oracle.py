import hashlib

import pytest

from seqp2p.crypto import hashing
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import ORDER
from seqp2p.crypto.hashing import framed, number, tagged_hash
from seqp2p.crypto.oracle import Context, Oracle, nonces
from tests.crypto.tools import CONTEXT

LABEL = "seqp2p/1 test"


def frame(*items: bytes) -> bytes:
    return b"".join(len(item).to_bytes(4, "big") + item for item in items)


def test_the_layout_by_hand() -> None:
    oracle = Oracle(LABEL, CONTEXT)
    oracle.absorb(b"one", b"")
    start = b"seqp2p/1 test\0" + frame(CONTEXT.game, b"\0\0\0\7", b"\0\0\0\2", CONTEXT.prev, b"one", b"")
    challenge = hashlib.sha512(start + frame(b"two", b"challenge")).digest()
    weight = hashlib.sha512(start + frame(b"weight\0\0\0\1")).digest()
    assert oracle.challenge(b"two") == int.from_bytes(challenge, "big") % ORDER
    assert oracle.weights(2)[1] == int.from_bytes(weight[:16], "big")


def test_label_and_items_are_bound_and_asking_changes_nothing() -> None:
    oracle = Oracle(LABEL, CONTEXT)
    before = oracle.challenge()
    assert oracle.challenge(b"more") != before
    assert oracle.weights(3) == oracle.weights(3)
    assert oracle.challenge() == before != Oracle("seqp2p/1 other", CONTEXT).challenge()
    oracle.absorb(b"more")
    assert oracle.challenge() == Oracle(LABEL, CONTEXT).challenge(b"more")
    assert oracle.challenge() != Oracle(LABEL, CONTEXT).challenge(b"mo", b"re")


def test_weights_have_128_bits() -> None:
    oracle = Oracle(LABEL, CONTEXT)
    weights = oracle.weights(200)
    assert len(set(weights)) == 200
    assert 2**120 < max(weights) < 2**128


@pytest.mark.parametrize(("step", "seat"), [(-1, 0), (0, -1), (2**32, 0), (0, 2**32)])
def test_numbers_that_do_not_fit_are_refused(step: int, seat: int) -> None:
    with pytest.raises(CryptoError):
        Oracle(LABEL, Context(b"", step, seat, b""))


def test_nonces_depend_on_secret_statement_and_fresh_bytes() -> None:
    drawn = [
        nonces(*arguments, 3)
        for arguments in (
            (LABEL, b"secret", b"statement", b"fresh"),
            ("seqp2p/1 other", b"secret", b"statement", b"fresh"),
            (LABEL, b"secrets", b"statement", b"fresh"),
            (LABEL, b"secret", b"other", b"fresh"),
            (LABEL, b"secret", b"statement", b"stale"),
        )
    ]
    assert len({scalar for several in drawn for scalar in several}) == 15
    assert all(0 < scalar < ORDER for several in drawn for scalar in several)
    assert nonces(LABEL, b"secret", b"statement", b"fresh", 3) == drawn[0]


def test_layout_is_label_zero_and_items_after_their_lengths() -> None:
    by_hand = hashlib.sha256(b"seqp2p/1 step\0\0\0\0\2ab\0\0\0\0").digest()
    assert tagged_hash("seqp2p/1 step", b"ab", b"") == by_hand


def test_moving_a_byte_from_item_to_item_changes_the_hash() -> None:
    hashes = {tagged_hash("seqp2p/1 step", *items) for items in ([b"ab"], [b"a", b"b"], [b"", b"ab"], [b"ab", b""], [])}
    assert len(hashes) == 5
    assert framed(b"a", b"b") != framed(b"ab")


@pytest.mark.parametrize("label", ["", "step", "seqp2p/2 step", "seqp2p/1 st\0ep", "seqp2p/1 étape"])
def test_what_is_no_label_is_refused(label: str) -> None:
    with pytest.raises(CryptoError, match="is not a label"):
        tagged_hash(label, b"")


def test_labels_of_the_package_are_labels_and_all_different() -> None:
    labels = [text for name, text in vars(hashing).items() if name.isupper() and name != "PREFIX"]
    assert len(labels) == len(set(labels)) > 10
    assert len({tagged_hash(label) for label in labels}) == len(labels)


def test_numbers_take_four_bytes() -> None:
    assert number(0) == bytes(4)
    assert number(2**32 - 1) == b"\xff" * 4
    for value in (-1, 2**32):
        with pytest.raises(CryptoError, match="4 bytes"):
            number(value)
