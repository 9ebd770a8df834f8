"""Real sockets on the loopback interface, and the real clock. test_mesh.py has all that needs neither."""

from contextlib import AsyncExitStack

import pytest
import trio

from seqp2p.live.mesh import Mesh
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.addresses import listening_addresses
from seqp2p.net.limits import Limits
from seqp2p.net.relay import LinkDown
from tests.net.tools import Seat, agreement, credentials, listening, randomness

# On a busy machine twelve seats take longer for each other than two do, and signs of life on 132 links add to that.
PATIENT = Limits(authenticate_s=20, code_exchange_s=20, heartbeat_s=2, silence_s=20, lobby_answer_s=20, dial_min_s=0.05)
LIMIT_S = 120.0
SEATS = range(1, 13)


@pytest.mark.process
@pytest.mark.simulation
@pytest.mark.timeout(10 * LIMIT_S)
async def test_twelve_are_linked_and_play() -> None:
    async with AsyncExitStack() as stack:
        doors = {seat: await stack.enter_async_context(listening()) for seat in SEATS}
        ways = {seat: tuple(await listening_addresses(door)) for seat, door in doors.items()}
        seats: dict[int, Seat] = {}
        nursery = await stack.enter_async_context(trio.open_nursery())
        for own, door in doors.items():
            others = {seat: way for seat, way in ways.items() if seat != own}
            table = AgreedTable(credentials(own), agreement(12), own, others, [*door])
            seats[own] = Seat(Mesh(table, randomness, PATIENT), 12)
            await nursery.start(seats[own].run)
        with trio.fail_after(LIMIT_S):
            for own, seat in seats.items():
                await seat.until_linked(*seats.keys() - {own})
                seat.contribute(own, 1, 5_000)
            for seat in seats.values():
                await seat.until_holding(12)
            async with trio.open_nursery() as closing:
                for seat in seats.values():
                    closing.start_soon(seat.mesh.close, "the game is over")
        nursery.cancel_scope.cancel()
    # How often each contribution comes is counted in test_mesh.py, where time stands still for a busy machine.
    assert not any(event.fault for seat in seats.values() for event in seat.events if isinstance(event, LinkDown))
