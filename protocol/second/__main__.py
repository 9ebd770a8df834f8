"""The second verifier on the command line: ``python -m protocol.second FILE…``, as ``seqp2p verify --json``.

It writes the fields that docs/scripting.md has and ``protocol/check.py`` looks at, and ends with the same exit codes.
"""

import json
import sys
from pathlib import Path

from protocol.second.file import verify


def main(paths: list[str]) -> int:
    """A line for each file; returns the exit code."""
    verdicts = set[str]()
    if not paths or (missing := [path for path in paths if not Path(path).is_file()]):
        print(f"no such file: {', '.join(missing)}" if paths else __doc__, file=sys.stderr)
        return 2
    for path in paths:
        found = verify(Path(path).read_bytes())
        verdicts.add(found.verdict)
        event = {
            "event": "verdict",
            "file": path,
            "verdict": found.verdict,
            "class": found.failure,
            "step": found.step,
            "seat": found.seat,
            "awaited": found.awaited,
            "winners": found.winners,
            "forfeit": found.forfeit,
        }
        print(json.dumps(event))
    return 3 if "invalid" in verdicts else 5 if "unfinished" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
