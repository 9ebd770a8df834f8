"""Games whose links fail in every way that a network has: every game ends, and its records verify."""

import contextlib
import random
from collections.abc import AsyncGenerator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import trio

from seqp2p.live.absence import Absent, Back
from seqp2p.match.machine import Match
from seqp2p.rules import Action, View
from tests.live.parties import LOTS, Lottery, Party, checked
from tests.live.wires import FaultyWires, SlowWires, Wire


class Paced(Lottery):
    """By lot, taking its time."""

    async def pick(self, view: View, refused: str | None) -> Action:
        await trio.sleep(1.0)
        return await super().pick(view, refused)


class Wired(Party):
    """A party whose seats dial each other by wires that fail."""

    wires: FaultyWires

    async def unlinked(self, seat: int, other: int) -> None:
        """Wait until this seat has noticed that there is no link."""
        await self[seat].session.mesh._peers[other].until(lambda peer: not peer.links)

    async def linked(self) -> None:
        """Wait until all seats are linked with all others."""
        for seat, other in permutations(self.places, 2):
            await self[seat].session.mesh._peers[other].until(lambda peer: peer.links)


@contextlib.asynccontextmanager
async def wired(directory: Path, players: int, wires: FaultyWires | None = None, **more: Any) -> AsyncGenerator[Wired]:
    """Seats that play as soon as the block has begun. It ends when all have, and checks every record."""
    wires = wires or FaultyWires()
    for pair in permutations(range(1, players + 1), 2):
        wires.wire(*pair)
    party = Wired(directory, players, wires=wires, **more)
    for seat in range(1, players + 1):
        party.sit(seat, Paced((LOTS, seat)))
    async with party.playing():
        yield party
    checked(party)


def turns(number: int) -> Any:
    """Says of a match whether so many turns have been played."""

    def played(match: Match) -> bool:
        return match.number >= 7 + 2 * number

    return played


async def test_late_and_slow_links_that_overtake_each_other(virtual_time: object, tmp_path: Path) -> None:
    async with wired(tmp_path, 4, SlowWires(0.3)) as party:
        for wire in party.wires.wires.values():
            wire.there.rate_bytes_s = wire.back.rate_bytes_s = 40_000.0


async def test_a_link_that_is_cut_without_a_word_is_noticed_within_10_s_and_goes_round(
    virtual_time: object, tmp_path: Path
) -> None:
    async with wired(tmp_path, 3) as party:
        await party.linked()
        await party.until(3, turns(1))
        for wire in party.wires.between(1, 2):
            wire.silence()
        begun = trio.current_time()
        for seat, other in ((1, 2), (2, 1)):
            await party.unlinked(seat, other)
        noticed_s = trio.current_time() - begun
        assert noticed_s <= 10, noticed_s
    assert not any(isinstance(event, Absent) for place in party.places.values() for event in place.events)


async def test_a_link_that_carries_in_one_direction_only(virtual_time: object, tmp_path: Path) -> None:
    async with wired(tmp_path, 3) as party:
        await party.linked()
        for wire in party.wires.between(1, 2):
            wire.there.silence()
        await party.unlinked(1, 2)
        await party.unlinked(2, 1)


async def test_links_that_are_closed_on_one_side(virtual_time: object, tmp_path: Path) -> None:
    async with wired(tmp_path, 3) as party:
        for step in range(1, 4):
            await party.linked()
            await party.until(3, turns(step))
            for wire in party.wires.wires.values():
                wire.half_close()


async def test_two_who_never_meet(virtual_time: object, tmp_path: Path) -> None:
    async with wired(tmp_path, 4, without={(1, 3), (2, 4)}) as party:
        pass
    assert not any(wire.dials for pair in ((1, 3), (2, 4)) for wire in party.wires.between(*pair))


async def test_a_seat_that_is_cut_off_and_comes_back(virtual_time: object, tmp_path: Path) -> None:
    async with wired(tmp_path, 3) as party:
        await party.until(1, turns(2))
        for wire in party.wires.between(3):
            wire.silence()
        while not any(isinstance(event, Absent) for event in party[1].events):  # noqa: ASYNC110  # a list tells of it
            await trio.sleep(0.5)
        for wire in party.wires.between(3):
            wire.silence(silent=False)
    for seat in (1, 2):
        absences = [event for event in party[seat].events if isinstance(event, Absent | Back)]
        assert [type(event) for event in absences] == [Absent, Back]
        assert {event.seat for event in absences} == {3}


@pytest.mark.parametrize("seed", [1, 2])
async def test_links_that_fail_again_and_again(virtual_time: object, tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    async with wired(tmp_path, 4) as party:
        wires = list(party.wires.wires.values())
        for _ in range(40):
            wire = dice.choice(wires)
            spoil(wire, dice)
            await trio.sleep(dice.uniform(0.0, 1.0))
        for wire in wires:
            wire.silence(silent=False)
            wire.down(down=False)


def spoil(wire: Wire, dice: random.Random) -> None:
    """Do something to it, or undo it."""
    on = dice.random() < 0.5
    match dice.randrange(5):
        case 0:
            wire.half_close()
        case 1:
            wire.silence(silent=on)
        case 2:
            (wire.there if on else wire.back).silence()
        case 3:
            wire.down(down=on)
        case _:
            wire.cut()
