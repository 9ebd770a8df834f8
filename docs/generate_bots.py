"""Plays bots against each other and writes how they did into ``docs/bots.md`` and the README (``make bots``).

Every bot here plays by trials and not by the clock, so that the games are the same on every machine.
"""

import os
import sys
import time
from collections.abc import Iterator
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


def table(rows: tuple[Row, ...], jobs: int) -> Iterator[str]:
    """The table, line by line."""
    yield "| bot | against | table | games | wins | 95 % interval |"
    yield "| --- | --- | --- | --: | --: | --- |"
    for row in rows:
        contest = make_contest(row.bots, row.variant, row.players, len(row.bots), Options())
        begun, total = time.perf_counter(), Tally.of(contest.teams)
        for tally in play_games(contest, SEED, row.games, jobs):
            total += tally
        low, high = wilson(total.wins[0], total.games)
        seconds = time.perf_counter() - begun
        print(
            f"{row} {total.wins} {seconds:.0f} s, {1000 * seconds * jobs / total.turns:.1f} ms a turn", file=sys.stderr
        )
        others = " and ".join(f"`{bot}`" for bot in row.bots[1:])
        who = f"{row.players} players" + (f" in {contest.teams} teams" if contest.teams < row.players else "")
        title = VARIANTS[row.variant].title
        share = f"{100 * total.wins[0] / total.games:.1f} %"
        interval = f"{100 * low:.1f} to {100 * high:.1f} %"
        yield f"| `{row.bots[0]}` | {others} | {title}, {who} | {total.games} | {share} | {interval} |"


def main() -> None:
    """Play, and write what came of it."""
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else len(os.sched_getaffinity(0))
    lines = "\n".join(table(ROWS, jobs))
    for path in (DOCS / "bots.md", DOCS.parent / "README.md"):
        before, _, rest = path.read_text("utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        path.write_text(f"{before}{BEGIN}\n{lines}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
