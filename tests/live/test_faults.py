"""Sessions over real sockets and the real clock, through a proxy that spoils their links: every game ends verified."""

import contextlib
import random
from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import trio

from seqp2p.live.absence import Absent, Back
from seqp2p.live.mesh import Mesh
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.machine import Match
from seqp2p.net.addresses import Address, tcp_dial
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.rules import Action, View
from tests.live.parties import LOTS, Lottery, Pair, Party, checked
from tests.live.proxy import Wire, jitter
from tests.net.tools import address_of
from tests.table import randomness

pytestmark = pytest.mark.simulation

QUICK = Limits(heartbeat_s=0.25, silence_s=1.0, authenticate_s=1.0, connect_s=1.0, dial_min_s=0.05, dial_max_s=0.5)
# None of these games takes longer, on any machine.
HANG_S = 60.0


class Paced(Lottery):
    """By lot, taking its time."""

    pace_s = 0.02

    async def pick(self, view: View, refused: str | None) -> Action:
        await trio.sleep(self.pace_s)
        return await super().pick(view, refused)


class Wired(Party):
    """A party on loopback: every seat dials every other by a wire of its own. Made by ``wired``."""

    ports: dict[int, trio.SocketListener]
    wires_of: dict[Pair, Wire]

    def table(self, seat: int) -> AgreedTable:
        return replace(super().table(seat), listeners=[self.ports[seat]])

    def mesh(self, seat: int) -> Mesh:
        def may_dial(other: int) -> bool:
            return not {(seat, other), (other, seat)} & set(self.without)

        async def dial(address: Address) -> trio.abc.Stream:
            (other,) = [other for other in self.ports if address_of(other) == address]
            return await tcp_dial(Address("127.0.0.1", self.wires_of[seat, other].port))

        return Mesh(self.table(seat), randomness(("mesh", seat)), self.limits, dial=dial, dial_filter=may_dial)

    def between(self, *seats: int) -> list[Wire]:
        """Both wires of a pair; of one seat, all that it has."""
        return [wire for pair, wire in self.wires_of.items() if set(seats) <= set(pair)]

    async def unlinked(self, seat: int, other: int) -> None:
        """Wait until this seat has noticed that there is no link."""
        await self[seat].session.mesh._peers[other].until(linked=False)

    async def linked(self) -> None:
        """Wait until everybody is linked with everybody."""
        for seat, other in self.wires_of:
            await self[seat].session.mesh._peers[other].until(linked=True)


@contextlib.asynccontextmanager
async def wired(directory: Path, players: int, **more: Any) -> AsyncGenerator[Wired]:
    """Seats that play as soon as the block has begun; it ends when all have, and with every record right."""
    party = Wired(directory, players, **more)
    party.ports = {}
    async with contextlib.AsyncExitStack() as stack, trio.open_nursery() as nursery:
        for seat in range(1, players + 1):
            (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
            party.ports[seat] = listener
            stack.callback(listener.socket.close)
        party.wires_of = {pair: Wire() for pair in permutations(party.ports, 2)}
        for (_, other), wire in party.wires_of.items():
            await nursery.start(wire.run, party.ports[other].socket.getsockname()[1])
        for seat in party.ports:
            party.sit(seat, Paced((LOTS, seat)))
        with trio.fail_after(HANG_S):
            async with party.playing():
                yield party
        nursery.cancel_scope.cancel()
    checked(party)


def turns(number: int) -> Any:
    """Says of a match whether so many turns have been played."""

    def played(match: Match) -> bool:
        return match.number >= 7 + 2 * number

    return played


async def test_late_and_slow_links_that_overtake_each_other(tmp_path: Path) -> None:
    async with wired(tmp_path, 4) as party:
        for pair, wire in party.wires_of.items():
            wire.there.delay_s, wire.back.delay_s = jitter(0.03, ("there", pair)), jitter(0.03, ("back", pair))
            wire.there.rate_bytes_s = wire.back.rate_bytes_s = 400_000.0


async def test_a_link_that_is_cut_without_a_word_is_noticed_within_10_s_and_goes_round(tmp_path: Path) -> None:
    """On the product's own limits."""
    async with wired(tmp_path, 3, limits=DEFAULT_LIMITS) as party:
        await party.linked()
        await party.until(3, turns(1))
        for wire in party.between(1, 2):
            wire.silence()
        begun = trio.current_time()
        for seat, other in ((1, 2), (2, 1)):
            await party.unlinked(seat, other)
        noticed_s = trio.current_time() - begun
        assert noticed_s <= 10, noticed_s
    assert not any(isinstance(event, Absent) for place in party.places.values() for event in place.events)


async def test_a_link_that_carries_in_one_direction_only(tmp_path: Path) -> None:
    async with wired(tmp_path, 3, limits=QUICK) as party:
        await party.linked()
        for wire in party.between(1, 2):
            wire.there.silence()
        await party.unlinked(1, 2)
        await party.unlinked(2, 1)


async def test_links_that_are_closed_on_one_side(tmp_path: Path) -> None:
    async with wired(tmp_path, 3, limits=QUICK) as party:
        for step in range(1, 4):
            await party.linked()
            await party.until(3, turns(step))
            for wire in party.wires_of.values():
                wire.half_close()


async def test_two_who_never_meet(tmp_path: Path) -> None:
    async with wired(tmp_path, 4, limits=QUICK, without={(1, 3), (2, 4)}) as party:
        pass
    assert not any(wire.dials for pair in ((1, 3), (2, 4)) for wire in party.between(*pair))


async def test_a_seat_that_is_cut_off_and_comes_back(tmp_path: Path) -> None:
    async with wired(tmp_path, 3, limits=QUICK) as party:
        await party.until(1, turns(2))
        for wire in party.between(3):
            wire.silence()
        while not any(isinstance(event, Absent) for event in party[1].events):  # noqa: ASYNC110  # a list tells of it
            await trio.sleep(0.05)
        for wire in party.between(3):
            wire.silence(silent=False)
    for seat in (1, 2):
        absences = [event for event in party[seat].events if isinstance(event, Absent | Back)]
        assert [type(event) for event in absences] == [Absent, Back]
        assert {event.seat for event in absences} == {3}


@pytest.mark.parametrize("seed", [1, 2])
async def test_links_that_fail_again_and_again(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    async with wired(tmp_path, 4, limits=QUICK) as party:
        wires = list(party.wires_of.values())
        for _ in range(40):
            wire = dice.choice(wires)
            spoil(wire, dice)
            await trio.sleep(dice.uniform(0.0, 0.1))
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
