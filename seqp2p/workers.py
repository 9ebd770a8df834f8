"""Worker processes that end with their parent, also if it is killed."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from seqp2p.hangup import HANGUP

if TYPE_CHECKING:  # A command that starts no process need not wait for them.
    from concurrent.futures import ProcessPoolExecutor

JOBS_MAX: Final = 61
"""Windows waits for no more than 63 things at once, and a pool takes two."""
_STOP_SIGNALS: Final = [signal.SIGINT, signal.SIGTERM, *([] if HANGUP is None else [HANGUP])]


def cores() -> int:
    """The cores that this process may use, but no more than it can have processes."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux has it.
    return min(len(affinity(0)) if affinity else os.cpu_count() or 1, JOBS_MAX)


def checked_jobs(jobs: int | None) -> int | None:
    """Return the number of processes. Raises ValueError for one that cannot be."""
    if jobs is not None and not 1 <= jobs <= JOBS_MAX:
        raise ValueError(f"jobs is 1 to {JOBS_MAX}, or None, not {jobs}")
    return jobs


_last_acts = list[Callable[[], None]]()


def before_abandoning(act: Callable[[], None]) -> Callable[[], None]:
    """Call this function in a worker process that has to end at once; it runs in another thread than the work."""
    _last_acts.append(act)
    return act


@contextmanager
def workers(jobs: int) -> "Generator[ProcessPoolExecutor]":
    """A pool of processes that ends at once on an exception, and when this process is killed.

    They are spawned, not forked, on every platform: a fork copies the locks of threads in any state.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("spawn")
    lifeline, held = context.Pipe(duplex=False)
    with lifeline, held:
        pool = ProcessPoolExecutor(jobs, context, _begin_work, (lifeline,))
        try:
            yield pool
            pool.shutdown()
        finally:
            held.close()
            pool.shutdown(cancel_futures=True)


def _begin_work(lifeline: Any) -> None:
    """In a new process: Ctrl-C is for the process that started this one, and this one ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()


def _end_with_parent(lifeline: Any) -> None:
    # Nothing is ever sent: the wait is for the other end to close, which it does however its process ends.
    with suppress(OSError):  # so Windows tells it
        lifeline.poll(None)
    for act in _last_acts:
        act()
    os._exit(1)


@contextmanager
def interrupts_deferred() -> Generator[None]:
    """Keep back what may stop this process while it starts another one, so that none is left half started.

    The new process begins with the same signals kept back. Windows cannot do this.
    """
    if sys.platform == "win32":
        yield
    else:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
