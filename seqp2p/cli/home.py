"""Where this player's files are: identity keys, name, replays. Keys are 0600; nothing that exists is overwritten."""

import contextlib
import getpass
import os
import secrets
import time
import unicodedata
from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import platformdirs

from seqp2p.cli.output import USAGE, CommandError, what_failed
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.identity import Identity
from seqp2p.match.table import NAME_LENGTH_MAX, name_fault, numbered_name
from seqp2p.replay.locks import lock
from seqp2p.said import said
from seqp2p.ui.language import t, tr

# More processes of one person at once than this are no person.
IDENTITIES_MAX = 64
LOCK_PATIENCE_S = 2.0
LOCK_PAUSE_S = 0.01
KNOWN_PLAYERS: Final = "known_players.json"
HOME_HINT: Final = said("set SEQP2P_HOME to a folder of yours")
REPLAYS_HINT: Final = said("choose another folder with --replay-dir")


def data_dir() -> Path:
    """``SEQP2P_HOME`` if it is set, else where the platform keeps an application's data."""
    return Path(os.environ.get("SEQP2P_HOME") or platformdirs.user_data_dir("seqp2p", appauthor=False))


def replay_dir(chosen: str | None) -> Path:
    """Where replays go; made if it is not there. Raises CommandError before a game begins that could not be kept."""
    directory = Path(chosen) if chosen else data_dir() / "replays"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = t("cannot keep replays in {folder}: {reason}", folder=directory, reason=what_failed(error))
        raise CommandError(message, REPLAYS_HINT) from None
    if not os.access(directory, os.W_OK | os.X_OK):
        raise CommandError(t("cannot keep replays in {folder}: it is not writable", folder=directory), REPLAYS_HINT)
    return directory


def resume_options(replay: Path, bot: str | None) -> list[str]:
    """What ``resume`` has to be told to find this replay's game, and to have the seat played as it was."""
    folder = [] if replay.parent == data_dir() / "replays" else ["--replay-dir", str(replay.parent)]
    return folder if bot is None else [*folder, "--bot", bot]


def replay_path(directory: Path, game: bytes, seat: int) -> Path:
    """A new file's path; nothing in it comes from a peer but hexadecimal digits of the game's hash."""
    return directory / f"{_stamp()}-{game.hex()[:12]}-seat{seat}.seqp2p"


def watch_path(directory: Path, game: bytes, key: bytes) -> Path:
    """A new file's path for a spectator's replay: several of one account may watch one game."""
    return directory / f"{_stamp()}-{game.hex()[:12]}-watch-{key.hex()[:8]}.seqp2p"


def _stamp() -> str:
    return datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")


def player_name(wish: str | None, number: int = 1) -> str:
    """The name to sit down with: the wish, the one kept, or the account's. Raises CommandError (usage) for a bad wish.

    The account's second identity adds its number to a name that was not wished for, so that two terminals of one
    person do not sit down with one name.
    """
    if wish is not None:
        if fault := name_fault(wish):
            message = t("this name cannot be used: {fault}", fault=tr(fault))
            raise CommandError(message, t("choose another with --name"), USAGE)
        return wish
    candidates: list[str] = []
    with contextlib.suppress(OSError, UnicodeDecodeError):
        candidates.append((data_dir() / "name").read_text("utf-8").strip())
    with contextlib.suppress(OSError, KeyError):
        candidates.append(unicodedata.normalize("NFC", getpass.getuser())[:NAME_LENGTH_MAX])
    name = next((name for name in candidates if name_fault(name) is None), "player")
    return numbered_name(name, number)


def keep_name(name: str) -> None:
    """Remember the name for the games to come."""
    text = player_name(name) + "\n"
    path = _own_dir() / "name"
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise CommandError(
            t("cannot write {path}: {reason}", path=path, reason=what_failed(error)), HOME_HINT
        ) from None


@dataclass(frozen=True, slots=True)
class Held:
    """An identity that this process holds; ``number`` is 1 unless the account plays several games at once."""

    identity: Identity
    number: int

    @property
    def file(self) -> str:
        """The name of the key's file in this player's folder."""
        return key_name(self.number)


def key_name(number: int) -> str:
    """The name of the file that has the identity of this number."""
    return "identity.key" if number == 1 else f"identity-{number}.key"


@contextlib.contextmanager
def held_identity() -> Generator[Held]:
    """This player's identity, held until the block ends.

    A key can sit at a table once, so a second process of the same account takes the second identity, and so on: two
    terminals of one person can play each other.
    """
    directory = _own_dir()
    for number in range(1, IDENTITIES_MAX + 1):
        path = directory / key_name(number)
        descriptor = _open_key(path)
        try:
            if lock(descriptor):
                yield Held(_read_key(descriptor, path), number)
                return
        finally:
            os.close(descriptor)
    raise CommandError(
        t("{count} games of this account are going on already", count=IDENTITIES_MAX), t("end some of them")
    )


@contextlib.contextmanager
def held_again(name: str) -> Generator[Held]:
    """The identity whose file has this name, held until the block ends; raises CommandError."""
    number = next((number for number in range(1, IDENTITIES_MAX + 1) if key_name(number) == name), None)
    path = _own_dir() / name if number else None
    if number is None or path is None or not path.exists():
        raise CommandError(t("the identity key of this seat is not in this player's folder"), HOME_HINT)
    descriptor = _open_key(path)
    try:
        if not lock(descriptor):
            raise CommandError(t("another seqp2p process plays with the key of this seat"), t("end that one first"))
        yield Held(_read_key(descriptor, path), number)
    finally:
        os.close(descriptor)


def first_identity() -> Identity:
    """This player's first identity, whether or not it is playing now; made if there is none yet."""
    path = _own_dir() / "identity.key"
    descriptor = _open_key(path)
    try:
        return _read_key(descriptor, path)
    finally:
        os.close(descriptor)


def own_keys() -> frozenset[bytes]:
    """The public keys of all this player's identities; what is no key is passed over."""
    keys: set[bytes] = set()
    for path in sorted(data_dir().glob("identity*.key"))[:IDENTITIES_MAX]:
        with contextlib.suppress(CryptoError, OSError), path.open("rb") as file:
            keys.add(Identity(file.read(64)).public)
    return frozenset(keys)


@contextlib.contextmanager
def locked(name: str) -> Generator[None]:
    """Hold the lock of this name until the block ends; other processes of this player wait. Raises CommandError."""
    path = _own_dir() / name
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise CommandError(t("cannot use {path}: {reason}", path=path, reason=what_failed(error)), HOME_HINT) from None
    try:
        # What is done under a lock takes milliseconds; whoever holds one longer has stopped, and is not waited for.
        limit = time.monotonic() + LOCK_PATIENCE_S
        while not lock(descriptor):
            if time.monotonic() > limit:
                raise CommandError(t("another seqp2p process holds {path}", path=path), t("end it, then try again"))
            time.sleep(LOCK_PAUSE_S)
        yield
    finally:
        os.close(descriptor)


def _own_dir() -> Path:
    directory = data_dir()
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        message = t("cannot use {path}: {reason}", path=directory, reason=what_failed(error))
        raise CommandError(message, HOME_HINT) from None
    return directory


def _open_key(path: Path) -> int:
    """The key file's descriptor; a key is made if there is none. Raises CommandError."""
    try:
        if not path.exists():
            _make_key(path)
        return os.open(path, os.O_RDWR)
    except OSError as error:
        message = t("cannot use the identity key {path}: {reason}", path=path, reason=what_failed(error))
        raise CommandError(message, HOME_HINT) from None


def _make_key(path: Path) -> None:
    """Write a new key, whole before anybody can see the file; one that another process makes meanwhile stays."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(32))
        with contextlib.suppress(FileExistsError):
            os.link(new, path)
    finally:
        new.unlink()


def _read_key(descriptor: int, path: Path) -> Identity:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        return Identity(os.read(descriptor, 64))
    except (CryptoError, OSError):
        raise CommandError(
            t("the identity key {path} is damaged", path=path),
            t("move it away, and a new one is made (others will see a new key)"),
        ) from None
