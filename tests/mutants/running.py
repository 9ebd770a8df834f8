"""Running tests on a copy of the repository in which one check is broken."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.checks import Mutant

ROOT = Path(__file__).parents[2]
# What tests read, and what they are.
COPIED = (
    *("seqp2p", "tests", "protocol", "replays", "docs"),
    *("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
)
WAIT_S = 900  # A broken check can make a test wait for what never comes; each test has its own limit besides.
NOTICED_FILE = "SEQP2P_NOTICED_FILE"
KIT = "protocol/replays/"

# Long, and of no help here: what they find, others find sooner.
LEFT_OUT = ("tests/match/test_ballots_exploration.py", "tests/protocol/test_generator.py")


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: the first test that failed, or None; and how long that took."""

    test: str | None
    seconds: float


class Workshop:
    """A copy of the repository, to break one module of it at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, folder / name)

    def fails(self, tests: Sequence[str]) -> str | None:
        """Return the first of these tests that fails on the package as it is here, or None.

        ``KIT`` stands for all cases of the replay test kit, ``KIT`` and a name for that one.
        """
        cases = [test.removeprefix(KIT) for test in tests if test.startswith(KIT)]
        if cases and (differing := self._differs([case for case in cases if case])) is not None:
            return differing
        others = [test for test in tests if not test.startswith(KIT)]
        return self._failing_test(others) if others else None

    def _differs(self, cases: Sequence[str]) -> str | None:
        ended = self._run("-m", "tests.mutants.kit", *cases)
        if ended is None:
            return KIT
        return KIT + ended.stdout.splitlines()[-1] if ended.returncode else None

    def _failing_test(self, tests: Iterable[str]) -> str | None:
        noticed = self.folder / "noticed"
        noticed.unlink(missing_ok=True)
        plugins = "-p", "tests.mutants.noticing", "-p", "no:cacheprovider"
        ended = self._run("-m", "pytest", "-x", "-q", *plugins, "--hypothesis-seed=0", *tests)
        if ended is None:
            return f"no test came to its end in {WAIT_S} s"
        if ended.returncode == 0:
            return None
        if not noticed.exists():
            raise RuntimeError(f"pytest cannot run here:\n{ended.stdout}{ended.stderr}")
        return noticed.read_text("utf-8")

    def _run(self, *words: str) -> "subprocess.CompletedProcess[str] | None":
        """Run Python here; None if it does not end."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), NOTICED_FILE: str(self.folder / "noticed")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        try:
            return subprocess.run(
                [sys.executable, *words],
                cwd=self.folder, env=environment, capture_output=True, text=True, timeout=WAIT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None

    def outcome(self, mutant: Mutant, stages: Iterable[Sequence[str]]) -> Outcome:
        """Break the check, and look for a test that fails, stage by stage."""
        begun = time.monotonic()
        path = self.folder / "seqp2p" / mutant.module
        whole = path.read_text("utf-8")
        self._write(path, mutant.broken(whole))
        try:
            for tests in stages:
                if (test := self.fails(tests)) is not None:
                    return Outcome(test, time.monotonic() - begun)
            return Outcome(None, time.monotonic() - begun)
        finally:
            self._write(path, whole)

    @staticmethod
    def _write(path: Path, source: str) -> None:
        """Write a module, and delete the compiled one: Python compares only its second and its length."""
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()
        path.write_text(source, "utf-8")


def stages(mutant: Mutant, known: str | None, *, near: bool = False) -> list[Sequence[str]]:
    """The tests to run on a mutant while none fails: the known one; its own file and the kit; all, unless ``near``."""
    package, _, file = mutant.module.partition("/")
    own = f"tests/{package}/test_{file}"
    nearest = [own] if (ROOT / own).exists() else []
    everything = dict.fromkeys([f"tests/{package}", "tests/replay", "tests/protocol"])
    close = [[KIT], nearest] if package != "crypto" else [nearest, [KIT]]
    return [
        *([[known]] if known is not None else []),
        *filter(None, close),
        *([] if near else [[*everything, *(f"--ignore={path}" for path in LEFT_OUT)]]),
    ]
