"""Seats that have no right address of each other find each other on the network."""

import contextlib
from collections.abc import AsyncGenerator

import pytest
import trio

from seqp2p.live import mesh as live_mesh
from seqp2p.live.mesh import Mesh, look_for_seats
from seqp2p.lobby import mdns
from seqp2p.lobby.adverts import SeatAdvert, game_mark
from seqp2p.lobby.discovery import advertising
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.addresses import Address, listening_addresses
from seqp2p.net.limits import Limits
from tests.net.tools import Seat, agreement, credentials, listening, randomness, said

LO = ["127.0.0.1"]
LIMIT_S = 60.0
QUICK = Limits(dial_min_s=0.05, dial_max_s=1)


@contextlib.asynccontextmanager
async def sitting(number: int) -> AsyncGenerator[tuple[AgreedTable, Seat]]:
    """A seat at a table of three that has signed an address where nothing listens."""
    wrong = [said(seat, entry.nonce, Address("127.0.0.1", 1024)) for seat, entry in enumerate(agreement(3).seats, 1)]
    async with listening() as listeners:
        table = AgreedTable(credentials(number), agreement(3), number, {}, [*listeners], statements=wrong)
        yield table, Seat(Mesh(table, randomness, QUICK), 3)


def ignore(_: str) -> None:
    pass


async def advertise(false: SeatAdvert, trap: list[trio.SocketListener]) -> None:
    async with advertising(false, trap, await listening_addresses(trap), ignore, LO):
        await trio.sleep_forever()


async def test_two_seats_find_each_other_behind_false_adverts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_mesh, "_POLL_S", 0.1)
    async with contextlib.AsyncExitStack() as stack:
        tables, seats = zip(*[await stack.enter_async_context(sitting(number)) for number in (1, 2)], strict=True)
        trap = await stack.enter_async_context(listening())
        async with trio.open_nursery() as nursery:
            for _ in range(6):
                nursery.start_soon(advertise, SeatAdvert(game_mark(tables[0].game), 1), trap)
            for table, seat in zip(tables, seats, strict=True):
                await nursery.start(seat.run)
                nursery.start_soon(look_for_seats, table, seat.mesh, lambda: (1, 2), ignore, LO)
            with trio.fail_after(LIMIT_S):
                await seats[0].until_linked(2)
                await seats[1].until_linked(1)
            nursery.cancel_scope.cancel()


async def test_on_loopback_alone_there_is_nothing_to_look_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mdns, "opened", ignore)
    async with sitting(1) as (table, seat):
        await look_for_seats(table, seat.mesh, lambda: (1, 2, 3), ignore)
