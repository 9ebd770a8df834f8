"""Seats that die in mid-game, and files and streams that fail: the others are told, and no replay is lost."""

import os
import resource
import signal
import subprocess
from pathlib import Path

from seqp2p.cli.replays import verify_file
from tests.cli.processes import Household
from tests.helpful import HELPFUL


def reasons(*replays: str | Path) -> list[str]:
    """Why each of these files is unfinished, which all of them are."""
    reports = [verify_file(Path(replay)) for replay in replays]
    assert {report.verdict for report in reports} == {"unfinished"}
    return [str(report.reason) for report in reports]


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
