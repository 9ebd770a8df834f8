"""Two words for two seats: the same at both ends, other ones wherever anything differs."""

from hypothesis import given
from hypothesis import strategies as st

from seqp2p.lobby.code import WORDS, safety_words

KEYS = st.binary(min_size=32, max_size=32)


@given(st.binary(max_size=400), KEYS, KEYS)
def test_both_ends_have_the_same_words(seed: bytes, key_a: bytes, key_b: bytes) -> None:
    words = safety_words(seed, key_a, key_b)
    assert words == safety_words(seed, key_b, key_a)
    assert set(words) <= set(WORDS)


def test_other_keys_or_another_table_give_other_words() -> None:
    keys = [bytes([number]) * 32 for number in range(40)]
    mine = {safety_words(b"seed", keys[0], key) for key in keys[1:]}
    assert len(mine) == 39
    assert len({safety_words(bytes([number]), keys[0], keys[1]) for number in range(40)}) == 40


def test_the_words_as_they_are_written_down() -> None:
    # docs/protocol.md, 14.12; another program must say the same words.
    assert safety_words(bytes(64), b"\1" * 32, b"\2" * 32) == ("lagoon", "curtain")
