"""Verifying a replay: playing it again. No I/O; docs/protocol.md, "What a verifier does".

verified     every record is right, the end is signed by a majority, and the writer's signature covers it all
unfinished   everything there is right, but the game did not come to its end (or a seat is proved to have cheated)
invalid      something there is wrong, or it is no replay

Theory of ``verify_batched``. All that depends on a proof is the answer of its check, yes or no. A first pass takes
every proof for right and only gathers its equations. If all of these hold, every answer was the one that checking at
once gives: by induction over the checks, each is asked about the same equations. So the report is that of ``verify``,
whatever it says. If one does not hold, a wrong share may have opened a card, and a proof of cheating may have looked
like none: the report of the first pass means nothing, and ``verify`` reads the file again from the beginning. That a
batch with a false equation passes has probability 2^−128 at most (crypto/batch.py).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from seqp2p.crypto.batch import Batch
from seqp2p.crypto.group import Randomness
from seqp2p.i18n import listed, message, message_of
from seqp2p.match.checks import CHECKS, Checks
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import Failure, Violation
from seqp2p.match.events import Event, Result
from seqp2p.match.machine import Match
from seqp2p.match.outcome import final_result
from seqp2p.match.table import Settings
from seqp2p.replay.format import MAGIC, REPLAY_SIZE_MAX, Placed, Torn, records, signatures_in
from seqp2p.replay.reading import WRONG, Invalid, Reading, begin, failure_of, read

Verdict: TypeAlias = Literal["verified", "unfinished", "invalid"]
Follow: TypeAlias = Callable[[Reading, Placed, tuple[Event, ...]], None]


@dataclass(frozen=True, slots=True)
class Player:
    """A seat as the replay names it: number, name, and identity key (64 hexadecimal digits)."""

    seat: int
    name: str
    key: str


@dataclass(frozen=True, slots=True)
class Proved:
    """How much is proved: signatures of the records that are right; shuffles, shares and moves of the closed steps."""

    signatures: int = 0
    shuffles: int = 0
    shares: int = 0
    moves: int = 0


@dataclass(frozen=True, slots=True)
class Cheat:
    """A seat that is proved to have broken the rules at this step, and what it has signed that proves it."""

    seat: int
    step: int
    reason: str
    evidence: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What verifying found. ``steps`` counts the steps that are right; ``step`` is where ``reason`` belongs.

    ``cheats`` are the seats that evidence in the file proves to have broken the rules: the game may have gone on
    without them, and be verified.

    ``result`` is how the game ended (None where it did not come to an end), ``writer`` the key that signed the file.
    ``seat`` is the one that is proved to have broken the rules, and ``evidence`` what it has signed. ``byte`` is where
    the record begins that is invalid, or what stands behind the end. ``failure`` is the kind of check that failed,
    None for a file that is verified, and ``awaited`` are the seats that the record waits for, where that is what it
    fails.
    """

    verdict: Verdict
    game: str | None = None
    players: tuple[Player, ...] = ()
    result: Result | None = None
    steps: int = 0
    reason: str | None = None
    step: int | None = None
    writer: str | None = None
    settings: Settings | None = None
    proved: Proved = Proved()
    cheats: tuple[Cheat, ...] = ()
    seat: int | None = None
    evidence: tuple[Contribution, ...] = ()
    byte: int | None = None
    failure: Failure | None = None
    awaited: tuple[int, ...] = ()


TOO_LARGE: Final = Report(
    "invalid", reason=message("larger than any replay ({most} bytes)", most=REPLAY_SIZE_MAX), failure="file"
)


def follows_nothing(_reading: Reading, _placed: Placed, _events: tuple[Event, ...]) -> None:
    """For who wants the report alone."""


def verify(data: bytes, follow: Follow = follows_nothing, checks: Checks = CHECKS) -> Report:
    """Verify a whole replay file. Never raises: whatever the bytes are, the outcome is a report.

    ``follow`` is told of every record that is right: how far the reading has come, the record, and what has happened
    by it.
    """
    return _verify(data, follow, checks)


def verify_batched(data: bytes, randomness: Randomness, follow: Follow = follows_nothing) -> Report:
    """The report of ``verify``, in some 60 % of its time where all proofs are right (see the module's text).

    ``randomness`` is the verifier's own: whoever can foresee it can make a wrong proof pass. Where one is wrong,
    ``follow`` is told of a second reading from its beginning; what it was told of the first means nothing.
    """
    batch = Batch(randomness)
    report = _verify(data, follow, Checks(batch.gather))
    return report if batch.hold() else verify(data, follow)


def _verify(data: bytes, follow: Follow, checks: Checks) -> Report:
    return TOO_LARGE if len(data) > REPLAY_SIZE_MAX else verify_on(None, data, len(MAGIC), follow, checks)


def verify_on(
    reading: Reading | None, data: bytes, at: int, follow: Follow = follows_nothing, checks: Checks = CHECKS
) -> Report:
    """Verify the rest of a file, from the record at this byte on; ``reading`` has come so far, and is changed.

    None stands for a file of which nothing is read.
    """
    end = 0 if reading is None else at
    try:
        for placed in records(data, at):
            if reading is None:
                reading = begin(placed, checks)
                follow(reading, placed, ())
            else:
                events = read(reading, placed, data)
                reading.signatures += signatures_in(placed.record)
                follow(reading, placed, events)
            end = placed.end
    except Torn as error:
        return _torn(reading, message_of(error), end)
    except WRONG as error:
        return replace(_wrong(reading, error), byte=end)
    if reading is None:
        return Report("invalid", reason=message("the file ends before its header"), failure="file")
    return _conclude(reading)


def _wrong(reading: Reading | None, error: Exception) -> Report:
    """A record that is wrong, and who has signed what is wrong with it, if that is it."""
    step = error.step if isinstance(error, Invalid) else None
    report = _report(reading, "invalid", failure_of(error), message_of(error), step)
    return _blaming(report, error) if isinstance(error, Violation) else report


def _blaming(report: Report, violation: Violation) -> Report:
    return replace(report, seat=violation.seat, evidence=violation.evidence, failure=violation.failure)


def _torn(reading: Reading | None, reason: str, end: int) -> Report:
    """A file that ends inside a record is cut short, but nothing of a header, or after the ``end``, can be cut."""
    if reading is None:
        return Report("invalid", reason=reason, failure="torn")
    if reading.writer is not None:
        more = message("more bytes after the writer's signature")
        return replace(_report(reading, "invalid", "order", more), byte=end)
    return _report(reading, "unfinished", "torn", reason)


def _conclude(reading: Reading) -> Report:
    """Every record there is right: is the game complete?"""
    match = reading.match
    cheats = [violation for seat, violation in sorted(match.proven.items()) if seat in match.game.seats]
    if cheats and not match.confirmed:  # What a majority has signed, a cheat of its own cannot deny.
        report = _report(reading, "unfinished", cheats[0].failure, message_of(cheats[0]), cheats[0].step)
        return _blaming(report, cheats[0])
    if match.forfeit is not None:
        return _report(reading, "unfinished", "incomplete", match.forfeit.reason)
    if match.game.result is not None and not match.confirmed:
        return _report(reading, "unfinished", "incomplete", match.game.result.reason)
    if not match.confirmed:
        report = _report(reading, "unfinished", "incomplete", _where_it_ends(match))
        return replace(report, awaited=tuple(sorted(match.awaited)))
    if reading.writer is None:
        reason = message("the file has no writer's signature: it was cut, or not finished")
        return _report(reading, "unfinished", "incomplete", reason)
    return _report(reading, "verified")


def _where_it_ends(match: Match) -> str:
    """What the record says of its end, and no more: not why somebody is waited for."""
    waiting = listed(message("seat {seat}", seat=seat) for seat in sorted(match.awaited))
    if match.kind == "over" and match.held:
        claim = _claim(match)
        if len(match.awaited) == 1:
            return message("{claim}, {seat} has not signed", claim=claim, seat=waiting)
        return message("{claim}, {seats} have not signed", claim=claim, seats=waiting)
    return message("the record ends at step {step}, awaiting {waiting}", step=match.number, waiting=waiting)


def _claim(match: Match) -> str:
    """What those who have signed the end say of it."""
    seats, step = listed(message("seat {seat}", seat=seat) for seat, _ in match.held), match.number
    if final_result(match.game).winners:
        if len(match.held) == 1:
            return message("{seat} claims the win at step {step}", seat=seats, step=step)
        return message("{seats} claim the win at step {step}", seats=seats, step=step)
    if len(match.held) == 1:
        return message("{seat} claims the draw at step {step}", seat=seats, step=step)
    return message("{seats} claim the draw at step {step}", seats=seats, step=step)


def _report(
    reading: Reading | None,
    verdict: Verdict,
    failure: Failure | None = None,
    reason: str | None = None,
    step: int | None = None,
) -> Report:
    if reading is None:
        return Report(verdict, reason=reason, failure=failure)
    match = reading.match
    entries = enumerate(match.game.agreement.seats, 1)
    proven = (violation for _, violation in sorted(match.proven.items()))
    return Report(
        verdict=verdict,
        game=match.game.id.hex(),
        players=tuple(Player(seat, entry.name, entry.key.hex()) for seat, entry in entries),
        result=final_result(match.game) if verdict == "verified" else match.forfeit,
        cheats=tuple(Cheat(each.seat, each.step, message_of(each), each.evidence) for each in proven),
        steps=len(match.record),
        reason=reason,
        step=None if reason is None else step or match.number,
        writer=reading.writer.hex() if reading.writer else None,
        settings=match.game.agreement.settings,
        proved=Proved(reading.signatures, match.game.shuffles, match.game.shares, match.game.moves),
        failure=failure,
    )
