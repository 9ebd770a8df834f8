"""Seats that stop or die in mid-game: the others are told, every replay says how far it came, and `resume` goes on."""

import os
import resource
import signal
import subprocess
from pathlib import Path

from seqp2p.cli.replays import verify_file
from tests.cli.processes import Household, Process
from tests.helpful import HELPFUL

POLITE = [signal.SIGINT, signal.SIGTERM]


def reasons(*replays: str | Path) -> list[str]:
    """Why each of these files is unfinished, which all of them are."""
    reports = [verify_file(Path(replay)) for replay in replays]
    assert {report.verdict for report in reports} == {"unfinished"}
    return [str(report.reason) for report in reports]


def table(people: Household, suffix: str = "", *arguments: object) -> tuple[Process, Process]:
    """A host and a guest in the middle of a game; it is soon the guest's turn, who takes an hour over it."""
    host = people.host("--variant", "kids", *arguments, who=f"host{suffix}")
    guest = people.join(host, "--pace", "3600", who=f"guest{suffix}")
    host.event("dealt")
    guest.event("dealt")
    return host, guest


def test_a_seat_that_is_asked_to_end_stops_for_now(people: Household) -> None:
    """Nothing is signed: the others wait for the grace, and then all can be resumed."""
    tables = {polite: table(people, f" {polite.name}", "--grace", "1") for polite in POLITE}
    for polite, (_, guest) in tables.items():
        guest.signal(polite)
    # An impatient player presses again and again.
    for _ in range(3):
        tables[signal.SIGINT][1].signal(signal.SIGINT)
    for polite, (host, guest) in tables.items():
        assert (guest.end(), host.end()) == (5, 5)
        assert guest.err[-1].startswith("come back with: seqp2p resume ")
        assert host.event("absent")["later"]
        stopped, waited = guest.events[-1], host.events[-1]
        assert stopped["reason"] == "stopped for now"
        assert waited["reason"] == f"seat 2 (guest {polite.name}) could not be reached for 1 s"
        for told in (stopped, waited):
            assert (told["event"], told["result"], told["forfeit"], told["resumable"]) == (
                "over",
                "unfinished",
                [],
                True,
            )
    reasons(*(process.events[-1]["replay"] for pair in tables.values() for process in pair))
    whos = [f"{role} {polite.name}" for polite in POLITE for role in ("host", "guest")]
    back = [
        people.start("resume", "--bot", HELPFUL, "--json", "--replay-dir", people.replays(who), who=who) for who in whos
    ]
    for process in back:
        assert process.end() == 0, process.said()
        assert verify_file(Path(process.events[-1]["replay"])).verdict == "verified"


def test_a_host_that_stops_before_the_deal_ends_the_game(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "3")
    guest = people.join(host, who="anna")
    host.line("anna, free")
    host.signal(signal.SIGTERM)
    assert (host.end(), guest.end()) == (5, 4)


def test_a_seat_that_dies_is_waited_for_and_then_played_on_without(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "3", "--grace", "1")
    guests = [people.join(host, "--pace", pace, who=name) for name, pace in (("anna", "3600"), ("berta", "0"))]
    host.event("dealt")
    victim, other = guests
    seat = next(event["seat"] for event in host.events if event["event"] == "seated" and event["name"] == "anna")
    victim.signal(signal.SIGKILL)
    assert victim.end() == -signal.SIGKILL
    assert (host.end(), other.end()) == (0, 0)
    for survivor in (host, other):
        assert survivor.event("dropped")["seats"] == [seat]
        assert survivor.events[-1]["result"] in ("won", "drawn")
    (dead,) = people.replays("anna").glob("*.seqp2p")
    assert len(reasons(dead)) == 1


def test_a_seat_that_dies_is_waited_for_and_then_given_up(people: Household) -> None:
    host = people.host("--variant", "kids", "--grace", "1")
    guest = people.join(host, "--pace", "3600")
    host.event("dealt")
    guest.signal(signal.SIGKILL)
    assert host.end() == 5
    over = host.events[-1]
    assert (over["result"], over["forfeit"]) == ("unfinished", [])
    assert over["reason"] == "seat 2 (guest) could not be reached for 1 s"
    assert "awaiting seat 2" in reasons(over["replay"])[0]


def test_a_seat_that_loses_its_terminal_can_be_taken_again(people: Household) -> None:
    """Nobody has said that they leave: the others wait, as for one that has crashed."""
    host, guest = table(people)
    guest.signal(signal.SIGHUP)
    assert guest.end() == 5
    (replay,) = people.replays("guest").glob("*.seqp2p")
    assert guest.error() == ("the terminal is gone", f"come back with: {way_back(replay)} --bot {HELPFUL}")
    host.event("absent")
    back = people.call("resume", "--bot", HELPFUL, "--json", "--replay-dir", people.replays("guest"), who="guest")
    assert (host.end(), back.end()) == (0, 0)
    assert host.events[-1]["result"] in ("won", "drawn")


def test_a_host_with_nohup_outlives_its_terminal(people: Household) -> None:
    def nohup() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    host = people.host("--variant", "kids", preexec_fn=nohup)
    guest = people.join(host, "--pace", "0.1")
    host.event("dealt")
    host.signal(signal.SIGHUP)
    assert (host.end(), guest.end()) == (0, 0)


def test_a_game_goes_on_when_nobody_reads_its_events(people: Household) -> None:
    host = people.host("--variant", "kids")
    read, write = os.pipe()
    listening = host.event("listening")
    arguments = ("--bot", HELPFUL, "--json", "--replay-dir", people.replays("deaf"), "--name", "deaf")
    deaf = people.start(
        *("join", listening["address"], "--code", listening["code"], *arguments), who="deaf", output=write
    )
    os.close(write)
    os.close(read)
    assert (host.end(), deaf.end()) == (0, 0)
    (replay,) = people.replays("deaf").iterdir()
    assert verify_file(replay).verdict == "verified"


def way_back(replay: Path) -> str:
    """The command that takes the seat again."""
    game = replay.name.split("-seat")[0].rpartition("-")[2]
    return f"seqp2p resume {game} --replay-dir {replay.parent}"


def test_a_disk_that_is_full_is_said(people: Household) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))

    host = people.host("--variant", "kids", "--grace", "1")
    guest = people.join(host, preexec_fn=small_files)
    assert guest.end() == 1
    (replay,) = people.replays("guest").glob("*.seqp2p")
    error, hint = guest.error()
    assert error == f"cannot write the replay {replay}: the disk took only a part of a record"
    assert hint == f"come back with: {way_back(replay)} --bot {HELPFUL}"
    assert "seat 2 (guest)" in host.event("over")["reason"]
    # The cards were not dealt: the table is open again, until its host is told to go.
    assert host.event("listening", 2)["code"]
    host.signal(signal.SIGTERM)
    assert host.end() == 5
    # What was recorded is not lost, and neither is the seat: once there is room it can be taken again.
    assert len(reasons(replay)) == 1
    assert replay.with_name(f"{replay.name}.seat").exists()


def test_a_peer_ends_with_the_process_that_started_it(people: Household) -> None:
    host = people.host("--variant", "kids", "--until-stdin-closes", stdin=subprocess.PIPE)
    guest = people.join(host, "--pace", "3600", "--until-stdin-closes", stdin=subprocess.PIPE)
    guest.event("dealt")
    for process in (host, guest):
        process.close_input()
    assert (host.end(), guest.end()) == (5, 5)
    # Nobody is there to be told, but the replays are complete.
    assert not any("error" in line for line in [*host.err, *guest.err])
    assert len(reasons(*people.replays("host").iterdir(), *people.replays("guest").iterdir())) == 2
