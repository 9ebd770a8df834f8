"""This player's own files, as api/home.py has them, with errors that end a command."""

import contextlib
import os
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

from seqp2p.api import home
from seqp2p.api.home import HOME_HINT
from seqp2p.errors import USAGE, UserError
from seqp2p.i18n import message, of_system
from seqp2p.match.table import name_fault
from seqp2p.replay.disk import lock
from seqp2p.ui.language import t, translate

LOCK_PATIENCE_S = 2.0
LOCK_PAUSE_S = 0.01
KNOWN_PLAYERS: Final = "known_players.json"
REPLAYS_HINT: Final = message("choose another folder with --replay-dir")


def replay_dir(chosen: str | None) -> Path:
    """Return the folder for replays, made if it is missing. Raises UserError where no replay could be kept."""
    directory = shown_dir(chosen)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = t("cannot keep replays in {folder}: {reason}", folder=directory, reason=of_system(error))
        raise UserError(message, REPLAYS_HINT) from None
    if not os.access(directory, os.W_OK | os.X_OK):
        raise UserError(t("cannot keep replays in {folder}: it is not writable", folder=directory), REPLAYS_HINT)
    return directory


def shown_dir(chosen: str | None) -> Path:
    """Return the folder whose replays are looked at; it may be missing."""
    return Path(chosen) if chosen else home.usual_replay_dir()


def resume_options(replay: Path, bot: str | None) -> list[str]:
    """Return the options with which ``resume`` finds this replay's game and has the seat played as it was."""
    folder = [] if replay.parent == home.usual_replay_dir() else ["--replay-dir", str(replay.parent)]
    return folder if bot is None else [*folder, "--bot", bot]


def checked_name(wish: str | None) -> str | None:
    """Return the name that was given. Raises UserError (usage) for one that others cannot be shown."""
    if wish is not None and (fault := name_fault(wish)):
        message = t("this name cannot be used: {fault}", fault=translate(fault))
        raise UserError(message, t("choose another with --name"), USAGE)
    return wish


@contextlib.contextmanager
def locked(name: str) -> Generator[None]:
    """Hold the lock of this name until the block ends; other processes of this player wait. Raises UserError."""
    path = home.own_dir() / name
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UserError(t("cannot use {path}: {reason}", path=path, reason=of_system(error)), HOME_HINT) from None
    try:
        # Work under a lock takes milliseconds; a process that holds one longer has stopped, and is not waited for.
        limit = time.monotonic() + LOCK_PATIENCE_S
        while not lock(descriptor):
            if time.monotonic() > limit:
                raise UserError(t("another seqp2p process holds {path}", path=path), t("end it, then try again"))
            time.sleep(LOCK_PAUSE_S)
        yield
    finally:
        os.close(descriptor)
