"""The files that a game is kept in, as far as writing and taking up a replay use them."""

import os
from pathlib import Path
from typing import Final, Protocol


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
