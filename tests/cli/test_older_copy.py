"""An older copy of a seat's files is put back: by a backup, by a synced folder, on another machine."""

import shutil
import signal
from pathlib import Path

import pytest

from seqp2p.cli.checking import verify_file
from tests.cli.processes import Household, Process
from tests.cli.test_resume_command import resume, sidecars


def copied(people: Household, who: str) -> Path:
    copy = people.directory / f"copy-{who}"
    shutil.copytree(people.replays(who), copy)
    return copy


def put_back(people: Household, who: str, copy: Path, *, in_place: bool) -> None:
    for path in copy.iterdir():
        there = people.replays(who) / path.name
        if in_place:
            there.write_bytes(path.read_bytes())
        else:
            shutil.copy2(path, there.with_suffix(".new"))
            there.with_suffix(".new").replace(there)


def killed(process: Process) -> None:
    process.signal(signal.SIGKILL)
    process.end()


@pytest.mark.parametrize("in_place", [True, False])
def test_it_costs_no_seat(people: Household, in_place: bool) -> None:
    people.hold(2)
    host = people.host("--variant", "kids")
    guest = people.join(host)
    guest.event("turn", 2)
    copy = copied(people, "guest")
    people.hold(4)  # One of them is the guest's own. The shortest game has five.
    guest.event("turn", 4)
    killed(guest)
    put_back(people, "guest", copy, in_place=in_place)
    people.let_go()
    back = resume(people, "guest")
    assert back.event("resumed")["recovers"]
    assert back.end() == 0, back.said() + host.said()
    assert host.end() == 0, back.said() + host.said()
    ends = [back.events[-1], host.events[-1]]
    assert ends[0]["winners"] == ends[1]["winners"]
    assert [verify_file(Path(end["replay"])).verdict for end in ends] == ["verified", "verified"]
    assert list((people.home("guest") / "seats").iterdir()) == []


def test_a_copy_from_before_the_seat_was_resumed(people: Household) -> None:
    """The others know a newer statement of the seat, at the same address: the key that answers there is its own."""
    people.hold(1)
    host = people.host("--variant", "kids")
    guest = people.join(host)
    guest.event("turn")
    copy = copied(people, "guest")
    killed(guest)
    people.hold(3)
    second = resume(people, "guest")
    assert not second.event("resumed")["recovers"]
    second.event("turn", 2)
    killed(second)
    put_back(people, "guest", copy, in_place=False)
    people.let_go()
    third = resume(people, "guest")
    assert third.end() == 0, third.said() + host.said()
    assert host.end() == 0


@pytest.mark.slow
def test_two_of_six_at_once(people: Household) -> None:
    people.hold(2)
    host = people.host("--variant", "classic", "--players", "6")
    guests = {who: people.join(host, who=who) for who in ("a", "b", "c", "d", "e")}
    for guest in guests.values():
        guest.event("turn", 2)
    copies = {who: copied(people, who) for who in ("a", "b")}
    people.hold(6)
    for guest in guests.values():
        guest.event("turn", 6)
    people.hold(18)
    for who in copies:
        killed(guests[who])
    for who, copy in copies.items():
        put_back(people, who, copy, in_place=False)
    backs = [resume(people, who) for who in copies]
    assert all(back.event("resumed")["recovers"] for back in backs)
    host.event("turn", 18)  # Each of them has had two since.
    assert not any(event["event"] == "dropped" for event in host.events)


@pytest.mark.slow
def test_two_that_are_killed_in_the_first_moments(people: Household) -> None:
    people.hold(0)
    host = people.host("--variant", "kids")
    guest = people.join(host)
    while not all(people.replays(who).exists() and sidecars(people, who) for who in ("host", "guest")):
        assert host.process.poll() is None, host.said()
    killed(guest)
    killed(host)
    people.let_go()
    backs = [resume(people, who) for who in ("host", "guest")]
    assert not any(back.event("resumed")["recovers"] for back in backs)
    assert [back.end() for back in backs] == [0, 0]


def test_nobody_is_there_to_tell(people: Household) -> None:
    people.hold(2)
    host = people.host("--variant", "kids", "--grace", "5")
    guest = people.join(host)
    guest.event("turn", 2)
    copy = copied(people, "guest")
    people.hold(4)
    guest.event("turn", 4)
    killed(guest)
    killed(host)
    put_back(people, "guest", copy, in_place=True)
    kept = sidecars(people, "guest")[0].read_bytes()
    back = resume(people, "guest")
    assert back.end() == 1
    error, hint = back.error()
    assert "has not told: it signs nothing" in error
    assert hint
    # Nothing was signed, and it can be tried again.
    assert sidecars(people, "guest")[0].read_bytes() == kept
    assert list((people.home("guest") / "seats").iterdir()) == []


def test_a_seat_that_is_played_elsewhere(people: Household) -> None:
    """A home that was copied with its replays: the locks are others', the key is not."""
    host = people.host("--variant", "kids", "--pace", "3600")
    guest = people.join(host, "--pace", "3600")
    guest.event("dealt")
    shutil.copytree(people.home("guest"), people.home("twin"))
    shutil.copytree(people.replays("guest"), people.replays("twin"))
    second = resume(people, "twin")
    assert second.end() == 1
    error, hint = second.error()
    assert "this seat is played at 127.0.0.1:" in error
    assert hint
    guest.signal(signal.SIGTERM)
    assert (guest.end(), host.end()) == (5, 5)
