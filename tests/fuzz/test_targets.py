"""The saved inputs, and thousands that are nearly like them, through every target; ``make fuzz`` goes on from there."""

import random
import time
import tracemalloc
from collections.abc import Callable, Collection

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto.hashing import CONTRIBUTION
from seqp2p.match.contribution import TurnBody, make_payload
from seqp2p.match.encoding import DecodeError, decode, unpack
from seqp2p.match.machine import Match
from seqp2p.match.table import Agreement
from seqp2p.net.errors import PeerError
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.frames import frame as framed
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import (
    ALLOWED,
    BallotMessage,
    Bye,
    ContributionMessage,
    EvidenceMessage,
    HeadMessage,
    LinkStage,
    RemarkMessage,
    Signed,
    WireMessage,
    decode_message,
    encode_message,
)
from seqp2p.replay.format import RECORD_SIZE_MAX
from seqp2p.replay.verify import verify
from tests.fuzz.forging import FORGERIES
from tests.fuzz.kept import inputs, target_names
from tests.fuzz.mutate import mutated
from tests.fuzz.targets import TARGETS
from tests.net.test_messages import SAMPLES
from tests.sim import Cheats, SimSeat, VirtualLan
from tests.sim.peer import SimSeatProcess

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


# A seat that says anything to live sessions: the others come to one end, with all invariants of tests.sim.


FOE = 2
GAME_SAMPLES = [
    sample for sample in SAMPLES if isinstance(sample, ALLOWED[LinkStage.GAME]) and not isinstance(sample, Bye)
]
MESSAGES: dict[str, Callable[[bytes, bytes], WireMessage]] = {
    "ballot": BallotMessage,
    "contribution": ContributionMessage,
    "head": HeadMessage,
    "remark": RemarkMessage,
}


def contribution(match: Match, dice: random.Random) -> bytes:
    """One of the foe's own, old or new, or one that it could have made, as it is or a little changed."""
    own = [held.payload for step in match.record[-4:] for seat, held in step.contributions if seat == FOE]
    step = max(1, match.number + dice.choice([-2, -1, 0, 0, 1, 2]))
    own.append(make_payload(match.game.id, step, match.head, FOE, match.kind or "over", TurnBody("pass", (), b"", b"")))
    payload = dice.choice(own)
    return payload if dice.random() < 0.5 else mutated(payload, own, dice)[:32_768]


def evidence(match: Match, said: Collection[Signed], dice: random.Random) -> EvidenceMessage:
    """Evidence of one or two of the foe's words, or of others' contributions to the last step."""
    last = match.record[-1].contributions if match.record else ()
    things = [*said, *(Signed(held.payload, held.signature) for _, held in last)]
    return EvidenceMessage(tuple(dice.choice(things) for _ in range(dice.choice([1, 2, 2]))))


class Foe:
    """Say anything: a message of the game, a forgery or a contribution that it signs, evidence, or changed bytes."""

    def __init__(self, dice: random.Random) -> None:
        self.said: list[Signed] = []
        self._dice = dice

    def frame(self, process: SimSeatProcess | None) -> bytes:
        data = encode_message(self._message(process))
        return data if self._dice.random() < 0.5 else framed(mutated(data[HEADER_SIZE:], [], self._dice)[:100_000])

    def _message(self, process: SimSeatProcess | None) -> WireMessage:
        dice, kinds = self._dice, ["sample", "contribution", "evidence", *sorted(FORGERIES)]
        kind = "sample" if process is None else dice.choice(kinds)
        if process is None or kind == "sample" or (kind == "evidence" and not self.said):
            return dice.choice(GAME_SAMPLES)
        match = process.session.match
        if kind == "evidence":
            return evidence(match, self.said, dice)
        label, make = FORGERIES.get(kind, (CONTRIBUTION, lambda match, _seat, dice: contribution(match, dice)))
        payload = make(match, FOE, dice)
        self.said.append(Signed(payload, process.session.seat.sign(label, payload)))
        return MESSAGES[kind](payload, self.said[-1].signature)


@pytest.mark.simulation
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), players=st.integers(2, 4))
def test_whatever_a_seat_says_the_others_come_to_one_end(seed: int, players: int) -> None:
    dice = random.Random(seed)
    foe = Foe(dice)

    def tamper(sender: int, _to: int, frame: bytes) -> tuple[bytes, ...]:
        if sender != FOE or dice.random() > 0.3:
            return (frame,)
        return frame, foe.frame(lan.peers[FOE].process)

    lan = VirtualLan(players, seed, cheats=Cheats({FOE: SimSeat.make}, tamper))
    lan.run()
    assert foe.said
    assert len({peer.result and (peer.result.kind, peer.result.winners) for peer in lan.honest}) == 1
