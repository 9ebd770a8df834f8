"""Several games at one table: for scripts (--games), and for a person who is asked."""

import signal
import subprocess
from pathlib import Path

from seqp2p.cli.replays import verify_file
from tests.cli.processes import Event, Household, Terminal

ASKED = r"^another game at this table\? yes"


def people_at(events: list[Event]) -> dict[str, int]:
    return {event["name"]: event["seat"] for event in events if event["event"] == "seated"}


def test_two_games_at_one_table(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "3", "--games", "2")
    guests = [people.join(host, "--games", "2", who=f"guest {number}") for number in (2, 3)]
    everybody = [host, *guests]
    assert [process.end() for process in everybody] == [0] * 3, host.said()
    replays: list[str] = []
    for process in everybody:
        names = [event["event"] for event in process.events]
        assert (names.count("over"), names.count("rematch"), names.count("dealt")) == (2, 1, 2)
        again = names.index("rematch")
        assert process.events[again]["game"] == 2
        # Each player has the seat from before, in whatever order they came back.
        assert people_at(process.events[:again]) == people_at(process.events[again:])
        replays += [process.event("over", nth)["replay"] for nth in (1, 2)]
    reports = [verify_file(Path(replay)) for replay in replays]
    assert {report.verdict for report in reports} == {"verified"}
    # Two games, each with an id, keys and a code of its own.
    assert len({report.game for report in reports}) == 2
    assert host.event("listening")["code"] != host.event("listening", 2)["code"]


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
        if nth == 1:
            terminal.type("perhaps", "yes")
    host.signal(signal.SIGHUP)  # It is a no.
    assert host.end() == 5
    assert sum(line.startswith("the join code is") for line in host.out) == 2
    assert "game 2 at this table" in host.out
