"""The pending buffer: which things it keeps that come before their step, and on whose account."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.match.contribution import Contribution
from seqp2p.match.intake import ROOMS, PendingBuffer
from seqp2p.match.signed import OfferedEvidence, ReleasedSecret, SignedBallot, SignedHead, SignedRemark, SignedThing

KINDS = list(ROOMS)


def made(step: int, author: int, version: int = 0, signature: int = 0) -> Contribution:
    return Contribution(bytes([*divmod(step, 256), author, version]), bytes([signature]) * 64)


def thing(kind: type[SignedThing], step: int, author: int, version: int = 0, signature: int = 0) -> SignedThing:
    contribution = made(step, author, version, signature)
    things: dict[type[SignedThing], SignedThing] = {
        Contribution: contribution,
        SignedBallot: SignedBallot(contribution),
        SignedHead: SignedHead(contribution),
        SignedRemark: SignedRemark(contribution),
        OfferedEvidence: OfferedEvidence((contribution,)),
        ReleasedSecret: ReleasedSecret(author, contribution.payload.ljust(32, b"\0")),
    }
    return things[kind]


def steps(buffer: PendingBuffer, kind: type[SignedThing], author: int) -> list[int]:
    return [waiting.step for account, waiting in buffer.of(kind) if account == (author,)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_step_comes_first(kind: type[SignedThing]) -> None:
    buffer = PendingBuffer()
    for step in (9, 7, 8):
        assert buffer.keep((2,), step, thing(kind, step, 2), 3)
    assert buffer.keep((1,), 8, thing(kind, 8, 1), 4)
    found = [*buffer.of(kind)]
    assert [(account, waiting.step, waiting.sender) for account, waiting in found] == [
        ((2,), 7, 3),
        ((1,), 8, 4),
        ((2,), 8, 3),
        ((2,), 9, 3),
    ]
    buffer.remove(*found[0])
    assert buffer.of(kind) == found[1:]
    assert len(buffer) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_duplicate_is_not_kept_and_versions_are_limited(kind: type[SignedThing]) -> None:
    buffer = PendingBuffer()
    arrivals = ((0, 0), (0, 0), (0, 1), (1, 0), (1, 0), (2, 0), (3, 0))
    kept = [buffer.keep((2,), 7, thing(kind, 7, 2, version, signature), 3) for version, signature in arrivals]
    assert kept[:3] == [True, False, False], "another signature of one payload is no other thing"
    count = min(4, ROOMS[kind].versions)
    assert (kept.count(True), len(buffer)) == (count, count)


@pytest.mark.parametrize("descending", [True, False])
def test_no_seat_and_no_kind_crowds_out_another_and_the_nearest_are_kept(descending: bool) -> None:
    buffer = PendingBuffer()
    for kind in KINDS:
        buffer.keep((1,), 900, thing(kind, 900, 1), 3)
        for step in sorted(range(10, 10 + 2 * ROOMS[kind].places), reverse=descending):
            buffer.keep((2,), step, thing(kind, step, 2), 3)
    for kind in KINDS:
        assert steps(buffer, kind, 1) == [900]
        assert steps(buffer, kind, 2) == list(range(10, 10 + ROOMS[kind].places))


@dataclass(frozen=True)
class Arrival:
    kind: type[SignedThing]
    step: int
    author: int
    version: int


ARRIVALS = st.builds(Arrival, st.sampled_from(KINDS), st.integers(1, 250), st.integers(1, 3), st.integers(0, 3))


@given(st.lists(ARRIVALS, max_size=400))
def test_what_is_kept_for_one_seat_does_not_depend_on_the_others(arrivals: list[Arrival]) -> None:
    """A buffer that hears one seat alone keeps the same of it; and no account has more than its room."""
    everything, alone = PendingBuffer(), PendingBuffer()
    for each in arrivals:
        sent = thing(each.kind, each.step, each.author, each.version)
        kept = everything.keep((each.author,), each.step, sent, each.author)
        if each.author == 1:
            assert alone.keep((1,), each.step, sent, 1) == kept
    for kind in KINDS:
        found = everything.of(kind)
        assert [entry for entry in found if entry[0] == (1,)] == alone.of(kind)
        assert found == sorted(found, key=lambda entry: (entry[1].step, entry[0]))
        for author in (1, 2, 3):
            mine = steps(everything, kind, author)
            assert len(mine) <= ROOMS[kind].places
            assert all(mine.count(step) <= ROOMS[kind].versions for step in mine)
