"""The saved corpus: a folder for each target. Imports nothing of the product, which is instrumented later."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
CORPUS: Final = Path(__file__).with_name("corpus")


def target_names() -> list[str]:
    """Every target that has a corpus."""
    return sorted(path.name for path in CORPUS.iterdir())


def inputs(target: str) -> dict[str, bytes]:
    """The inputs kept for a target, by name."""
    return {path.name: path.read_bytes() for path in sorted((CORPUS / target).iterdir())}
