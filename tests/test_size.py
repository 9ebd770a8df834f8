"""Ceilings of lines: for each package of seqp2p, for the tests and for the pages.

A change that needs more lines takes others away first, or raises a ceiling and says why. What moves to another package
takes its part of the ceiling along.
"""

from pathlib import Path
from typing import Final

from tests.each import for_each

ROOT: Final = Path(__file__).parents[1]
SLACK: Final = 60
"""The most lines that a ceiling may stand above what is there."""

CEILINGS: Final = {
    "seqp2p/*.py": 765,
    "seqp2p/api/**/*.py": 3626,
    "seqp2p/arena/**/*.py": 1049,
    "seqp2p/bots/**/*.py": 1822,
    "seqp2p/cli/**/*.py": 8907,
    "seqp2p/crypto/**/*.py": 1365,
    "seqp2p/learning/**/*.py": 643,
    "seqp2p/live/**/*.py": 2715,
    "seqp2p/lobby/**/*.py": 3412,
    "seqp2p/match/**/*.py": 3977,
    "seqp2p/net/**/*.py": 3331,
    "seqp2p/replay/**/*.py": 2406,
    "seqp2p/rules/**/*.py": 3117,
    "seqp2p/ui/**/*.py": 8531,
    "tests/**/*.py": 49_958,
    "tests/**/*.txt": 7590,
    "protocol/**/*.py": 6992,
    "tools/**/*.py": 994,
    "docs/**/*.md": 4614,
}


def lines_in(pattern: str) -> int:
    """Return the number of lines in the files of a pattern, without the reference, which is not kept."""
    paths = (path for path in ROOT.glob(pattern) if path.name != "reference.md")
    return sum(path.read_bytes().count(b"\n") for path in paths)


@for_each(CEILINGS)
def test_a_ceiling_is_kept_and_follows(pattern: str) -> None:
    lines, ceiling = lines_in(pattern), CEILINGS[pattern]
    assert lines <= ceiling, f"{pattern} has {lines} lines, {lines - ceiling} more than its ceiling"
    assert lines >= ceiling - SLACK, f"{pattern} has {lines} lines: lower its ceiling"


def test_every_package_has_a_ceiling() -> None:
    packages = {path.parent.name for path in (ROOT / "seqp2p").glob("*/__init__.py")}
    assert {f"seqp2p/{package}/**/*.py" for package in packages} < CEILINGS.keys()
