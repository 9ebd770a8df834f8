"""loop.py: a test that starts a process is marked, however it starts it; files with a duration are there."""

import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.cli import forked
from tests.loop import DURATIONS

NOTHING = [sys.executable, "-c", ""]
WAYS: dict[str, Callable[[], object]] = {
    "subprocess": lambda: subprocess.run(NOTHING, check=True),
    "fork": os.fork,
    "pool": lambda: multiprocessing.get_context("spawn").Process(target=print).start(),
    "forked": lambda: forked.start([sys.executable, "-m", "seqp2p", "--version"], dict(os.environ)),
}


@pytest.mark.parametrize("start", WAYS.values(), ids=WAYS)
def test_a_process_needs_a_marker(start: Callable[[], object]) -> None:
    with pytest.raises(pytest.fail.Exception, match="a test that starts a process is marked process"):
        start()


@pytest.mark.process
def test_with_the_marker_it_starts() -> None:
    subprocess.run(NOTHING, check=True)


def test_the_files_with_durations_are_there() -> None:
    root = DURATIONS.parents[1]
    gone = [name for name in json.loads(DURATIONS.read_text("utf-8")) if not (root / name).is_file()]
    assert not gone, "take them out, or make durations"
