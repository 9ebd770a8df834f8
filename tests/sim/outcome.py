"""The outcome of a simulated game, as plain data; and running one from its seed."""

import hashlib
import subprocess
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from tests.sim.faults import KINDS, FaultKind, Plan, draw_plan, draw_watching
from tests.sim.lan import TooLong, VirtualLan
from tests.sim.mini_variant import NAME
from tests.sim.peer import SimPeer
from tests.sim.spectator import VirtualSpectator
from tests.sim.violation import SafetyViolation


@dataclass(frozen=True, slots=True)
class SeatOutcome:
    """The end for one seat: ``state`` and ``result`` are its own, ``verdict`` and ``reason`` its record's."""

    seat: int
    state: str
    result: str | None
    winners: tuple[int, ...]
    reason: str
    steps: int
    verdict: str | None
    record: str
    """SHA-256 of the replay file, hexadecimal."""


@dataclass(frozen=True, slots=True)
class SimOutcome:
    """A simulated game. ``violation`` is the broken invariant, if any; ``hash`` is of the seats' records in order: the
    same with any spectators, except for faults of a host at its goodbye to them. A spectator's ``seat`` is its number.
    """

    seed: int
    players: int
    variant: str
    plan: Plan
    seats: tuple[SeatOutcome, ...]
    time_s: float
    events: int
    steps: int
    hash: str
    violation: str | None = None
    spectators: tuple[SeatOutcome, ...] = ()

    @property
    def finished(self) -> bool:
        """True if a seat played to the end."""
        return any(seat.result in {"won", "drawn"} for seat in self.seats)


def outcome_of(lan: VirtualLan, violation: str | None = None) -> SimOutcome:
    seats = tuple(_seat_outcome(lan, peer) for peer in lan.peers.values())
    everything = hashlib.sha256(b"".join(bytes.fromhex(seat.record) for seat in seats)).hexdigest()
    spectators = tuple(_seat_outcome(lan, spectator) for spectator in lan.spectators.values())
    game = lan.seed, len(lan.peers), lan.table.variant, lan.plan, seats
    course = round(lan.agenda.now, 3), lan.agenda.done, len(lan.witness.final)
    return SimOutcome(*game, *course, everything, violation, spectators)


def _seat_outcome(lan: VirtualLan, peer: SimPeer | VirtualSpectator) -> SeatOutcome:
    report, result = lan.witness.reports.get(peer.number), peer.result
    return SeatOutcome(
        seat=peer.number,
        state=peer.state,
        result=None if result is None else result.kind,
        winners=() if result is None else result.winners,
        reason=peer.gone if result is None else result.reason,
        steps=peer.steps,
        verdict=None if report is None else report.verdict,
        record=hashlib.sha256(peer.record).hexdigest(),
    )


def simulate(
    seed: int, players: int, kinds: Collection[FaultKind] = KINDS, variant: str = NAME, spectators: int = 0
) -> SimOutcome:
    """Play the game of this seed, with faults of these kinds. The outcome has any SafetyViolation or TooLong.

    Any other error is a bug of the program, and is raised with a note of how to play the game again.
    """
    plan = draw_plan(seed, players, kinds)
    plan = replace(plan, faults=plan.faults + draw_watching(seed, spectators, kinds))
    lan = VirtualLan(players, seed, plan, variant=variant, spectators=spectators)
    try:
        lan.run()
    except (SafetyViolation, TooLong) as wrong:
        return outcome_of(lan, f"{type(wrong).__name__}: {wrong}")
    except Exception as error:
        error.add_note(f"at commit {commit()}, in {command(seed, players, kinds, variant, spectators)}")
        raise
    return outcome_of(lan)


def command(
    seed: int, players: int, kinds: Collection[FaultKind] = KINDS, variant: str = NAME, spectators: int = 0
) -> str:
    """Return the command line that plays the game of ``simulate`` with these arguments."""
    words = [f"python -m tests.sim --seed {seed} --players {players}"]
    if set(kinds) != set(KINDS):
        words.append(" ".join(["--faults", *kinds]))
    if variant != NAME:
        words.append(f"--variant {variant}")
    if spectators:
        words.append(f"--spectators {spectators}")
    return " ".join(words)


def commit() -> str:
    """Return the commit of this program, if git knows it."""
    command, folder = ["git", "rev-parse", "--short", "HEAD"], Path(__file__).parent
    try:
        found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return found.stdout.strip() or "unknown"
