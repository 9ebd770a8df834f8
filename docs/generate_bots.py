"""Play bots against each other and write the results into ``docs/bots.md`` (``make bots``).

Rows that the page lacks are played; ``make bots ROWS="5 6"`` plays these again. The results of each deal are kept in
``build/bots``, in a folder for these very bots, so a row that was stopped goes on where it was. Each row is written as
soon as it is played. Every bot plays by its seed and not by the clock, so the games are the same on every machine.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from math import log10
from pathlib import Path
from typing import Final, NamedTuple

from seqp2p.arena import Contest, Ladder, Tally, make_contest, play_deals
from seqp2p.bots.player import TIME_S
from seqp2p.cli.arena import ArenaSettings, open_results
from seqp2p.rules import VARIANTS
from seqp2p.workers import cores

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "bots.md"
BEGIN: Final = "<!-- make bots writes this table -->"
END: Final = "<!-- to here -->"
HEAD: Final = (
    "| bot | against | table | games | score | 95 % interval | Elo | ms a choice |",
    "| --- | --- | --- | --: | --: | --- | --- | --- |",
)
SEED: Final = 1
TOLD_EVERY: Final = 100
"""The deals from one line about the progress to the next."""


class Row(NamedTuple):
    """One line of the table: the first bot is the one whose score is told."""

    bots: tuple[str, ...]
    players: int
    games: int
    variant: str = "classic"

    @property
    def contest(self) -> Contest:
        """The bots at their table."""
        return make_contest(self.bots, self.variant, self.players, len(self.bots))

    @property
    def deals(self) -> int:
        """The deals that make so many games."""
        return self.games // len(self.contest.seatings)


LADDER: Final = ("hard", "normal", "greedy", "easy", "random")
"""All bots, the best first; ``learned`` and ``strong`` are ``hard``."""
ROWS: Final = (
    *(Row((bot, other), players, 2000) for players in (2, 4) for bot, other in pairwise(LADDER)),
    *(Row((bot, other, other), 3, 2001) for bot, other in pairwise(LADDER)),
    *(Row(("normal", "easy"), players, 2000) for players in (2, 4)),
    Row(("learned", "greedy"), 2, 4000),
    Row(("learned", "greedy"), 4, 4000),
    Row(("learned", "greedy"), 6, 2000),
    Row(("learned", "greedy"), 2, 4000, "kids"),
)


def head(row: Row) -> str:
    """Return the first columns of a row, without its result."""
    others = " and ".join(f"`{bot}`" for bot in row.bots[1:])
    teams = len(row.bots)
    who = f"{row.players} players" + (f" in {teams} teams" if teams < row.players else "")
    return f"| `{row.bots[0]}` | {others} | {VARIANTS[row.variant].title}, {who} | {row.games:,} |"


def line(row: Row, tally: Tally) -> str:
    """Return a row with its result."""
    score, (low, high), teams = tally.score(0) or 0.0, tally.interval(0), len(row.bots)
    shown = f"{100 * score:.1f} % | {100 * low:.1f} to {100 * high:.1f} %"
    least = elo(low, teams)
    rating = f"{elo(score, teams)} ({least} to {elo(high, teams)})" if high < 1 else f"over {least}"
    times = " and ".join(f"{1000 * side.seconds / side.choices:.2f}" for side in tally.sides)
    return f"{head(row)} {shown} | {rating} | {times} |"


def elo(score: float, teams: int) -> str:
    """Return by how many points of Elo a bot is better than the others, which are alike, with this mean score.

    Of teams a, b, b … the chance of a is a / (a + b + b …), as in R. D. Luce's model; 400 points are odds of 10 to 1.
    """
    return f"{400 * log10((teams - 1) * score / (1 - score)):+.0f}"


def play(row: Row, jobs: int, folder: Path) -> Tally:
    """Play what is left of a row, and return the tally of all of it."""
    contest = row.contest
    ladder = Ladder([contest], row.deals)
    settings = ArenaSettings(
        contest.bots, contest.variant, contest.players, contest.teams, contest.options, SEED, TIME_S
    )
    name = re.sub(r"[^a-z0-9]+", "-", " ".join((row.variant, str(row.players), *row.bots)))
    folder = folder / version()
    folder.mkdir(parents=True, exist_ok=True)
    with open_results(folder / f"{name}.jsonl", settings, ladder) as write:
        for result in play_deals(ladder, SEED, jobs):
            write(result)
            if result.deal % TOLD_EVERY == TOLD_EVERY - 1:
                print(f"{name}: {result.deal + 1} of {row.deals} deals", file=sys.stderr, flush=True)
    return ladder.tallies[0]


def version() -> str:
    """Return a digest of the code and the weights of all bots."""
    files = sorted(each for each in (ROOT / "seqp2p" / "bots").rglob("*") if each.suffix in {".py", ".bin"})
    return sha256(b"".join(each.read_bytes() for each in files)).hexdigest()[:16]


def lines_of(text: str) -> list[str]:
    """Return the rows of the table in a page."""
    return text.partition(BEGIN)[2].partition(END)[0].splitlines()[len(HEAD) + 1 :]


def missing(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the rows that a table lacks, or describes differently."""
    return [at for at, row in enumerate(ROWS, start=1) if not any(each.startswith(head(row)) for each in lines)]


def with_table(text: str, lines: Sequence[str]) -> str:
    """Return the page with these lines of ROWS, in the order of ROWS."""
    table = "\n".join([*HEAD, *(each for row in ROWS for each in lines if each.startswith(head(row)))])
    first, _, rest = text.partition(BEGIN)
    return f"{first}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}"


def main() -> None:
    """Play the chosen rows and write each into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=cores(), help="processes")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "bots", help="the folder of the results")
    parser.add_argument("rows", type=int, nargs="*", help="the rows to play, from 1; without any, those missing")
    wanted = parser.parse_args()
    if not {*wanted.rows} <= {*range(1, len(ROWS) + 1)}:
        parser.error(f"the rows are 1 to {len(ROWS)}")
    for number in wanted.rows or missing(lines_of(PAGE.read_text("utf-8"))):
        row = ROWS[number - 1]
        played = line(row, play(row, wanted.jobs, wanted.results))
        text = PAGE.read_text("utf-8")
        others = [each for each in lines_of(text) if not each.startswith(head(row))]
        PAGE.write_text(with_table(text, [*others, played]), "utf-8")


if __name__ == "__main__":
    main()
