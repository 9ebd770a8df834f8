import hashlib

import pytest

from seqp2p.crypto import hashing
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.hashing import framed, number, tagged_hash


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
