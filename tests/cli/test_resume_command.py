"""Seats that stop, die or fail in mid-game, and ``seqp2p resume``, as a person or a script meets it."""

import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from seqp2p.cli.replays import verify_file
from tests.cli.processes import Household, Process, wait_until
from tests.helpful import HELPFUL


def sidecars(people: Household, who: str) -> list[Path]:
    return sorted(people.replays(who).glob("*.seat"))


def resume(people: Household, who: str, *arguments: object, bot: str | None = HELPFUL, **more: Any) -> Process:
    chosen = () if bot is None else ("--bot", bot)
    return people.start("resume", *arguments, "--replay-dir", people.replays(who), "--json", *chosen, who=who, **more)


def test_a_seat_that_is_played_is_refused_and_plays_on(people: Household) -> None:
    host = people.host("--variant", "kids")
    guest = people.join(host, "--pace", "3600")
    guest.event("dealt")
    second = resume(people, "guest")
    assert second.end() == 1
    assert second.events == []
    error, hint = second.error()
    assert "another seqp2p process holds this seat" in error
    assert hint
    # It is asked to end, again and again, and signs nothing: the others wait for it.
    for _ in range(3):
        guest.signal(signal.SIGINT)
    assert guest.end() == 5
    assert guest.err[-1].startswith("come back with: seqp2p resume ")
    stopped = guest.events[-1]
    assert (stopped["event"], stopped["result"], stopped["reason"]) == ("over", "unfinished", "stopped for now")
    assert (stopped["forfeit"], stopped["resumable"]) == ([], True)
    assert host.event("absent")["later"]
    back = resume(people, "guest")
    assert (back.end(), host.end()) == (0, 0)
    assert sidecars(people, "guest") == sidecars(people, "host") == []
    over = resume(people, "guest", Path(back.events[-1]["replay"]).name)
    assert over.end() == 1
    assert "the game is over" in over.error()[0]


def test_a_person_who_comes_back_is_shown_what_there_is(people: Household) -> None:
    host = people.host("--variant", "kids", "--pace", "3600")
    guest = people.join(host, bot=None, stdin=subprocess.PIPE)
    guest.line("^(host's turn|type an action)")
    guest.type("say hello")
    guest.line("^you say: hello")
    guest.signal(signal.SIGKILL)
    guest.end()
    host.event("absent")
    back = resume(people, "guest", bot=None, stdin=subprocess.PIPE)
    back.line(r"^you are seat 2 \(guest\) and play yellow")
    back.line("^your hand: ")
    back.line("^(host's turn|type an action)")
    host.event("back")
    # What had happened is told again, and is in the log.
    back.line("^you say: hello")
    back.type("log")
    back.line("^you say: hello", 2)
    back.type("leave", "yes")
    assert (back.end(), host.end()) == (5, 5)


def test_seats_that_are_killed_again_and_again(people: Household) -> None:
    """At whatever step it hits them, several at once: one game comes of it, and every record of it verifies."""
    dice = random.Random(7)
    people.hold(6)  # The shortest game of three has seven.
    host = people.host("--variant", "kids", "--players", "3")
    seats = {"host": host} | {who: people.join(host, who=who) for who in ("ann", "ben")}
    # A seat that is killed before its file has a byte cannot be resumed: the others wait for it in vain.
    wait_until(lambda: all(any(path.stat().st_size for path in sidecars(people, who)) for who in seats), "no files")
    for _ in range(4):
        time.sleep(dice.random() * 0.3)
        for who in dice.sample(sorted(seats), dice.choice([1, 2, 3])):
            seats[who].signal(signal.SIGKILL)
            seats[who].end()
            if sidecars(people, who):
                seats[who] = resume(people, who)
    people.let_go()
    for process in seats.values():
        assert process.end() in (0, -signal.SIGKILL), process.said()
    replays = [path for who in seats for path in people.replays(who).glob("*.seqp2p")]
    reports = [verify_file(path) for path in replays]
    assert [report.verdict for report in reports] == ["verified"] * 3
    assert len({report.steps for report in reports}) == 1
    assert not any(sidecars(people, who) for who in seats)


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
