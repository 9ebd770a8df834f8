"""The replay test kit as one quick test: ``python -m tests.mutants.kit [FILE…]``.

It verifies every case, or those named, in this process, and compares as tests/protocol/test_replays.py does. It prints
each before, the smaller ones first, and stops with exit code 1 at the first that differs from expected.json.
"""

import json
import sys
from pathlib import Path

from seqp2p.replay.verify import verify

REPLAYS = Path(__file__).parents[2] / "protocol" / "replays"


def main(files: list[str]) -> int:
    """The exit code."""
    expected = json.loads((REPLAYS / "expected.json").read_text("utf-8"))
    paths = [REPLAYS / name for name in files] or sorted(REPLAYS.glob("*.seqp2p"), key=lambda path: path.stat().st_size)
    for path in paths:
        print(path.name, flush=True)
        case, report = expected[path.stem], verify(path.read_bytes())
        found = [report.verdict, report.failure, report.step, report.seat, list(report.awaited)]
        if found != [case[field] for field in ("verdict", "class", "step", "seat", "awaited")]:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
