"""``seqp2p resume``, as a person or a script meets it."""

import random
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
