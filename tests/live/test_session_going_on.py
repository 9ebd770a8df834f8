"""Seats that leave, vanish, are late or cheat where a majority stays: they are dropped, and the game goes on."""

from pathlib import Path
from typing import Any, cast

import pytest
import trio

from seqp2p.live.absence import Absent, Back
from seqp2p.live.seat_session import Leaving
from seqp2p.live.session import TICK_S
from seqp2p.match.events import Dropped, Result, Voted
from seqp2p.net.messages import Bye
from tests.live.parties import Party, Place, Thinker, checked, of_kind, went_on
from tests.sim.mini_variant import NAME as MINIATURE

GRACE_S = 30
THINKS_S = 5.0
OUT = "the others have voted to go on without you"
# A tick sees it, a round may have to be begun anew, and links take their time.
SOON_S = 3 * TICK_S


def table(
    directory: Path,
    players: int,
    variant: str = MINIATURE,
    *,
    sleep_s: float = THINKS_S,
    asks: bool = False,
    **more: Any,
) -> tuple[Party, trio.Event]:
    """Everybody thinks about its second question for a while; the event says that somebody has begun to."""
    party = Party(directory, players, variant, **{"grace_s": GRACE_S, **more})
    asleep = trio.Event()
    for seat in range(1, players + 1):
        party.sit(seat, Thinker(1, sleep_s=sleep_s, asleep=asleep), asks=asks)
    return party, asleep


def close_lid(party: Party, *seats: int) -> None:
    """These machines are put to sleep: their clocks stand still, and nobody reaches them."""
    for seat in seats:
        lid = party[seat].session.core

        async def look() -> None:
            await trio.lowlevel.checkpoint()

        cast("Any", lid)._look = look


def open_lid(party: Party, *seats: int) -> None:
    for seat in seats:
        del cast("Any", party[seat].session.core)._look


def mover_of(party: Party, seat: int = 1) -> int:
    (mover,) = party[seat].match.awaited
    return mover


def other_than(party: Party, *seats: int) -> int:
    return min(set(party.places) - set(seats))


def told(place: Place, kind: type) -> list[Any]:
    return [event for event in place.events if isinstance(event, kind)]


# Leaving.


@pytest.mark.parametrize(
    ("players", "cancelled", "own_turn"),
    [(3, False, True), (3, True, False), (4, False, False), (4, True, True)],
)
async def test_leaving(virtual_time: object, tmp_path: Path, players: int, cancelled: bool, own_turn: bool) -> None:
    """Whether it is one's turn or not, one that leaves is voted out at once; one that is cancelled after the grace."""
    party, asleep = table(tmp_path, players)
    async with party.playing():
        await asleep.wait()
        await trio.sleep(1)
        mover = mover_of(party)
        leaver = mover if own_turn else other_than(party, mover)
        if cancelled:
            party[leaver].scope.cancel()
        else:
            await party[leaver].session.put(Leaving("you left"))
    stays = other_than(party, leaver)
    went_on(party, leaver)
    assert party[leaver].result == (None if cancelled else Result("unfinished", (), "you left"))
    assert party[leaver].report().verdict == "unfinished"
    (dropped_at,) = [when for when, event in party[stays].told if isinstance(event, Dropped)]
    assert dropped_at <= 1 + (GRACE_S + SOON_S if cancelled else 0.1)
    assert {event.reason for event in told(party[stays], Voted)} <= {"absent" if cancelled else "left", "joined"}
    for seat in party.places.keys() - {leaver}:
        assert len(of_kind(party[seat], "LeaveRecord")) == (not cancelled)


async def test_a_leave_is_heard_of_by_way_of_others(virtual_time: object, tmp_path: Path) -> None:
    """A line of three: 1 – 2 – 3."""
    party = Party(tmp_path, 3, without={(1, 3)}, grace_s=GRACE_S)
    asleep = trio.Event()
    for seat in (1, 2, 3):
        party.sit(seat, Thinker(1, sleep_s=THINKS_S, asleep=asleep))
    async with party.playing():
        await asleep.wait()
        await party[3].session.put(Leaving("you left"))
    went_on(party, 3)


async def test_a_goodbye_said_to_some_alone(virtual_time: object, tmp_path: Path) -> None:
    """Whoever has not heard it votes no sooner than after the grace: the others do not take it for silent before."""
    party, asleep = table(tmp_path, 4)
    async with party.playing():
        await asleep.wait()
        for seat in (1, 4):
            raw = await party.raw(2, to=seat)
            await raw.say(Bye(""))
        await trio.sleep(0.1)
        party.crash(2)
    went_on(party, 2)


async def test_one_after_the_other(virtual_time: object, tmp_path: Path) -> None:
    """Three, then two: the second that leaves gives the game to the last."""
    party, asleep = table(tmp_path, 3, "kids", sleep_s=60)
    async with party.playing():
        await asleep.wait()
        await trio.sleep(1)
        mover = mover_of(party)
        first = other_than(party, mover)
        await party[first].session.put(Leaving("you left"))
        await trio.sleep(1)
        last = other_than(party, mover, first)
        await party[mover].session.put(Leaving("you left"))
    assert party[last].result == Result("forfeit", (last,), f"{party.name(mover)} left the table")
    report = party[last].report()
    assert (report.verdict, report.result) == ("unfinished", party[last].result)


async def test_two_players(virtual_time: object, tmp_path: Path) -> None:
    """A signed leave is a forfeit. One that is cancelled has stopped for now: both can come back."""
    for cancelled in (False, True):
        party, asleep = table(tmp_path / str(cancelled), 2, sleep_s=60)
        async with party.playing():
            await asleep.wait()
            await trio.sleep(1)
            if cancelled:
                party[2].scope.cancel()
            else:
                await party[2].session.put(Leaving("you left"))
        if cancelled:
            assert party[1].result == Result("unfinished", (), f"{party.name(2)} could not be reached for {GRACE_S} s")
            assert all(place.session.resumable for place in party.places.values())
        else:
            assert party[1].result == Result("forfeit", (1,), f"{party.name(2)} left the table")
            assert party[1].report().result == party[1].result


@pytest.mark.parametrize("leaves", [True, False], ids=["leave", "vanish"])
async def test_a_team_that_has_lost_its_last_seat(virtual_time: object, tmp_path: Path, leaves: bool) -> None:
    """Two teams of two: one of them goes away, seat by seat. Throwing people out is not winning."""
    party, asleep = table(tmp_path, 4, sleep_s=200)
    async with party.playing():
        await asleep.wait()
        await trio.sleep(1)
        first = mover_of(party)
        second = (first + 1) % 4 + 1
        for seat in (first, second):
            if leaves:
                await party[seat].session.put(Leaving("you left"))
            else:
                party.crash(seat)
            await trio.sleep(GRACE_S + SOON_S)
    stay = sorted(party.places.keys() - {first, second})
    if leaves:
        result = Result("forfeit", tuple(stay), f"{party.name(second)} left the table")
    else:
        result = Result("unfinished", (), f"without {party.name(second)} there is nobody to play against")
    for seat in stay:
        assert party[seat].result == result
        assert party[seat].report().verdict == "unfinished"
        assert not of_kind(party[seat], "OpeningRecord")


# Vanishing.


async def test_a_seat_that_is_away_is_waited_for_only_when_it_must_act(virtual_time: object, tmp_path: Path) -> None:
    """A machine that sleeps while another thinks holds nobody up, and is back in time."""
    party, asleep = table(tmp_path, 3, sleep_s=2 * GRACE_S)
    async with party.playing():
        await asleep.wait()
        gone = other_than(party, mover_of(party))
        party.cut_off(gone)
        close_lid(party, gone)
        await trio.sleep(2 * GRACE_S - 10)
        assert not any(told(place, Voted) for place in party.places.values())
        party.away.clear()
        await trio.sleep(5)
        open_lid(party, gone)
    checked(party)
    assert len(set(party.results.values())) == 1


async def test_a_seat_that_comes_back_within_the_grace(virtual_time: object, tmp_path: Path) -> None:
    party, asleep = table(tmp_path, 3, sleep_s=2)
    async with party.playing():
        await asleep.wait()
        gone = mover_of(party)
        party.cut_off(gone)
        await trio.sleep(GRACE_S - 5)
        party.away.clear()
    checked(party)
    assert len(set(party.results.values())) == 1
    for seat in party.places.keys() - {gone}:
        assert told(party[seat], Absent) == [Absent(gone, GRACE_S)]
        assert told(party[seat], Back) == [Back(gone)]
        assert not told(party[seat], Voted)
    assert {type(event) for event in party[gone].events if isinstance(event, Absent | Back)} == {Absent, Back}


async def test_a_seat_that_comes_back_after_it_was_dropped(virtual_time: object, tmp_path: Path) -> None:
    """It is told so, and ends; its replay is as far as it came, signed."""
    party, asleep = table(tmp_path, 3, sleep_s=GRACE_S + 20)
    async with party.playing():
        await asleep.wait()
        gone = mover_of(party)
        party.cut_off(gone)
        close_lid(party, gone)
        await trio.sleep(GRACE_S + 10)
        party.away.clear()
        await trio.sleep(5)
        open_lid(party, gone)
    went_on(party, gone)
    assert party[gone].result == Result("unfinished", (), OUT)
    assert told(party[gone], Dropped) == [Dropped((gone,))]
    report = party[gone].report()
    assert (report.verdict, report.writer) == ("unfinished", party.agreement.seats[gone - 1].key.hex())


async def test_a_network_that_falls_apart(virtual_time: object, tmp_path: Path) -> None:
    """Four and two, whose machines sleep: the two learn of it when the network is whole again."""
    split: set[tuple[int, int]] = set()
    party, asleep = table(tmp_path, 6, sleep_s=2 * GRACE_S)
    party.without = split
    async with party.playing():
        await asleep.wait()
        mover = mover_of(party)
        two = {mover, other_than(party, mover)}
        number = party[mover].match.number
        parted(party, two, split)
        close_lid(party, *two)
        await trio.sleep(GRACE_S + 20)
        assert all(party[seat].match.number == number for seat in two)
        assert not any(party[seat].ended.is_set() for seat in two)
        split.clear()
    went_on(party, *two)
    for seat in two:
        assert party[seat].reason == OUT


def parted(party: Party, some: set[int], split: set[tuple[int, int]]) -> None:
    """No link between these and the others, nor any new one."""
    for seat in some:
        for other in party.places.keys() - some:
            split.add((seat, other))
            party.cut(seat, other)
