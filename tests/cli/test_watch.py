"""``seqp2p watch`` as a script and as a person meets it: real processes over loopback."""

import signal
import subprocess
from pathlib import Path

import pytest

from seqp2p.ui.plain import SPECTATOR_HELP
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import Event, Household, Process
from tests.cli.test_person import Person


def watch(people: Household, host: Process, *arguments: object, who: str = "eve", **more: object) -> Process:
    listening = [event for event in host.events if event["event"] == "listening"][-1]
    given = ("watch", listening["address"], "--code", listening["code"], "--name", who)
    directory = people.replays(who)
    return people.start(*given, "--replay-dir", directory, *arguments, who=who, **more)  # type: ignore[arg-type]


def played(process: Process) -> list[Event]:
    """The events of the game that everybody at the table tells alike."""
    return [event for event in process.events if event["event"] in ("seated", "dealer", "turn", "exchange", "remark")]


def test_a_whole_game(people: Household) -> None:
    """One comes before the table is full, one in the middle; both of one home."""
    host = people.host("--players", "2", "--variant", "kids")
    host.event("listening")
    first = watch(people, host, "--json")
    host.line("eve watches")
    guest = people.join(host, bot=None, stdin=subprocess.PIPE)
    person = Person(guest)
    guest.type(person.turn()[0])
    second = watch(people, host, "--json")
    second.event("turn")
    person.play_on()
    assert [each.end() for each in (host, guest, first, second)] == [0, 0, 0, 0], first.said()
    replays = set[Path]()
    for spectator in (first, second):
        assert played(spectator) == played(host)
        over, own = spectator.events[-1], host.events[-1]
        assert over == own | {"seat": None, "replay": over["replay"]}
        replays.add(Path(over["replay"]))
    assert len(replays) == 2
    assert all(path.parent == people.replays("eve") and "-watch-" in path.name for path in replays)
    assert people.call("verify", *replays, who="eve").end() == 0


def test_a_person_looks_and_goes(people: Household) -> None:
    host = people.host("--players", "2")
    host.event("listening")
    guest = people.join(host, bot=None, stdin=subprocess.PIPE)
    guest.type(Person(guest).turn()[0])  # And no more: it is soon the guest's turn again.
    host.event("turn")
    eve = watch(people, host, stdin=subprocess.PIPE)
    eve.line("seat 1: host")
    eve.line(r" 1\. ")
    eve.type("help", "board", "SEATS", "log", "QH e5")
    eve.line(SPECTATOR_HELP)
    eve.line(r"^ 10  \*\* ")
    eve.line("discarded .*to play")
    eve.line(r" 1\. ", 2)
    eve.line("qh e5 is no word of a spectator's")
    eve.type("leave")
    assert eve.end() == 5
    eve.line("unfinished|you left")
    guest.type("leave", "yes")
    assert (host.end(), guest.end()) == (5, 5)


def test_asked_to_end(people: Household) -> None:
    host = people.host("--players", "2", "--variant", "kids")
    host.event("listening")
    guest = people.join(host, bot=None, stdin=subprocess.PIPE)
    guest.type(Person(guest).turn()[0])
    eve = watch(people, host, "--json")
    eve.event("turn")
    eve.signal(signal.SIGINT)
    assert eve.end() == 5
    over = eve.events[-1]
    assert (over["event"], over["result"], over["seat"]) == ("over", "unfinished", None)
    assert people.call("verify", over["replay"], who="eve").end() == 5
    guest.type("leave", "yes")
    assert (host.end(), guest.end()) == (5, 5)


def test_asked_to_end_in_a_lobby(people: Household) -> None:
    host = people.host("--players", "2")
    host.event("listening")
    for number in (signal.SIGTERM, signal.SIGHUP):
        eve = watch(people, host, "--json")
        eve.line("^you are let in")
        eve.signal(number)
        assert eve.end() == 5
        *lobbies, over = eve.events
        assert {event["event"] for event in lobbies} <= {"lobby"}
        assert over.keys() == documented.fields()["over"]
        assert (over["event"], over["result"], over["seat"], over["replay"]) == ("over", "unfinished", None, None)
        assert "you left" in eve.err
        assert ("seqp2p: error: the terminal is gone" in eve.err) == (number == signal.SIGHUP)
    host.signal(signal.SIGTERM)
    assert host.end() == 5


def test_refused(people: Household) -> None:
    host = people.host("--players", "2", "--spectators", "0")
    host.event("listening")
    eve = watch(people, host, "--json")
    assert eve.end() == 4
    assert eve.out == []
    assert eve.error()[0] == "this table takes no more spectators"
    host.signal(signal.SIGTERM)
    host.end()


def test_ends_with_the_process_that_started_it(people: Household) -> None:
    host = people.host("--players", "2")
    host.event("listening")
    eve = watch(people, host, "--until-stdin-closes", stdin=subprocess.PIPE)
    host.line("eve watches")
    eve.close_input()
    assert eve.end() == 5
    host.signal(signal.SIGTERM)
    host.end()


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ("watch 127.0.0.1:1", "no join code was given"),
        ("watch a b", "got unexpected extra argument (b)"),
        ("watch 7-amber-falcon --code 7-amber-falcon", "the join code is given twice"),
        ("host --spectators 201", "invalid value for '--spectators'"),
    ],
)
def test_usage(cli: Cli, typed: str, error: str) -> None:
    exit_code, out, err = cli(*typed.split())
    assert (exit_code, out) == (2, "")
    assert err.startswith(f"seqp2p: error: {error}")
