"""The way back into the game that this process plays, where it ends on somebody: the exact command, while it helps."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
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
    """Another process has started this one for its own ends: nobody comes back into its games."""
    global _is_child  # noqa: PLW0603  # said once, at the start
    _is_child = True


def is_possible() -> bool:
    """Whether a game of this process can be taken up again, whatever ends it but its own player."""
    return not _is_child


def remember(replay: "Path", game: bytes, options: Sequence[str]) -> None:
    """This process plays a seat of this game from now on; ``options`` are what ``resume`` has to be told besides."""
    _played[:] = [_KeptSeat(replay, ("seqp2p", "resume", game.hex()[:12], *options))]


def is_seat_kept() -> bool:
    """Whether there is a seat that can be taken again: its game is not over for it, and it was not left."""
    if not _played or _is_child:
        return False
    from seqp2p.replay.sidecar import sidecar_path  # what --help need not wait for

    return sidecar_path(_played[0].replay).exists()


def command() -> str | None:
    """What to type to take the seat again; None where there is no seat, or none that could be taken."""
    return shlex.join(_played[0].words) if is_seat_kept() else None
