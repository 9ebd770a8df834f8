"""Real sockets on the loopback interface, and the real clock. test_mesh.py has all that needs neither."""

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
import trio

from seqp2p.live.mesh import Mesh
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.addresses import listening_addresses
from seqp2p.net.limits import Limits
from seqp2p.net.relay import LinkDown
from tests.net.tools import Seat, agreement, credentials, listening, randomness

pytestmark = pytest.mark.process

QUICK = Limits(authenticate_s=1, code_exchange_s=1, heartbeat_s=0.2, silence_s=3, lobby_answer_s=1, dial_min_s=0.05)
# On a busy machine twelve seats take longer for each other than two do, and signs of life on 132 links add to that.
PATIENT = replace(QUICK, authenticate_s=20, code_exchange_s=20, heartbeat_s=2, silence_s=20, lobby_answer_s=20)
LIMIT_S = 120.0


@contextlib.asynccontextmanager
async def playing(players: int, limits: Limits) -> AsyncGenerator[dict[int, Seat]]:
    """The seats of a game, linked."""
    async with contextlib.AsyncExitStack() as stack:
        numbers = range(1, players + 1)
        doors = {number: await stack.enter_async_context(listening()) for number in numbers}
        ways = {number: await listening_addresses(door) for number, door in doors.items()}
        seats = {}
        async with trio.open_nursery() as nursery:
            for number in numbers:
                others = {other: way[:1] for other, way in ways.items() if other != number}
                table = AgreedTable(credentials(number), agreement(players), number, others, [*doors[number]])
                seats[number] = Seat(Mesh(table, randomness, limits), players)
                await nursery.start(seats[number].run)
            with trio.fail_after(LIMIT_S):
                for number in numbers:
                    await seats[number].until_linked(*(set(numbers) - {number}))
            yield seats
            nursery.cancel_scope.cancel()


@pytest.mark.simulation
@pytest.mark.timeout(10 * LIMIT_S)
async def test_twelve_are_linked_and_play() -> None:
    async with playing(12, PATIENT) as seats:
        with trio.fail_after(LIMIT_S):
            for number, seat in seats.items():
                seat.contribute(number, 1, 5_000)
            for seat in seats.values():
                await seat.until_holding(12)
            async with trio.open_nursery() as closing:
                for seat in seats.values():
                    closing.start_soon(seat.mesh.close, "the game is over")
        # How often each contribution comes is counted in test_mesh.py, where time stands still for a busy machine.
        assert not any(event.fault for seat in seats.values() for event in seat.events if isinstance(event, LinkDown))


async def test_a_cut_connection_is_made_again() -> None:
    async with playing(2, QUICK) as seats:
        (old,) = seats[2].mesh._peers[1].links
        stream = old.frames.stream
        assert isinstance(stream, trio.SSLStream)
        await trio.aclose_forcefully(stream.transport_stream)
        with trio.fail_after(LIMIT_S):
            await seats[1].until_event(LinkDown, 2)
            seats[2].contribute(2, 1)
            await seats[1].until_holding(1)
        assert not any(event.fault for event in seats[1].events if isinstance(event, LinkDown))
