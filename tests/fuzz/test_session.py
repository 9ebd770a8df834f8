"""A seat that says anything to live sessions: the others come to one end, with all invariants of tests.sim.

Their reasons may differ: a proof of cheating ends the game of a seat without the deal, and others still vote.
"""

import random
from collections.abc import Callable, Collection

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto.hashing import CONTRIBUTION
from seqp2p.match.contribution import TurnBody, make_payload
from seqp2p.match.machine import Match
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.frames import frame as framed
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
    encode_message,
)
from tests.fuzz.forging import FORGERIES
from tests.fuzz.mutate import mutated
from tests.net.test_messages import SAMPLES
from tests.sim import Cheats, SimSeat, VirtualLan
from tests.sim.peer import SimSeatProcess

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
