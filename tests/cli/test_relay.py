"""Playing over a relay: the long code, the meeting place, and what goes wrong there. The relay is a real process.

Nobody is found on a network here: a table that listens on loopback is not advertised.
"""

import socketserver
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import pytest

from seqp2p.api import finding
from seqp2p.lobby.code import place_of
from seqp2p.net.addresses import Address
from seqp2p.net.limits import DEFAULT_LIMITS
from tests.cli.conftest import Cli, Ended
from tests.cli.processes import Household, Process
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


def test_two_bots_play_a_whole_game_over_the_relay(people: Household, relay: Address) -> None:
    host = host_at(people, relay)
    shown = host.event("listening")
    assert shown["relay"] == str(relay)
    assert place_of(shown["code"]) is not None
    host.line(f"others join with:  seqp2p join {shown['code']} --relay {relay}")
    guest = join_at(people, relay, shown["code"])
    assert (host.end(), guest.end()) == (0, 0), host.said() + guest.said()
    assert host.events[-1]["result"] == guest.events[-1]["result"] != "unfinished"


def test_the_code_is_not_in_the_log(people: Household, relay: Address) -> None:
    log = people.directory / "log"
    host = host_at(people, relay, "--log-file", str(log))
    code = host.event("listening")["code"]
    text = log.read_text("utf-8")
    assert "[redacted]" in text
    assert code not in text
    assert "-".join(code.split("-")[-2:]) not in text


def test_spectators_come_by_the_relay_before_the_start_and_later(people: Household, relay: Address) -> None:
    host = host_at(people, relay)
    code = host.event("listening")["code"]
    early = people.start("watch", code, "--relay", relay, "--json", "--replay-dir", people.replays("eve"), who="eve")
    early.line("you are let in")
    guest = people.join(host, bot=None, stdin=subprocess.PIPE)
    person = Person(guest)
    guest.type(person.turn()[0])  # And no more until the other spectator is there.
    late = people.start("watch", code, "--relay", relay, "--json", "--replay-dir", people.replays("adam"), who="adam")
    late.event("turn")
    person.play_on()
    assert [each.end() for each in (host, guest, early, late)] == [0, 0, 0, 0], early.said() + late.said()
    for spectator in (early, late):
        assert spectator.events[-1]["result"] == host.events[-1]["result"]


def test_a_relay_that_is_away_while_the_lobby_is_open_is_told(people: Household) -> None:
    with relay_process() as address:
        host = host_at(people, address, "--players", "3")
        code = host.event("listening")["code"]
        lost = join_at(people, address, code)
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
        back, other = join_at(people, address, code), people.join(host, who="other", bot="learned")
        assert [each.end() for each in (host, back, other)] == [0, 0, 0], host.said() + back.said()
    assert [event["event"] for event in host.events].count("relay") == 2


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


def test_a_demo_over_the_relay(people: Household, relay: Address) -> None:
    demo = people.start(
        "demo", "--players", "2", "--bot", "learned", "--relay", relay, "--json", "--replay-dir", people.replays("demo")
    )
    assert demo.end() == 0, demo.said()
    assert demo.events[-1]["verdict"] == "verified"


def test_a_player_at_the_table_may_agree_to_the_hosts_relay(people: Household, relay: Address) -> None:
    host = host_at(people, relay, "--players", "3")
    shown = host.event("listening")
    code = ("--code", shown["code"])
    person = people.start("join", shown["address"], *code, "--plain", who="person", stdin=subprocess.PIPE)
    person.line(f"this table also uses the relay {relay}; type relay to use it too")
    person.type("relay")
    person.line(f"you use the relay {relay}, unless all have agreed to the table already")
    assert host.event("lobby")["relay"] == str(relay)


# Bad input.


class Closing(socketserver.BaseRequestHandler):
    """Refuses: it reads, and closes."""

    def handle(self) -> None:
        self.request.recv(1_000)


class Other(socketserver.BaseRequestHandler):
    """Another program."""

    def handle(self) -> None:
        self.request.recv(1_000)
        self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


@contextmanager
def serving(handler: type[socketserver.BaseRequestHandler]) -> Iterator[Address]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Address("127.0.0.1", server.server_address[1])
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def nothing() -> Iterator[Address]:
    yield free_address()


RELAYS: dict[str, Callable[[], AbstractContextManager[Address]]] = {
    "cannot be reached": nothing,
    "has closed the line": partial(serving, Closing),
    "is no relay": partial(serving, Other),
}
CODE = "7-4821937-5526041-amber-falcon"


def failed(ended: Ended) -> str:
    """The sentence and the hint with which a command could not connect."""
    exit_code, out, err = ended
    assert (exit_code, out) == (4, "")
    error, hint = err.splitlines()
    assert error.startswith("seqp2p: error: ")
    assert hint.startswith("seqp2p: hint: ")
    return error


@pytest.mark.parametrize("told", RELAYS)
def test_a_relay_that_cannot_be_used(cli: Cli, told: str) -> None:
    with RELAYS[told]() as address:
        joined = cli("join", CODE, "--relay", address, "--bot", "random", "--listen", "127.0.0.1:0")
        assert told in failed(joined)
        hosted = cli("host", "--relay", address, "--bot", "random", "--listen", "127.0.0.1:0")
        assert told in failed(hosted)
        watched = cli("watch", CODE, "--relay", address)
        assert told in failed(watched)


def test_nobody_at_the_meeting_place(cli: Cli, relay: Address) -> None:
    began = time.monotonic()
    joined = cli("join", CODE, "--relay", relay, "--bot", "random", "--listen", "127.0.0.1:0")
    assert "its host is not there yet, or the code is wrong" in failed(joined)
    assert time.monotonic() - began >= DEFAULT_LIMITS.relay_meet_s


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
        monkeypatch.setenv("SEQP2P_RELAY", str(address))
        for command in (("join", CODE), ("watch", CODE)):
            exit_code, _, err = cli(*command)
            assert exit_code == 4
            assert "cannot be reached" in err
        assert "name its relay" in cli("join", CODE, "--bot", "random")[2]
        assert "name its relay" in cli("watch", CODE, "--json")[2]
        assert "name its relay" in cli("join", CODE, "--relay", "")[2]


def test_what_is_no_relay_address(cli: Cli) -> None:
    for command in (("join", CODE, "--bot", "random"), ("host",), ("watch", CODE), ("demo",)):
        exit_code, _, err = cli(*command, "--relay", "not an address")
        assert exit_code == 2
        assert "is no address" in err


def test_a_wrong_secret_and_an_old_code_are_tried_once(people: Household, relay: Address) -> None:
    host = host_at(people, relay)
    code = host.event("listening")["code"]
    number, first, second, *words, last = code.split("-")
    wrong = "-".join([number, first, second, *words, "acorn" if last != "acorn" else "agent"])
    old = "-".join([str(int(number) % 99 + 1), first, second, *words, last])
    for given in (wrong, old):
        guest = join_at(people, relay, given)
        assert guest.end() == 4, guest.said()
        assert guest.error()[0] == "this is not the code of the table"
    assert host.event("strangers", count=2, wrong=1)
    guest = join_at(people, relay, code)
    assert (host.end(), guest.end()) == (0, 0)
