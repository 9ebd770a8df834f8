"""A pytest plugin: writes the first test that fails, or cannot be collected, into a file."""

import os
from pathlib import Path

import pytest

from tests.mutants.running import NOTICED_FILE


def _note(nodeid: str) -> None:
    path = Path(os.environ[NOTICED_FILE])
    if not path.exists():
        path.write_text(nodeid, "utf-8")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A test, or what it needs, has failed."""
    if report.failed:
        _note(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A file of tests cannot be imported: the broken module cannot."""
    if report.failed:
        _note(report.nodeid)


def pytest_configure(config: pytest.Config) -> None:
    """Nothing of a last run is left."""
    assert config is not None
