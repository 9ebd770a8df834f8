"""Fixtures of this package."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees or touches the files of the player who runs it."""
    home = tmp_path / "home-own"
    monkeypatch.setenv("SEQP2P_HOME", str(home))
    return home
