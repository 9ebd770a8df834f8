"""``seqp2p watch`` for a script and for a person: real processes over loopback."""

import signal
import subprocess
from pathlib import Path

from seqp2p.cli.replays import verify_file
from seqp2p.ui.plain import SPECTATOR_HELP
from tests.cli.processes import Event, Household, Process
from tests.cli.test_person import Person


def watch(people: Household, host: Process, *arguments: object, who: str = "eve", **more: object) -> Process:
    listening = [event for event in host.events if event["event"] == "listening"][-1]
    given = ("watch", listening["address"], "--code", listening["code"], "--name", who)
    directory = people.replays(who)
    return people.start(*given, "--replay-dir", directory, *arguments, who=who, **more)  # type: ignore[arg-type]


def played(process: Process) -> list[Event]:
    """Return the events of the game that all at the table tell alike."""
    return [event for event in process.events if event["event"] in ("seated", "dealer", "turn", "exchange", "remark")]


def test_a_whole_game(people: Household) -> None:
    """One comes before the table is full, two in the middle, and one of these goes; all have one home."""
    host = people.host("--players", "2", "--variant", "kids")
    host.event("listening")
    first = watch(people, host, "--json")
    host.line("eve watches")
    guest = people.join(host, bot=None, stdin=subprocess.PIPE)
    person = Person(guest)
    guest.type(person.turn()[0])
    second, third = (watch(people, host, "--json") for _ in range(2))
    second.event("turn")
    third.event("turn")
    third.signal(signal.SIGINT)
    assert third.end() == 5
    over = third.events[-1]
    assert (over["event"], over["result"], over["seat"]) == ("over", "unfinished", None)
    assert verify_file(Path(over["replay"])).verdict == "unfinished"
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
    assert [verify_file(path).verdict for path in replays] == ["verified"] * 2


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
    eve.line("spectators cannot use qh e5")
    eve.type("leave")
    assert eve.end() == 5
    eve.line("unfinished|you left")
    guest.type("leave", "yes")
    assert (host.end(), guest.end()) == (5, 5)


def test_asked_to_end_in_a_lobby(people: Household) -> None:
    host = people.host("--players", "2")
    host.event("listening")
    eve = watch(people, host, "--json")
    eve.line("^you are let in")
    eve.signal(signal.SIGHUP)
    assert eve.end() == 5
    over = eve.events[-1]
    assert (over["event"], over["result"], over["seat"], over["replay"]) == ("over", "unfinished", None, None)
    assert eve.err[-2:] == ["you left", "seqp2p: the terminal is gone"]
