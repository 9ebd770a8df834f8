"""The promises of docs/scripting.md, and of the structs of the events."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from seqp2p.cli.json_events import EVENTS, STREAM_VERSION

TEXT = (Path(__file__).parents[2] / "docs" / "scripting.md").read_text("utf-8")


@cache
def conforming(line: str) -> dict[str, Any]:
    """Return the object of a line of ``--json``, which has the documented fields with values of their types."""
    event: dict[str, Any] = json.loads(line)
    name = event["event"]
    msgspec.json.decode(line, type=EVENTS[name])
    event.pop("stream", None)
    assert event.keys() in (fields()[name], demo_fields()[name])
    return event


def stream(text: str) -> list[dict[str, Any]]:
    """Return the objects of a whole standard output; the first begins with the version of the events."""
    lines = text.splitlines()
    assert [line.startswith(f'{{"stream": {STREAM_VERSION}, ') for line in lines] == [n == 0 for n in range(len(lines))]
    return [conforming(line) for line in lines]


@cache
def fields() -> dict[str, frozenset[str]]:
    """Return the fields of every event, ``event`` included; of ``over`` those of a seat."""
    found = {
        name: frozenset({"event", *(field.encode_name for field in msgspec.structs.fields(kind))}) - {"stream"}
        for name, kind in EVENTS.items()
    }
    return {**found, "over": found["over"] - {"replays", "verdict"}}


def fields_in(chapter: str) -> frozenset[str]:
    """Return the fields in the table of a chapter."""
    table = TEXT.split(f"## {chapter}")[1].split("\n## ")[0]
    return frozenset({"event", *re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)})


def demo_fields() -> dict[str, frozenset[str]]:
    """Return the same for ``demo``, whose ``over`` is of the whole table."""
    return {**fields(), "over": fields()["over"] - {"seat", "replay"} | {"replays", "verdict"}}


def exit_codes() -> dict[int, str]:
    table = TEXT.split("## Exit codes")[1].split("##")[0]
    return {int(code): meaning for code, meaning in re.findall(r"\| (\d) \| (.*?) \|", table)}
