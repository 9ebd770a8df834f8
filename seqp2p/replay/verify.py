"""Verifying a replay: playing it again. No I/O; docs/protocol.md, "What a verifier does".

verified     every record is right, the end is signed by a majority, and the writer's signature covers it all
unfinished   everything there is right, but the game did not come to its end (or a seat is proved to have cheated)
invalid      something there is wrong, or it is no replay
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from seqp2p.match.events import Event, Result
from seqp2p.match.machine import Match
from seqp2p.match.outcome import final_result
from seqp2p.replay.format import REPLAY_SIZE_MAX, Placed, Torn, records
from seqp2p.replay.reading import WRONG, Invalid, Reading, begin, read
from seqp2p.said import listed, said, why

Verdict: TypeAlias = Literal["verified", "unfinished", "invalid"]
Follow: TypeAlias = Callable[[Reading, Placed, tuple[Event, ...]], None]


@dataclass(frozen=True, slots=True)
class Player:
    """A seat as the replay names it: number, name, and identity key (64 hexadecimal digits)."""

    seat: int
    name: str
    key: str


@dataclass(frozen=True, slots=True)
class Report:
    """What verifying found. ``steps`` counts the steps that are right; ``step`` is where ``reason`` belongs.

    ``result`` is how the game ended (None where it did not come to an end), ``writer`` the key that signed the file.
    """

    verdict: Verdict
    game: str | None = None
    players: tuple[Player, ...] = ()
    result: Result | None = None
    steps: int = 0
    reason: str | None = None
    step: int | None = None
    writer: str | None = None


def follows_nothing(_reading: Reading, _placed: Placed, _events: tuple[Event, ...]) -> None:
    """For who wants the report alone."""


def verify(data: bytes, follow: Follow = follows_nothing) -> Report:
    """Verify a whole replay file. Never raises: whatever the bytes are, the outcome is a report.

    ``follow`` is told of every record that is right: how far the reading has come, the record, and what has happened
    by it.
    """
    if len(data) > REPLAY_SIZE_MAX:
        return Report("invalid", reason=said("larger than any replay ({most} bytes)", most=REPLAY_SIZE_MAX))
    reading: Reading | None = None
    try:
        for placed in records(data):
            if reading is None:
                reading = begin(placed)
                follow(reading, placed, ())
            else:
                follow(reading, placed, read(reading, placed, data))
    except Torn as error:
        return _torn(reading, why(error))
    except WRONG as error:
        return _report(reading, "invalid", why(error), error.step if isinstance(error, Invalid) else None)
    if reading is None:
        return Report("invalid", reason=said("the file ends before its header"))
    return _conclude(reading)


def _torn(reading: Reading | None, reason: str) -> Report:
    """A file that ends inside a record is cut short, but nothing of a header, or after the ``end``, can be cut."""
    if reading is None:
        return Report("invalid", reason=reason)
    if reading.writer is not None:
        return _report(reading, "invalid", said("more bytes after the writer's signature"))
    return _report(reading, "unfinished", reason)


def _conclude(reading: Reading) -> Report:
    """Every record there is right: is the game complete?"""
    match = reading.match
    cheats = [violation for seat, violation in sorted(match.proven.items()) if seat in match.game.seats]
    if cheats and not match.confirmed:  # What a majority has signed, a cheat of its own cannot deny.
        return _report(reading, "unfinished", why(cheats[0]), cheats[0].step)
    if match.forfeit is not None:
        return _report(reading, "unfinished", match.forfeit.reason)
    if match.game.result is not None and not match.confirmed:
        return _report(reading, "unfinished", match.game.result.reason)
    if not match.confirmed:
        return _report(reading, "unfinished", _where_it_ends(match))
    if reading.writer is None:
        return _report(reading, "unfinished", said("the file has no writer's signature: it was cut, or not finished"))
    return _report(reading, "verified", None)


def _where_it_ends(match: Match) -> str:
    """What the record says of its end, and no more: not why somebody is waited for."""
    waiting = listed(said("seat {seat}", seat=seat) for seat in sorted(match.awaited))
    if match.kind == "over" and match.held:
        claim = _claim(match)
        if len(match.awaited) == 1:
            return said("{claim}, {seat} has not signed", claim=claim, seat=waiting)
        return said("{claim}, {seats} have not signed", claim=claim, seats=waiting)
    return said("the record ends at step {step}, awaiting {waiting}", step=match.number, waiting=waiting)


def _claim(match: Match) -> str:
    """What those who have signed the end say of it."""
    seats, step = listed(said("seat {seat}", seat=seat) for seat, _ in match.held), match.number
    if final_result(match.game).winners:
        if len(match.held) == 1:
            return said("{seat} claims the win at step {step}", seat=seats, step=step)
        return said("{seats} claim the win at step {step}", seats=seats, step=step)
    if len(match.held) == 1:
        return said("{seat} claims the draw at step {step}", seat=seats, step=step)
    return said("{seats} claim the draw at step {step}", seats=seats, step=step)


def _report(reading: Reading | None, verdict: Verdict, reason: str | None, step: int | None = None) -> Report:
    if reading is None:
        return Report(verdict, reason=reason)
    match = reading.match
    entries = enumerate(match.game.agreement.seats, 1)
    return Report(
        verdict=verdict,
        game=match.game.id.hex(),
        players=tuple(Player(seat, entry.name, entry.key.hex()) for seat, entry in entries),
        result=final_result(match.game) if verdict == "verified" else match.forfeit,
        steps=len(match.record),
        reason=reason,
        step=None if reason is None else step or match.number,
        writer=reading.writer.hex() if reading.writer else None,
    )
