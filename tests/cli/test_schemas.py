"""The JSON Schemas of --json and --exec: as the code has them, and as the output of commands is."""

import json
from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any

import jsonschema
import msgspec
import pytest

from seqp2p.bots.wire import BotChoice
from seqp2p.cli.json_events import BOT_EVENTS, EVENTS
from tests.cli.conftest import WON, Cli, said

FOLDER = Path(__file__).parents[2] / "protocol"


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.schema.json").read_text("utf-8"))
    return found


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """A validator of ``events`` or ``programs``; it raises jsonschema.ValidationError."""
    return jsonschema.Draft202012Validator(schema(name))


def test_the_command_prints_the_files_and_names_what_is_in_them(cli: Cli) -> None:
    for name, named in (
        ("events", EVENTS),
        ("bots", {**dict.fromkeys(BOT_EVENTS), "hello": 1, "view": 1, "choice": 1}),
    ):
        assert json.loads(said(cli("schema", name))) == schema(name)
        assert named.keys() <= schema(name)["$defs"].keys()


def test_the_files_are_as_the_code() -> None:
    for path, text in run_path(str(FOLDER / "generate_schemas.py"))["files"]():
        assert path.read_text("utf-8") == text, "python protocol/generate_schemas.py"


@pytest.mark.process
@pytest.mark.parametrize(
    "command", [("verify", WON, "--json"), ("show", WON, "--json"), ("export", WON, "--format", "json"),
                ("stats", WON, "--json"), ("config", "--json"), ("id", "--json"), ("rules", "--json"),
                ("arena", "random", "random", "--deals", "2", "--variant", "kids", "--json")],
    ids=lambda command: command[0],
)  # fmt: skip
def test_other_commands_are_as_the_schema(cli: Cli, command: tuple[object, ...]) -> None:
    _, out, _ = cli(*command)
    lines = out.splitlines()
    assert lines
    for line in lines:
        validator("events").validate(msgspec.json.decode(line))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("events", {"event": "turn", "turn": 1, "seat": 13, "action": "pass"}),
        ("events", {"event": "turn", "turn": 1, "seat": 1}),
        ("events", {"event": "turned", "turn": 1, "seat": 1, "action": "pass"}),
        ("events", {"event": "seated", "seat": 1, "name": "ann", "key": "00"}),
        ("bots", {"event": "back", "seat": 2}),
        ("bots", {"type": "choice", "id": 0, "action": "QH e5"}),
    ],
)
def test_other_objects_are_not(name: str, wrong: dict[str, object]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        validator(name).validate(wrong)


def test_a_field_to_come_is_no_fault() -> None:
    validator("events").validate({"event": "back", "seat": 2, "since": 7})
    validator("bots").validate({"type": "event", "event": "back", "seat": 2})
    validator("bots").validate(msgspec.to_builtins(BotChoice("choice", 1, "QH e5")))


def test_every_event_of_a_program_is_an_event() -> None:
    assert set(BOT_EVENTS) <= EVENTS.keys()
