"""The saved inputs, and thousands that are nearly like them, through every target; ``make fuzz`` goes on from there."""

import random
import time
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.match.encoding import DecodeError, decode, unpack
from seqp2p.match.table import Agreement
from seqp2p.net.errors import PeerError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import LinkStage, decode_message
from seqp2p.replay.format import RECORD_SIZE_MAX
from seqp2p.replay.verify import verify
from tests.fuzz.kept import inputs, target_names
from tests.fuzz.mutate import mutated
from tests.fuzz.targets import TARGETS

# How many inputs each target gets here, where one takes about a millisecond; where it takes more, fewer.
TRIED = 150
SLOW = {"door": 10}
BATCH = 10


def test_every_target_has_a_corpus() -> None:
    assert target_names() == sorted(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_the_saved_inputs(name: str) -> None:
    saved = inputs(name)
    assert saved
    for data in (b"", *saved.values()):
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_that_are_nearly_right(name: str) -> None:
    saved = list(inputs(name).values())

    @settings(max_examples=SLOW.get(name, TRIED) // BATCH, database=None)
    @given(seed=st.integers(0, 2**32))
    def try_some(seed: int) -> None:
        for number in range(BATCH):
            dice = random.Random(f"{seed} {number}")
            TARGETS[name](mutated(dice.choice(saved), saved, dice))

    try_some()


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in SLOW])
def test_any_bytes_at_all(name: str) -> None:
    @settings(max_examples=25, database=None)
    @given(data=st.binary(max_size=300))
    def try_it(data: bytes) -> None:
        TARGETS[name](data)

    try_it()


# What is large does not grow, and takes no long time.

BOMBS: dict[str, Callable[[int], bytes]] = {
    "empty arrays": lambda size: b"\xdd" + (size - 5).to_bytes(4, "big") + b"\x90" * (size - 5),
    "empty maps": lambda size: b"\xdd" + (size - 5).to_bytes(4, "big") + b"\x80" * (size - 5),
    "nested arrays": lambda size: b"\x91" * size,
    "nested maps": lambda size: b"\x81\xa0" * (size // 2),
    "an array that does not come": lambda size: b"\xdd\xff\xff\xff\xff" + bytes(size - 5),
    "a map that does not come": lambda size: b"\xdf\xff\xff\xff\xff" + bytes(size - 5),
    "bytes that do not come": lambda size: b"\xc6\xff\xff\xff\xff" + bytes(size - 5),
    "a wide map": lambda size: b"\xdf" + (size // 5).to_bytes(4, "big") + _keys(size // 5),
    "one long text": lambda size: b"\xdb" + (size - 5).to_bytes(4, "big") + b"x" * (size - 5),
    "zeros": bytes,
}
# Bytes held for each byte that came, at most: an empty map takes 64, and its place in a list 8.
GROWTH_MAX = 100
WEIGHED = 50_000  # weighing makes everything slow
SPARE = 1_000_000  # what a library keeps from its first use on
SECONDS_MAX = 10.0  # half a second on an idle machine; what grows with the square of the size takes minutes


def _keys(count: int) -> bytes:
    return b"".join(b"\xa3" + number.to_bytes(3, "big").translate(_ASCII) + b"\xc0" for number in range(count))


_ASCII = bytes(number % 128 for number in range(256))


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_takes_little_memory_and_time(bomb: str) -> None:
    """In a frame of a known peer, and in a record of a file."""
    for size, read in ((DEFAULT_LIMITS.frame_max, _read_message), (RECORD_SIZE_MAX, _read_record)):
        data = BOMBS[bomb](size)
        start = time.process_time()
        read(data)
        assert time.process_time() - start < SECONDS_MAX
        smaller = BOMBS[bomb](WEIGHED)
        tracemalloc.start()
        try:
            read(smaller)
            assert tracemalloc.get_traced_memory()[1] < GROWTH_MAX * WEIGHED + SPARE
        finally:
            tracemalloc.stop()


def _read_message(data: bytes) -> None:
    for stage in (LinkStage.GAME, LinkStage.AUTH_SERVER):
        with pytest.raises(PeerError):
            decode_message(data, stage)


def _read_record(data: bytes) -> None:
    assert verify(b"seqp2p replay 1\n" + len(data).to_bytes(4, "big") + data).verdict == "invalid"
    with pytest.raises(DecodeError):
        decode(Agreement, data, len(data))
    with pytest.raises(DecodeError):
        unpack(data, len(data) - 1)
