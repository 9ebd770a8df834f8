"""A pytest plugin: writes the first test that fails, or cannot be collected, into a file."""

import os
from pathlib import Path

import pytest

from tests.mutants.running import NOTICED_FILE


def _note(nodeid: str) -> None:
    path = Path(os.environ[NOTICED_FILE])
    if not path.exists():
        path.write_text(nodeid.partition("[")[0], "utf-8")  # Of a test with parameters all are run again: ids are long.


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A test, or what it needs, has failed."""
    if report.failed:
        _note(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A file of tests cannot be imported: the broken module cannot."""
    if report.failed:
        _note(report.nodeid)
