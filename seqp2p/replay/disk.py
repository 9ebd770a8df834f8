"""The files that a game is kept in: reading a replay, whatever there is in its place, writing it and taking it up."""

import errno
import os
import stat
from pathlib import Path
from typing import Final, Protocol, cast

from seqp2p.replay.format import REPLAY_SIZE_MAX

# Whatever is there by now: opening it waits for no writer of a pipe, and takes no terminal. Windows has neither flag.
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


class NotAFile(OSError):
    """A folder, a pipe or a device stands where a file is wanted, or something that calls itself a file."""


def read_replay(path: str | os.PathLike[str]) -> bytes:
    """What is in a file, and no more than one byte too many for a replay.

    Waits for no pipe, and reads no device to its end. Raises FileNotFoundError, NotAFile, and OSError as files do.
    """
    try:
        # Before it is opened, because that alone does something to some devices; and after, when it stays what it is.
        _require_file(os.stat(path), path)  # noqa: PTH116  # Path makes the folder it is in of an empty name
        descriptor = os.open(path, _FLAGS)
    except ValueError:  # A zero byte is in the name.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path)) from None
    with os.fdopen(descriptor, "rb") as file:
        _require_file(os.fstat(descriptor), path)
        data = cast("bytes | None", file.read(REPLAY_SIZE_MAX + 1))
    if data is None:  # Nothing to read now, but more to come: no file, whatever the system says (/proc has such).
        raise _not_a_file(path)
    return data


def _require_file(found: os.stat_result, path: str | os.PathLike[str]) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise _not_a_file(path)


def _not_a_file(path: str | os.PathLike[str]) -> NotAFile:
    return NotAFile(errno.EINVAL, "not a regular file", os.fspath(path))


class File(Protocol):
    """A file that is only appended to."""

    def write(self, data: bytes, /) -> int | None:
        """Hand bytes to the system at once; returns how many it took. Raises OSError."""
        ...

    def sync(self) -> None:
        """Wait until the disk has them all."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Disk(Protocol):
    """Where files are. A simulated one can lose what was not synced (seqp2p/testing)."""

    def append(self, path: Path, *, new: bool) -> File:
        """A file to append to; raises FileExistsError where a new one is there already, and OSError as files do."""
        ...

    def read(self, path: Path, size_max: int = -1) -> bytes:
        """The first bytes of a file, all without a size."""
        ...

    def truncate(self, path: Path, size: int) -> None:
        """Cut a file off."""
        ...


class _RealFile:
    def __init__(self, path: Path, *, new: bool) -> None:
        self._file = path.open("xb" if new else "ab", buffering=0)

    def write(self, data: bytes, /) -> int | None:
        return self._file.write(data)

    def sync(self) -> None:
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


class RealDisk:
    """The file system."""

    def append(self, path: Path, *, new: bool) -> File:
        """Its folders are made where there are none."""
        path.parent.mkdir(parents=True, exist_ok=True)
        return _RealFile(path, new=new)

    def read(self, path: Path, size_max: int = -1) -> bytes:
        """Raises OSError as files do."""
        with path.open("rb") as file:
            return file.read(size_max)

    def truncate(self, path: Path, size: int) -> None:
        """Raises OSError as files do."""
        os.truncate(path, size)


REAL_DISK: Final = RealDisk()
