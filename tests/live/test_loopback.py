"""Real sockets on the loopback interface, and the real clock: a whole table, and those who would spoil it."""

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
import trio

from seqp2p.live.mesh import Mesh
from seqp2p.lobby.events import CodeShown, LobbyEvent, TurnedAway
from seqp2p.lobby.host import Hosting, host_table
from seqp2p.lobby.join import join_table
from seqp2p.lobby.own import Route
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.signed import ReleasedSecret
from seqp2p.net import tls
from seqp2p.net.addresses import Address, listening_addresses, open_listeners, tcp_dial
from seqp2p.net.auth import check_client, prove
from seqp2p.net.dialling import reach
from seqp2p.net.errors import LinkLost, NetError, PeerRefused, WrongKey
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Ping, encode_message
from seqp2p.net.relay import LinkDown, Received
from tests.net.tools import Seat, agreement, credentials, identity, own, randomness, settings

HERE = Address("127.0.0.1", 0)
pytestmark = pytest.mark.process

QUICK = Limits(authenticate_s=1, code_exchange_s=1, heartbeat_s=0.2, silence_s=3, lobby_answer_s=1, dial_min_s=0.05)
# On a busy machine twelve seats take longer for each other than two do, and signs of life on 132 links add to that.
PATIENT = replace(QUICK, authenticate_s=20, code_exchange_s=20, heartbeat_s=2, silence_s=20, lobby_answer_s=20)
LIMIT_S = 120.0


@contextlib.asynccontextmanager
async def listening() -> AsyncGenerator[tuple[list[trio.SocketListener], tuple[Address, ...]]]:
    listeners = await open_listeners(HERE)
    try:
        yield listeners, await listening_addresses(listeners)
    finally:
        for listener in listeners:
            await trio.aclose_forcefully(listener)


class Evening:
    """A host and its guests, each with a listener of its own."""

    def __init__(self, players: int, limits: Limits = QUICK) -> None:
        self.players = players
        self.limits = limits
        self.tables: dict[int, AgreedTable] = {}
        self.events: list[LobbyEvent] = []
        self.shown = trio.Event()
        self.all_seated = trio.Event()

    @property
    def code(self) -> str:
        return [event.code for event in self.events if isinstance(event, CodeShown)][-1]

    def tell(self, event: LobbyEvent) -> None:
        self.events.append(event)
        self.shown.set()

    def _seated(self, number: int, table: AgreedTable) -> None:
        self.tables[number] = table
        if len(self.tables) == self.players:
            self.all_seated.set()

    async def host(self, listeners: list[trio.SocketListener], addresses: tuple[Address, ...]) -> None:
        self.address = addresses[0]
        mine = own(1, "host", self.tell, listeners=listeners, addresses=addresses, limits=self.limits)
        table = await host_table(mine, Hosting(settings(self.players), 7))
        self._seated(1, table)

    async def join(
        self, number: int, listeners: list[trio.SocketListener], addresses: tuple[Address, ...], code: str
    ) -> None:
        mine = own(number, f"guest {number}", listeners=listeners, addresses=addresses, limits=self.limits)
        table = await join_table(mine, Route(self.address), code)
        self._seated(number, table)


@contextlib.asynccontextmanager
async def evening(players: int, limits: Limits = QUICK, guests: int | None = None) -> AsyncGenerator[Evening]:
    """A host whose lobby is open, and that many guests on their way (by default as many as it takes)."""
    made = Evening(players, limits)
    async with contextlib.AsyncExitStack() as stack:
        doors = [await stack.enter_async_context(listening()) for _ in range(players)]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(made.host, *doors[0])
            await made.shown.wait()
            for number in range(2, 2 + (players - 1 if guests is None else guests)):
                nursery.start_soon(made.join, number, *doors[number - 1], made.code)
            yield made
            nursery.cancel_scope.cancel()
        for table in made.tables.values():
            for frames in table.links.values():
                await frames.abort()


@pytest.mark.simulation
@pytest.mark.timeout(10 * LIMIT_S)
async def test_twelve_sit_down_and_play() -> None:
    async with evening(12, PATIENT) as table:
        with trio.fail_after(LIMIT_S):
            await table.all_seated.wait()
        assert len({each.game for each in table.tables.values()}) == 1
        seats = {each.seat: Seat(Mesh(each, randomness, PATIENT), 12) for each in table.tables.values()}
        assert sorted(seats) == list(range(1, 13))
        with trio.fail_after(LIMIT_S):
            async with trio.open_nursery() as nursery:
                for seat in seats.values():
                    await nursery.start(seat.run)
                for number, seat in seats.items():
                    await seat.until_linked(*(set(seats) - {number}))
                for step in range(1, 4):
                    for number, seat in seats.items():
                        seat.contribute(number, step, 5_000)
                    for seat in seats.values():
                        await seat.until_holding(12 * step)
                async with trio.open_nursery() as closing:
                    for seat in seats.values():
                        closing.start_soon(seat.mesh.close, "the game is over")
        # How often each contribution comes is counted in test_mesh.py, where time stands still for a busy machine.
        assert not any(event.fault for seat in seats.values() for event in seat.events if isinstance(event, LinkDown))


@contextlib.asynccontextmanager
async def playing(
    players: int, *numbers: int, limits: Limits = QUICK
) -> AsyncGenerator[tuple[dict[int, Seat], dict[int, Address]]]:
    """These seats of a game, linked; the others have no mesh. Gives seats and addresses."""
    async with contextlib.AsyncExitStack() as stack:
        doors = {number: await stack.enter_async_context(listening()) for number in numbers}
        addresses = {number: door[1][0] for number, door in doors.items()}
        seats = {}
        async with trio.open_nursery() as nursery:
            for number in numbers:
                others = {other: (address,) for other, address in addresses.items() if other != number}
                table = AgreedTable(credentials(number), agreement(players), number, others, doors[number][0])
                seats[number] = Seat(Mesh(table, randomness, limits), players)
                await nursery.start(seats[number].run)
            for number in numbers:
                await seats[number].until_linked(*(set(numbers) - {number}))
            yield seats, addresses
            nursery.cancel_scope.cancel()


async def link(seats: dict[int, Seat], address: Address, number: int, to: int) -> FrameStream:
    game = seats[to].mesh._table.game
    made = await reach(
        address, credentials(number), tcp_dial, QUICK, role="link", game=game, expected_key=identity(to).public
    )
    return made.frames


async def test_a_neighbour_that_reads_nothing_loses_its_link_and_blocks_nobody() -> None:
    async with playing(3, 1, 2) as (seats, addresses):
        lazy = await link(seats, addresses[1], 3, 1)
        await seats[1].until_linked(3)

        async def talk() -> None:
            with contextlib.suppress(LinkLost):
                while True:
                    await lazy.send(encode_message(Ping()))
                    await trio.sleep(0.2)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(talk)
            with trio.fail_after(LIMIT_S):
                for step in range(1, 131):  # more than the system's buffers and the queue, less than the rate
                    seats[1].contribute(1, step, 30_000)
                    await seats[2].until_holding(step)
                event = await seats[1].until_event(LinkDown, 3)
            assert isinstance(event, LinkDown)
            assert not event.fault
            nursery.cancel_scope.cancel()
        await lazy.abort()


async def test_a_cut_connection_is_made_again() -> None:
    async with playing(2, 1, 2) as (seats, _):
        (old,) = seats[2].mesh._peers[1].links
        stream = old.frames.stream
        assert isinstance(stream, trio.SSLStream)
        await trio.aclose_forcefully(stream.transport_stream)
        with trio.fail_after(LIMIT_S):
            await seats[1].until_event(LinkDown, 2)
            seats[2].contribute(2, 1)
            await seats[1].until_holding(1)
        assert not any(event.fault for event in seats[1].events if isinstance(event, LinkDown))


async def test_a_slow_loris_and_many_half_open_connections_in_the_game() -> None:
    async with playing(3, 1, 2) as (seats, addresses):
        streams = [await tcp_dial(addresses[1]) for _ in range(150)]
        for stream in streams[-10:]:
            await stream.send_all(b"\x16\x03\x01\x02")  # the beginning of a TLS hello, and no more
        third = await link(seats, addresses[1], 3, 1)
        seats[1].contribute(1, 1)
        with trio.fail_after(LIMIT_S):
            await seats[2].until_holding(1)
            await third.receive(1000)
            # those who dawdle are sent away
            await trio.sleep(QUICK.authenticate_s)
            for stream in streams:
                with contextlib.suppress(trio.BrokenResourceError):
                    assert await stream.receive_some(1) == b""
        await third.abort()
        for stream in streams:
            await stream.aclose()


async def test_dawdlers_do_not_keep_guests_from_the_lobby() -> None:
    async with evening(3, PATIENT, guests=1) as table:
        streams = [await tcp_dial(table.address) for _ in range(150)]
        async with listening() as door:
            with trio.fail_after(LIMIT_S):
                await table.join(3, *door, table.code)
                await table.all_seated.wait()
        for stream in streams:
            await stream.aclose()


async def test_rubbish_at_the_door() -> None:
    async with evening(2, guests=0) as table:
        for rubbish in (b"GET / HTTP/1.1\r\n\r\n", bytes(5000), b"\xff" * 5000):
            stream = await tcp_dial(table.address)
            await stream.send_all(rubbish)
            with contextlib.suppress(trio.BrokenResourceError):
                while await stream.receive_some():
                    pass
            await stream.aclose()
        assert not any(isinstance(event, TurnedAway) for event in table.events)
        async with listening() as door:
            await table.join(2, *door, table.code)
            await table.all_seated.wait()


class Middle:
    """A man in the middle with a key of his own: plays host to the guest and guest to the host, passing on frames."""

    def __init__(self, host: Address) -> None:
        self.host = host

    async def relay(self, stream: trio.abc.Stream) -> None:
        guest = await tls.accept(stream, credentials(9))
        async with tls.closing_on_error(guest.stream):
            host = await tls.connect(await tcp_dial(self.host), credentials(9), None)
        try:
            await check_client(
                guest,
                credentials(9),
                lobby=bytes([1]) * 32,
                admit=lambda _: None,
                randomness=randomness,
                limits=QUICK,
            )
            await prove(host, identity(9), "join", None, QUICK)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.pass_on, guest, host.frames)
                nursery.start_soon(self.pass_on, host.frames, guest)
        except NetError:
            pass  # The guest has seen through it.
        finally:
            await guest.abort()
            await host.frames.abort()

    @staticmethod
    async def pass_on(source: FrameStream, target: FrameStream) -> None:
        with contextlib.suppress(NetError):
            while True:
                data = await source.receive(5000)
                await target.send(len(data).to_bytes(4, "big") + data)
        await target.abort()


async def test_a_man_in_the_middle_of_a_join_gets_nowhere() -> None:
    async with evening(2, guests=0) as table, listening() as door, listening() as trap:
        real = table.address

        async def spring() -> None:
            await Middle(real).relay(await trap[0][0].accept())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(spring)
            table.address = trap[1][0]
            with pytest.raises(PeerRefused, match="not the code"):
                await table.join(2, *door, table.code)
            nursery.cancel_scope.cancel()
        assert [type(event) for event in table.events].count(CodeShown) == 1
        table.address = real
        await table.join(2, *door, table.code)  # the same code still holds: that was one try of three
        await table.all_seated.wait()


async def test_a_man_in_the_middle_of_a_link_is_seen_by_his_key() -> None:
    async with playing(2, 1) as (seats, addresses), listening() as (trap, (trapped, *_)):
        async with trio.open_nursery() as nursery:

            async def spring() -> None:
                await Middle(addresses[1]).relay(await trap[0].accept())

            nursery.start_soon(spring)
            with pytest.raises(WrongKey):
                await link(seats, trapped, 2, 1)
            nursery.cancel_scope.cancel()
        assert seats[1].events == []


async def test_what_is_received_is_what_was_sent() -> None:
    async with playing(2, 1, 2) as (seats, _):
        seats[1].mesh.relay.pass_on(ReleasedSecret(1, bytes(range(32))))
        event = await seats[2].until_event(Received, 1)
        assert isinstance(event, Received)
        assert getattr(event.message, "secret", None) == bytes(range(32))
