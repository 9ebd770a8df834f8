"""When nothing is waited for any more, and the words for it."""

from collections.abc import Callable

import pytest

from seqp2p.match.machine import Match
from seqp2p.net.absence import GOODBYE_WAIT_S, OWED_S, Absence
from tests.table import Played, match_at

ALL = frozenset({1, 2, 3})
GRACE_S = 120


@pytest.fixture
def open_at(trio: Played) -> Callable[[str], Match]:
    """A match of three in which a step of this kind is open."""
    return lambda kind: match_at(trio, trio.step_of(kind))


OpenAt = Callable[[str], Match]


def awaited(match: Match) -> int:
    (seat,) = match.awaited
    return seat


def other_than(*seats: int) -> int:
    return min(ALL.difference(seats))


def test_nothing_is_amiss(open_at: OpenAt) -> None:
    match = open_at("turn")
    absence = Absence(match, other_than(awaited(match)))
    assert all(absence.why_over(ALL, now) is None for now in range(0, 10_000, 100))


def test_the_grace_begins_when_nobody_who_is_waited_for_can_be_reached(open_at: OpenAt) -> None:
    match = open_at("turn")
    mover = awaited(match)
    absence = Absence(match, other_than(mover))
    rest = ALL - {mover}
    assert absence.why_over(ALL, 1000) is None
    assert absence.why_over(rest, 1001) is None
    assert absence.why_over(rest, 1000 + GRACE_S) is None
    # It comes back for a moment.
    assert absence.why_over(ALL, 1000 + GRACE_S) is None
    assert absence.why_over(rest, 1001 + GRACE_S) is None
    assert absence.why_over(rest, 1000 + 2 * GRACE_S) is None
    told = absence.why_over(rest, 1001 + 2 * GRACE_S)
    assert told == f"seat {mover} (player {mover}) could not be reached for {GRACE_S} s"


def test_one_s_own_turn_is_waited_for(open_at: OpenAt) -> None:
    match = open_at("turn")
    absence = Absence(match, awaited(match))
    assert all(absence.why_over(frozenset(), now) is None for now in range(0, 1000, 100))


def test_all_who_are_missing_are_named(open_at: OpenAt) -> None:
    absence = Absence(open_at("deal"), 2)
    assert absence.why_over(frozenset(), 0) is None
    told = absence.why_over(frozenset(), GRACE_S)
    assert told == f"seat 1 (player 1), seat 3 (player 3) could not be reached for {GRACE_S} s"


def test_what_takes_no_thinking_is_owed(open_at: OpenAt) -> None:
    absence = Absence(open_at("deal"), 2)
    absence.moved(1000)
    limit_s = max(OWED_S, GRACE_S)
    assert absence.why_over(ALL, 1000 + limit_s - 1) is None
    told = absence.why_over(ALL, 1000 + limit_s)
    assert told is not None
    assert told.startswith("seat 1 (player 1), seat 3 (player 3) sent nothing valid for step ")
    absence.moved(1500)
    assert absence.why_over(ALL, 1500 + limit_s - 1) is None


def test_a_goodbye_counts_after_a_moment(open_at: OpenAt) -> None:
    absence = Absence(open_at("turn"), 2)
    absence.goodbye(3, "", 10)
    absence.goodbye(3, "a second one", 10 + GOODBYE_WAIT_S)
    assert absence.why_over(ALL, 10 + GOODBYE_WAIT_S / 2) is None
    assert absence.why_over(ALL, 10 + GOODBYE_WAIT_S) == "seat 3 (player 3) left the table"


def test_what_others_say_is_told_as_such(open_at: OpenAt) -> None:
    absence = Absence(open_at("turn"), 2)
    absence.goodbye(1, "seat 3 (player 3) left the table", 10)
    assert absence.why_over(ALL, 12) == "seat 1 (player 1) says: seat 3 (player 3) left the table"
    # Its own word comes first, though it may come later.
    absence.goodbye(3, "", 12)
    assert absence.why_over(ALL, 12) == "seat 3 (player 3) left the table"


def test_at_the_end_only_those_count_who_have_not_signed(open_at: OpenAt, trio: Played) -> None:
    match = open_at("over")
    absence = Absence(match, 2)
    absence.goodbye(1, "the game is over", 10)
    assert absence.why_over(ALL, 20) is None, "seat 3 is still waited for"
    match.receive(trio.contribution(match.number, 3))
    assert absence.why_over(ALL, 20) == "seat 1 (player 1) left the table"
    match.receive(trio.contribution(match.number, 1))
    assert absence.why_over(ALL, 20) is None
