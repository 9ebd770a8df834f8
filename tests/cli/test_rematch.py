"""Several games at one table: for scripts (--games), for people who are asked, and where a game never began."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seqp2p.cli.replays import verify_file
from tests.cli import documented
from tests.cli.processes import Event, Household, Process
from tests.cli.test_person import Person


def games(events: list[Event]) -> list[list[Event]]:
    """The events from the first seat to the end, by game."""
    found: list[list[Event]] = []
    for event in events:
        if event["event"] == "seated" and event["seat"] == 1:
            found.append([])
        if found:
            found[-1].append(event)
    return found


def people_at(game: list[Event]) -> dict[str, int]:
    return {event["name"]: event["seat"] for event in game if event["event"] == "seated"}


@pytest.mark.parametrize("players", [2, 3])
def test_two_games_at_one_table(people: Household, players: int) -> None:
    host = people.host("--variant", "kids", "--players", players, "--games", "2")
    guests = [people.join(host, "--games", "2", who=f"guest {number}") for number in range(2, players + 1)]
    everybody = [host, *guests]
    assert [process.end() for process in everybody] == [0] * players, host.said()
    replays: list[str] = []
    for process in everybody:
        for event in process.events:
            assert event.keys() == documented.fields()[event["event"]]
        names = [event["event"] for event in process.events]
        assert (names.count("over"), names.count("rematch"), names.count("dealt")) == (2, 1, 2)
        assert names[names.index("rematch") + 1] == "seated"
        assert process.event("rematch")["game"] == 2
        first, second = games(process.events)
        # Everybody has the seat from before, whoever came first.
        assert people_at(first) == people_at(second)
        replays += [process.event("over", nth)["replay"] for nth in (1, 2)]
    assert len(set(replays)) == 2 * players
    reports = [verify_file(Path(replay)) for replay in replays]
    assert {report.verdict for report in reports} == {"verified"}
    # Two games, each with an id and keys of its own.
    assert len({report.game for report in reports}) == 2
    # The code is another one, and nobody had to type it.
    codes = [event["code"] for event in host.events if event["event"] == "listening"]
    assert len(set(codes)) == 2


def test_a_seat_that_does_not_come_back_is_free_for_others(people: Household) -> None:
    host = people.host("--variant", "kids", "--games", "2")
    first = people.join(host, who="first")
    assert first.end() == 0
    host.event("listening", 2)
    # The seat is kept for a while, so that a stranger with the code is told to wait.
    stranger = people.join(host, who="stranger")
    assert stranger.end() == 4
    assert stranger.error()[0] == "the free seats are kept for those who have played here before"
    # Who played before is no stranger, also with the code.
    assert (people.join(host, who="first").end(), host.end()) == (0, 0)


def test_a_host_that_plays_no_other_game(people: Household) -> None:
    host = people.host("--variant", "kids")
    guest = people.join(host, "--games", "2")
    assert (host.end(), guest.end()) == (0, 4)
    error, hint = guest.error()
    assert error == "there is no other game at this table: the host is gone"
    assert hint
    assert guest.events[-1]["event"] == "over"


# Whoever dies as soon as the table is agreed has signed nothing: there is no deal.
LOST_GUEST = """
import os, signal, sys, trio, seqp2p

async def main():
    async with seqp2p.join(sys.argv[1], code=sys.argv[2], name="victim", replay_dir=sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

trio.run(main)
"""
LOST_HOST = """
import json, os, signal, sys, trio, seqp2p

async def main():
    table = seqp2p.host(2, variant="kids", name="host", listen="127.0.0.1:0", grace_s=1, replay_dir=sys.argv[1])
    async with table as table:
        shown = {"event": "listening", "address": table.address, "code": table.code, "relay": None}
        print(json.dumps(shown), flush=True)
        async with table.seat():
            os.kill(os.getpid(), signal.SIGKILL)

trio.run(main)
"""


def test_the_lobby_opens_again_when_somebody_is_lost_before_the_deal(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "3", "--grace", "1")
    shown = host.event("listening")
    people.run([sys.executable, "-c", LOST_GUEST, shown["address"], shown["code"], str(people.replays("victim"))])
    host.line("victim, free")
    other = people.join(host, who="other")
    assert host.event("over")["result"] == "unfinished"
    assert host.event("listening", 2)["code"] != shown["code"]
    # Who is still there sits down again by itself, with the seat it had; the missing seat is free at once.
    host.line("at the table: host .you., (free, other|other, free)")
    last = people.join(host, who="last")
    assert (host.end(), other.end(), last.end()) == (0, 0, 0)
    for process in (host, other):
        names = [event["event"] for event in process.events]
        assert names.index("over") < names.index("dealt")
        assert process.event("rematch")["game"] == 2
        assert process.event("over", 1)["result"] == "unfinished"
        assert process.event("over", 2)["result"] in ("won", "drawn")
    assert set(people_at(games(host.events)[1])) == {"host", "other", "last"}


def test_a_host_that_is_lost_before_the_deal(people: Household) -> None:
    host = people.run([sys.executable, "-c", LOST_HOST, str(people.replays("host"))])
    guest = people.join(host)
    assert guest.end() == 5
    assert guest.error()[0] == "there is no other game at this table: the host is gone"
    names = [event["event"] for event in guest.events]
    assert "over" in names
    assert "dealt" not in names


# A person at a terminal.


class Terminal:
    """Somebody who types at a terminal, and reads what is said there."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()

    def start(self, people: Household, *arguments: object, who: str, **more: Any) -> Process:
        process = people.start(
            *arguments, "--name", who, "--replay-dir", people.replays(who), who=who, stdin=self.slave, **more
        )
        os.close(self.slave)
        self.slave = -1
        return process

    def type(self, *lines: str) -> None:
        os.write(self.master, "".join(f"{line}\n" for line in lines).encode())

    def close(self) -> None:
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    made.close()


@pytest.fixture
def second_terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    made.close()


ASKED = r"^another game at this table\? yes"


def test_a_person_can_leave_the_lobby(people: Household, terminal: Terminal, second_terminal: Terminal) -> None:
    host = terminal.start(people, "host", "--players", "3", "--listen", "127.0.0.1:0", who="host")
    address, code = host.line(r"seqp2p join (\S+)")[1], host.line("the join code is:  (.*)")[1]
    guest = second_terminal.start(people, "join", address, "--code", code, who="anna")
    guest.line("^at the table: host, anna .you., free$")
    second_terminal.type("QH e5", "help")
    guest.line("^the game has not started; help says what you can do$")
    guest.line("^the game starts when the table is full and the host begins; .*leave goes away$")
    second_terminal.type("leave")
    assert guest.end() == 5
    assert guest.out[-1] == "you left the table"
    host.line("^anna has left the table$")
    terminal.type("quit")
    assert host.end() == 5
    assert host.out[-1] == "you left the table"


def test_what_is_typed_as_the_game_begins_is_not_lost(people: Household, terminal: Terminal) -> None:
    host = people.host("--variant", "kids", "--pace", "3600")
    event = host.event("listening")
    guest = terminal.start(people, "join", event["address"], "--code", event["code"], who="anna")
    guest.line("^the table is full$")
    terminal.type("say one", "say two", "say three")
    assert [host.event("remark", nth)["text"] for nth in (1, 2, 3)] == ["one", "two", "three"]
    host.event("dealt")
    terminal.type("leave", "yes")
    assert (guest.end(), host.end()) == (5, 5)
    # Who has left is not asked for another game.
    assert not any("another game" in line for line in guest.out)


def test_a_host_is_asked_for_another_game(people: Household, terminal: Terminal) -> None:
    host = terminal.start(people, "host", "--variant", "kids", "--listen", "127.0.0.1:0", who="host")
    address = host.line(r"seqp2p join (\S+)")[1]
    for nth in (1, 2):
        code = host.line("the join code is:  (.*)", nth)[1]
        guest = people.start("join", address, "--code", code, "--json", who="anna", stdin=subprocess.PIPE)
        if nth == 1:  # Of another game all have said that they want it.
            host.line("^all seats are taken: the game begins in 10 s")
            terminal.type("start")
        guest.event("dealt")
        guest.type("leave", "yes")
        assert guest.end() == 5
        host.line(ASKED, nth)
        terminal.type(*(("perhaps", "yes") if nth == 1 else ("no",)))
    assert host.end() == 5
    assert sum(line.startswith("the join code is") for line in host.out) == 2
    assert "game 2 at this table" in host.out


def test_a_guest_is_asked_for_another_game(people: Household, terminal: Terminal) -> None:
    host = people.host("--variant", "kids", "--games", "3")
    event = host.event("listening")
    guest = terminal.start(people, "join", event["address"], "--code", event["code"], who="anna")
    person = Person(guest, terminal.type)
    while not any(event["event"] == "over" for event in host.events):
        turn = person.turns + 1
        found = guest.line(rf"^type an action|{ASKED}", turn)
        if found[0].startswith("another"):
            break
        terminal.type(person.turn()[0])
    guest.line(ASKED)
    guest.line("^host wants another game$")
    terminal.type("Yes")
    guest.line("^game 2 at this table$")
    host.event("dealt", 2)
    guest.line("^the cards are dealt$", 2)
    guest.signal(signal.SIGINT)
    guest.line("^later: seqp2p resume goes on once both are back · leave: won by host · Enter: you stay")
    terminal.type("leave")
    assert guest.end() == 5
    assert sum(line.startswith("another game") for line in guest.out) == 1
    # Nobody is left for the third game: the host waits for others, and can be told to go.
    host.event("listening", 3)
    host.signal(signal.SIGTERM)
    assert host.end() == 5
    assert [event["replay"] is None for event in host.events if event["event"] == "over"] == [False, False, True]


def test_a_signal_is_no(people: Household, terminal: Terminal) -> None:
    host = terminal.start(people, "host", "--variant", "kids", "--listen", "127.0.0.1:0", who="host")
    address, code = host.line(r"seqp2p join (\S+)")[1], host.line("the join code is:  (.*)")[1]
    guest = people.start("join", address, "--code", code, "--json", who="anna", stdin=subprocess.PIPE)
    host.line("^all seats are taken: the game begins in 10 s")
    terminal.type("start")
    guest.event("dealt")
    guest.type("leave", "yes")
    host.line(ASKED)
    host.signal(signal.SIGHUP)
    assert host.end() == 5
    assert guest.end() == 5
