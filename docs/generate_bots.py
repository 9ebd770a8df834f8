"""Play bots against each other and write the results into ``docs/bots.md`` (``make bots``).

Every bot here plays by trials and not by the clock, so the games are the same on every machine. ``make bots
ROWS="5 6"`` plays some rows and keeps the others; a row that the page lacks, or describes differently, must be played.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from seqp2p.arena import Tally, make_contest, play_games, wilson
from seqp2p.rules import VARIANTS, Options

DOCS: Final = Path(__file__).parent
BEGIN: Final = "<!-- make bots writes this table -->"
END: Final = "<!-- to here -->"
SEED: Final = 1


class Row(NamedTuple):
    """One line of the table: the first bot is the one whose wins are counted."""

    bots: tuple[str, ...]
    players: int
    games: int
    variant: str = "classic"


ROWS: Final = (
    Row(("greedy", "random"), 2, 1000),
    Row(("greedy", "random"), 4, 1000),
    Row(("strong:1000", "greedy"), 2, 400),
    Row(("strong:1000", "greedy"), 4, 400),
    Row(("strong:1000", "greedy", "greedy"), 3, 200),
    Row(("strong:1000", "greedy"), 2, 400, "kids"),
    Row(("strong:1000", "random"), 2, 100),
)


def head(row: Row) -> str:
    """Return the first columns of a row, without its result."""
    others = " and ".join(f"`{bot}`" for bot in row.bots[1:])
    teams = len(row.bots)
    who = f"{row.players} players" + (f" in {teams} teams" if teams < row.players else "")
    return f"| `{row.bots[0]}` | {others} | {VARIANTS[row.variant].title}, {who} | {row.games} |"


def played(row: Row, jobs: int) -> str:
    """Play a row and return it with its result."""
    contest = make_contest(row.bots, row.variant, row.players, len(row.bots), Options())
    begun, total = time.perf_counter(), Tally.of(contest.teams)
    for tally in play_games(contest, SEED, row.games, jobs):
        total += tally
    low, high = wilson(total.wins[0], total.games)
    seconds = time.perf_counter() - begun
    print(f"{row} {total.wins} {seconds:.0f} s, {1000 * seconds * jobs / total.turns:.1f} ms a turn", file=sys.stderr)
    return f"{head(row)} {100 * total.wins[0] / total.games:.1f} % | {100 * low:.1f} to {100 * high:.1f} % |"


def missing(before: Sequence[str]) -> list[int]:
    """Return the numbers of the rows that a table lacks, or describes differently."""
    return [at for at, row in enumerate(ROWS, start=1) if not any(line.startswith(head(row)) for line in before)]


def table(chosen: Sequence[int], jobs: int, before: Sequence[str]) -> Iterator[str]:
    """Yield the table line by line; rows that are not chosen stay as they were."""
    yield "| bot | against | table | games | wins | 95 % interval |"
    yield "| --- | --- | --- | --: | --: | --- |"
    for number, row in enumerate(ROWS, start=1):
        if number in chosen:
            yield played(row, jobs)
        else:
            yield from (line for line in before if line.startswith(head(row)))


def main() -> None:
    """Play the chosen rows and write the table."""
    numbers = range(1, len(ROWS) + 1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes")
    parser.add_argument("rows", type=int, nargs="*", choices=numbers, help="the rows to play; without any, all")
    wanted = parser.parse_args()
    page = DOCS / "bots.md"
    before = page.read_text("utf-8").partition(BEGIN)[2].partition(END)[0].splitlines()
    chosen = wanted.rows or numbers
    if lacking := [number for number in missing(before) if number not in chosen]:
        parser.error(f"{page.name} has not these rows as they are described now, play them too: {lacking}")
    lines = "\n".join(table(chosen, wanted.jobs, before))
    first, _, rest = page.read_text("utf-8").partition(BEGIN)
    page.write_text(f"{first}{BEGIN}\n{lines}\n{END}{rest.partition(END)[2]}", "utf-8")


if __name__ == "__main__":
    main()
