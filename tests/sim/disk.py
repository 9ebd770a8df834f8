"""A disk in memory that knows its synced bytes: a crash of the machine keeps these, and chance decides on the rest."""

import random
from dataclasses import dataclass, field
from pathlib import Path

from seqp2p.replay.disk import Disk, File
from seqp2p.replay.sidecar import LoggedKind, SidecarSecrets, beginning, entry


@dataclass
class Stored:
    """A file's bytes, and the number of them that are durable."""

    data: bytearray = field(default_factory=bytearray)
    synced: int = 0


class VirtualFile:
    """An open file. Bytes are written when ``write`` has returned, and durable when ``sync`` has."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored

    def write(self, data: bytes, /) -> int:
        self._stored.data += data
        return len(data)

    def sync(self) -> None:
        self._stored.synced = len(self._stored.data)

    def close(self) -> None:
        """Close the file; nothing is lost."""


class VirtualDisk(Disk):
    """The files of one machine."""

    def __init__(self) -> None:
        self.files: dict[Path, Stored] = {}

    def append(self, path: Path, *, new: bool) -> File:
        if new == (path in self.files):
            raise FileExistsError(path) if new else FileNotFoundError(path)
        return VirtualFile(self.files.setdefault(path, Stored()))

    def read(self, path: Path, size_max: int = -1) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(path)
        data = bytes(self.files[path].data)
        return data if size_max < 0 else data[:size_max]

    def truncate(self, path: Path, size: int) -> None:
        stored = self.files[path]
        del stored.data[size:]
        stored.synced = min(stored.synced, size)

    def delete(self, path: Path) -> None:
        self.files.pop(path, None)

    def copied(self) -> dict[Path, bytes]:
        """Return a copy of all files, as a backup makes it."""
        return {path: bytes(stored.data) for path, stored in self.files.items()}

    def put_back(self, copies: dict[Path, bytes]) -> None:
        """Put these copies in the place of the files."""
        for path, data in copies.items():
            self.files[path] = Stored(bytearray(data), len(data))

    def lose_power(self, dice: random.Random) -> None:
        """Lose power: unsynced bytes survive up to some byte; after it the file may keep its length, with zeros."""
        for _, stored in sorted(self.files.items()):
            written = len(stored.data)
            kept = dice.randint(stored.synced, written)
            del stored.data[kept:]
            if kept < written and dice.random() < 0.3:
                stored.data += bytes(written - kept)
            stored.synced = len(stored.data)


class VirtualSidecar:
    """A seat's own file on a virtual disk: the bytes are those of ``seqp2p.replay.sidecar``."""

    def __init__(self, disk: VirtualDisk, path: Path, *, new: SidecarSecrets | None = None) -> None:
        self._disk = disk
        self._path = path
        self._file = disk.append(path, new=new is not None)
        if new is not None:
            self._file.write(beginning(new))

    def log(self, kind: LoggedKind, payload: bytes, signature: bytes) -> None:
        self._file.write(entry(kind, payload, signature))

    def sync(self) -> None:
        self._file.sync()

    def delete(self) -> None:
        """Remove it: the game is over."""
        self._disk.delete(self._path)
