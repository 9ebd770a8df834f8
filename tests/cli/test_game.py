"""The contract for scripts: two terminals, a game, two replays of the same steps."""

import json
from pathlib import Path

import pytest

from seqp2p.replay.format import OpeningRecord, Placed, StepRecord, records
from tests.cli import documented
from tests.cli.conftest import Cli, Game, refused
from tests.cli.processes import Event, Household
from tests.cli.test_schemas import validator
from tests.helpful import HELPFUL


def placed_in(replay: Path) -> list[Placed]:
    return list(records(replay.read_bytes()))


def of(events: list[Event], name: str) -> list[Event]:
    return [event for event in events if event["event"] == name]


def test_the_first_event_has_the_code_and_the_last_the_result(game: Game) -> None:
    first = game.host[0]
    assert first["event"] == "listening"
    assert first["address"].startswith("127.0.0.1:")
    assert len(first["code"].split("-")) == 3
    for seat, events in enumerate((game.host, game.guest), 1):
        last = events[-1]
        assert (last["event"], last["seat"], last["reason"], last["result"]) == ("over", seat, None, "won")
        assert last["winners"] == game.host[-1]["winners"] != []
        assert len(of(events, "over")) == 1
    for text in ("the join code is:  " + first["code"], "at the table: host (you), guest", " won"):
        assert text in game.spoken


def test_every_event_is_as_documented_and_as_the_schema(game: Game, kids_game: Game) -> None:
    events = [event for each in (game, kids_game) for event in (*each.host, *each.guest)]
    assert {"listening", "seated", "dealer", "shuffle", "dealt", "turn", "over"} <= {event["event"] for event in events}
    for event in events:
        validator("events").validate(event)


def test_both_replays_verify(game: Game, kids_game: Game, cli: Cli) -> None:
    replays = [*game.replays, *kids_game.replays]
    exit_code, out, _ = cli("verify", "--json", *replays)
    assert exit_code == 0
    *verdicts, _ = documented.stream(out)
    for event, path in zip(verdicts, replays, strict=True):
        assert (event["verdict"], event["reason"], event["step"]) == ("verified", None, None)
        assert event["steps"] == sum(isinstance(placed.record, StepRecord) for placed in placed_in(path))
    first, second = verdicts[:2]
    keys = [event["key"] for event in of(game.host, "seated")]
    assert [player["key"] for player in first["players"]] == [first["writer"], second["writer"]] == keys
    assert (first["result"], first["winners"]) == ("won", game.host[-1]["winners"])
    assert first["game"] == second["game"]
    assert game.replays[0].name.endswith(f"-{first['game'][:12]}-seat1.seqp2p")


def test_both_tell_the_same_game(game: Game) -> None:
    for name in ("seated", "dealer", "turn", "exchange"):
        assert of(game.host, name) == of(game.guest, name)
    assert [event["name"] for event in of(game.guest, "seated")] == ["host", "guest"]
    kinds = [event["event"] for event in game.guest if event["event"] != "lobby"]
    assert kinds[:6] == ["seated", "seated", "dealer", "shuffle", "shuffle", "dealt"]
    # The seat after the dealer begins, and the seats alternate.
    dealer, turns = of(game.host, "dealer")[0]["seat"], of(game.guest, "turn")
    assert [event["seat"] for event in turns[:4]] == [3 - dealer, dealer] * 2
    assert 0 < sum(event["seconds"] for event in of(game.host, "shuffle")) < game.lasted_s


def test_hands_are_opened_unless_the_table_keeps_them_closed(game: Game, kids_game: Game) -> None:
    for played, seats in ((game, [1, 2]), (kids_game, [])):
        for replay in played.replays:
            opened = [placed.record.seat for placed in placed_in(replay) if isinstance(placed.record, OpeningRecord)]
            assert opened == seats


def test_standard_output_has_json_and_nothing_else(kids_game: Game) -> None:
    # Every line was read as JSON on the way here; a terminal's encoding cannot spoil it.
    assert of(kids_game.guest, "seated")[0]["name"] == "Zoé ♠"
    assert all(line.isascii() for line in [*kids_game.out, kids_game.spoken])
    assert json.loads(kids_game.out[0]) == {"stream": 1, **kids_game.host[0]}


def test_the_account_needs_no_options(people: Household) -> None:
    # Name, identity and replay folder are the account's own; events are for those who ask for them.
    host = people.start("host", "--variant", "kids", "--bot", HELPFUL, "--listen", "127.0.0.1:0", who="one")
    address = host.line(r"seqp2p join (\S+)")[1]
    code = host.line(r"join code is: +(\S+)")[1]
    guest = people.start("join", address, "--code", code, "--bot", HELPFUL, who="one")
    assert (host.end(), guest.end()) == (0, 0)
    assert host.err == guest.err == []
    replays = sorted((people.home("one") / "replays").iterdir())
    assert [path.name[-12:] for path in replays] == ["seat1.seqp2p", "seat2.seqp2p"]
    assert host.out[-1] == f"replay: {replays[0]}"
    # Two terminals of one person: a second identity, and a name that says so.
    names = [host.line(rf"seat {seat}: (.+)  \w+  (\S+)$") for seat in (1, 2)]
    assert names[1][1] == f"{names[0][1]} 2"
    assert names[0][2] != names[1][2]
    assert sorted(path.name for path in people.home("one").glob("*.key")) == ["identity-2.key", "identity.key"]


@pytest.mark.parametrize("command", ["host", "join", "demo"])
def test_replays_have_a_folder_before_the_game_begins(cli: Cli, tmp_path: Path, command: str) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    where = {"join": ("127.0.0.1:1", "--code", "7-amber-falcon")}.get(command, ())
    why = f"cannot keep replays in {blocked / 'replays'}: Not a directory"
    ended = refused(cli(command, *where, "--bot", "random", "--replay-dir", blocked / "replays"))
    assert ended == (1, why, "choose another folder with --replay-dir")
