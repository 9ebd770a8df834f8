"""Breaks one check at a time and shows that the tests notice every one: ``make mutants``.

    python -m tests.mutants                     all of them, on two cores
    python -m tests.mutants --only 'crypto/*'   some
    python -m tests.mutants --near              runs the nearest tests alone: quick, while one writes a check
    python -m tests.mutants --list              says which there are
    python -m tests.mutants --remember          notes which test noticed what: that one is run first the next time

Exit code 0: every one is noticed, or listed in equivalent.py with the reason why it cannot be. 1: one is not.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.checks import Mutant, mutants
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.running import Outcome, Workshop, stages

NOTICED = Path(__file__).with_name("noticed.json")
NAME_LENGTH_MAX = 110


def main(arguments: Sequence[str]) -> int:
    """Break them; returns the exit code."""
    parser = argparse.ArgumentParser(description="Break one check at a time and see that the tests notice.")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="checks whose name fits, such as 'crypto/*'")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--near", action="store_true", help="run no tests but the nearest")
    parser.add_argument("--list", action="store_true", help="name the checks, and do nothing")
    parser.add_argument("--remember", action="store_true", help=f"note in {NOTICED.name} which test noticed what")
    options = parser.parse_args(arguments)
    wanted = [mutant for mutant in mutants() if fnmatchcase(mutant.name, options.only)]
    if options.list:
        print(*(mutant.name for mutant in wanted), sep="\n")
        return 0
    known: dict[str, str] = json.loads(NOTICED.read_text("utf-8")) if NOTICED.exists() else {}
    begun = time.monotonic()
    outcomes = break_all([mutant for mutant in wanted if mutant.name not in EQUIVALENT], known, options)
    unnoticed = report(wanted, outcomes, time.monotonic() - begun)
    if options.remember:
        noticed = {name: outcome.test for name, outcome in outcomes.items() if outcome.test}
        kept = {name: test for name, test in known.items() if not fnmatchcase(name, options.only)}
        NOTICED.write_text(json.dumps(dict(sorted((kept | noticed).items())), indent=1, ensure_ascii=False) + "\n")
    return 1 if unnoticed else 0


def break_all(wanted: Sequence[Mutant], known: dict[str, str], options: argparse.Namespace) -> dict[str, Outcome]:
    """What became of each, by its name."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(options.jobs) as executor:
        free = SimpleQueue[Workshop]()
        for number in range(options.jobs):
            free.put(Workshop(Path(folder, str(number))))
        whole = free.get()
        tests = sorted({known[mutant.name] for mutant in wanted if mutant.name in known})
        failing = whole.fails(tests) if tests else None
        free.put(whole)
        assert failing is None, f"{failing} fails as it is"

        def one(mutant: Mutant) -> Outcome:
            workshop = free.get()
            try:
                return workshop.outcome(mutant, stages(mutant, known.get(mutant.name), near=options.near))
            finally:
                free.put(workshop)

        outcomes: dict[str, Outcome] = {}
        for mutant, outcome in zip(wanted, executor.map(one, wanted), strict=True):
            outcomes[mutant.name] = outcome
            said = f"{mutant.name[:NAME_LENGTH_MAX]}: {outcome.test or 'NOT NOTICED'}"
            print(f"{len(outcomes)}/{len(wanted)} {said}", file=sys.stderr, flush=True)
        return outcomes


def report(wanted: Sequence[Mutant], outcomes: dict[str, Outcome], seconds: float) -> list[str]:
    """Print the table; returns the names of those that nothing noticed."""
    print("| check | noticed by | seconds |\n|---|---|---|")
    for mutant in wanted:
        name = mutant.name.replace("|", "\\|")[:NAME_LENGTH_MAX]
        if mutant.name in EQUIVALENT:
            print(f"| `{name}` | changes nothing: {EQUIVALENT[mutant.name]} | |")
        else:
            outcome = outcomes[mutant.name]
            print(f"| `{name}` | {outcome.test or '**not noticed**'} | {outcome.seconds:.1f} |")
    unnoticed = [name for name, outcome in outcomes.items() if outcome.test is None]
    excused = sum(mutant.name in EQUIVALENT for mutant in wanted)
    print(
        f"\n{len(wanted)} checks broken: {len(outcomes) - len(unnoticed)} noticed, {excused} change nothing, "
        f"{len(unnoticed)} not noticed, {seconds:.0f} s"
    )
    for name in unnoticed:
        print(f"NOT NOTICED: {name}")
    return unnoticed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
