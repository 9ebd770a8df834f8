"""Reading the vectors and replays of protocol/."""

import json
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROTOCOL = ROOT / "protocol"
VECTORS = PROTOCOL / "vectors"
REPLAYS = PROTOCOL / "replays"
GOLDEN = sorted((ROOT / "replays").glob("*.seqp2p"))


@cache
def read(name: str) -> Any:
    """A file of vectors."""
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8"))


def vectors(name: str) -> list[dict[str, Any]]:
    """The vectors of a file, each with its whole ``in``: that of the vector it is ``like``, changed."""
    listed: list[dict[str, Any]] = read(name)["vectors"]
    whole = {(vector["primitive"], vector["name"]): vector["in"] for vector in listed if "like" not in vector}
    return [
        vector | {"in": whole[vector["primitive"], vector["like"]] | vector["in"]} if "like" in vector else vector
        for vector in listed
    ]


def replay(path: str) -> bytes:
    """The replay that a file of vectors names, by its path from the root or from protocol/."""
    for folder in (ROOT, PROTOCOL):
        if (folder / path).is_file():
            return (folder / path).read_bytes()
    raise AssertionError(f"no replay {path}")
