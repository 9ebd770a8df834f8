"""A room for each test; and on CI, where nothing may be missing, no test of this folder is skipped."""

import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.real.room import Room


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failed one if ``CI`` is set: .ci/run installs all that these tests need."""
    report = yield
    if report.skipped and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"skipped on CI: {report.longrepr}"
    return report


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A room whose terminals and bots end with the test."""
    with ExitStack() as stack:
        yield Room(tmp_path, stack)
