"""Where this player's files are, as the command line says it: api/home.py, with errors that end a command."""

import contextlib
import os
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

from seqp2p.api import home
from seqp2p.api.home import HOME_HINT, HomeError, LockedIdentity, data_dir, key_name, own_keys, replay_path, watch_path
from seqp2p.cli.output import USAGE, CommandError, what_failed
from seqp2p.crypto.identity import Identity
from seqp2p.i18n import message, message_of
from seqp2p.match.table import name_fault
from seqp2p.replay.locks import lock
from seqp2p.ui.language import t, translate

__all__ = [
    "HOME_HINT",
    "KNOWN_PLAYERS",
    "REPLAYS_HINT",
    "LockedIdentity",
    "data_dir",
    "first_identity",
    "held_again",
    "held_identity",
    "keep_name",
    "key_name",
    "locked",
    "own_keys",
    "player_name",
    "replay_dir",
    "replay_path",
    "resume_options",
    "watch_path",
]

LOCK_PATIENCE_S = 2.0
LOCK_PAUSE_S = 0.01
KNOWN_PLAYERS: Final = "known_players.json"
REPLAYS_HINT: Final = message("choose another folder with --replay-dir")


@contextlib.contextmanager
def _as_command() -> Generator[None]:
    """What is wrong with a player's files ends a command."""
    try:
        yield
    except HomeError as error:
        raise CommandError(message_of(error), error.hint) from None


def replay_dir(chosen: str | None) -> Path:
    """Where replays go; made if it is not there. Raises CommandError before a game begins that could not be kept."""
    directory = Path(chosen) if chosen else home.usual_replay_dir()
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
    folder = [] if replay.parent == home.usual_replay_dir() else ["--replay-dir", str(replay.parent)]
    return folder if bot is None else [*folder, "--bot", bot]


def player_name(wish: str | None, number: int = 1) -> str:
    """The name to sit down with: the wish, or the usual one. Raises CommandError (usage) for a bad wish."""
    if wish is None:
        return home.usual_name(number)
    if fault := name_fault(wish):
        message = t("this name cannot be used: {fault}", fault=translate(fault))
        raise CommandError(message, t("choose another with --name"), USAGE)
    return wish


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


@contextlib.contextmanager
def held_identity() -> Generator[LockedIdentity]:
    """This player's identity, held until the block ends; raises CommandError."""
    with _as_command(), home.held_identity() as held:
        yield held


@contextlib.contextmanager
def held_again(name: str) -> Generator[LockedIdentity]:
    """The identity whose file has this name, held until the block ends; raises CommandError."""
    with _as_command(), home.held_again(name) as held:
        yield held


def first_identity() -> Identity:
    """This player's first identity, whether or not it is playing now; made if there is none. Raises CommandError."""
    with _as_command():
        return home.first_identity()


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
    with _as_command():
        return home.own_dir()
