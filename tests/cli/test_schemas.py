"""The JSON Schemas of --json and --exec: as the code has them, and as real streams are."""

import importlib.util

import jsonschema
import msgspec
import pytest

from seqp2p.bots.wire import BotChoice
from seqp2p.cli.json_events import BOT_EVENTS, EVENTS
from tests.cli.conftest import Cli, Game
from tests.cli.schemas import FOLDER, validator

GOLDEN = FOLDER / "replays" / "kids_2_won_ok.seqp2p"


def test_the_files_are_as_the_code() -> None:
    spec = importlib.util.spec_from_file_location("generate_schemas", FOLDER / "generate_schemas.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path, text in module.files():
        assert path.read_text("utf-8") == text, "python protocol/generate_schemas.py"


@pytest.mark.process
def test_games_are_as_the_schema(game: Game, kids_game: Game) -> None:
    events = [event for each in (game, kids_game) for event in (*each.host, *each.guest)]
    assert {"listening", "seated", "shuffle", "dealt", "turn", "over"} <= {event["event"] for event in events}
    for event in events:
        validator("events").validate(event)


@pytest.mark.process
@pytest.mark.parametrize(
    "command", [("verify", GOLDEN, "--json"), ("show", GOLDEN, "--json"), ("export", GOLDEN, "--format", "json"),
                ("stats", GOLDEN, "--json"), ("config", "--json"), ("id", "--json"), ("rules", "--json"),
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
    "wrong",
    [
        {"event": "turn", "turn": 1, "seat": 13, "action": "pass"},
        {"event": "turn", "turn": 1, "seat": 1},
        {"event": "turned", "turn": 1, "seat": 1, "action": "pass"},
        {"event": "seated", "seat": 1, "name": "ann", "key": "00"},
    ],
)
def test_other_objects_are_not(wrong: dict[str, object]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        validator("events").validate(wrong)


def test_a_field_to_come_is_no_fault() -> None:
    validator("events").validate({"event": "back", "seat": 2, "since": 7})
    validator("programs").validate({"type": "event", "event": "back", "seat": 2})
    with pytest.raises(jsonschema.ValidationError):
        validator("programs").validate({"event": "back", "seat": 2})


def test_the_answer_of_a_program() -> None:
    validator("programs").validate(msgspec.to_builtins(BotChoice("choice", 1, "QH e5")))
    with pytest.raises(jsonschema.ValidationError):
        validator("programs").validate({"type": "choice", "id": 0, "action": "QH e5"})


def test_every_event_of_a_program_is_an_event() -> None:
    assert set(BOT_EVENTS) <= EVENTS.keys()
