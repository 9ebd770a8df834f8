"""Write the JSON Schemas of ``--json`` and of programs that play again: ``python protocol/generate_schemas.py``.

Objects may have more fields than a schema names: fields are only ever added.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that it also runs from elsewhere

from seqp2p.bots.wire import PROTOCOL, BotChoice, BotMessage  # noqa: E402 -- after the path
from seqp2p.cli.json_events import BOT_EVENTS, EVENTS, STREAM_VERSION  # noqa: E402

DIALECT = "https://json-schema.org/draft/2020-12/schema"
EVENTS_FILE = "events.schema.json"


def open_ended(schema: Any) -> Any:
    """Return a schema without the rule that an object has no other fields."""
    match schema:
        case dict():
            return {key: open_ended(value) for key, value in schema.items() if key != "additionalProperties" or value}
        case list():
            return [open_ended(value) for value in schema]
        case _:
            return schema


def events() -> dict[str, Any]:
    """Return the schema of a line of ``--json``."""
    references, definitions = msgspec.json.schema_components(EVENTS.values(), ref_template="#/$defs/{name}")
    for each in EVENTS.values():
        del definitions[each.__name__]["description"]  # docs/scripting.md has it.
    return {
        "$schema": DIALECT,
        "title": "A line of standard output with --json",
        "version": STREAM_VERSION,
        "anyOf": list(references),
        "$defs": open_ended(definitions),
    }


def programs() -> dict[str, Any]:
    """Return the schema of a line of --exec, in either direction."""
    references, definitions = msgspec.json.schema_components([BotMessage, BotChoice], ref_template="#/$defs/{name}")
    event = {
        "properties": {"type": {"const": "event"}},
        "required": ["type"],
        "anyOf": [{"$ref": f"{EVENTS_FILE}#/$defs/{EVENTS[name].__name__}"} for name in BOT_EVENTS],
    }
    return {
        "$schema": DIALECT,
        "title": "A line between seqp2p and a program that plays (--exec)",
        "version": PROTOCOL,
        "anyOf": [*references, {"$ref": "#/$defs/BotEvent"}],
        "$defs": open_ended(definitions) | {"BotEvent": event},
    }


def files() -> Iterator[tuple[Path, str]]:
    """Yield each file and its text."""
    for name, schema in ((EVENTS_FILE, events()), ("programs.schema.json", programs())):
        yield ROOT / "protocol" / name, json.dumps(schema, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    for path, text in files():
        path.write_text(text, "utf-8")
