"""Real processes, killed with SIGKILL at every kind of step, before and after each write: one game comes of it."""

from pathlib import Path

import pytest

from tests.real.mortals import HOST, mortals, shorten

pytestmark = [pytest.mark.process, pytest.mark.slow]

# The lives of each seat in a game: how each but the last ends (dying.py has the words).
DEATHS = {
    "until the deal": {
        "host": ["sent reveal 1", "made shuffle 1", "torn deal 1"],
        "guest2": ["made seat 1", "synced shuffle 1", "shredded deal 1"],
        "guest3": ["synced seat 1", "torn reveal 1", "sent shuffle 1"],
    },
    "until the end": {
        "host": ["made turn 1", "synced draw 1", "taken turn 2", "torn over 1"],
        "guest2": ["synced turn 1", "taken draw 1", "logged turn 2", "sent over 1"],
        "guest3": ["sent turn 1", "torn draw 1", "shredded turn 2", "finishing opening 1"],
    },
}


@pytest.mark.parametrize("deaths", DEATHS.values(), ids=DEATHS)
def test_every_seat_is_killed_at_every_kind_of_step(tmp_path: Path, deaths: dict[str, list[str]]) -> None:
    with mortals(tmp_path, "--variant", "kids") as table:
        table.begin(**deaths)
        table.play()
        table.check()


def test_killed_in_a_vote_and_in_the_deal_that_follows(tmp_path: Path) -> None:
    """One seat is gone for good; the others are killed too, in the vote and in the deal without it."""
    with mortals(tmp_path, "--variant", "kids", "--grace", "7", players=4) as table:
        table.begin(
            host=["sent ballot 1", "synced deal 1"],
            guest2=["synced ballot 1", "taken shuffle 1"],
            guest3=["sent turn 1"],
            guest4=["sent head 1", "shredded deal 1"],
        )
        table.play("guest3")
        table.check("guest3")
        assert "dropped" in table.told(HOST)


def test_whoever_was_dropped_is_told_so_when_it_comes_back(tmp_path: Path) -> None:
    with mortals(tmp_path, "--variant", "kids", "--grace", "2") as table:
        table.people.hold(1)
        table.begin()
        table.seats[HOST].event("turn")
        table.kill("guest3")
        table.people.hold(
            2
        )  # It is dropped where it is awaited: if the first turn was its own, in the step after the next.
        table.seats[HOST].event("dropped", seats=[table.seats[HOST].seat_of("guest3")])
        back = table.resume("guest3")
        assert back.end() == 5, back.said()
        assert "go on without you" in back.events[-1]["reason"]


@pytest.mark.parametrize("size", [200, None])
def test_what_a_crash_broke_off_comes_back(tmp_path: Path, size: int | None) -> None:
    """The replay loses any number of bytes, even all; the seat's own file its unsynced end: another's last word."""
    with mortals(tmp_path, "--variant", "kids", players=2) as table:
        table.begin(guest2=["taken turn 2"])
        seat = table.seats["guest2"]
        seat.end()
        table.bury("guest2")
        replay = table.replay("guest2")
        shorten(replay, replay.stat().st_size if size is None else size)
        shorten(table.sidecar("guest2"), 1 if size is None else min(size, 10))
        assert "is incomplete" in table.resume("guest2").line("is incomplete").string
        table.play()
        table.check()
