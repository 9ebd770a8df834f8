"""A copy of a player's whole home is put back in the middle of a game, as ``cp -a`` does it."""

import shutil
import signal
from pathlib import Path

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


def test_the_seat_stops_and_the_other_goes_on(people: Household) -> None:
    people.hold(2)
    host = people.host("--variant", "kids", "--grace", "5")
    guest = people.join(host)
    guest.event("turn", 2)
    copy(people, "guest")
    people.hold(4)  # One of the turns is the guest's own.
    guest.event("turn", 4)
    killed(guest)
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
    assert host.end() == 5
    assert not any(event["event"] == "proved" for event in host.events)
    assert verify_file(Path(host.events[-1]["replay"])).verdict == "unfinished"
