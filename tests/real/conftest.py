from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.real.room import Room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A room whose terminals and bots end with the test."""
    with ExitStack() as stack:
        yield Room(tmp_path, stack)
