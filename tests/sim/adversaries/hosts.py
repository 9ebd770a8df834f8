"""Hosts that lie about addresses or cut links: real lobbies and games over TCP on loopback, with honest seats.

    ending = await play_host(HOSTS[0], 3, folder)
    assert not ending.dropped

The virtual LAN has no lobby and no addresses, so these adversaries are here.
"""

import contextlib
import random
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias
from unittest import mock

import msgspec
import trio

from seqp2p.bots.player import BotPlayer
from seqp2p.bots.registry import BOTS
from seqp2p.crypto.group import Randomness
from seqp2p.live.game import LiveGame
from seqp2p.live.mesh import Mesh, look_for_seats
from seqp2p.live.recorder import TableEvent
from seqp2p.lobby.address_statement import make_statement
from seqp2p.lobby.events import CodeShown, LobbyEvent, OnLobbyEvent, Own
from seqp2p.lobby.host import Hosting, _HostLobby, host_table
from seqp2p.lobby.join import join_table
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.events import Dropped, Turned
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import SignedThing
from seqp2p.match.table import USUAL_OPTIONS, Agreement, Settings, decode_agreement, encode_agreement
from seqp2p.net import messages as wire
from seqp2p.net.addresses import Address, listening_addresses
from seqp2p.net.dialling import Route
from seqp2p.net.errors import LinkLost, PeerError
from seqp2p.net.gossip import PlacedItem, PlacedVote, Store
from seqp2p.net.links import Link
from seqp2p.net.relay import Feed, Relay
from seqp2p.net.tls import make_credentials
from seqp2p.replay.writer import ReplayWriter
from tests.net.tools import listening
from tests.sim.adversaries.described import doing
from tests.sim.table import TableKey, draw_settings, identity

Statements: TypeAlias = tuple[wire.AddressStatement, ...]
Lie: TypeAlias = Callable[["Told"], Statements]

_LO: Final = ("127.0.0.1",)
_NOWHERE: Final = (Address("127.0.0.1", 1024),)
_GRACE_S: Final = 12
_PACE_S: Final = 0.5
_CODE_NUMBER: Final = 7


@dataclass(frozen=True, slots=True)
class Told:
    """The true statements, the agreement, and the seat that the host lies to."""

    statements: Statements
    agreement: Agreement
    reader: int
    table: TableKey

    def changed(self, seat: int, statement: wire.AddressStatement) -> Statements:
        """Return the statements with another one for this seat."""
        return (*self.statements[: seat - 1], statement, *self.statements[seat:])

    @property
    def other(self) -> int:
        """Another joiner than the reader."""
        return 2 if self.reader != 2 else 3


@dataclass(slots=True)
class HostEnding:
    """The sentences of joiners that did not play, the honest seats that played to the end, and those voted out."""

    said: set[str] = field(default_factory=set[str])
    finished: set[int] = field(default_factory=set[int])
    dropped: set[int] = field(default_factory=set[int])


class HostMesh(Mesh):
    """The links of a host that strikes at the last seat in the first turn."""

    def strike(self) -> None:
        """Begin the attack."""


class Cutting(HostMesh):
    """It ends its links to the seat, and makes none again."""

    def strike(self) -> None:
        victim = self._peers[max(self._peers)]
        victim.faults = self._limits.faults_max
        for link in tuple(victim.links):
            link.end(LinkLost("cut"))


class KeepingBack(HostMesh):
    """It keeps its links to the seat, and passes on nothing that it contributes."""

    def __init__(self, table: AgreedTable, randomness: Randomness) -> None:
        super().__init__(table, randomness)
        self.relay = self._without = _RelayWithout(table.seat, self._peers, trio.current_time)

    def strike(self) -> None:
        self._without.author = max(self._peers)


class _RelayWithout(Relay[Link]):
    """Passes on nothing by one author, once there is one; as a store it hides the same. ``author`` is 0 at first."""

    author = 0

    def begin(self, store: Store, feed: Feed | None) -> None:
        self._all = store
        super().begin(self, feed)

    def pass_on(self, thing: SignedThing, author: int = 0, step: int = 0) -> None:
        if not author or author != self.author:
            super().pass_on(thing, author, step)

    def have(self) -> tuple[int, frozenset[int]]:
        return self._all.have()

    def missing(self, step: int, seats: frozenset[int]) -> list[PlacedItem]:
        return [each for each in self._all.missing(step, seats) if each[1] != self.author]

    def votes(self, step: int) -> Iterable[PlacedVote]:
        return self._all.votes(step)

    def early(self, seat: int) -> Iterable[SignedThing]:
        return self._all.early(seat)


@dataclass(frozen=True, slots=True)
class HostileHost:
    """A host that lies about addresses, or is the only link between seats and strikes. ``part`` is of the sentence of
    each joiner that sees the lie; where it is empty the game is played, and no honest seat is voted out.
    """

    name: str
    what: str
    part: str = ""
    lie: Lie | None = None
    mesh: type[HostMesh] = HostMesh
    turn_time_s: int = 0

    @property
    def ending(self) -> str:
        """The ending in words."""
        if self.lie is None:
            return "the joiners find each other on the network, and the game is played out with all of them"
        return f"the joiners that are lied to refuse the table: “The host gave … {self.part} …”"


def _own_key(told: Told) -> Statements:
    """Gives each joiner an address of its own choice for the others, signed with the host's key."""
    nonce = told.agreement.seats[told.other - 1].nonce
    return told.changed(told.other, make_statement(identity(told.table, 1), nonce, 1, _NOWHERE))


def _moved(true: wire.AddressStatement) -> wire.AddressStatement:
    return wire.AddressStatement(true.payload.replace(b"127.0.0.1", b"127.0.0.2"), true.signature)


def _false_address(told: Told) -> Statements:
    """Changes the address in another joiner's statement."""
    return told.changed(told.other, _moved(told.statements[told.other - 1]))


def _false_own(told: Told) -> Statements:
    """Changes the address in the reader's own statement."""
    return told.changed(told.reader, _moved(told.statements[told.reader - 1]))


def _other_seat(told: Told) -> Statements:
    """Gives the reader's own statement as another joiner's."""
    return told.changed(told.other, told.statements[told.reader - 1])


def _left_out(told: Told) -> Statements:
    """Leaves out the last joiner's statement."""
    return told.statements[:-1]


_ONLY_LINK: Final = "is the only link between joiners whose addresses do not work"
_NOT_SIGNED: Final = "has not signed"
HOSTS: Final = (
    *(
        HostileHost(name, doing(lie), part, lie)
        for name, lie, part in (
            ("addresses under its own key", _own_key, _NOT_SIGNED),
            ("another address", _false_address, _NOT_SIGNED),
            ("another address for the reader", _false_own, "that this seat has not signed"),
            ("one seat's addresses for another", _other_seat, _NOT_SIGNED),
            ("no addresses", _left_out, "do not fit the seats"),
        )
    ),
    HostileHost(
        "only link, cut",
        f"{_ONLY_LINK}, and in the first turn ends the link to the last of them, for good",
        mesh=Cutting,
    ),
    HostileHost(
        "only link, kept back",
        f"{_ONLY_LINK}, and from the first turn on passes on nothing that the last of them contributes",
        mesh=KeepingBack,
        turn_time_s=6,
    ),
)


async def play_host(host: HostileHost, players: int, folder: Path) -> HostEnding:
    """Play a table of this host. Replays go into the folder."""
    table, found = TableKey(0, players), HostEnding()
    settings = msgspec.structs.replace(
        draw_settings(table), **(USUAL_OPTIONS | {"turn_time_s": host.turn_time_s, "grace_s": _GRACE_S})
    )
    async with contextlib.AsyncExitStack() as stack:
        if host.lie is not None:
            stack.enter_context(_lying(host.lie, table))
        doors = [await stack.enter_async_context(listening()) for _ in range(players)]
        (address,) = await listening_addresses(doors[0])
        evening = _Evening(host, table, settings, folder, found, address)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(evening.host, doors[0])
            await evening.shown.wait()
            async with trio.open_nursery() as joining:
                for seat, listeners in enumerate(doors[1:], 2):
                    joining.start_soon(evening.join, seat, listeners)
            if host.lie is not None:
                nursery.cancel_scope.cancel()
    return found


@contextlib.contextmanager
def _lying(lie: Lie, table: TableKey) -> Iterator[None]:
    """Lobbies of this process propose their table with a lie to each joiner."""

    def send(members: Iterable[Any], message: wire.WireMessage) -> None:
        for guest in members:
            said = message
            if isinstance(message, wire.TableMessage):
                told = Told(message.addresses, decode_agreement(message.agreement), guest.seat, table)
                said = msgspec.structs.replace(message, addresses=lie(told))
            guest.link.send(said)

    with mock.patch.object(_HostLobby, "_send", staticmethod(send)):
        yield


@dataclass(slots=True)
class _Evening:
    """One table: the host, and honest joiners."""

    hostile: HostileHost
    table: TableKey
    settings: Settings
    folder: Path
    found: HostEnding
    address: Address
    code: str = ""
    shown: trio.Event = field(default_factory=trio.Event)

    def own(self, seat: int, on_event: OnLobbyEvent = lambda _: None) -> Own:
        credentials = make_credentials(identity(self.table, seat))
        return Own(credentials, f"player {seat}", secrets.token_bytes, on_event)

    def tell(self, event: LobbyEvent) -> None:
        if isinstance(event, CodeShown):
            self.code = event.code
            self.shown.set()

    async def host(self, listeners: Sequence[trio.SocketListener]) -> None:
        """Keep a lobby, and strike in the game."""
        own = replace(self.own(1, self.tell), listeners=listeners, addresses=(self.address,))
        agreed = await host_table(own, Hosting(self.settings, _CODE_NUMBER))
        mesh = self.hostile.mesh(agreed, secrets.token_bytes)

        def note(event: TableEvent) -> None:
            if isinstance(event, Turned):
                mesh.strike()

        await self.play(agreed, mesh, note)

    async def join(self, seat: int, listeners: Sequence[trio.SocketListener]) -> None:
        """Sit down as an honest joiner, and play."""
        places = _NOWHERE if self.hostile.lie is None else await listening_addresses(listeners)
        try:
            own = replace(self.own(seat), listeners=listeners, addresses=places)
            agreed = await join_table(own, Route(self.address), self.code)
        except PeerError as error:
            self.found.said.add(str(error))
            return

        def note(event: TableEvent) -> None:
            if isinstance(event, Dropped):
                self.found.dropped |= set(event.seats) - {1}

        await self.play(agreed, Mesh(agreed, secrets.token_bytes), note)

    async def play(self, agreed: AgreedTable, mesh: Mesh, emit: Callable[[TableEvent], None]) -> None:
        """Play to the end, and look for the other seats meanwhile."""
        match = Match(encode_agreement(agreed.agreement), agreed.seat)
        keys = SeatKeys(agreed.seat, agreed.credentials.identity, secrets.token_bytes)
        player = BotPlayer(BOTS["greedy"](random.Random(agreed.seat)), _PACE_S)
        path = self.folder / f"{agreed.seat}.seqp2p"
        with ReplayWriter(path, match) as writer:
            game = LiveGame(mesh, match, keys, path, lambda: contextlib.nullcontext((writer, None)))
            async with trio.open_nursery() as nursery:
                nursery.start_soon(look_for_seats, agreed, mesh, lambda: match.game.seats, lambda _: None, _LO)
                result = await game.play(player, emit)
                nursery.cancel_scope.cancel()
        if result.kind == "won":
            self.found.finished.add(agreed.seat)
