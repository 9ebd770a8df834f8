"""Many replays: the files that paths mean, and one function for each of them, in one process or over all cores.

Results come in the order of the paths. Of a file that cannot be read, the report has the reason.
"""

import os
import secrets
from collections import deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from seqp2p.errors import FAILED, UserError
from seqp2p.i18n import message, of_system
from seqp2p.replay.disk import NotAFile, read_regular
from seqp2p.replay.format import REPLAY_SIZE_MAX
from seqp2p.replay.verify import TOO_LARGE, Report, verify_batched
from seqp2p.workers import cores, interrupts_deferred, workers

if TYPE_CHECKING:  # What the verification of one file need not wait for.
    from seqp2p.replay.statistics import Summary

T = TypeVar("T")
SUFFIX: Final = ".seqp2p"
# To start another process takes as long as to verify one or two replays.
PROCESSES_FROM_FILES: Final = 6
# Files handed out at a time, for each process: one that it verifies, and some to go on with behind a slow one.
FILES_AHEAD: Final = 4


@dataclass(frozen=True, slots=True)
class Named:
    """A file to verify; ``content`` is what is known of it already: its bytes, or the report on it."""

    path: Path
    content: bytes | Report | None = None


def no_file(reason: str) -> Report:
    """Return the report on a path that has no bytes to verify."""
    return Report("invalid", reason=reason, failure="file")


def named_files(paths: Iterable[Path]) -> list[Named]:
    """The files that these paths mean: a file itself, what a folder holds, what a pattern matches."""
    return [named for path in paths for named in _meant(path)]


def missing_of(paths: Iterable[Path]) -> list[Path]:
    """Return the paths that name nothing: no file, no folder, and no pattern that matches."""
    return [path for path in paths if not (_is_there(path) or _matching(path))]


def _is_there(path: Path) -> bool:
    """Return True unless there is no such file. What cannot be looked at, its report says."""
    try:
        path.stat()
    except (OSError, ValueError) as error:
        return not isinstance(error, FileNotFoundError | NotADirectoryError)
    return True


def _meant(path: Path) -> Iterable[Named]:
    try:
        if path.is_dir():
            return _in_folder(path)
        if not os.path.lexists(path):
            return [named for match in _matching(path) for named in _meant(match)] or [Named(path)]
    except (OSError, ValueError):  # What cannot be looked at, its report says.
        pass
    return [Named(path)]


def _in_folder(folder: Path) -> list[Named]:
    """Every replay in a folder and the folders in it, sorted. Links to folders are not followed: they can go round."""
    unreadable: list[OSError] = []
    found = [
        Named(Path(place, name))
        for place, _, names in os.walk(folder, onerror=unreadable.append)
        for name in names
        if name.endswith(SUFFIX)
    ]
    found += [Named(Path(os.fsdecode(error.filename)), _unreadable(error)) for error in unreadable]
    return sorted(found, key=lambda named: named.path) or [
        Named(folder, no_file(message("no replay (*.seqp2p) is in this folder")))
    ]


def _matching(pattern: Path) -> list[Path]:
    """Return the matches of a pattern with ``*``, ``?``, ``[…]`` or ``**``, sorted; nothing for another text."""
    relative = pattern.relative_to(pattern.anchor)
    if not set("*?[") & set(str(relative)):
        return []
    return sorted(Path(pattern.anchor).glob(str(relative)))


def verify_named(named: Named) -> Report:
    """The report on a file that was named; one that cannot be read is invalid with the reason."""
    data = bytes_of(named)
    return data if isinstance(data, Report) else verify_data(data)


def summarise_named(named: Named) -> "Summary":
    from seqp2p.replay.statistics import Summary, summarise

    data = bytes_of(named)
    return Summary(data) if isinstance(data, Report) else summarise(data, secrets.token_bytes)


def verify_data(data: bytes) -> Report:
    return verify_batched(data, secrets.token_bytes)


def bytes_of(named: Named) -> bytes | Report:
    """Return the bytes of a file, or the report on it if that is known without them."""
    if named.content is not None:
        return named.content
    try:
        data = read_regular(named.path)
    except NotAFile:
        return no_file(message("not a file"))
    except FileNotFoundError:
        return no_file(message("no such file"))
    except OSError as error:
        return _unreadable(error)
    return data if len(data) <= REPLAY_SIZE_MAX else TOO_LARGE


def _unreadable(error: OSError) -> Report:
    return no_file(message("cannot be read: {reason}", reason=of_system(error)))


def processes(files: int, jobs: int | None) -> int:
    """Return the number of processes for so many files; without a wish it is this one, or one for each core."""
    return min(files, jobs or (cores() if files >= PROCESSES_FROM_FILES else 1))


def of_all(look: Callable[[Named], T], files: Iterable[Named], jobs: int) -> Generator[tuple[Named, T]]:
    """Yield each file with the result of ``look``, in order, by so many processes; by this one if it is one.

    Closing it, or an exception such as KeyboardInterrupt, ends the processes at once. Raises UserError.
    """
    if jobs <= 1:
        yield from ((named, look(named)) for named in files)
        return
    from concurrent.futures.process import BrokenProcessPool

    waiting = deque[tuple[Named, Callable[[], T]]]()
    with workers(jobs) as pool:
        try:
            for named in files:
                if isinstance(named.content, Report):
                    waiting.append((named, partial(look, named)))
                else:
                    with interrupts_deferred():
                        waiting.append((named, pool.submit(look, named).result))
                if len(waiting) > FILES_AHEAD * jobs:
                    yield _first(waiting)
            while waiting:
                yield _first(waiting)
        except BrokenProcessPool:
            hint = message("with fewer processes it takes less memory")
            error = UserError(message("a process that verifies has been killed"), hint, FAILED)
            # A script's own traceback has no hint, and ends with the note.
            error.add_note(f"{hint}; a script that starts them does its own work below if __name__ == '__main__':")
            raise error from None


def _first(waiting: deque[tuple[Named, Callable[[], T]]]) -> tuple[Named, T]:
    named, result = waiting.popleft()
    return named, result()
