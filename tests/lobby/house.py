"""A lobby on a network without sockets, and who comes to it: players, a joiner that lies, and a host that lies."""

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.lobby.door import CodeDoor
from seqp2p.lobby.events import CodeShown, Declined, LineSaid, LobbyEvent, LobbyRequest, LobbyShown, TurnedAway
from seqp2p.lobby.host import Hosting, host_table
from seqp2p.lobby.join import WaitingSpectator, join_table, watch_table
from seqp2p.lobby.pake import Exchange, give_code
from seqp2p.lobby.table import AgreedTable
from seqp2p.net import tls
from seqp2p.net.auth import check_client, receive, send
from seqp2p.net.dialling import Route, reach
from seqp2p.net.errors import LinkLost, NetError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import Gather, LinkStage, Nonce, Ping, Sit, WireMessage, decode_message
from seqp2p.net.tls import Credentials
from tests.net.tools import Wires, address_of, credentials, identity, own, randomness, said, settings

LIMITS = DEFAULT_LIMITS
LOBBY_ID = bytes([1]) * 32
NAMES = {2: "ben", 3: "cat", 4: "dan"}
E = TypeVar("E")
M = TypeVar("M", bound=WireMessage)


class Player:
    """The host or a joiner: its events, and its table or its error."""

    def __init__(self) -> None:
        self.events: list[LobbyEvent] = []
        self.table: AgreedTable | None = None
        self.error: NetError | None = None
        self.scope = trio.CancelScope()
        self.send, self.requests = trio.open_memory_channel[LobbyRequest](100)

    async def run(self, attempt: Callable[[], Awaitable[AgreedTable]]) -> None:
        with self.scope:
            try:
                self.table = await attempt()
            except NetError as error:
                self.error = error

    async def ask(self, *requests: LobbyRequest) -> None:
        for request in requests:
            self.send.send_nowait(request)
        await wait_all_tasks_blocked()

    def told(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def shown(self) -> LobbyShown:
        return self.told(LobbyShown)[-1]

    @property
    def names(self) -> list[str | None]:
        return [None if seat is None else seat.name for seat in self.shown.seats]

    @property
    def codes(self) -> list[str]:
        return [event.code for event in self.told(CodeShown)]

    @property
    def heard(self) -> list[str]:
        return [f"{event.seat} {event.name}: {event.text}" for event in self.told(LineSaid)]

    @property
    def declined(self) -> list[str]:
        return [event.code for event in self.told(Declined)]

    @property
    def turned_away(self) -> list[str]:
        return [event.reason for event in self.told(TurnedAway)]


class House:
    """A host, seat 1, whose lobby is open, with these fields of its Own and Hosting; joiners go by their identities."""

    def __init__(self, nursery: trio.Nursery, seats: int, **fields: Any) -> None:
        self.obeys = True
        self.own = {name: fields.pop(name) for name in ("relay", "limits") if name in fields}
        self.nursery = nursery
        self.seats = seats
        self.hosting = {"number": 7, **fields}
        self.wires = Wires()
        self.players: dict[int, Player] = {1: Player()}

    def __getitem__(self, number: int) -> Player:
        return self.players.setdefault(number, Player())

    @property
    def code(self) -> str:
        return self[1].codes[-1]

    @property
    def names(self) -> list[str | None]:
        return self[1].names

    @property
    def turned_away(self) -> list[str]:
        return self[1].turned_away

    @property
    def tables(self) -> dict[int, AgreedTable]:
        return {number: player.table for number, player in self.players.items() if player.table is not None}

    @property
    def errors(self) -> dict[int, NetError]:
        return {number: player.error for number, player in self.players.items() if player.error is not None}

    def refused(self, number: int) -> str:
        """The code of the refusal that this one was given."""
        error = self.errors[number]
        assert isinstance(error, PeerRefused)
        return error.code

    async def host(self) -> None:
        host, listener = self[1], self.wires.listen(address_of(1))
        mine = own(1, "host", host.events.append, listeners=[listener], addresses=[address_of(1)], **self.own)
        hosting = Hosting(settings(self.seats), **self.hosting)
        await host.run(partial(host_table, mine, hosting, host.requests if self.obeys else None))

    async def open(self) -> None:
        self.nursery.start_soon(self.host)
        await wait_all_tasks_blocked()

    def join(self, number: int, name: str | None = None, code: str | None = None, **options: Any) -> None:
        """Join with these ``options`` of join_table, or by this ``dial``."""
        guest = self.players[number] = Player()
        called = name or NAMES.get(number, f"guest {number}")
        mine = own(number, called, guest.events.append, addresses=[address_of(number)])
        route = Route(address_of(1), options.pop("dial", self.wires.dial))
        attempt = partial(join_table, mine, route, code or self.code, **{"requests": guest.requests, **options})
        self.nursery.start_soon(guest.run, attempt)

    async def enter(self, number: int, name: str | None = None, code: str | None = None, **options: Any) -> None:
        """Join, and wait until nothing more happens."""
        self.join(number, name, code, **options)
        await wait_all_tasks_blocked()

    async def watch(self, number: int, name: str = "eve", **changes: Any) -> WaitingSpectator:
        """Watch; ``let_in`` is called by watch_table, other ``changes`` are of what this spectator brings."""
        let_in = changes.pop("let_in", lambda: None)
        route = Route(address_of(1), changes.pop("dial", self.wires.dial))
        return await watch_table(own(number, name, **changes), route, self.code, let_in)


Opened: TypeAlias = Callable[..., Awaitable[House]]
"""The fixture ``house``."""


async def expect(frames: FrameStream, kind: type[M], stage: LinkStage) -> M:
    """Read until a message of this kind comes."""
    while True:
        message = decode_message(await frames.receive(LIMITS.frame_max), stage)
        if isinstance(message, kind):
            return message


class Liar:
    """A joiner that follows the protocol as far as a test wants it."""

    frames: FrameStream

    def __init__(self, table: House, number: int) -> None:
        self.table = table
        self.number = number

    async def give_code(self) -> "Liar":
        link = await reach(address_of(1), credentials(self.number), self.table.wires.dial, LIMITS, role="join")
        self.frames = link.frames
        key = identity(self.number).public
        exchange = Exchange(self.table.code, key, link.server_key, link.certificate_hash, randomness, host=False)
        await give_code(link.frames, exchange, LIMITS)
        return self

    async def sit_down(self, name: str = "liar") -> "Liar":
        await self.give_code()
        await self.say(Sit(name))
        self.table.nursery.start_soon(self.stay)
        return self

    def nonce(self, round_: int = 1, nonce: bytes = bytes(32)) -> Nonce:
        return Nonce(round_, nonce, said(self.number, nonce))

    async def say(self, message: WireMessage) -> None:
        await send(self.frames, message)
        await wait_all_tasks_blocked()

    async def stay(self) -> None:
        with contextlib.suppress(LinkLost):
            while True:
                await trio.sleep(2)
                await send(self.frames, Ping())

    async def expect(self, kind: type[M]) -> M:
        return await expect(self.frames, kind, LinkStage.LOBBY_JOINER)


Step: TypeAlias = WireMessage | Callable[["LyingHost"], WireMessage]
Script: TypeAlias = Callable[["LyingHost", FrameStream], Awaitable[None]]


class LyingHost:
    """A host that takes the code and then follows one script for each connection."""

    given: Nonce
    """What the joiner answered to the last Gather."""

    def __init__(self, *scripts: Script, who: Credentials | None = None) -> None:
        self._scripts = scripts
        self._own = who or credentials(1)
        self._door = CodeDoor(replace(own(1), credentials=self._own), 7)
        self.code = self._door.code
        self.wires = Wires()
        self._listener = self.wires.listen(address_of(1))

    async def run(self) -> None:
        for script in self._scripts:
            frames = await tls.accept(await self._listener.accept(), self._own)
            proof = await check_client(
                frames, self._own, lobby=LOBBY_ID, admit=lambda _: None, randomness=randomness, limits=LIMITS
            )
            with contextlib.suppress(NetError):
                if proof.id == LOBBY_ID:
                    await self._door.check(frames, proof.key, "")
                    await receive(frames, LinkStage.CODE_HOST, LIMITS)
                await script(self, frames)
            await frames.abort()


def telling(*steps: Step) -> Script:
    """Return a script that says this, and reads until the other side hangs up."""

    async def script(host: LyingHost, frames: FrameStream) -> None:
        for step in steps:
            message = step(host) if callable(step) else step
            await send(frames, message)
            if isinstance(message, Gather):
                host.given = await expect(frames, Nonce, LinkStage.LOBBY_HOST)
        with trio.move_on_after(30):
            while True:
                await frames.receive(LIMITS.frame_max)
                await send(frames, Ping())

    return script
