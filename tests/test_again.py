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


PROCESS_ONCE = case("process", FAILS_ONCE)
TESTS_FAILED = pytest.ExitCode.TESTS_FAILED
# The tests of a project, the options; the exit code, the failures of test_process, the tests that are named.
RUNS: dict[str, tuple[list[str], str, int, int, list[str]]] = {
    "a test that passes alone": ([PROCESS_ONCE, case("simulation", PASSES)], "-p xdist -n 2", 0, 1, ["process"]),
    "a slow test that passes alone": ([case("slow", FAILS_ONCE)], "-m slow", 0, 0, ["slow"]),
    "a test that fails alone too": ([case("process", FAILS)], "", TESTS_FAILED, 2, []),
    "a test that is final": ([case("process", PASSES), case("simulation", FAILS_ONCE)], "", TESTS_FAILED, 0, []),
    "with one that is final none runs again": ([PROCESS_ONCE, case("simulation", FAILS)], "", TESTS_FAILED, 1, []),
    "a file that cannot be imported": ([PROCESS_ONCE, "import nowhere"], "", pytest.ExitCode.INTERRUPTED, 0, []),
    "no failure": ([case("process", PASSES)], "", 0, 0, []),
}


@pytest.mark.parametrize("name", RUNS)
def test_which_tests_run_again_and_are_named(name: str, tmp_path: Path) -> None:
    cases, options, code, failures, named = RUNS[name]
    done, told = run(tmp_path, *cases, options=options), tmp_path / PASSED_ALONE
    lines = [f"test_project.py::test_{marker}\n" for marker in named]
    assert done.returncode == code
    assert done.stdout.count("FAILED test_project.py::test_process") == failures
    assert done.stdout.partition("passed only alone:\n")[2] == "".join(f"  {line}" for line in lines)
    assert (told.read_text() if told.exists() else "") == "".join(lines)


def test_failures_of_an_earlier_run_are_forgotten(tmp_path: Path) -> None:
    assert run(tmp_path, case("slow", FAILS), options="-m slow").returncode == pytest.ExitCode.TESTS_FAILED
    assert run(tmp_path, case("slow", FAILS), case("process", FAILS_ONCE)).returncode == 0
    assert (tmp_path / PASSED_ALONE).read_text() == "test_project.py::test_process\n"
