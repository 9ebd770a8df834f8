"""A seat that says whatever it likes to live sessions, at any time of a game, in good form and bad.

Nobody's program fails, the others come to one end, and their replays are right as far as they go.
"""

import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from seqp2p.crypto.hashing import CONTRIBUTION, LEAVE
from seqp2p.crypto.identity import sign
from seqp2p.match.contribution import Contribution, TurnBody, make_payload
from seqp2p.match.encoding import encode
from seqp2p.match.machine import Match
from seqp2p.match.signed import LeavePayload
from seqp2p.net.errors import NetError
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.frames import frame as framed
from seqp2p.net.messages import (
    ALLOWED,
    BallotMessage,
    Bye,
    ContributionMessage,
    EvidenceMessage,
    HeadMessage,
    LeaveMessage,
    LinkStage,
    RemarkMessage,
    Signed,
    WireMessage,
    encode_message,
)
from tests.fuzz.forging import FORGERIES
from tests.fuzz.mutate import mutated
from tests.live.parties import Party, Thinker
from tests.net.test_messages import SAMPLES
from tests.table import identity

FOE = 2
GAME_SAMPLES = [
    sample for sample in SAMPLES if isinstance(sample, ALLOWED[LinkStage.GAME]) and not isinstance(sample, Bye)
]


MESSAGES: dict[str, Callable[[bytes, bytes], WireMessage]] = {
    "ballot": BallotMessage,
    "head": HeadMessage,
    "remark": RemarkMessage,
}


class Foe:
    """What the seat says: made of what is known of the game, and signed where that is called for."""

    def __init__(self, match: Match, dice: random.Random) -> None:
        self.match = match
        self.dice = dice
        self.said: list[Signed] = []

    def frames(self) -> bytes:
        """Some frames, most of them whole."""
        made = self.dice.choice([self.sample, self.contribution, self.forgery, self.forgery, self.evidence])
        data = encode_message(made())
        if self.dice.random() < 0.25:
            data = framed(mutated(data[HEADER_SIZE:], [], self.dice)[:100_000])
        return data

    def sample(self) -> WireMessage:
        if self.dice.random() < 0.05:
            return LeaveMessage(*self.by(LEAVE, encode(LeavePayload(1, self.match.game.id, FOE))))
        return self.dice.choice(GAME_SAMPLES)

    def contribution(self) -> WireMessage:
        """One of its own, old or new, or one that it could have made, changed and signed again."""
        own = [held.payload for step in self.match.record[-4:] for seat, held in step.contributions if seat == FOE]
        step, head = max(1, self.match.number + self.dice.choice([-2, -1, 0, 0, 1, 2])), self.match.head
        kind = self.match.kind or "over"
        own.append(make_payload(self.match.game.id, step, head, FOE, kind, TurnBody("pass", (), b"", b"")))
        payload = self.dice.choice(own)
        if self.dice.random() < 0.5:
            payload = mutated(payload, own, self.dice)
        return ContributionMessage(*self.by(CONTRIBUTION, payload[:32_768]))

    def forgery(self) -> WireMessage:
        kind = self.dice.choice(sorted(FORGERIES))
        label, make = FORGERIES[kind]
        return MESSAGES[kind](*self.by(label, make(self.match, FOE, self.dice)))

    def evidence(self) -> WireMessage:
        others = [Signed(held.payload, held.signature) for _, held in self.match.record[-1].contributions]
        several = [self.dice.choice([*self.said, *others]) for _ in range(self.dice.choice([1, 2, 2]))]
        return EvidenceMessage(tuple(several))

    def by(self, label: str, payload: bytes) -> tuple[bytes, bytes]:
        word = Contribution(payload, sign(identity(FOE), label, payload))
        self.said.append(Signed(word.payload, word.signature))
        return word.payload, word.signature


@pytest.mark.simulation
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32), players=st.sampled_from([2, 3, 3, 4]), question=st.integers(0, 6))
def test_whatever_a_seat_says_the_others_come_to_one_end(seed: int, players: int, question: int) -> None:
    async def scene(directory: Path) -> None:
        dice = random.Random(seed)
        party = Party(directory, players, open_hands=dice.random() < 0.5)
        thinker = Thinker(question, sleep_s=60)
        party.sit(1, thinker)
        party.sit_others()
        async with party.playing():
            with trio.move_on_after(300):
                await thinker.asleep.wait()
                foe = Foe(party[1].match, dice)
                for _ in range(dice.randint(1, 4)):
                    await talk(party, foe, to=dice.choice([seat for seat in party.places if seat != FOE]))
        honest = [place for seat, place in party.places.items() if seat != FOE]
        assert len({place.result for place in honest}) == 1, party.results
        for place in honest:
            report = place.report()
            assert report.verdict != "invalid", report
            assert place.result is not None
            assert (report.verdict == "verified") == (place.result.kind in {"won", "drawn"}), (report, place.result)

    in_a_loop(scene)


async def talk(party: Party, foe: Foe, to: int) -> None:
    """A link of its own, a few words, in pieces."""
    try:
        raw = await party.raw(FOE, to=to)
        for _ in range(foe.dice.randint(1, 6)):
            data = foe.frames()
            size = foe.dice.choice([40, len(data)])
            for at in range(0, len(data), size):
                await raw.frames.send(data[at : at + size])
            await trio.sleep(foe.dice.choice([0.0, 0.1, 3.0]))
        await raw.frames.abort()
    except NetError:
        pass  # They have had enough.


def in_a_loop(scene: Callable[[Path], Awaitable[None]]) -> None:
    with TemporaryDirectory(prefix="seqp2p-fuzz-") as directory:
        trio.run(scene, Path(directory), clock=MockClock(autojump_threshold=0))
