"""The command that resumes the game of this process, for the hint of an error that ends it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # What --help need not wait for.
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class _KeptSeat:
    replay: "Path"
    words: tuple[str, ...]


_played: list[_KeptSeat] = []
_is_child = False


def is_child() -> None:
    """Note that another process has started this one: its games are not resumed."""
    global _is_child  # noqa: PLW0603  # said once, at the start
    _is_child = True


def is_possible() -> bool:
    """Return True if a game of this process can be resumed, unless its own player ends it."""
    return not _is_child


def remember(replay: "Path", game: bytes, options: Sequence[str]) -> None:
    """Note that this process plays a seat of this game; ``options`` are the options that ``resume`` needs."""
    _played[:] = [_KeptSeat(replay, ("seqp2p", "resume", game.hex()[:12], *options))]


def forget_command() -> None:
    """Note that resuming this seat would fail, though its files stay: no command is told."""
    _played[:] = [replace(kept, words=()) for kept in _played]


def forget() -> None:
    """Note that this process plays no game now."""
    _played.clear()


def is_seat_kept() -> bool:
    """Return True if a seat can be resumed: its game is not over for it, and it was not left."""
    if not _played or _is_child:
        return False
    from seqp2p.replay.sidecar import sidecar_path  # what --help need not wait for

    return sidecar_path(_played[0].replay).exists()


def command() -> str | None:
    """Return the command that resumes the seat; None where no seat can be resumed."""
    return shlex.join(_played[0].words) if is_seat_kept() and _played[0].words else None
