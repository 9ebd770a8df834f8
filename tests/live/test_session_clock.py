"""The table's clock, and people who are asked before anybody is dropped for being away."""

from pathlib import Path
from typing import Any

import pytest
import trio

from seqp2p.live.absence import LATE_MARGIN_S, Absent
from seqp2p.live.seat_session import GoOn
from seqp2p.live.session import TICK_S
from seqp2p.live.voting import AskAbout
from seqp2p.match.events import Dropped, Result, Skipped, Turned, Voted
from tests.live.parties import LIMITS, Party, Place, Thinker, checked, went_on

GRACE_S = 30
CLOCK_S = 20
SOON_S = 3 * TICK_S


def told(place: Place, kind: type) -> list[tuple[float, Any]]:
    return [(when, event) for when, event in place.told if isinstance(event, kind)]


def clocked(directory: Path, players: int, naps: int, *, asks: bool = False, sleep_s: float = 1000) -> Party:
    """Seat 1 sleeps over its second question, and if there are more naps over the next ones too."""

    class Sleeper(Thinker):
        async def pick(self, view: Any, refused: str | None) -> Any:
            if 2 <= len(self.asked) <= 1 + naps:
                self.asleep.set()
                await trio.sleep(sleep_s)
            return self._dice.choice(view.legal)

    party = Party(directory, players, grace_s=GRACE_S, turn_time_s=CLOCK_S)
    party.sit(1, Sleeper(), asks=asks)
    party.sit_others(asks=asks)
    return party


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("asks", [True, False], ids=["people", "programs"])
async def test_who_is_late_is_skipped(virtual_time: object, tmp_path: Path, players: int, asks: bool) -> None:
    """Once: then it plays on. Where there is a clock nobody is asked; the question is taken back."""
    party = clocked(tmp_path, players, 1, asks=asks)
    await party.play()
    checked(party)
    assert len(set(party.results.values())) == 1
    for place in party.places.values():
        ((when, skipped),) = told(place, Skipped)
        assert skipped == Skipped(1)
        assert CLOCK_S + LATE_MARGIN_S <= when <= CLOCK_S + LATE_MARGIN_S + SOON_S
        assert {event.reason for _, event in told(place, Voted)} <= {"late", "joined"}
        assert not told(place, AskAbout)
        since = place.events[place.events.index(skipped) :]
        assert 1 in [event.seat for event in since if isinstance(event, Turned)]


@pytest.mark.parametrize("players", [3, 4])
async def test_who_is_late_twice_in_a_row_is_dropped(virtual_time: object, tmp_path: Path, players: int) -> None:
    party = clocked(tmp_path, players, 2)
    await party.play()
    went_on(party, 1)
    for seat in range(2, players + 1):
        ((first, _),) = told(party[seat], Skipped)
        ((second, _),) = told(party[seat], Dropped)
        assert CLOCK_S + LATE_MARGIN_S <= second - first <= CLOCK_S + LATE_MARGIN_S + SOON_S
    assert party[1].reason == "the others have voted to go on without you"


async def test_a_turn_in_between_counts_anew(virtual_time: object, tmp_path: Path) -> None:
    """It is late in its second turn and in its fourth."""

    class Sleeper(Thinker):
        async def pick(self, view: Any, refused: str | None) -> Any:
            if len(self.asked) in (2, 4):
                await trio.sleep(1000)
            return self._dice.choice(view.legal)

    party = Party(tmp_path, 3, "kids", turn_time_s=CLOCK_S)
    party.sit(1, Sleeper())
    await party.play()
    checked(party)
    assert [event for _, event in told(party[2], Skipped)] == [Skipped(1)] * 2
    assert not told(party[2], Dropped)


async def test_two_players(virtual_time: object, tmp_path: Path) -> None:
    """Nobody can be skipped: two turns' time, and it is over."""
    party = clocked(tmp_path, 2, 1)
    async with party.playing():
        await party[1].player.asleep.wait()
        begun_at = trio.current_time()
    assert party[2].result == Result("unfinished", (), f"{party.name(1)} did not move in {2 * CLOCK_S} s")
    waited_s = party[2].ended_at - begun_at
    assert 2 * CLOCK_S + LATE_MARGIN_S <= waited_s <= 2 * CLOCK_S + LATE_MARGIN_S + SOON_S + LIMITS.close_s


async def test_a_late_player_costs_one_that_has_stopped_nothing(virtual_time: object, tmp_path: Path) -> None:
    party = clocked(tmp_path, 2, 1)
    async with party.playing():
        await party[1].player.asleep.wait()
        party[2].scope.cancel()
    assert party[1].reason == f"{party.name(1)} did not move in {2 * CLOCK_S} s"
    assert all(place.session.resumable for place in party.places.values())


async def test_in_time_is_in_time(virtual_time: object, tmp_path: Path) -> None:
    party = clocked(tmp_path, 3, 3, sleep_s=CLOCK_S - 1)
    await party.play()
    checked(party)
    assert not told(party[2], Voted)


# People.


async def people(directory: Path, players: int = 3) -> tuple[Party, trio.Event]:
    party = Party(directory, players, grace_s=GRACE_S)
    asleep = trio.Event()
    for seat in range(1, players + 1):
        party.sit(seat, Thinker(1, sleep_s=300, asleep=asleep), asks=True)
    return party, asleep


async def died(party: Party, asleep: trio.Event) -> tuple[int, list[int]]:
    """The seat that dies in its turn, and those who stay."""
    await asleep.wait()
    (dead,) = party[1].match.awaited
    party.crash(dead)
    return dead, sorted(party.places.keys() - {dead})


async def test_people_are_asked_and_one_answers(virtual_time: object, tmp_path: Path) -> None:
    """After the grace; one vote is enough for the others to join it, at once."""
    party, asleep = await people(tmp_path)
    async with party.playing():
        dead, stay = await died(party, asleep)
        await trio.sleep(GRACE_S + 10)
        for seat in stay:
            ((when, asked),) = told(party[seat], AskAbout)
            assert asked == AskAbout((dead,))
            assert GRACE_S <= when <= GRACE_S + SOON_S
            assert told(party[seat], Absent)
            assert not told(party[seat], Voted)
        await party[stay[0]].session.put(GoOn(dead))
        await trio.sleep(SOON_S)
        dropped = [told(party[seat], Dropped) for seat in stay]
    went_on(party, dead)
    votes = {event.seat: event.reason for _, event in told(party[stay[0]], Voted)}
    assert votes[stay[0]] == "absent"
    assert all(dropped), "the vote of one is not joined by the others"


async def test_who_does_not_answer_votes_by_itself(virtual_time: object, tmp_path: Path) -> None:
    party, asleep = await people(tmp_path)
    async with party.playing():
        dead, stay = await died(party, asleep)
    went_on(party, dead)
    for seat in stay:
        ((when, _),) = told(party[seat], Dropped)
        assert 2 * GRACE_S <= when <= 2 * GRACE_S + SOON_S
        assert len(told(party[seat], AskAbout)) == 1


async def test_an_answer_that_comes_too_soon(virtual_time: object, tmp_path: Path) -> None:
    """It counts when the grace is over; nobody is thrown out sooner."""
    party, asleep = await people(tmp_path)
    async with party.playing():
        dead, stay = await died(party, asleep)
        await trio.sleep(5)
        for seat in stay:
            await party[seat].session.put(GoOn(dead))
    went_on(party, dead)
    for seat in stay:
        ((when, _),) = told(party[seat], Dropped)
        assert GRACE_S <= when <= GRACE_S + SOON_S
        assert not told(party[seat], AskAbout)


async def test_the_one_who_was_given_up_is_back(virtual_time: object, tmp_path: Path) -> None:
    """An answer is about one absence: at the next one people are asked again."""
    party, asleep = await people(tmp_path)
    async with party.playing():
        await asleep.wait()
        (gone,) = party[1].match.awaited
        stay = sorted(party.places.keys() - {gone})
        for _ in range(2):
            party.cut_off(gone)
            await trio.sleep(5)
            if not told(party[stay[0]], AskAbout):
                for seat in stay:
                    await party[seat].session.put(GoOn(gone))
            await trio.sleep(GRACE_S - 10)
            party.away.clear()
            await trio.sleep(20)
        party.cut_off(gone)
        await trio.sleep(GRACE_S + 5)
        assert not any(told(party[seat], Dropped) for seat in stay)
        assert all(told(party[seat], AskAbout) for seat in stay)
        party.away.clear()
    checked(party)


async def test_people_who_are_cut_off_wait_as_long_as_the_others(virtual_time: object, tmp_path: Path) -> None:
    """Where those who stay are asked first, one who cannot reach them does not end its own game before."""
    party, asleep = await people(tmp_path)
    async with party.playing():
        await asleep.wait()
        (gone,) = party[1].match.awaited
        party.cut_off(gone)
        await trio.sleep(2 * GRACE_S - 5)
        party.away.clear()
    checked(party)
    assert not any(told(place, Dropped) for place in party.places.values())
