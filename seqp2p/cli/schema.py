"""``seqp2p schema``: the JSON Schemas of ``--json``, and of the lines between seqp2p and a program that plays."""

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import click
import msgspec

from seqp2p.bots.wire import PROTOCOL, BotChoice, BotMessage
from seqp2p.cli.json_events import BOT_EVENTS, EVENTS, STREAM_VERSION
from seqp2p.cli.output import put_line
from seqp2p.i18n import message

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def events() -> dict[str, Any]:
    """Return the schema of a line of ``--json``. Its ``$defs`` are named by event."""
    references, definitions = _components(list(EVENTS.values()))
    return {"$schema": DIALECT, "title": "--json", "version": STREAM_VERSION, "anyOf": references, "$defs": definitions}


def bots() -> dict[str, Any]:
    """Return the schema of a line of ``--exec``, in either direction. Its ``$defs`` are named by type and event."""
    references, definitions = _components([*BotMessage.__args__, BotChoice])
    public, of_events = _components([EVENTS[name] for name in BOT_EVENTS])
    event = {"properties": {"type": {"const": "event"}}, "required": ["type"], "anyOf": public}
    return {
        "$schema": DIALECT,
        "title": "--exec",
        "version": PROTOCOL,
        "anyOf": [*references, {"$ref": "#/$defs/event"}],
        "$defs": definitions | of_events | {"event": event},
    }


def _components(structs: Sequence[type[msgspec.Struct]]) -> tuple[list[Any], dict[str, Any]]:
    """Return references to these structs by their tags, and the definitions, which allow fields of later versions."""
    references, definitions = msgspec.json.schema_components(structs, ref_template="#/$defs/{name}")
    # BotChoice is read without a tag: its ``type`` is a field.
    names = {struct.__name__: str(struct.__struct_config__.tag or "choice") for struct in structs}
    for struct in structs:
        definitions[struct.__name__].pop("description", None)  # docs/scripting.md has it.
    renamed = {names.get(name, name): _renamed(definition, names) for name, definition in definitions.items()}
    return _renamed(list(references), names), renamed


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """Return a schema with these names of definitions, and without the rule that an object has no other fields."""

    def change(part: dict[str, Any]) -> dict[str, Any]:
        if "$ref" in part:
            start, _, name = str(part["$ref"]).rpartition("/")
            part["$ref"] = f"{start}/{names.get(name, name)}"
        if part.get("additionalProperties") is False:
            del part["additionalProperties"]
        return part

    return json.loads(json.dumps(schema), object_hook=change)


SCHEMAS: Final[Mapping[str, Callable[[], dict[str, Any]]]] = MappingProxyType({"events": events, "bots": bots})


def schema_text(name: str) -> str:
    return json.dumps(SCHEMAS[name](), indent=1, sort_keys=True)


@click.command(
    "schema",
    help=message(
        "Print the JSON Schema of the events of --json, or of the lines between seqp2p and a bot of any language."
    ),
)
@click.argument("lines", type=click.Choice(list(SCHEMAS)))
def command(lines: str) -> None:
    put_line(schema_text(lines))
