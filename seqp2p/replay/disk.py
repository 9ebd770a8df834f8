"""The files of a game: reading a replay or anything in its place, writing it, and resuming it."""

import contextlib
import errno
import io
import os
import re
import secrets
import stat
import sys
from pathlib import Path
from typing import Final, Protocol, cast

from seqp2p.replay.format import REPLAY_SIZE_MAX

# Opening must not wait for the writer of a pipe, nor take a terminal. Windows has neither flag.
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)

_MARK_SIZE: Final = 8
_ABANDONED_S: Final = 86_400.0


class NotAFile(OSError):
    """A folder, a pipe, a device or a special file is in the place of a file."""


def read_regular(path: str | os.PathLike[str], size_max: int = REPLAY_SIZE_MAX) -> bytes:
    """Return the bytes of a file, up to one byte too many.

    It waits for no pipe and reads no device to its end. Raises FileNotFoundError, NotAFile, and OSError as files do.
    """
    try:
        # Before it is opened, because opening alone affects some devices; and after, when it can no longer change.
        _require_file(os.stat(path), path)  # noqa: PTH116  # Path makes the folder it is in of an empty name
        descriptor = os.open(path, _FLAGS)
    except ValueError:  # A zero byte is in the name.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path)) from None
    with os.fdopen(descriptor, "rb") as file:
        _require_file(os.fstat(descriptor), path)
        data = cast("bytes | None", file.read(size_max + 1))
    if data is None:  # It claims no bytes and has some: no regular file, against the system's word (/proc has such).
        raise _not_a_file(path)
    return data


def _require_file(found: os.stat_result, path: str | os.PathLike[str]) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise _not_a_file(path)


def _not_a_file(path: str | os.PathLike[str]) -> NotAFile:
    return NotAFile(errno.EINVAL, "not a regular file", os.fspath(path))


def write_beside(path: Path, data: bytes, *, synced: bool) -> Path:
    """Write a file of mode 0600 next to ``path``, and return its own name, for the caller to rename it.

    So no kill leaves a part of a file at ``path``; the own name that a kill leaves is deleted by a later call, of
    another day, for any file with the same ending in this folder. Raises OSError; then no file is left.
    """
    new = path.with_name(f".{path.name}.{secrets.token_hex(_MARK_SIZE)}")
    try:
        with open(new, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(data)
            file.flush()
            if synced:
                os.fsync(file.fileno())
            _delete_abandoned(new, os.fstat(file.fileno()))
    except OSError:
        new.unlink(missing_ok=True)
        raise
    return new


def _delete_abandoned(new: Path, found: os.stat_result) -> None:
    """Delete this user's files of names like this new one's that are a day older: no process writes so long."""
    name = re.compile(rf"\..+{re.escape(Path(new.stem).suffix)}\.[0-9a-f]{{{2 * _MARK_SIZE}}}")
    with contextlib.suppress(OSError):
        for other in new.parent.iterdir():
            if name.fullmatch(other.name):
                there = other.lstat()
                old = found.st_mtime - there.st_mtime > _ABANDONED_S
                if old and stat.S_ISREG(there.st_mode) and there.st_uid == found.st_uid:
                    other.unlink()


class File(Protocol):
    """An append-only file."""

    def write(self, data: bytes, /) -> int | None:
        """Give bytes to the system at once; return the number it took. Raises OSError."""

    def sync(self) -> None:
        """Wait until all bytes are on the disk."""

    def close(self) -> None: ...


class _RealFile(io.FileIO):
    def sync(self) -> None:
        os.fsync(self.fileno())


class Disk:
    """The file system. A simulated one can lose unsynced bytes (tests/sim)."""

    def append(self, path: Path, *, new: bool) -> File:
        """Open a file to append to, and make its folders if they do not exist.

        Raises FileExistsError if a new one exists already, and OSError as files do.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        return _RealFile(path, "xb" if new else "ab")

    def read(self, path: Path, size_max: int = -1) -> bytes:
        """Return the first bytes of a file, all without a size."""
        with path.open("rb") as file:
            return file.read(size_max)

    def truncate(self, path: Path, size: int) -> None:
        os.truncate(path, size)


REAL_DISK: Final = Disk()
LOCKED_AT: Final = 2**31 - 2


def lock(descriptor: int) -> bool:
    """Lock the open file; return False if another process, or another descriptor of this one, holds the lock."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # Nobody else can read a locked byte, so it is one after the end of any file.
            at = os.lseek(descriptor, 0, os.SEEK_CUR)
            os.lseek(descriptor, LOCKED_AT, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(descriptor, at, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
