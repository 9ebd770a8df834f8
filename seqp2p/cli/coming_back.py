"""The way back into the game that this process plays, where it ends on somebody: the exact command, while it helps."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from seqp2p.cli import home
from seqp2p.replay.sidecar import sidecar_path


@dataclass(frozen=True, slots=True)
class _Seat:
    replay: Path
    game: bytes
    bot: str | None


_played: list[_Seat] = []


def remember(replay: Path, game: bytes, bot: str | None) -> None:
    """This process plays a seat of this game from now on; ``bot`` plays it, or a person."""
    _played[:] = [_Seat(replay, game, bot)]


def command() -> str | None:
    """What to type to take the seat again; None where there is no seat, or none that could be taken."""
    if not _played or not sidecar_path(_played[0].replay).exists():
        return None
    seat = _played[0]
    folder = seat.replay.parent
    words = ["seqp2p", "resume", seat.game.hex()[:12]]
    if folder != home.data_dir() / "replays":
        words += ["--replay-dir", str(folder)]
    if seat.bot is not None:
        words += ["--bot", seat.bot]
    return shlex.join(words)
