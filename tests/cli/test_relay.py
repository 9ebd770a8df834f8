"""Playing over a real relay: the long code, the meeting place, and a relay that is away."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from seqp2p.api import finding
from seqp2p.cli.replays import verify_file
from seqp2p.cli.reporter import TABLE_FULL
from seqp2p.lobby.code import place_of
from seqp2p.net.addresses import Address
from tests.cli import documented
from tests.cli.conftest import Cli, refused
from tests.cli.processes import Household
from tests.relay import free_address, relay_process

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def relay() -> Iterator[Address]:
    with relay_process() as address:
        yield address


def test_a_table_at_a_relay_is_told_and_a_player_may_agree_to_the_relay(people: Household, relay: Address) -> None:
    log = people.directory / "log"
    host = people.host("--relay", relay, "--players", "3", "--log-file", log)
    shown = host.event("listening")
    code = shown["code"]
    assert shown["relay"] == str(relay)
    assert place_of(code) is not None
    host.line(f"others join with:  seqp2p join {code} --relay {relay}")
    person = people.start("join", shown["address"], "--code", code, "--plain", who="person", stdin=subprocess.PIPE)
    person.line(f"this table also uses the relay {relay}; type relay to use it too")
    person.type("relay")
    person.line(f"you use the relay {relay}, unless everybody has already accepted the table")
    assert host.event("lobby")["relay"] == str(relay)
    text = log.read_text("utf-8")
    assert "[redacted]" in text
    assert code not in text
    assert "-".join(code.split("-")[-2:]) not in text


def test_a_whole_demo_at_the_relay_tells_what_is_documented(cli: Cli, relay: Address, tmp_path: Path) -> None:
    # One game in fifty of two greedy bots has hundreds of turns, and may be drawn.
    options = ("--players", 2, "--bot", "random", "--json", "--replay-dir", tmp_path / "replays", "--relay", relay)
    exit_code, out, err = cli("demo", *options)
    assert exit_code == 0
    events = documented.stream(out)
    names = [event["event"] for event in events]
    assert names[:2] == ["dealer", "shuffle"]
    assert (names.count("dealt"), names.count("over")) == (1, 1)
    assert events[names.index("dealt")]["seconds"] > 0
    shuffled = [event["seat"] for event in events if event["event"] == "shuffle" and event["reshuffle"] == 0]
    assert shuffled == [1, 2]
    turns = [event["turn"] for event in events if event["event"] == "turn"]
    assert turns == list(range(1, len(turns) + 1))
    over = events[-1]
    assert (over["event"], over["result"], over["reason"], over["verdict"]) == ("over", "won", None, "verified")
    assert [path[-12:] for path in over["replays"]] == ["seat1.seqp2p", "seat2.seqp2p"]
    assert verify_file(Path(over["replays"][-1])).verdict == "verified"
    # People read along: progress, board, winner, verdict. Nobody else may join, so that nothing is said of how.
    assert err.splitlines()[0] == TABLE_FULL
    for text in ("the proof is checked (2/2)", " won", "verify: verified", "** "):
        assert text in err
    assert "join" not in err


CODE = "7-4821937-5526041-amber-falcon"


def test_a_setting_is_used_where_a_person_plays_and_not_by_a_bot(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code has a place, so a relay is needed; no table is on this network."""
    monkeypatch.setattr(finding, "FIND_S", 0.1)
    monkeypatch.setenv("SEQP2P_RELAY", str(free_address()))
    for command, told in (
        (("host", "--bot", "random", "--listen", "127.0.0.1:0", "--relay", str(free_address())), "cannot be reached"),
        (("join", CODE), "cannot be reached"),
        (("watch", CODE), "cannot be reached"),
        (("join", CODE, "--bot", "random"), "name its relay, HOST:PORT"),
        (("watch", CODE, "--json"), "name its relay"),
        (("join", CODE, "--relay", ""), "name its relay"),
    ):
        exit_code, error, hint = refused(cli(*command))
        assert (exit_code, bool(hint)) == (4, True)
        assert told in error + hint


def test_a_relay_that_is_away_while_the_lobby_is_open_is_told(people: Household) -> None:
    with relay_process() as address:
        host = people.host("--relay", address)
        host.event("listening")
    away = host.event("relay")
    assert (away["relay"], "cannot be reached" in away["problem"]) == (str(address), True)
    with relay_process(address):
        assert host.event("relay", 2)["problem"] is None
