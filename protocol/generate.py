"""Write protocol/vectors, protocol/replays and the golden games of replays/ again: ``make vectors``.

With arguments, write only the files whose path contains one of them. All randomness is fixed, so nothing changes
unless the code does. Old files that are no longer generated are removed.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("protocol/vectors", "protocol/replays", "replays")


def main(wanted: list[str]) -> None:
    """Write the files and print the changed ones."""
    sys.path.insert(0, str(ROOT))
    from protocol.generator.files import case_files, golden_files, vector_files

    made = set[Path]()
    for files in (vector_files, case_files, golden_files):
        for name, data in files():
            path = ROOT / name
            made.add(path)
            if wanted and not any(part in name for part in wanted):
                continue
            if not path.exists() or path.read_bytes() != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                print(f"{name}: {len(data)} bytes")
    for folder in FOLDERS:
        for path in (ROOT / folder).iterdir():
            if path.suffix in (".json", ".seqp2p") and path not in made:
                path.unlink()
                print(f"{path.relative_to(ROOT)}: removed")


if __name__ == "__main__":
    main(sys.argv[1:])
