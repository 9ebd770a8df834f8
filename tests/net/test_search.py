"""When a seat has looked for another: pure decisions, with the times handed in."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from seqp2p.net.addresses import Address
from seqp2p.net.relay import DIAL_GAP_S, LOOK_S, Search

ONE, TWO, THREE = (Address("10.0.0.1", port) for port in (5001, 5002, 5003))


def searching(*signed: Address, lost_at: float = 0.0) -> Search:
    search = Search()
    search.signed = frozenset(signed)
    search.lost(lost_at)
    return search


def test_every_signed_address_is_dialled_since_the_wait_began() -> None:
    search = searching(ONE, TWO)
    search.failed(90, [ONE, TWO])
    assert not search.is_done(100, 200), "that was before the wait"
    search.failed(100, [ONE])
    assert not search.is_done(100, 200), "one is left"
    search = searching(ONE, TWO)
    search.failed(101, [ONE, TWO, THREE])
    assert search.is_done(100, 200)


def test_the_network_is_looked_at_for_a_while() -> None:
    search = searching(ONE, lost_at=150)
    search.failed(151, [ONE])
    assert not search.is_done(100, 150 + LOOK_S - 0.1)
    assert search.is_done(100, 150 + LOOK_S)
    assert not search.is_done(151, 151 + LOOK_S - 0.1)
    assert search.is_done(151, 151 + LOOK_S)


def test_addresses_signed_later_extend_it_once() -> None:
    search = searching(ONE)
    search.failed(100, [ONE])
    assert search.is_done(100, 200)
    search.signed = frozenset({TWO})
    assert not search.is_done(100, 200)
    search.failed(210, [ONE])
    assert search.is_done(100, 220), "a second round is enough, whatever is signed meanwhile"
    search.signed = frozenset({THREE})
    assert search.is_done(100, 220)
    assert not search.is_done(150, 220), "for a later wait it was the first"


def test_without_addresses_the_look_is_all() -> None:
    search = searching()
    assert not search.is_done(0, LOOK_S - 0.1)
    assert search.is_done(0, LOOK_S)


def test_a_seat_that_sends_invalid_messages_is_not_looked_for() -> None:
    search = searching(ONE, lost_at=100)
    search.given_up = True
    assert search.is_done(100, 100)


@given(st.lists(st.floats(0, 10), max_size=50))
def test_there_is_a_second_between_two_dials(pauses: list[float]) -> None:
    """Also where several are planned at one moment."""
    search, now, dials = Search(), 0.0, list[float]()
    for pause in pauses:
        now += pause
        dials.append(now + search.plan_s(now))
    assert all(b - a > DIAL_GAP_S - 1e-6 for a, b in itertools.pairwise(dials))
