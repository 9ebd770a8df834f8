"""Replays, from a file or from bytes: verified, counted, or as a row of moments."""

import os
import secrets
from typing import TypeAlias

from seqp2p.arguments import check_arguments
from seqp2p.replay import playback
from seqp2p.replay import verify as verifying
from seqp2p.replay.disk import read_regular
from seqp2p.replay.playback import Playback
from seqp2p.replay.statistics import ReplayCounter, Statistics, summarise
from seqp2p.replay.verify import Report

Source: TypeAlias = str | os.PathLike[str] | bytes
"""The path of a replay, or all of its bytes."""


@check_arguments
def verify(source: Source) -> Report:
    """Verify a replay: every signature, proof, share and move, by playing it again.

    Any bytes have a report: ``verdict`` is verified, unfinished or invalid, and ``reason`` and
    ``step`` say why it is not verified. Raises OSError for a file that cannot be read. Takes up to seconds of one
    core: under trio, in ``trio.to_thread.run_sync``.
    """
    return verifying.verify_batched(bytes_of(source), secrets.token_bytes)


@check_arguments
def read(source: Source) -> Playback:
    """Read the moments of a replay: the event, the position after it, and all hands opened at the end.

    It is verified on the way: ``report`` is what ``verify`` gives, and ``moments`` go as far as the file is right.
    Raises OSError for a file that cannot be read.
    """
    return playback.play_back(bytes_of(source))


def stats(*sources: Source) -> Statistics:
    """Verify replays one after the other and count players, lengths, openings and squares; a game counts once.

    Memory does not grow with the contents. Raises OSError for a file that cannot be read.
    """
    counter = ReplayCounter()
    for source in sources:
        counter.add(summarise(bytes_of(source), secrets.token_bytes))
    return counter.statistics()


@check_arguments
def bytes_of(source: Source) -> bytes:
    """Return the bytes of a replay, at most one too many. Raises OSError for a path without a file."""
    return source if isinstance(source, bytes) else read_regular(source)
