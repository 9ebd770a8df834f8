"""The memory of checks that were made: what it keeps, and how much."""

from typing import Any

import pytest

from seqp2p.match import checks
from seqp2p.match.checks import REMEMBERED_SIZE_MAX, Remembering


@pytest.mark.parametrize(("size", "made"), [(REMEMBERED_SIZE_MAX, 1), (REMEMBERED_SIZE_MAX + 1, 3)])
def test_signatures_of_large_payloads_are_not_kept(monkeypatch: pytest.MonkeyPatch, size: int, made: int) -> None:
    """A seat may sign thousands of payloads that mean nothing: their bytes stay nowhere."""
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(checks, "verify", lambda *statement: calls.append(statement))
    remembering = Remembering()
    for _ in range(3):
        remembering.signature(bytes(32), "label", bytes(size), bytes(64))
    assert len(calls) == made
