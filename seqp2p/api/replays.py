"""Replays, from a file or from bytes: verified, counted, or as a row of moments."""

import os
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

from seqp2p import reviewing
from seqp2p.api import many
from seqp2p.arguments import check_arguments
from seqp2p.bots.value import shipped
from seqp2p.i18n import message
from seqp2p.replay import playback
from seqp2p.replay.disk import read_regular
from seqp2p.replay.playback import Playback
from seqp2p.replay.statistics import ReplayCounter, Statistics
from seqp2p.replay.verify import Report
from seqp2p.reviewing import Review
from seqp2p.workers import checked_jobs

Source: TypeAlias = str | os.PathLike[str] | bytes
"""The path of a replay, or all of its bytes."""


@check_arguments
def verify(source: Source) -> Report:
    """Verify a replay: every signature, proof, share and move, by playing it again.

    Any bytes have a report: ``verdict`` is verified, unfinished or invalid, and ``reason`` and
    ``step`` say why it is not verified. Raises OSError for a file that cannot be read. Takes up to seconds of one
    core: under trio, in ``trio.to_thread.run_sync``.
    """
    return many.verify_data(bytes_of(source))


@check_arguments
def read(source: Source) -> Playback:
    """Read the moments of a replay: the event, the position after it, and all hands opened at the end.

    It is verified on the way: ``report`` is what ``verify`` gives, and ``moments`` go as far as the file is right.
    Raises OSError for a file that cannot be read.
    """
    return playback.play_back(bytes_of(source))


@check_arguments
def review(playback: Playback) -> Review:
    """Judge the moves of a replay, each by what its seat could know, and give the chances of all teams by all hands.

    Takes about a second. Raises ValueError without a table, and BadWeights, which is one, where no bot knows it.
    """
    if playback.agreement is None:
        raise ValueError("the replay has no table")
    settings = playback.agreement.settings
    return reviewing.review(playback, shipped(settings.rules, settings.teams))


@check_arguments
def verify_many(
    sources: Source | Iterable[Source], *, jobs: int | None = 1, dask: str | None = None
) -> Generator[tuple[Path, Report]]:
    """Verify replays, and yield each path with its report, in the order given; no report is kept here.

    A folder stands for every ``*.seqp2p`` in it and below, sorted, a pattern with ``*`` for its matches; bytes have the
    path ``<bytes>``. A path without a replay has the report invalid, with the reason. ``jobs``
    processes verify (None: one for each core), or the Dask cluster whose scheduler is at the address ``dask``.
    Processes import the program that starts them: its own work stands below ``if __name__ == "__main__"``. They end
    with the iteration, also where it is broken off. Raises UserError for a cluster or a process that is lost.
    """
    return _verified(_meant(sources), checked_jobs(jobs), dask)


def _verified(files: Sequence[many.Named], jobs: int | None, dask: str | None) -> Generator[tuple[Path, Report]]:
    with closing(reports_on(files, many.processes(len(files), jobs), dask, warnings.warn)) as reports:
        for named, report in reports:
            yield named.path, report


def reports_on(
    files: Iterable[many.Named], jobs: int, dask: str | None, note: Callable[[str], None]
) -> Generator[tuple[many.Named, Report]]:
    """Yield each file with its report, by so many processes, or by the Dask cluster at this address, as ``note`` says.

    Raises UserError.
    """
    if dask is None:
        return many.of_all(many.verify_named, files, jobs)
    from seqp2p.api.cluster import verify_on_cluster

    return verify_on_cluster(files, dask, note)


@check_arguments
def stats(sources: Source | Iterable[Source], *, jobs: int | None = 1) -> Statistics:
    """Verify replays and count players, lengths, openings and squares; a game counts once.

    ``sources`` and ``jobs`` are as for ``verify_many``. What cannot be read or is invalid is left out, and named.
    """
    counter, files = ReplayCounter(), _meant(sources)
    with closing(many.of_all(many.summarise_named, files, many.processes(len(files), checked_jobs(jobs)))) as summaries:
        for named, summary in summaries:
            counter.add(summary, str(named.path))
    return counter.statistics()


def _meant(sources: Source | Iterable[Source]) -> list[many.Named]:
    several = [sources] if isinstance(sources, str | bytes | bytearray | os.PathLike) else sources
    return [named for source in several for named in _files_of(source)]


@check_arguments
def _files_of(sources: Source) -> list[many.Named]:
    if isinstance(sources, bytes):
        return [many.Named(Path("<bytes>"), sources)]
    if not os.fspath(sources):  # Path("") would be this folder.
        return [many.Named(Path(), many.no_file(message("the path is empty")))]
    return many.named_files([Path(sources)])


@check_arguments
def bytes_of(source: Source) -> bytes:
    """Return the bytes of a replay, at most one too many. Raises OSError for a path without a file."""
    return source if isinstance(source, bytes) else read_regular(source)
