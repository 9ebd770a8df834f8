"""Fixtures of this package."""

import pytest

from tests.net.parties import quicken


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """For whole games on the clock that jumps; see ``parties.quicken``."""
    quicken(monkeypatch)
