"""Many simulated games, seed after seed, until the time is up; and the table of their outcomes."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from tests.sim.faults import KINDS, OF_SEATS, RELAY_KINDS, FaultKind
from tests.sim.outcome import SimOutcome, command, simulate

# The numbers of seats, in turn: mostly few, which lose a majority soonest; sometimes the most possible.
SIZES: Final = (3, 4, 2, 5, 3, 4, 6, 2, 3, 5, 4, 3, 7, 4, 2, 3, 5, 6, 4, 3, 8, 3, 4, 5, 12)
# The numbers of spectators, in turn.
WATCHED_BY: Final = (0, 0, 1, 0, 0, 0, 2, 0)
_BATCH: Final = 20


# The kinds of faults, in turn: each kind of seats by itself, and as often all of them together; seats at a relay.
MIXES: Final = (
    *(mix for kind in KINDS if kind in OF_SEATS for mix in (tuple[FaultKind, ...]((kind,)), KINDS)),
    RELAY_KINDS,
    KINDS + RELAY_KINDS,
)


@dataclass
class SoakTally:
    """The outcomes of many games: by kind of fault the games that had it, and those of them that were played out."""

    games: int = 0
    finished: int = 0
    spectators: int = 0
    saw_end: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    virtual_s: float = 0.0
    first_seed: int = 0
    last_seed: int = 0
    had: Counter[str] = field(default_factory=Counter[str])
    had_finished: Counter[str] = field(default_factory=Counter[str])
    had_violations: Counter[str] = field(default_factory=Counter[str])
    violations: list[str] = field(default_factory=list[str])

    def add(self, outcome: SimOutcome) -> None:
        self.games += 1
        self.finished += outcome.finished
        self.virtual_s += outcome.time_s
        self.last_seed = max(self.last_seed, outcome.seed)
        self.spectators += len(outcome.spectators)
        self.saw_end += sum(each.result in {"won", "drawn"} for each in outcome.spectators)
        kinds: set[str] = {fault.kind for fault in outcome.plan.faults}
        for kind in sorted(kinds or {"none"}):
            self.had[kind] += 1
            self.had_finished[kind] += outcome.finished
            self.had_violations[kind] += outcome.violation is not None
        if outcome.violation is not None:
            game = game_of(outcome.seed)
            again = command(outcome.seed, game.players, game.kinds, spectators=game.spectators)
            self.violations.append(f"{again}: {outcome.violation}")


@dataclass(frozen=True, slots=True)
class SoakGame:
    players: int
    kinds: tuple[FaultKind, ...]
    spectators: int


def game_of(seed: int) -> SoakGame:
    mix = MIXES[seed // len(SIZES) % len(MIXES)]
    return SoakGame(SIZES[seed % len(SIZES)], mix, WATCHED_BY[seed % len(WATCHED_BY)])


def _play(seed: int) -> SimOutcome:
    game = game_of(seed)
    return simulate(seed, game.players, game.kinds, spectators=game.spectators)


def play_seeds(seeds: range) -> tuple[list[SimOutcome], float]:
    """Play the games of these seeds; return their outcomes and the CPU seconds."""
    begun = time.process_time()
    outcomes = [_play(seed) for seed in seeds]
    return outcomes, time.process_time() - begun


def _batches(first: int, until: float, games: int | None) -> Iterator[range]:
    seed = first
    while time.monotonic() < until and (games is None or seed < first + games):
        end = seed + _BATCH if games is None else min(seed + _BATCH, first + games)
        yield range(seed, end)
        seed = end


def soak(seconds: float, processes: int = 2, first_seed: int = 0, games: int | None = None) -> SoakTally:
    """Play seed after seed for so many seconds, in so many processes (1: this one), up to so many games."""
    begun = time.monotonic()
    tally = SoakTally(first_seed=first_seed)
    batches = _batches(first_seed, begun + seconds, games)
    for outcomes, cpu_s in map(play_seeds, batches) if processes == 1 else _in_processes(processes, batches):
        tally.cpu_s += cpu_s
        for outcome in outcomes:
            tally.add(outcome)
    tally.wall_s = time.monotonic() - begun
    return tally


def _in_processes(processes: int, batches: Iterator[range]) -> Iterator[tuple[list[SimOutcome], float]]:
    with ProcessPoolExecutor(processes) as pool:
        running = {pool.submit(play_seeds, batch) for batch in islice(batches, processes)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
            running |= {pool.submit(play_seeds, batch) for batch in islice(batches, len(done))}


def table(tally: SoakTally) -> list[str]:
    """Return the tally as text: a row for each kind of fault, then the sums and the violations."""
    lines = [f"{'fault':<12}{'games with it':>15}{'violations':>12}{'played out':>12}"]
    lines += [
        f"{kind:<12}{tally.had[kind]:>15}{tally.had_violations[kind]:>12}{tally.had_finished[kind]:>12}"
        for kind in (*KINDS, *RELAY_KINDS, "none")
        if tally.had[kind]
    ]
    per_hour = 3600 * tally.games / max(tally.wall_s, 0.001)
    lines += [
        f"{'all':<12}{tally.games:>15}{len(tally.violations):>12}{tally.finished:>12}",
        f"seeds {tally.first_seed} to {tally.last_seed}: {tally.virtual_s / 3600:.1f} hours of virtual time",
        f"{tally.spectators} spectators, {tally.saw_end} of whom saw a game played out",
        f"{tally.wall_s:.0f} s, {tally.cpu_s:.0f} s of CPU: {per_hour:.0f} games an hour",
        *(f"VIOLATION {each}" for each in tally.violations),
    ]
    return lines
