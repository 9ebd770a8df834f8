"""Verifying a replay: playing it again. No I/O; docs/protocol.md, "What a verifier does".

verified     every record is right, the end is signed by a majority, and the writer's signature covers it all
unfinished   every record is right, but the game did not come to its end (or a seat is proved to have cheated)
invalid      a record is wrong, or the file is no replay

Theory of ``verify_batched``. Everything that depends on a proof depends only on the answer of its check, yes or no. A
first pass takes every proof for right and only gathers its equations. If all of these hold, every answer was that of an
immediate check: by induction over the checks, each is asked about the same equations. So the report is that of
``verify``. If one does not hold, a wrong share may have opened a card, and evidence may have looked like none: the
report of the first pass means nothing, and ``verify`` reads the file again from the beginning. A batch with a false
equation passes with probability 2^−128 at most (crypto/equation.py).
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

import msgspec

from seqp2p.crypto.equation import Batch
from seqp2p.crypto.group import Randomness
from seqp2p.i18n import listed, message, message_of
from seqp2p.match.checks import CHECKS, Checks
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import Failure, Violation
from seqp2p.match.events import Event, Result
from seqp2p.match.game import final_result
from seqp2p.match.machine import Match
from seqp2p.match.table import Settings
from seqp2p.replay.format import MAGIC, REPLAY_SIZE_MAX, Placed, Torn, records, signatures_in
from seqp2p.replay.reading import WRONG, Invalid, Reading, begin, failure_of, read

Verdict: TypeAlias = Literal["verified", "unfinished", "invalid"]
Follow: TypeAlias = Callable[[Reading, Placed, tuple[Event, ...]], None]


@dataclass(frozen=True, slots=True)
class Player:
    """A seat of the replay: number, name, and identity key (64 hexadecimal digits)."""

    seat: int
    name: str
    key: str


@dataclass(frozen=True, slots=True)
class Proved:
    """Counts of proved things: signatures of the right records; shuffles, shares and moves of the closed steps."""

    signatures: int = 0
    shuffles: int = 0
    shares: int = 0
    moves: int = 0


@dataclass(frozen=True, slots=True)
class Cheat:
    """A seat, proved to have broken the rules at this step, and its evidence."""

    seat: int
    step: int
    reason: str
    evidence: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The report on a file. ``steps`` counts the right steps; ``step`` is the step of ``reason``.

    ``cheats`` are the seats that evidence in the file proves to have broken the rules: the game may have gone on
    without them, and be verified.

    ``result`` is the game's, or a forfeit that its writer has won; ``writer`` is the key that signed. ``seat`` is
    proved to have broken the rules by ``evidence``. ``byte`` is the position of the invalid record, or of the bytes
    after the end. ``failure`` is the kind of check that failed, None for a verified file, and ``awaited`` are the seats
    that an incomplete record waits for. ``left`` are the seats that have signed a leave, ``out`` those that the others
    have gone on without.
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
    left: tuple[int, ...] = ()
    out: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain data for ``json.dumps``: the event ``verdict`` of docs/scripting.md, without file and ``known``.

        >>> Report("invalid", reason="not a replay").as_json()["verdict"]
        'invalid'
        """
        winners = self.result.winners if self.result else ()
        is_verified = self.verdict == "verified"
        played = self.result.kind if self.result and is_verified else "unfinished"
        same = ("verdict", "game", "steps", "reason", "step", "seat", "awaited", "left", "out", "byte", "writer")
        return {name: getattr(self, name) for name in same} | {
            "class": self.failure,
            "players": [asdict(player) for player in self.players],
            "table": msgspec.structs.asdict(self.settings) if self.settings else None,
            "proved": asdict(self.proved),
            "result": None if self.verdict == "invalid" else played,
            "winners": winners if is_verified else (),
            "forfeit": () if is_verified else winners,
            "evidence": marks(self.evidence),
            "cheats": [asdict(cheat) | {"evidence": marks(cheat.evidence)} for cheat in self.cheats],
        }


def marks(evidence: Iterable[Contribution]) -> list[str]:
    """Return the SHA-256 of each payload, which names it."""
    return [sha256(each.payload).hexdigest() for each in evidence]


TOO_LARGE: Final = Report(
    "invalid", reason=message("larger than any replay ({most} bytes)", most=REPLAY_SIZE_MAX), failure="file"
)


def follows_nothing(_reading: Reading, _placed: Placed, _events: tuple[Event, ...]) -> None:
    """A follower that does nothing."""


def verify(data: bytes, follow: Follow = follows_nothing, checks: Checks = CHECKS) -> Report:
    """Verify a whole replay file. Never raises: any bytes give a report.

    ``follow`` is called for every right record, with the state of the reading, the record, and its events.
    """
    return TOO_LARGE if len(data) > REPLAY_SIZE_MAX else verify_on(None, data, len(MAGIC), follow, checks)


def verify_batched(data: bytes, randomness: Randomness, follow: Follow = follows_nothing) -> Report:
    """Return the report of ``verify``, in some 60 % of its time if all proofs are right (see the module's docstring).

    ``randomness`` is the verifier's own: a prover that foresees it can make a wrong proof pass. If a proof is wrong,
    ``follow`` is called again from the beginning; its calls of the first reading mean nothing.
    """
    batch = Batch(randomness)
    report = verify(data, follow, Checks(batch.gather))
    return report if batch.hold() else verify(data, follow)


def verify_on(
    reading: Reading | None, data: bytes, at: int, follow: Follow = follows_nothing, checks: Checks = CHECKS
) -> Report:
    """Verify the rest of a file, from the record at this byte on; ``reading`` is the state there, and is changed.

    None starts at the beginning.
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
    """Return the report on a wrong record, with the seat that has signed the fault, if any."""
    step = error.step if isinstance(error, Invalid) else None
    report = _report(reading, "invalid", failure_of(error), message_of(error), step)
    return _blaming(report, error) if isinstance(error, Violation) else report


def _blaming(report: Report, violation: Violation) -> Report:
    return replace(report, seat=violation.seat, evidence=violation.evidence, failure=violation.failure)


def _torn(reading: Reading | None, reason: str, end: int) -> Report:
    """Return the report on a file that ends inside a record: cut short, unless inside the header or after ``end``."""
    if reading is None:
        return Report("invalid", reason=reason, failure="torn")
    if reading.writer is not None:
        more = message("more bytes after the writer's signature")
        return replace(_report(reading, "invalid", "order", more), byte=end)
    return _report(reading, "unfinished", "torn", reason)


def _conclude(reading: Reading) -> Report:
    """Return the report on a file whose records are all right."""
    match = reading.match
    cheats = [violation for seat, violation in sorted(match.proven.items()) if seat in match.game.seats]
    if cheats and not match.confirmed:  # A cheat cannot deny the signatures of a majority.
        report = _report(reading, "unfinished", cheats[0].failure, message_of(cheats[0]), cheats[0].step)
        return _blaming(report, cheats[0])
    if (ended := match.forfeit or (None if match.confirmed else match.game.result)) is not None:
        return _report(reading, "unfinished", "incomplete", ended.reason)
    if not match.confirmed:
        report = _report(reading, "unfinished", "incomplete", _where_it_ends(match))
        return replace(report, awaited=tuple(sorted(match.awaited)))
    if reading.writer is None:
        reason = message("the file has no writer's signature: it was cut, or not finished")
        return _report(reading, "unfinished", "incomplete", reason)
    return _report(reading, "verified")


def _forfeit(reading: Reading) -> Result | None:
    """Return the forfeit that this file may name: its writer is one of those who win."""
    forfeit, seats = reading.match.forfeit, reading.match.game.agreement.seats
    named = forfeit is not None and reading.writer in {seats[seat - 1].key for seat in forfeit.winners}
    return forfeit if named else None


def _where_it_ends(match: Match) -> str:
    """Return the reason from the record alone, without a reason for waiting."""
    waiting = listed(message("seat {seat}", seat=seat) for seat in sorted(match.awaited))
    if match.kind == "over" and match.held:
        claim = _claim(match)
        if len(match.awaited) == 1:
            return message("{claim}, but {seat} has not signed", claim=claim, seat=waiting)
        return message("{claim}, but {seats} have not signed", claim=claim, seats=waiting)
    return message("the replay ends at step {step}, waiting for {waiting}", step=match.number, waiting=waiting)


def _claim(match: Match) -> str:
    """Return the claims of the seats that have signed the end."""
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
    result = _forfeit(reading) if verdict == "unfinished" else None
    if verdict == "verified":
        result = final_result(match.game)
    entries = enumerate(match.game.agreement.seats, 1)
    proven = (violation for _, violation in sorted(match.proven.items()))
    return Report(
        verdict=verdict,
        game=match.game.id.hex(),
        players=tuple(Player(seat, entry.name, entry.key.hex()) for seat, entry in entries),
        result=result,
        cheats=tuple(Cheat(each.seat, each.step, message_of(each), each.evidence) for each in proven),
        steps=len(match.record),
        reason=reason,
        step=None if reason is None else step or match.number,
        writer=reading.writer.hex() if reading.writer else None,
        settings=match.game.agreement.settings,
        proved=Proved(reading.signatures, match.game.shuffles, match.game.shares, match.game.moves),
        failure=failure,
        left=tuple(sorted(match.left)),
        out=tuple(seat for seat in range(1, match.game.agreement.settings.players + 1) if seat not in match.game.seats),
    )
