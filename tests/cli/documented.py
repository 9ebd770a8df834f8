"""What docs/scripting.md promises of events and their fields."""

import json
import re
from functools import cache
from pathlib import Path

TEXT = (Path(__file__).parents[2] / "docs" / "scripting.md").read_text("utf-8")


@cache
def fields() -> dict[str, frozenset[str]]:
    """The documented fields of every event, ``event`` included."""
    found = {"event": frozenset[str]()}
    for line in TEXT.splitlines():
        if row := re.match(r"\| `([a-z_]+)` \| (.*?) \|", line):
            found[row[1]] = frozenset({"event", *re.findall(r"`(\w+)`", row[2])})
    for example in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL):
        event = json.loads(example)
        found[event["event"]] = frozenset(event)
    found["id"] = frozenset(re.findall(r'"(\w+)": (?:"…"|\[…\])', TEXT.split("`id` writes")[1])) | {"event"}
    return found


def export_fields() -> frozenset[str]:
    """The fields of the object that ``export --format json`` writes."""
    table = TEXT.split("## Replays as JSON")[1].split("\n## ")[0]
    return frozenset({"event", *re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)})


def stats_fields() -> frozenset[str]:
    """The fields of the event ``stats``."""
    table = TEXT.split("## Statistics")[1].split("\n## ")[0]
    return frozenset({"event", *re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)})


def demo_fields() -> dict[str, frozenset[str]]:
    """The same for ``demo``."""
    return {**fields(), "over": fields()["over"] - {"seat", "replay"} | {"replays", "verdict"}}


def exit_codes() -> dict[int, str]:
    """The documented exit codes and their meanings."""
    table = TEXT.split("## Exit codes")[1].split("##")[0]
    return {int(code): meaning for code, meaning in re.findall(r"\| (\d) \| (.*?) \|", table)}
