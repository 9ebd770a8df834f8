"""What the tests of this package share: players, an in-memory network, and a stand-in for the session."""

import random
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

import pytest
import trio
from outcome import acapture
from trio.testing import memory_stream_pair

from seqp2p.crypto.identity import Identity
from seqp2p.live.mesh import Mesh, MeshEvent
from seqp2p.lobby.address_statement import make_statement
from seqp2p.lobby.events import OnLobbyEvent, Own
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.contribution import Contribution
from seqp2p.match.signed import SignedThing
from seqp2p.match.table import Agreement, SeatEntry, Settings
from seqp2p.net import tls
from seqp2p.net.addresses import Address, open_listeners
from seqp2p.net.errors import PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.gossip import PlacedVote
from seqp2p.net.messages import AddressStatement, ContributionMessage, Have
from seqp2p.net.relay import FirstHave, LinkDown, LinkUp, Received
from seqp2p.net.tls import Credentials, ServerLink, make_credentials
from tests.table import make_settings

T = TypeVar("T")
E = TypeVar("E", LinkUp, LinkDown, Received)
LOOPBACK = Address("127.0.0.1", 0)
randomness = random.Random(1).randbytes


def identity(number: int) -> Identity:
    return Identity(bytes([number]) * 32)


def settings(players: int) -> Settings:
    return make_settings(players, table_talk=False)


def agreement(players: int) -> Agreement:
    seats = tuple(
        SeatEntry(f"player {seat}", identity(seat).public, bytes([seat]) * 32) for seat in range(1, players + 1)
    )
    return Agreement(1, settings(players), seats)


def said(number: int, nonce: bytes, *addresses: Address, count: int = 1) -> AddressStatement:
    """The addresses of a player, signed with this nonce."""
    return make_statement(identity(number), nonce, count, addresses)


@asynccontextmanager
async def listening(address: Address | None = LOOPBACK) -> AsyncGenerator[list[trio.SocketListener]]:
    """Listen at this address, by default at a free port of loopback, until the block ends."""
    listeners = await open_listeners(address)
    try:
        yield listeners
    finally:
        for listener in listeners:
            await trio.aclose_forcefully(listener)


class Wires:
    """Hosts on a network without sockets. ``cut`` makes an address unreachable."""

    def __init__(self) -> None:
        self._queues: dict[Address, trio.MemorySendChannel[trio.abc.Stream]] = {}
        self.dialled: list[Address] = []

    def listen(self, address: Address) -> "WireListener":
        send, receive = trio.open_memory_channel[trio.abc.Stream](1000)
        self._queues[address] = send
        return WireListener(receive)

    async def dial(self, address: Address) -> trio.abc.Stream:
        """A connection to this address."""
        await trio.lowlevel.checkpoint()
        self.dialled.append(address)
        if address not in self._queues:
            raise ConnectionRefusedError
        here, there = self.pair()
        self._queues[address].send_nowait(there)
        return here

    def pair(self) -> tuple[trio.abc.Stream, trio.abc.Stream]:
        return memory_stream_pair()

    def cut(self, address: Address) -> None:
        self._queues.pop(address, None)


class WireListener(trio.abc.Listener[trio.abc.Stream]):
    def __init__(self, queue: "trio.MemoryReceiveChannel[trio.abc.Stream]") -> None:
        self._queue = queue

    async def accept(self) -> trio.abc.Stream:
        return await self._queue.receive()

    async def aclose(self) -> None:
        self._queue.close()
        await trio.lowlevel.checkpoint()


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that another task or thread does."""
    with trio.fail_after(60):
        while not condition():  # noqa: ASYNC110  # nothing tells of it
            await trio.sleep(0.001)


def address_of(seat: int) -> Address:
    return Address(f"10.0.0.{seat}", 4610)


@cache
def credentials(number: int) -> Credentials:
    return make_credentials(identity(number))


def own(number: int, name: str | None = None, on_event: OnLobbyEvent = lambda _: None, **changes: Any) -> Own:
    """What a player of this identity brings to a lobby, with these ``changes``."""
    return replace(
        Own(credentials(number), f"player {number}" if name is None else name, randomness, on_event), **changes
    )


def table(wires: Wires, seat: int, players: int) -> AgreedTable:
    others = {other: (address_of(other),) for other in range(1, players + 1) if other != seat}
    return AgreedTable(credentials(seat), agreement(players), seat, others, [wires.listen(address_of(seat))])


def contribution(step: int, author: int, size: int = 0) -> Contribution:
    return Contribution(f"{step} {author} ".encode() + bytes(size), bytes([author]) * 64)


class Seat:
    """A mesh, and a session that keeps new contributions, passes them on and remembers every event."""

    def __init__(self, mesh: Mesh, players: int) -> None:
        self.mesh = mesh
        self.players = players
        self.held: dict[tuple[int, int], Contribution] = {}
        self.events: list[MeshEvent] = []
        self.copies = 0
        self._changed = trio.Event()

    async def run(self, *, task_status: "trio.TaskStatus[None]" = trio.TASK_STATUS_IGNORED) -> None:
        send, inbox = trio.open_memory_channel[MeshEvent](0)
        async with trio.open_nursery() as nursery:
            await nursery.start(self.mesh.run, self, send)
            task_status.started()
            async for event in inbox:
                if isinstance(event, FirstHave):
                    self.mesh.relay.answer_first(event.seat)
                    continue
                if isinstance(event, Received) and isinstance(event.message, Have):
                    continue
                self.events.append(event)
                if isinstance(event, Received) and isinstance(event.message, ContributionMessage):
                    self.copies += 1
                    self.keep(event.message.contribution)
                self._changed.set()
                self._changed = trio.Event()

    def keep(self, new: Contribution) -> None:
        step, author, _ = new.payload.split(b" ", 2)
        if (int(step), int(author)) not in self.held:
            self.held[int(step), int(author)] = new
            self.mesh.relay.pass_on(new, int(author), int(step))

    def contribute(self, seat: int, step: int, size: int = 0) -> None:
        self.keep(contribution(step, seat, size))

    def have(self) -> tuple[int, frozenset[int]]:
        step = 1
        while all((step, seat) in self.held for seat in range(1, self.players + 1)):
            step += 1
        return step, frozenset(author for number, author in self.held if number == step)

    def missing(self, step: int, seats: frozenset[int]) -> Iterable[tuple[int, int, Contribution]]:
        return [
            (number, author, each)
            for (number, author), each in sorted(self.held.items())
            if number > step or (number == step and author not in seats)
        ]

    def votes(self, step: int) -> Iterable[PlacedVote]:
        return ()

    def early(self, seat: int) -> list[SignedThing]:
        return []

    async def until(self, reached: Callable[[], T | None]) -> T:
        """Wait until this is something, and return it."""
        while not (found := reached()):
            await self._changed.wait()
        return found

    async def until_linked(self, *seats: int) -> None:
        await self.until(lambda: self.mesh.relay.linked >= set(seats))

    async def until_holding(self, count: int) -> None:
        await self.until(lambda: len(self.held) >= count)

    async def until_event(self, kind: type[E], seat: int) -> E:
        def first() -> E | None:
            return next((each for each in self.events if isinstance(each, kind) and each.seat == seat), None)

        return await self.until(first)

    async def until_down(self, seat: int) -> LinkDown:
        return await self.until_event(LinkDown, seat)


async def tls_pair(
    server: Credentials, client: Credentials, expected: bytes | None = None
) -> tuple[FrameStream, ServerLink]:
    """A server's and a client's end of one TLS connection, before authentication."""
    here, there = memory_stream_pair()
    accepted: list[FrameStream] = []

    async def accept() -> None:
        accepted.append(await tls.accept(there, server))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept)
        connected = await acapture(tls.connect, here, client, expected)
    return accepted[0], connected.unwrap()


def frames_pair() -> tuple[FrameStream, FrameStream]:
    here, there = memory_stream_pair()
    return FrameStream(here), FrameStream(there)


@contextmanager
def refused(code: str) -> Iterator[None]:
    """The block is refused with this code."""
    with pytest.raises(PeerRefused) as error:
        yield
    assert error.value.code == code
