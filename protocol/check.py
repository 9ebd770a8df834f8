"""Check any verifier against the replays here: ``python protocol/check.py -- COMMAND…``.

COMMAND is run with replays as its last arguments, like ``seqp2p verify --json FILE…`` (docs/scripting.md). It writes
one JSON object a line. Those whose ``event`` is ``verdict`` count: one for each file, with ``file``, ``verdict``,
``class``, ``step``, ``seat``, ``awaited``, ``winners`` and ``forfeit``. Each must be as in replays/expected.json. The
exit code is 0 if all files are verified, 5 if one is unfinished, 3 if one is invalid.

    python protocol/check.py -- seqp2p verify --json
    python protocol/check.py --only 'share_*' -- python -m protocol.second

It prints a line for each difference, and then the number of replays. Exit code 0: no difference. 1: a difference, or
the command cannot be run. It needs only Python 3.11.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

REPLAYS = Path(__file__).resolve().parent / "replays"
FIELDS = ("verdict", "class", "step", "seat", "awaited", "winners", "forfeit")
# The replays of one verdict are given to one run of the command, which must then end with this.
EXIT_CODES = {"verified": 0, "unfinished": 5, "invalid": 3}

Expected = Mapping[str, Mapping[str, Any]]


def main(arguments: Sequence[str]) -> int:
    """Compare, print the differences, and return the exit code."""
    parser = argparse.ArgumentParser(description="Hold a verifier against the replays of this folder.")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="replays of such names alone")
    parser.add_argument("command", nargs="+", help="a verifier: it is run with replays behind it")
    options = parser.parse_args(arguments)
    everything: Expected = json.loads((REPLAYS / "expected.json").read_text("utf-8"))
    expected = {name: case for name, case in everything.items() if fnmatch(name, options.only)}
    if not expected:
        parser.error(f"no replay is called {options.only}")
    found = list(differences(options.command, expected))
    for line in found:
        print(line)
    print(f"{len(expected)} replays, {len(found)} differences")
    return 1 if found else 0


def differences(command: Sequence[str], expected: Expected) -> Iterator[str]:
    """Yield a line for each difference between the verifier's output and the expected one."""
    for verdict, exit_code in EXIT_CODES.items():
        cases = {name: case for name, case in expected.items() if case["verdict"] == verdict}
        if not cases:
            continue
        try:
            ended = subprocess.run(
                [*command, *(str(REPLAYS / f"{name}.seqp2p") for name in cases)],
                stdout=subprocess.PIPE, check=False, encoding="utf-8", errors="replace",
            )  # fmt: skip
        except OSError as error:
            yield f"{command[0]} cannot be run: {error.strerror}"
            return
        yield from in_output(ended.stdout, cases)
        if ended.returncode != exit_code:
            yield f"exit code {ended.returncode} instead of {exit_code}, all being {verdict}"


def in_output(output: str, cases: Expected) -> Iterator[str]:
    """Yield a line for each difference between what a verifier has written and the cases."""
    said = {Path(each["file"]).stem: each for each in map(_verdict, output.splitlines()) if each}
    for name, case in cases.items():
        if name not in said:
            yield f"{name}: no verdict"
            continue
        for field in FIELDS:
            if field not in said[name]:
                yield f"{name}: no {field}"
            elif said[name][field] != case[field]:
                yield f"{name}: {field} is {said[name][field]!r} instead of {case[field]!r} ({case['why']})"


def _verdict(line: str) -> dict[str, Any] | None:
    """Return the event of a line if it is a verdict, else None."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and event.get("event") == "verdict" and "file" in event else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
