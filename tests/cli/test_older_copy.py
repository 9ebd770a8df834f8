"""A copy of a player's whole home is put back in the middle of a game, as ``cp -a`` does it."""

import shutil
import signal
from pathlib import Path

import pytest

from seqp2p.cli.replays import verify_file
from tests.cli.processes import Household, Process
from tests.cli.test_resume_command import resume, sidecars


def folders(people: Household, who: str) -> list[Path]:
    return [people.home(who), people.replays(who)]


def copy(people: Household, who: str) -> None:
    for folder in folders(people, who):
        shutil.copytree(folder, folder.with_name(f"{folder.name}.copy"))


def put_back(people: Household, who: str) -> None:
    """Write over the files, which keep their inodes."""
    for folder in folders(people, who):
        shutil.copytree(folder.with_name(f"{folder.name}.copy"), folder, dirs_exist_ok=True)


def killed(process: Process) -> None:
    process.signal(signal.SIGKILL)
    process.end()


@pytest.mark.parametrize(
    "players", [2, pytest.param(3, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)]
)
def test_the_seat_stops_and_the_others_go_on(people: Household, players: int) -> None:
    people.hold(2)
    host = people.host("--variant", "classic", "--players", players, "--grace", "5")
    guests = {who: people.join(host, who=who) for who in ("guest", "bea", "carl")[: players - 1]}
    for guest in guests.values():
        guest.event("turn", 2)
    copy(people, "guest")
    people.hold(2 + players)  # One of them is the guest's own.
    for guest in guests.values():
        guest.event("turn", 2 + players)
    killed(guests["guest"])
    put_back(people, "guest")
    kept = sidecars(people, "guest")[0].read_bytes()
    back = resume(people, "guest")
    assert back.end() == 1
    error, hint = back.error()
    assert "a copy of this game's files was put back" in error
    assert hint
    ended = back.events[-1]
    assert (ended["event"], ended["code"], ended["reason"], ended["hint"]) == ("error", "older_copy", error, hint)
    # All it had stays.
    assert sidecars(people, "guest")[0].read_bytes().startswith(kept)
    people.let_go()
    others = [host, *(guest for who, guest in guests.items() if who != "guest")]
    assert [process.end() for process in others] == [5 if players == 2 else 0] * len(others)
    for process in others:
        assert not any(event["event"] == "proved" for event in process.events)
        verdict = verify_file(Path(process.events[-1]["replay"])).verdict
        assert verdict == ("unfinished" if players == 2 else "verified")


def test_a_home_that_was_moved_with_its_files_plays_on(people: Household) -> None:
    people.hold(2)
    host = people.host("--variant", "kids")
    guest = people.join(host)
    guest.event("turn", 2)
    killed(guest)
    for old, new in zip(folders(people, "guest"), folders(people, "moved"), strict=True):
        shutil.copytree(old, new)
        shutil.rmtree(old)
    people.let_go()
    assert resume(people, "moved").end() == 0
    assert host.end() == 0
