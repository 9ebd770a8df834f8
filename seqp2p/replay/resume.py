"""Resuming a game: an unfinished replay, and the signed things that only its seat's own file has.

An incomplete last write is dropped, and so is the tail of a replay that was being finished: the other seats send its
contents again, or they are written again. Everything else is checked as ``verify`` checks it.
"""

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from seqp2p.errors import UserError
from seqp2p.i18n import message, message_of
from seqp2p.match.checks import CHECKS, Checks
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import DecodeError
from seqp2p.match.events import Event
from seqp2p.match.intake import Applied, BadSender, Cheating, Deferred, Ignored, Intake
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.replay import format as form
from seqp2p.replay.disk import REAL_DISK, Disk
from seqp2p.replay.reading import STAGES, WRONG, Reading, begin, read
from seqp2p.replay.sidecar import Logged, from_logged, only_zeros
from seqp2p.replay.writer import ReplayWriter


class ResumeError(UserError):
    """This game cannot be resumed; the text names the file."""

    code = "not_resumable"
    hint = message("verifying the replay shows what is right in it; another game can be resumed")


class GameOver(ResumeError):
    """The replay is complete, though its game may be unfinished."""

    code = "game_over"
    hint = message("its replay can be verified")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A match that has taken all of its replay; ``torn``: an incomplete write was dropped from the file.

    ``events`` are its events so far.
    """

    match: Match
    torn: bool
    events: tuple[Event, ...] = ()


def load(path: Path, agreement: bytes, own_seat: int = 0, *, disk: Disk = REAL_DISK, checks: Checks = CHECKS) -> Loaded:
    """Read an unfinished replay, and cut off an incomplete write.

    ``agreement`` comes from the seat's own file, and replaces an incomplete header. The match is played for
    ``own_seat`` from here on. Raises GameOver, ResumeError, and OSError as files do. The caller holds the seat's lock,
    so no other process writes the file.
    """
    data = disk.read(path, form.REPLAY_SIZE_MAX + 1)
    try:
        if len(data) > form.REPLAY_SIZE_MAX:
            raise DecodeError(message("larger than any replay ({most} bytes)", most=form.REPLAY_SIZE_MAX))
        found, torn = _whole_records(data)
        _refuse_end(path, found)
        # A tail without its end: a crash while the replay was being finished.
        last = STAGES[form.StepRecord]
        kept = list(itertools.takewhile(lambda placed: STAGES.get(type(placed.record), 0) <= last, found))
        try:
            match, events = _played(kept, data, agreement, checks)
        except WRONG:
            # Zeros that a file system put in the place of data can end in a record that still reads as one.
            if not kept or not only_zeros(data, kept[-1].end - 1):
                raise
            torn = True
            kept.pop()
            match, events = _played(kept, data, agreement, checks)
        match.own_seat = own_seat
    except WRONG as error:
        raise _damaged(path, error) from None
    size = kept[-1].end if kept else 0
    if size < len(data):
        disk.truncate(path, size)
    return Loaded(match, torn, events)


def refuse_ended(path: Path, disk: Disk = REAL_DISK) -> None:
    """Raise GameOver for a replay with its end, ResumeError for a damaged one, and OSError as files do."""
    try:
        found, _ = _whole_records(disk.read(path, form.REPLAY_SIZE_MAX + 1))
    except DecodeError as error:
        raise _damaged(path, error) from None
    _refuse_end(path, found)


def _refuse_end(path: Path, found: list[form.Placed]) -> None:
    if any(isinstance(placed.record, form.EndRecord) for placed in found):
        raise GameOver(message("this game has ended: {path} has its end", path=path))


def _damaged(path: Path, error: Exception) -> ResumeError:
    why = message("the replay {path} is damaged: {reason}", path=path, reason=message_of(error))
    return ResumeError(why, code="damaged")


def feed(
    match: Match, logged: tuple[Logged, ...], writer: ReplayWriter, own: SeatKeys | None = None
) -> tuple[Event, ...]:
    """Let the match take the signed things that its replay lacks, and return the events.

    ``writer`` continues the replay. Things that the replay has already are skipped; ``own`` learns of its own
    signatures. Raises ResumeError for a thing that the seat cannot have taken.
    """
    # After a closing that was undone, or lost with the machine, the things signed on it are early or of another
    # past. They come again, and own ones were not sent yet (live/recorder.py).
    intake = Intake(match, keeps=False)
    events: list[Event] = []
    for each in logged:
        try:
            thing = from_logged(each)
        except DecodeError as error:
            raise _does_not_fit(writer, message_of(error)) from None
        if thing is None:
            continue
        if own is not None and isinstance(thing, Contribution):
            own.remember(match, thing)
        finding = intake.check(thing)
        author, payload = finding.signed
        if own is not None and author == own.number:
            own.signed.add(payload)
        outcome = intake.take(finding, 0)
        match outcome:
            case BadSender(why):
                raise _does_not_fit(writer, why)
            case Applied() | Cheating():
                writer.keep(match, outcome)
            case Deferred() | Ignored():
                writer.record(match)
            case _:
                assert_never(outcome)
        events += outcome.events
    writer.sync()
    return tuple(events)


def _does_not_fit(writer: ReplayWriter, reason: str) -> ResumeError:
    return ResumeError(
        message("the seat's own file beside {path} does not fit its replay: {reason}", path=writer.path, reason=reason)
    )


def _whole_records(data: bytes) -> tuple[list[form.Placed], bool]:
    """Return the complete records, and True if an incomplete one follows. Raises DecodeError."""
    found: list[form.Placed] = []
    if form.MAGIC.startswith(data.rstrip(b"\0")):
        return found, True
    try:
        for placed in form.records(data):
            found.append(placed)  # noqa: PERF402  # the records before an error count
    except form.Torn:
        return found, True
    except form.NotAReplay:
        raise
    except DecodeError:
        at = found[-1].end if found else len(form.MAGIC)
        length = int.from_bytes(data[at : at + form.LENGTH_SIZE], "big")
        if not only_zeros(data, at + form.LENGTH_SIZE + length - 1):
            raise
        return found, True
    return found, False


def _played(kept: list[form.Placed], data: bytes, agreement: bytes, checks: Checks) -> tuple[Match, tuple[Event, ...]]:
    if not kept:
        return Match(agreement, checks=checks), ()
    reading: Reading = begin(kept[0], checks)
    if reading.match.agreement_bytes != agreement:
        raise DecodeError(message("it belongs to a different game from the seat's own file beside it"))
    happened = [event for placed in kept[1:] for event in read(reading, placed, data)]
    return reading.match, tuple(happened)
