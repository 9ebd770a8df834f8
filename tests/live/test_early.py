"""What is kept of contributions that come before their step, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.live.early import EARLY_MAX, VERSIONS_MAX, Early
from seqp2p.match.contribution import Contribution


def made(step: int, author: int, version: int = 0) -> Contribution:
    return Contribution(bytes([*divmod(step, 256), author, version]), bytes(64))


def test_what_is_due_comes_in_order_of_steps() -> None:
    early = Early()
    for step in (9, 7, 8):
        early.keep(step, 2, 3, made(step, 2))
    early.keep(8, 1, 3, made(8, 1))
    assert early.due(6) == []
    assert early.due(8) == [(3, made(7, 2)), (3, made(8, 1)), (3, made(8, 2))]
    assert early.due(8) == []
    assert early.due(9) == [(3, made(9, 2))]


def test_two_versions_are_kept_and_duplicates_are_not() -> None:
    early = Early()
    for version in (0, 0, 1, 1, 2, 3):
        early.keep(7, 2, 3, made(7, 2, version))
    assert early.due(7) == [(3, made(7, 2, version)) for version in range(VERSIONS_MAX)]


@pytest.mark.parametrize("descending", [True, False])
def test_nobody_crowds_out_another_and_the_nearest_are_kept(descending: bool) -> None:
    early = Early()
    early.keep(5, 1, 3, made(5, 1))
    steps = sorted(range(10, 10 + 2 * EARLY_MAX), reverse=descending)
    for step in steps:
        early.keep(step, 2, 3, made(step, 2))
    assert early.due(5) == [(3, made(5, 1))]
    assert early.due(1000) == [(3, made(step, 2)) for step in range(10, 10 + EARLY_MAX)]


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 3), st.integers(0, 3)), max_size=300))
def test_there_is_a_limit(arrivals: list[tuple[int, int, int]]) -> None:
    early = Early()
    for step, author, version in arrivals:
        early.keep(step, author, author, made(step, author, version))
    due = early.due(300)
    assert len(due) == len({contribution.payload for _, contribution in due}) <= 3 * EARLY_MAX * VERSIONS_MAX
