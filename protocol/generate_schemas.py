"""Write what ``seqp2p schema`` prints to files: ``python protocol/generate_schemas.py``."""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that it also runs from elsewhere

from seqp2p.cli.schema import SCHEMAS, schema_text  # noqa: E402 -- after the path


def files() -> Iterator[tuple[Path, str]]:
    """Yield each file and its text."""
    for name in SCHEMAS:
        yield ROOT / "protocol" / f"{name}.schema.json", schema_text(name) + "\n"


if __name__ == "__main__":
    for path, text in files():
        path.write_text(text, "utf-8")
