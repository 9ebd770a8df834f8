"""The marker of a seat, in its player's home: it tells if the seat's files are the very ones that were written last.

    token before ‖ token ‖ (inode ‖ size) of the seat's own file ‖ the same of its replay

Tokens have 16 bytes, numbers 8. A backup that was put back, or a synced folder, can bring older files; a second thing
signed for one place would then be cheating (match/recovery.py). Such files have another inode, another token than the
last life of the seat wrote, or fewer bytes than it had synced when it last signed. The token before holds until the
first sync of a life, so a crash between the writing of the marker and that of the file does no harm. A marker that is
missing, or cannot be read, only costs a recovery. So its own errors never stop a game. The number of the device is not
in it: with many file systems it changes when the machine starts again, and seats that all recover cannot tell each
other.
"""

import contextlib
import secrets
import struct
from pathlib import Path
from typing import Final

from seqp2p.replay.disk import read_regular, write_beside

TOKEN_SIZE: Final = 16
_FACTS: Final = struct.Struct("!QQ")
_MASK: Final = 2**64 - 1
_SIZE_MAX: Final = 1_024


def new_token() -> bytes:
    """Return a token for a new life of a seat."""
    return secrets.token_bytes(TOKEN_SIZE)


class Marker:
    """The marker at ``path`` of these files. It is renewed with each life of the seat, and noted with each sync."""

    def __init__(self, path: Path, files: tuple[Path, ...]) -> None:
        self._path = path
        self._files = files
        self._token = b""

    def holds(self, token: bytes | None) -> bool:
        """Return True if the files are the last ones: ``token`` is that of the last life in them.

        It is None before the first. Until that one is synced, the seat has signed nothing.
        """
        try:
            data = read_regular(self._path, _SIZE_MAX)
            found = [_facts(file) for file in self._files]
        except OSError:
            return False
        tokens, facts = data[: 2 * TOKEN_SIZE], data[2 * TOKEN_SIZE :]
        if len(facts) != len(found) * _FACTS.size or token not in {None, tokens[:TOKEN_SIZE], tokens[TOKEN_SIZE:]}:
            return False
        noted = _FACTS.iter_unpack(facts)
        return all(
            inode == inode_now and size <= size_now
            for (inode, size), (inode_now, size_now) in zip(noted, found, strict=True)
        )

    def renew(self, before: bytes, token: bytes) -> None:
        """Begin a life of the seat, whose token is not in its own file yet. The marker is replaced as a whole.

        ``before`` is the token of the life before, or the same one if that has to hold no longer.
        """
        self._token = token
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_beside(self._path, self._now(before), synced=True).replace(self._path)

    def note(self) -> None:
        """Note the sizes of the files, which are synced now; a marker that another process has renewed stays."""
        with contextlib.suppress(OSError), self._path.open("r+b", buffering=0) as file:
            if self._token and file.read(2 * TOKEN_SIZE)[TOKEN_SIZE:] == self._token:
                file.seek(0)
                file.write(self._now(self._token))

    def delete(self) -> None:
        """Delete it: the game is over, or the files are older ones."""
        self._token = b""
        with contextlib.suppress(OSError):
            self._path.unlink()

    def _now(self, before: bytes) -> bytes:
        return before + self._token + b"".join(_FACTS.pack(*_facts(file)) for file in self._files)


def _facts(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_ino & _MASK, found.st_size
