"""A seat that says anything to live sessions: the others come to one end, with all invariants of tests.sim."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.frames import frame as framed
from seqp2p.net.messages import (
    ALLOWED,
    BallotMessage,
    Bye,
    HeadMessage,
    LinkStage,
    RemarkMessage,
    WireMessage,
    encode_message,
)
from tests.fuzz.forging import FORGERIES
from tests.fuzz.mutate import mutated
from tests.net.test_messages import SAMPLES
from tests.sim import Cheats, VirtualLan
from tests.sim.peer import SimSeat

FOE = 2
GAME_SAMPLES = [
    sample for sample in SAMPLES if isinstance(sample, ALLOWED[LinkStage.GAME]) and not isinstance(sample, Bye)
]
MESSAGES: dict[str, Callable[[bytes, bytes], WireMessage]] = {
    "ballot": BallotMessage,
    "head": HeadMessage,
    "remark": RemarkMessage,
}


def nonsense(lan: VirtualLan, dice: random.Random) -> bytes:
    """A frame of the foe: a message of the game, or a forgery that it signs, as it is or a little changed."""
    process = lan.peers[FOE].process
    message: WireMessage = dice.choice(GAME_SAMPLES)
    if process is not None and dice.random() < 0.6:
        kind = dice.choice(sorted(FORGERIES))
        label, make = FORGERIES[kind]
        payload = make(process.session.match, FOE, dice)
        message = MESSAGES[kind](payload, process.session.seat.sign(label, payload))
    data = encode_message(message)
    return data if dice.random() < 0.5 else framed(mutated(data[HEADER_SIZE:], [], dice)[:100_000])


@pytest.mark.simulation
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), players=st.integers(2, 4))
def test_whatever_a_seat_says_the_others_come_to_one_end(seed: int, players: int) -> None:
    dice, said = random.Random(seed), list[bytes]()

    def tamper(sender: int, _to: int, frame: bytes) -> tuple[bytes, ...]:
        if sender != FOE or dice.random() > 0.3:
            return (frame,)
        said.append(nonsense(lan, dice))
        return frame, said[-1]

    lan = VirtualLan(players, seed, cheats=Cheats({FOE: SimSeat.make}, tamper))
    lan.run()
    assert said
    assert len({peer.result for seat, peer in lan.peers.items() if seat != FOE}) == 1
