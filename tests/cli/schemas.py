"""The JSON Schemas of protocol/, as validators."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from referencing import Registry, Resource

FOLDER = Path(__file__).parents[2] / "protocol"


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.schema.json").read_text("utf-8"))
    return found


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """A validator of ``events`` or ``programs``; it raises jsonschema.ValidationError."""
    events = Resource.from_contents(schema("events"))
    return jsonschema.Draft202012Validator(
        schema(name), registry=Registry().with_resource("events.schema.json", events)
    )
