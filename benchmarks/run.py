"""Runs the benchmarks, prints a table, and writes build/bench.json afresh: ``run.py [crypto|engine|net|replay]``.

Every part is a module ``bench_<part>.py`` with ``run() → {figure: {unit: number}}``. Figures that depend on the machine
come with a ratio to something measured in the same run.
"""

import importlib
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUTPUT = HERE.parent / "build" / "bench.json"


def parts() -> list[str]:
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def main(wanted: list[str]) -> int:
    unknown = set(wanted) - set(parts())
    if unknown:
        print(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(parts())}", file=sys.stderr)
        return 2
    sys.path.insert(0, str(HERE))
    figures: dict[str, dict[str, float]] = {}
    for part in wanted or parts():
        print(f"{part}:", flush=True)
        measured: dict[str, dict[str, float]] = importlib.import_module(f"bench_{part}").run()
        for name, values in measured.items():
            shown = "   ".join(f"{unit} {value:g}" for unit, value in values.items())
            print(f"    {name:<24} {shown}", flush=True)
        figures |= measured
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    print(f"written to {OUTPUT.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
