"""Seconds, processor time and memory, as several benchmarks measure them."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def process_seconds(*arguments: str) -> float:
    """Run Python with these arguments."""
    return seconds(lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True))


def ratio_of(pairs: list[tuple[float, float]]) -> dict[str, float]:
    """The median of what was measured, and that of its ratios to the other time of each pair."""
    return {
        "ms": round(1000 * median(one for one, _ in pairs), 1),
        "ratio": round(median(one / other for one, other in pairs), 3),
    }


def processor_s(pid: int) -> float:
    """The processor time of a running process."""
    user, system = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
