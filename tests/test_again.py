"""again.py: which failed tests run again alone, and what the run then says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.again import PASSED_ALONE

pytestmark = pytest.mark.process

PASSES = "pass"
FAILS = "assert False"
FAILS_ONCE = "assert Path('second').exists() or Path('second').touch()"

SETTINGS = """
[pytest]
addopts = -m "not slow"
markers =
    process: starts processes
    simulation: plays whole games
    slow: takes a minute
"""


def case(marker: str, body: str) -> str:
    return f"@pytest.mark.{marker}\ndef test_{marker}():\n    {body}\n"


def run(folder: Path, *cases: str, options: str = "") -> "subprocess.CompletedProcess[str]":
    """Run again.py in a project of its own that has these tests."""
    (folder / "pytest.ini").write_text(SETTINGS)
    (folder / "test_project.py").write_text("\n\n".join(["from pathlib import Path", "import pytest", *cases]))
    return subprocess.run(
        [sys.executable, "-m", "tests.again", *options.split()],
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
    )


def test_a_test_of_processes_that_passes_alone_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, case("process", FAILS_ONCE), case("simulation", PASSES), options="-p xdist -n 2")
    assert done.returncode == 0
    assert done.stdout.endswith("passed only alone:\n  test_project.py::test_process\n")
    assert (tmp_path / PASSED_ALONE).read_text() == "test_project.py::test_process\n"


def test_a_slow_test_may_pass_alone_too(tmp_path: Path) -> None:
    done = run(tmp_path, case("slow", FAILS_ONCE), options="-m slow")
    assert done.returncode == 0
    assert (tmp_path / PASSED_ALONE).read_text() == "test_project.py::test_slow\n"


def test_a_test_that_fails_alone_too_fails_the_run(tmp_path: Path) -> None:
    done = run(tmp_path, case("process", FAILS))
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert done.stdout.count("FAILED test_project.py::test_process") == 2
    assert not (tmp_path / PASSED_ALONE).exists()


def test_another_test_that_fails_does_not_run_again(tmp_path: Path) -> None:
    done = run(tmp_path, case("process", PASSES), case("simulation", FAILS_ONCE))
    assert done.returncode == pytest.ExitCode.TESTS_FAILED


def test_with_another_failed_test_none_runs_again(tmp_path: Path) -> None:
    done = run(tmp_path, case("process", FAILS_ONCE), case("simulation", FAILS))
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert done.stdout.count("FAILED test_project.py::test_process") == 1


def test_a_file_that_cannot_be_imported_fails_the_run(tmp_path: Path) -> None:
    assert run(tmp_path, case("process", FAILS_ONCE), "import nowhere").returncode == pytest.ExitCode.INTERRUPTED


def test_failures_of_an_earlier_run_are_forgotten(tmp_path: Path) -> None:
    assert run(tmp_path, case("slow", FAILS), options="-m slow").returncode == pytest.ExitCode.TESTS_FAILED
    assert run(tmp_path, case("slow", FAILS), case("process", FAILS_ONCE)).returncode == 0
    assert (tmp_path / PASSED_ALONE).read_text() == "test_project.py::test_process\n"


def test_a_run_without_a_failure_says_nothing_more(tmp_path: Path) -> None:
    done = run(tmp_path, case("process", PASSES))
    assert done.returncode == 0
    assert "alone" not in done.stdout
