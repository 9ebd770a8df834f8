"""Run the tests, then run alone those whose failure may be due to a busy machine: ``python -m tests.again -n 3``.

Tests of processes and terminals wait for other programs, and a busy machine can make them fail. If only such tests
failed, they run again after the rest, without workers. If they pass then, the run passes and names them. Each name is
a defect: a test, or a program, that depends on time.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

MARKERS: Final = "process or terminal or namespace or slow"
"""The tests that may run again. A failure of any other test is final."""

FAILED: Final = Path(".pytest_cache/v/cache/lastfailed")
PASSED_ALONE: Final = Path("build/passed-only-alone.txt")
"""One test a line. `.ci/run` prints this file at its end."""


def main(arguments: list[str]) -> int:
    """Return the exit code of the first run, or 0 if the failed tests could run again and all passed alone."""
    code = run_pytest("--cache-clear", *arguments)
    if code != pytest.ExitCode.TESTS_FAILED:
        return code
    failed: list[str] = sorted(json.loads(FAILED.read_text("utf-8")))
    others = run_pytest("--last-failed", "--collect-only", "-m", f"not ({MARKERS})")
    if others != pytest.ExitCode.NO_TESTS_COLLECTED or run_pytest("--last-failed", "-m", MARKERS):
        return code
    PASSED_ALONE.parent.mkdir(exist_ok=True)
    with PASSED_ALONE.open("a", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in failed)
    print("passed only alone:", *failed, sep="\n  ")
    return 0


def run_pytest(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", "-q", *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
