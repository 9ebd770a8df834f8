"""Where this player's files are: identity keys, name, replays. Keys are 0600; nothing that exists is overwritten."""

import contextlib
import getpass
import os
import secrets
import sys
import unicodedata
from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import platformdirs

from seqp2p.cli.output import CommandError
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.identity import Identity
from seqp2p.match.table import NAME_LENGTH_MAX, name_fault

# More processes of one person at once than this are no person.
IDENTITIES_MAX = 64


def data_dir() -> Path:
    """``SEQP2P_HOME`` if it is set, else where the platform keeps an application's data."""
    return Path(os.environ.get("SEQP2P_HOME") or platformdirs.user_data_dir("seqp2p", appauthor=False))


def replay_dir(chosen: str | None) -> Path:
    """Where replays go."""
    return Path(chosen) if chosen else data_dir() / "replays"


def replay_path(directory: Path, game: bytes, seat: int) -> Path:
    """A new file's path; nothing in it comes from a peer but hexadecimal digits of the game's hash."""
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    return directory / f"{stamp}-{game.hex()[:12]}-seat{seat}.seqp2p"


def player_name(wish: str | None, number: int = 1) -> str:
    """The name to sit down with: the wish, the one kept, or the account's. Raises CommandError for a bad wish.

    The account's second identity adds its number to a name that was not wished for, so that two terminals of one
    person do not sit down with one name.
    """
    if wish is not None:
        if fault := name_fault(wish):
            raise CommandError(f"this name cannot be used: {fault}", "choose another with --name")
        return wish
    kept = data_dir() / "name"
    candidates = [kept.read_text("utf-8").strip()] if kept.is_file() else []
    with contextlib.suppress(OSError, KeyError):
        candidates.append(unicodedata.normalize("NFC", getpass.getuser())[:NAME_LENGTH_MAX])
    name = next((name for name in candidates if name_fault(name) is None), "player")
    return name if number == 1 else f"{name[: NAME_LENGTH_MAX - 3].rstrip()} {number}"


def keep_name(name: str) -> None:
    """Remember the name for the games to come."""
    directory = _own_dir()
    (directory / "name").write_text(player_name(name) + "\n", "utf-8")


@dataclass(frozen=True, slots=True)
class Held:
    """An identity that this process holds; ``number`` is 1 unless the account plays several games at once."""

    identity: Identity
    number: int


@contextlib.contextmanager
def held_identity() -> Generator[Held]:
    """This player's identity, held until the block ends.

    A key can sit at a table once, so a second process of the same account takes the second identity, and so on: two
    terminals of one person can play each other.
    """
    directory = _own_dir()
    for number in range(1, IDENTITIES_MAX + 1):
        path = directory / ("identity.key" if number == 1 else f"identity-{number}.key")
        descriptor = _open_key(path)
        try:
            if _lock(descriptor):
                yield Held(_read_key(descriptor, path), number)
                return
        finally:
            os.close(descriptor)
    raise CommandError(f"{IDENTITIES_MAX} games of this account are going on already", "end some of them")


def first_identity() -> Identity:
    """This player's first identity, whether or not it is playing now; made if there is none yet."""
    path = _own_dir() / "identity.key"
    descriptor = _open_key(path)
    try:
        return _read_key(descriptor, path)
    finally:
        os.close(descriptor)


def _own_dir() -> Path:
    directory = data_dir()
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise CommandError(
            f"cannot use {directory}: {error.strerror}", "set SEQP2P_HOME to a folder of yours"
        ) from None
    return directory


def _open_key(path: Path) -> int:
    """The key file's descriptor; a new key is written whole before anybody can see the file."""
    if not path.exists():
        new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(32))
        with contextlib.suppress(FileExistsError):
            os.link(new, path)
        new.unlink()
    try:
        return os.open(path, os.O_RDWR)
    except OSError as error:
        raise CommandError(f"cannot read the identity key {path}: {error.strerror}") from None


def _read_key(descriptor: int, path: Path) -> Identity:
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        return Identity(os.read(descriptor, 64))
    except CryptoError:
        raise CommandError(
            f"the identity key {path} is damaged", "move it away, and a new one is made (others will see a new key)"
        ) from None


def _lock(descriptor: int) -> bool:
    """Whether this process holds the file's lock now; it goes with the process, however that ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
