"""This player's own files: identity keys, name, where replays go. Keys are 0600; nothing that exists is overwritten."""

import contextlib
import getpass
import os
import secrets
import sys
import unicodedata
import warnings
from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, TypeAlias

import platformdirs

from seqp2p.api.config_file import kept_name
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.identity import Identity
from seqp2p.errors import UserError
from seqp2p.i18n import message, of_system
from seqp2p.match.table import NAME_LENGTH_MAX, name_fault, numbered_name
from seqp2p.replay.disk import lock, read_regular, write_beside

Folder: TypeAlias = str | os.PathLike[str]
# More games of one person at once than this are no person.
IDENTITIES_MAX = 64
GIVEN: Final = 0
"""The number of an identity that has no file in this player's folder."""
REPLAYS: Final = "replays"
KNOWN_PLAYERS: Final = "known_players.json"
"""The file of the players met before, in the same folder."""


class HomeError(UserError):
    """This player's own files cannot be used."""

    code = "home"
    hint = message("set SEQP2P_HOME to a folder of yours")


def data_dir() -> Path:
    """Return ``SEQP2P_HOME`` if it is set, else the platform's folder for an application's data."""
    return Path(os.environ.get("SEQP2P_HOME") or platformdirs.user_data_dir("seqp2p", appauthor=False))


def own_dir() -> Path:
    """Return the same folder, made if it is missing. Raises HomeError."""
    directory = data_dir()
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise HomeError(message("cannot use {path}: {reason}", path=directory, reason=of_system(error))) from None
    return directory


def usual_replay_dir() -> Path:
    return data_dir() / REPLAYS


def replay_path(directory: Path, game: bytes, seat: int) -> Path:
    """Return the path of a new replay. Only hexadecimal digits of the game's hash in it come from a peer."""
    return directory / f"{_stamp()}-{game.hex()[:12]}-seat{seat}.seqp2p"


def watch_path(directory: Path, game: bytes, key: bytes) -> Path:
    """Return the path of a spectator's new replay: several of one account may watch one game."""
    return directory / f"{_stamp()}-{game.hex()[:12]}-watch-{key.hex()[:8]}.seqp2p"


def _stamp() -> str:
    return datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")


def usual_name(number: int = 1) -> str:
    """Return the default name: the one kept, or the account's.

    The account's second identity adds its number, so that two games of one person have two names.
    """
    candidates = [kept_name()]
    with contextlib.suppress(OSError, KeyError):
        candidates.append(unicodedata.normalize("NFC", getpass.getuser())[:NAME_LENGTH_MAX])
    name = next((name for name in candidates if name_fault(name) is None), "player")
    return numbered_name(name, max(1, number))


@dataclass(frozen=True, slots=True)
class LockedIdentity:
    """An identity that plays one game; ``number`` is 1 unless the account plays several at once, or GIVEN."""

    identity: Identity
    number: int

    @property
    def file(self) -> str:
        return key_name(self.number)


def key_name(number: int) -> str:
    if number == GIVEN:
        return "given"
    return "identity.key" if number == 1 else f"identity-{number}.key"


@contextlib.contextmanager
def locked_identity() -> Generator[LockedIdentity]:
    """Lock this player's first free identity until the block ends. Raises HomeError.

    A key can sit at a table once, so a second game of the same account takes the second identity, and so on: two
    terminals of one person can play each other.
    """
    directory = own_dir()
    for number in range(1, IDENTITIES_MAX + 1):
        path = directory / key_name(number)
        with _key_file(path) as descriptor:
            if lock(descriptor):
                yield LockedIdentity(_read_key(descriptor, path), number)
                return
    raise HomeError(
        message("{count} games of this account are already in progress", count=IDENTITIES_MAX),
        message("end some of them"),
    )


@contextlib.contextmanager
def locked_key(name: str) -> Generator[LockedIdentity]:
    """Lock the identity whose file has this name until the block ends. Raises HomeError."""
    number = next((number for number in range(1, IDENTITIES_MAX + 1) if key_name(number) == name), None)
    path = own_dir() / name
    if number is None or not path.exists():
        raise HomeError(message("the identity key of this seat is not in this player's folder"))
    with _key_file(path) as descriptor:
        if not lock(descriptor):
            text = message("another seqp2p process plays with the key of this seat")
            raise HomeError(text, message("end that one first"), code="held")
        yield LockedIdentity(_read_key(descriptor, path), number)


def first_identity() -> Identity:
    """Return this player's first identity, even if it plays now; make it if there is none. Raises HomeError."""
    path = own_dir() / key_name(1)
    with _key_file(path) as descriptor:
        return _read_key(descriptor, path)


def own_keys() -> frozenset[bytes]:
    """Return the public keys of all this player's identities; skip damaged files."""
    keys: set[bytes] = set()
    for path in sorted(data_dir().glob("identity*.key"))[:IDENTITIES_MAX]:
        with contextlib.suppress(CryptoError, OSError):
            keys.add(Identity(read_regular(path, 64)).public)
    return frozenset(keys)


class KeyFileWarning(UserWarning):
    """Others could read a key file; its mode is 0600 again."""


@contextlib.contextmanager
def _key_file(path: Path) -> Generator[int]:
    """Open the key file, made if there is none, until the block ends. Raises HomeError."""
    try:
        if not path.exists():
            _make_key(path)
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))  # Windows would read lines.
    except OSError as error:
        text = message("cannot use the identity key {path}: {reason}", path=path, reason=of_system(error))
        raise HomeError(text) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _make_key(path: Path) -> None:
    """Write a new key, whole before its file appears; a key that another process makes meanwhile stays."""
    new = write_beside(path, secrets.token_bytes(32), synced=False)
    try:
        with contextlib.suppress(FileExistsError):
            os.link(new, path)
    finally:
        new.unlink()


def _read_key(descriptor: int, path: Path) -> Identity:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        identity = Identity(os.read(descriptor, 64))
    except (CryptoError, OSError):
        text = message("the identity key {path} is damaged", path=path)
        hint = message("move it away, and a new one is made (others will see a new key)")
        raise HomeError(text, hint) from None
    if sys.platform != "win32" and _is_shown(descriptor):
        with contextlib.suppress(OSError):
            os.fchmod(descriptor, 0o600)
        text = message("others could read the identity key {path}; now only you can", path=path)
        if _is_shown(descriptor):
            text = message("others can read the identity key {path}: change its mode, or move it", path=path)
        warnings.warn(KeyFileWarning(text), stacklevel=3)
    return identity


def _is_shown(descriptor: int) -> bool:
    return bool(os.fstat(descriptor).st_mode & 0o077)
