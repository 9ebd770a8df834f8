"""Secrets that open the hands: whose count, when, and whose fault a false one is."""

from typing import cast

import pytest

from seqp2p.crypto.group import encode_scalar
from seqp2p.live.mesh import Mesh
from seqp2p.live.secret_release import Openings
from seqp2p.match.machine import Match
from seqp2p.net.messages import OpeningMessage
from tests.table import Played, match_at


class Links:
    """Stands for the mesh."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.faults: list[int] = []

    def send_opening(self, seat: int, _secret: bytes) -> None:
        self.sent.append(seat)

    def fault(self, seat: int, _reason: str) -> None:
        self.faults.append(seat)


FALSE = bytes(31) + b"\1"


@pytest.fixture
def match(trio: Played) -> Match:
    """A match of three in which all but seat 3 have signed the end."""
    match = match_at(trio, trio.step_of("over"))
    for seat in (1, 2):
        match.receive(trio.contribution(match.number, seat))
    return match


def true_secret(trio: Played, seat: int) -> OpeningMessage:
    return OpeningMessage(seat, encode_scalar(trio.seat(seat).release()))


def test_all_hands_are_opened(trio: Played, match: Match) -> None:
    links = Links()
    openings = Openings(match, trio.seat(1), cast("Mesh", links))
    # Before the end: what one neighbour says of a seat does not take the place of what another does.
    openings.receive(2, OpeningMessage(3, FALSE))
    openings.receive(3, true_secret(trio, 3))
    assert (openings.agreed, links.sent) == (False, [])
    match.receive(trio.contribution(match.number, 3))
    openings.release()
    assert links.sent == [1, 3]
    assert links.faults == [2]
    assert (openings.complete, openings.agreed) == (False, True)
    openings.receive(3, true_secret(trio, 2))
    openings.receive(2, true_secret(trio, 2))
    assert links.sent == [1, 3, 2]
    assert openings.complete


@pytest.mark.parametrize(
    "false",
    [OpeningMessage(2, FALSE), OpeningMessage(2, bytes(32)), OpeningMessage(2, b"\xff" * 32), OpeningMessage(9, FALSE)],
)
def test_a_false_secret_is_the_fault_of_who_sent_it(trio: Played, match: Match, false: OpeningMessage) -> None:
    links = Links()
    openings = Openings(match, trio.seat(1), cast("Mesh", links))
    match.receive(trio.contribution(match.number, 3))
    openings.release()
    openings.receive(3, false)
    assert links.faults == [3]
    assert links.sent == [1]
    # Of one whose secret is here already, nothing is looked at any more.
    openings.receive(3, OpeningMessage(1, FALSE))
    assert links.faults == [3]
