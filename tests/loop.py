"""A pytest plugin for the fast loop: markers by need, a guard that keeps them true, and files ordered by duration.

Markers say what a test needs (pyproject.toml lists them). A test of ``FOLDERS``, or with a fixture of
``FIXTURES``, has the marker by itself; others name it. The guard fails a test that starts a process without one.

``usefixtures("autojump_clock")`` is enough for a clock that jumps.

``durations.json`` has the seconds of each slow file. The slowest file starts first, so that no core is idle at the end.
``make durations`` measures again.
"""

import json
import multiprocessing.util
import sys
from collections import defaultdict
from collections.abc import Generator
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, Final

import pytest
import trio
from trio.testing import MockClock

DURATIONS: Final = Path(__file__).with_name("durations.json")
DURATION_MIN_S: Final = 1.0

FOLDERS: Final = {"tests/real/": "process", "tests/sim/": "simulation"}
FIXTURES: Final = {"people": "process", "game": "process", "kids_game": "process", "virtual_time": "simulation"}
"""The markers that come with a folder, and with a fixture."""

MAY_START: Final = ("process", "terminal", "namespace")
STARTS: Final = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "pty.spawn"})
"""The interpreter's audit events of a process that starts."""


class _Guard:
    """Fails a test that starts a process, unless it may."""

    test: pytest.Item | None = None

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in STARTS and self.test is not None and not any(map(self.test.get_closest_marker, MAY_START)):
            pytest.fail(f"{event} {arguments[:2]}: a test that starts a process is marked {' or '.join(MAY_START)}")


GUARD: Final = _Guard()
sys.addaudithook(GUARD.hear)

_spawn = multiprocessing.util.spawnv_passfds


def _spawn_audited(*arguments: Any) -> int:
    """A pool's processes raise no audit event of their own."""
    sys.audit("os.posix_spawn", *arguments)
    return _spawn(*arguments)


vars(multiprocessing.util)["spawnv_passfds"] = _spawn_audited


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """The guard knows which test runs."""
    GUARD.test = item
    try:
        return (yield)
    finally:
        GUARD.test = None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by their fixtures, and put slow files first. A file keeps the order of its tests."""
    seconds: dict[str, float] = json.loads(DURATIONS.read_text("utf-8"))
    for item in items:
        needs = [need for folder, need in FOLDERS.items() if item.nodeid.startswith(folder)]
        needs += [FIXTURES[name] for name in FIXTURES.keys() & set(getattr(item, "fixturenames", ()))]
        for need in needs:
            item.add_marker(need)
        if "autojump_clock" in getattr(item, "fixturenames", ()) and iscoroutinefunction(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.trio(run=_run_by_a_clock_that_jumps))
    items.sort(key=lambda item: -seconds.get(file_of(item.nodeid), 0.0))


def _run_by_a_clock_that_jumps(test: Any, *, clock: MockClock | None, **options: Any) -> None:
    """pytest-trio finds a clock among a test's arguments, and not where ``usefixtures`` names it."""
    trio.run(test, clock=clock or MockClock(autojump_threshold=0), **options)


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-durations", action="store_true", help="write the seconds of each file to durations.json")


class _Stopwatch:
    """Adds up how long each file takes."""

    def __init__(self) -> None:
        self._seconds = defaultdict[str, float](float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[file_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        slow = {name: round(seconds) for name, seconds in self._seconds.items() if seconds >= DURATION_MIN_S}
        DURATIONS.write_text(json.dumps(dict(sorted(slow.items())), indent=1) + "\n", "utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """One stopwatch, in the process that the workers report to."""
    if config.getoption("--write-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Stopwatch())
