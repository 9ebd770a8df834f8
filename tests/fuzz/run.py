"""Fuzz with atheris, guided by what of the product an input reaches: ``python -m tests.fuzz.run [SECONDS] [TARGET…]``.

Each target gets so many seconds in a process of its own, and one line says how many inputs it took. What makes one fail
is kept in build/fuzz/; the exit status is then 1. Such an input belongs into tests/fuzz/corpus, under a name found-….
"""

import random
import re
import subprocess
import sys
from typing import Final

from tests.fuzz.kept import CORPUS, ROOT, inputs, target_names
from tests.fuzz.mutate import mutated

WORK: Final = ROOT / "build/fuzz"
SIZE_MAX: Final = 4_096
INPUT_S: Final = 10
MEMORY_MB: Final = 1_024
# Every so often libFuzzer's own changes instead of ours: it knows which bytes were compared with what.
OWN_MUTATOR: Final = "--one"


def main(arguments: list[str]) -> int:
    """Run the targets one after the other; returns the exit status."""
    seconds = int(arguments[0]) if arguments else 60
    if unknown := [name for name in arguments[1:] if name not in target_names()]:
        print(f"there is no fuzz target {', '.join(unknown)}; there are {', '.join(target_names())}")
        return 2
    failed = [name for name in arguments[1:] or target_names() if not _fuzz(name, seconds)]
    if failed:
        print(f"faults found: {', '.join(failed)}; the inputs are in {WORK}")
    return 1 if failed else 0


def _fuzz(name: str, seconds: int) -> bool:
    """Whether a target has held for so long."""
    grown, faults = WORK / name, WORK / "faults"
    for folder in (grown, faults):
        folder.mkdir(parents=True, exist_ok=True)
    options = (
        f"-max_total_time={seconds}",
        f"-max_len={SIZE_MAX}",
        f"-timeout={INPUT_S}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-artifact_prefix={faults}/{name}-",
        "-print_final_stats=1",
    )
    command = [sys.executable, "-m", __spec__.name, OWN_MUTATOR, name, *options, str(grown), str(CORPUS / name)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    found = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr) or re.search(r"Done (\d+) runs", done.stderr)
    tried = int(found[1]) if found else 0
    print(f"{name:12} {tried:>9} inputs tried  {'ok' if done.returncode == 0 else 'FAULT'}", flush=True)
    if done.returncode != 0:
        print(done.stderr[-3_000:])
    return done.returncode == 0


def _one(name: str, options: list[str]) -> None:
    """One target in this process, until libFuzzer ends it."""
    import atheris  # an extra that few have

    with atheris.instrument_imports(include=["seqp2p"]):
        from tests.fuzz.targets import TARGETS

    seeds = list(inputs(name).values())

    def change(data: bytes, size_max: int, seed: int) -> bytes:
        dice = random.Random(seed)
        if dice.random() < 0.5:
            return bytes(atheris.Mutate(data, size_max))
        return mutated(data, seeds, dice)[:size_max]

    atheris.Setup([sys.argv[0], *options], TARGETS[name], custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == [OWN_MUTATOR]:
        _one(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(main(sys.argv[1:]))
