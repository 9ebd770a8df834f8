"""This player's games: the replays in a folder, verified, the last written first."""

from collections.abc import Generator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from seqp2p.api.home import Folder, own_keys, usual_replay_dir
from seqp2p.api.many import SUFFIX, Named, of_all, processes, summarise_named
from seqp2p.arguments import check_arguments
from seqp2p.replay.sidecar import Sidecar, SidecarError, sidecar_path
from seqp2p.replay.statistics import Summary
from seqp2p.replay.verify import Report
from seqp2p.workers import checked_jobs

G = TypeVar("G", bound="PastGame")


@dataclass(frozen=True, slots=True)
class PastGame:
    """A replay and its summary; ``own`` is the seat of this player, 0 for one who watched.

    ``at`` is when it was written, ``number`` its place among the replays of its folder: the last is 1. ``trouble``: why
    its seat cannot be taken now, None if it can.
    """

    path: Path
    at: datetime
    summary: Summary
    own: int
    trouble: SidecarError | FileNotFoundError | None
    number: int = 1

    @property
    def report(self) -> Report:
        """The report of ``verify``."""
        return self.summary.report

    @property
    def resumable(self) -> bool:
        """True if ``resume`` can take it: the own file of this player's seat is there, sound, newest, and free."""
        return self.report.verdict != "invalid" and self.trouble is None


@check_arguments
def games(folder: Folder | None = None, *, jobs: int | None = 1) -> Generator[PastGame]:
    """Yield the games of a folder, this player's own if none is named, the last written first.

    Each replay is verified before it comes. ``jobs`` are as for ``verify_many``.
    """
    return games_in(usual_replay_dir() if folder is None else Path(folder), PastGame, checked_jobs(jobs))


def games_in(folder: Path, kind: type[G], jobs: int | None = None) -> Generator[G]:
    """Yield the games of a folder as values of this class."""
    files = newest(folder)
    with closing(of_all(summarise_named, [Named(path) for path, _ in files], processes(len(files), jobs))) as summaries:
        for number, ((path, at), (_, summary)) in enumerate(zip(files, summaries, strict=True), 1):
            yield past_game(path, at, summary, kind, number)


def past_game(path: Path, at: datetime, summary: Summary, kind: type[G], number: int = 1) -> G:
    report, keys = summary.report, {key.hex() for key in own_keys()}
    # An unfinished replay has no writer, but its name has the seat.
    first = sorted(report.players, key=lambda each: (each.key != report.writer, f"-seat{each.seat}." not in path.name))
    own = [player.seat for player in first if player.key in keys]
    return kind(path, at, summary, next(iter(own), 0), Sidecar.trouble(sidecar_path(path), own), number)


def newest(folder: Path) -> list[tuple[Path, datetime]]:
    """Return the replays in a folder with the times when they were written, last first."""
    found: list[tuple[float, Path]] = []
    for path in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):  # It is gone again.
            found.append((path.stat().st_mtime, path))
    return [(path, datetime.fromtimestamp(at, UTC).astimezone()) for at, path in sorted(found, reverse=True)]
