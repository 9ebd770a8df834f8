"""Fixtures of this package."""

import pytest
from trio.testing import MockClock


@pytest.fixture
def virtual_time(autojump_clock: MockClock) -> MockClock:
    """For whole games: the clock jumps when all wait."""
    return autojump_clock
