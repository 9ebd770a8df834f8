"""The lowest version that pyproject.toml admits of each library, as constraints for pip.

python tests/lowest.py > constraints.txt
"""

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]


def lowest(requirement: str) -> str:
    """Return a requirement with its lower bound as the only version, its marker kept.

    >>> lowest("zeroconf>=0.150,<1")
    'zeroconf==0.150'
    """
    wanted, _, marker = requirement.partition(";")
    found = re.fullmatch(r"([\w.-]+)>=([\w.]+)(?:,<[\w.]+)?", wanted.strip())
    if found is None:
        raise ValueError(f"{requirement!r} has no lower bound")
    return f"{found[1]}=={found[2]}" + (f"; {marker.strip()}" if marker else "")


if __name__ == "__main__":
    for each in (PROJECT["dependencies"], PROJECT["optional-dependencies"]["learning"]):
        print(*map(lowest, each), sep="\n")
