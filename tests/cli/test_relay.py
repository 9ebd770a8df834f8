"""Playing over a relay: the long code, the meeting place, and what goes wrong there. The relay is a real process.

Nobody is found on a network here: a table that listens on loopback is not advertised.
"""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest

from seqp2p.api import finding
from seqp2p.cli.replays import verify_file
from seqp2p.cli.reporter import TABLE_FULL
from seqp2p.lobby.code import place_of
from seqp2p.net.addresses import Address
from tests.cli import documented
from tests.cli.conftest import Cli, refused
from tests.cli.processes import Household, Process
from tests.cli.test_lobby import Banner, Hasty, serving
from tests.cli.test_person import Person
from tests.relay import free_address, relay_process

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def relay() -> Iterator[Address]:
    with relay_process() as address:
        yield address


def host_at(people: Household, relay: Address, *more: str) -> Process:
    """A bot that hosts a short game."""
    return people.host("--variant", "kids", "--relay", relay, *more, bot="learned")


def join_at(people: Household, relay: Address, code: str) -> Process:
    """A bot that comes by the relay. Its code is in the environment, as a demo gives it."""
    arguments = ("join", "--relay", relay, "--bot", "learned", "--listen", "127.0.0.1:0", "--name", "guest", "--json")
    replays = people.replays("guest")
    return people.start(*arguments, "--replay-dir", replays, who="guest", env={"SEQP2P_CODE": code})


def test_a_table_at_a_relay_is_told_and_a_player_may_agree_to_the_relay(people: Household, relay: Address) -> None:
    log = people.directory / "log"
    host = host_at(people, relay, "--players", "3", "--log-file", str(log))
    shown = host.event("listening")
    code = shown["code"]
    assert shown["relay"] == str(relay)
    assert place_of(code) is not None
    host.line(f"others join with:  seqp2p join {code} --relay {relay}")
    person = people.start("join", shown["address"], "--code", code, "--plain", who="person", stdin=subprocess.PIPE)
    person.line(f"this table also uses the relay {relay}; type relay to use it too")
    person.type("relay")
    person.line(f"you use the relay {relay}, unless all have agreed to the table already")
    assert host.event("lobby")["relay"] == str(relay)
    text = log.read_text("utf-8")
    assert "[redacted]" in text
    assert code not in text
    assert "-".join(code.split("-")[-2:]) not in text


def test_a_relay_that_is_away_while_the_lobby_is_open_is_told(people: Household) -> None:
    with relay_process() as address:
        host = host_at(people, address, "--players", "3")
        lost = join_at(people, address, host.event("listening")["code"])
        lost.event("lobby")
    assert lost.end() == 4, lost.said()
    assert lost.error() == (
        "the connection is lost",
        "check the address, and that the host is still there; then try again",
    )
    away = host.event("relay")
    assert away["relay"] == str(address)
    assert "cannot be reached" in away["problem"]
    with relay_process(address):
        assert host.event("relay", 2) == {"event": "relay", "relay": str(address), "problem": None}


def test_the_host_calls_a_bot_beside_a_player_at_the_relay(people: Household, relay: Address) -> None:
    """The bot uses the host's relay, too: a player elsewhere may reach it in no other way."""
    more = ("--players", "3", "--relay", relay, "--pace", "0")
    host = people.host("--variant", "kids", *more, bot=None, stdin=subprocess.PIPE)
    guest = join_at(people, relay, host.event("listening")["code"])
    host.line("at the table: host .you., guest, free")
    host.type("start")
    assert host.event("seated", seat=3)["name"] == "bot 3"
    Person(host).turn()
    host.type("leave", "yes")
    assert host.end() == 5, host.said()
    assert guest.end() in (0, 5), guest.said()


def test_a_whole_demo_at_the_relay_tells_what_is_documented(cli: Cli, relay: Address, tmp_path: Path) -> None:
    # One game in fifty of two greedy bots has hundreds of turns, and may be drawn.
    options = ("--players", 2, "--bot", "random", "--json", "--replay-dir", tmp_path / "replays", "--relay", relay)
    exit_code, out, err = cli("demo", *options)
    assert exit_code == 0
    events = documented.stream(out)
    assert all(event.keys() == documented.demo_fields()[event["event"]] for event in events)
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
    for text in ("the proof is checked (2/2)", "won by ", "verify: verified", "** "):
        assert text in err
    assert "join" not in err


# Bad input.


@contextmanager
def nothing() -> Iterator[str]:
    yield str(free_address())


RELAYS: dict[str, Callable[[], AbstractContextManager[str]]] = {
    "cannot be reached": nothing,
    "has closed the line": partial(serving, Hasty),
    "is no relay": partial(serving, Banner),
}
CODE = "7-4821937-5526041-amber-falcon"


@pytest.mark.parametrize("told", RELAYS)
def test_a_relay_that_cannot_be_used(cli: Cli, told: str) -> None:
    own = ("--bot", "random", "--listen", "127.0.0.1:0")
    with RELAYS[told]() as address:
        for command in (("join", CODE, *own), ("host", *own), ("watch", CODE)):
            exit_code, error, hint = refused(cli(*command, "--relay", address))
            assert (exit_code, bool(hint)) == (4, True)
            assert told in error


@pytest.fixture
def empty_lan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is on the LAN, so it is not looked at for long."""
    monkeypatch.setattr(finding, "FIND_S", 0.1)


@pytest.mark.usefixtures("empty_lan")
def test_a_code_with_a_place_needs_a_relay_elsewhere(cli: Cli) -> None:
    exit_code, out, err = cli("join", CODE, "--bot", "random", "--listen", "127.0.0.1:0")
    assert (exit_code, out) == (4, "")
    assert "name its relay, HOST:PORT" in err


@pytest.mark.usefixtures("empty_lan")
def test_a_setting_is_used_where_a_person_plays_and_not_by_a_bot(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with nothing() as address:
        monkeypatch.setenv("SEQP2P_RELAY", address)
        for command in (("join", CODE), ("watch", CODE)):
            exit_code, _, err = cli(*command)
            assert exit_code == 4
            assert "cannot be reached" in err
        assert "name its relay" in cli("join", CODE, "--bot", "random")[2]
        assert "name its relay" in cli("watch", CODE, "--json")[2]
        assert "name its relay" in cli("join", CODE, "--relay", "")[2]
