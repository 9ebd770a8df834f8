"""A table of one's own: its lobby stays open beside the caller's block, and its seat 1 is the caller's."""

import contextlib
import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, Unpack

import trio

from seqp2p.api.background_tasks import background_tasks
from seqp2p.api.endpoint import Endpoint, Folder, open_endpoint, place_of
from seqp2p.api.events import Events
from seqp2p.api.running import PART_S
from seqp2p.api.seat import Seat
from seqp2p.api.settings import table_settings
from seqp2p.api.sitting import new_game
from seqp2p.crypto.identity import Identity
from seqp2p.lobby.adverts import TableAdvert
from seqp2p.lobby.code import make_table_number
from seqp2p.lobby.discovery import advertising
from seqp2p.lobby.events import CodeShown, LobbyEvent, LobbyShown
from seqp2p.lobby.host import host_table
from seqp2p.lobby.leaving import leave_table
from seqp2p.lobby.spectators import spectator_server
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.table import Settings, TableChoices
from seqp2p.net.addresses import Address, listening_addresses
from seqp2p.net.limits import DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class Hidden:
    """Others cannot find the table on the network by itself; ``reason`` says why. They can join by its address."""

    reason: str


TableTold: TypeAlias = LobbyEvent | Hidden


class OpenTable:
    """A table whose lobby is open: others join it, and it begins when it is full. Made by ``host``."""

    def __init__(self, door: Endpoint, settings: Settings, addresses: Sequence[Address]) -> None:
        """Made by ``host``."""
        self._door = door
        self._settings = settings
        self._addresses = tuple(addresses)
        self._number = make_table_number(secrets.token_bytes)
        self._code = ""
        self._events = Events[TableTold]()
        self._advert = TableAdvert(self._number, door.name, settings.variant, settings.players, settings.players - 1)
        self._update: Callable[[TableAdvert], None] = lambda _: None
        self._table: AgreedTable | None = None
        self._agreed = trio.Event()
        self._open = self._taken = False
        self._seat: Seat | None = None
        self._keeping = trio.CancelScope(shield=True)

    def __repr__(self) -> str:
        return f"OpenTable({self.address})"

    @property
    def address(self) -> str:
        """Where others join and watch, as HOST:PORT: the likeliest of ``addresses``."""
        return str(self._addresses[0])

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address at which others can reach this table, likeliest first."""
        return tuple(map(str, self._addresses))

    @property
    def code(self) -> str:
        """The join code that holds now. After three wrong tries it is another: the event CodeShown says so."""
        return self._code

    @property
    def name(self) -> str:
        """The name that the others see."""
        return self._door.name

    @property
    def settings(self) -> Settings:
        """How the table plays."""
        return self._settings

    @property
    def events(self) -> Events[TableTold]:
        """CodeShown, LobbyShown, TurnedAway, SpectatorCame and Hidden, until the ``host`` block ends."""
        return self._events

    @contextlib.asynccontextmanager
    async def seat(self) -> AsyncGenerator[Seat]:
        """Wait until the table is full and all have agreed, then play seat 1. Raises OSError where nothing can be kept.

        The seat leaves the table when the block ends, if its game is not over. A table has one game: a second call
        raises RuntimeError.
        """
        if self._taken:
            raise RuntimeError("seat 1 of this table is taken already")
        self._taken = True
        await self._agreed.wait()
        assert self._table is not None, "it is agreed"
        table, self._table = self._table, None
        async with new_game(table, self._door.held, self._door.replay_dir) as self._seat:
            yield self._seat

    async def hold(self, spectators: int, *, advertise: bool, task_status: "trio.TaskStatus[None]") -> None:
        """Keep the lobby, and then its spectators, until ``close``; started when there is a code. For ``host``."""
        try:
            with self._keeping:
                await self._keep(spectators, task_status, advertise=advertise)
        finally:
            self._events.end()
            if self._table is not None:
                # All have agreed, and nobody plays seat 1.
                with trio.CancelScope(shield=True):
                    await leave_table(self._table, "")

    async def close(self) -> None:
        """The block of ``host`` has ended: the seat leaves, and then there is no table any more. Cannot be cancelled.

        Spectators are looked after until the seat has said goodbye: no cancellation of the caller's ends that.
        """
        with trio.CancelScope(shield=True), trio.move_on_after(PART_S):
            if self._seat is not None:
                await self._seat.leave()
        self._keeping.cancel()

    async def _keep(self, spectators: int, task_status: "trio.TaskStatus[None]", *, advertise: bool) -> None:
        listeners, addresses = self._door.listeners, self._addresses
        async with contextlib.AsyncExitStack() as stack:
            if advertise:
                advert = advertising(self._advert, listeners, addresses, self._hide)
                self._update = await stack.enter_async_context(advert)
            server = await stack.enter_async_context(spectator_server(spectators))

            def tell(event: LobbyEvent) -> None:
                opens = isinstance(event, LobbyShown) and not self._open
                self._tell(event)
                if opens:
                    self._open = True
                    task_status.started()

            self._table = await host_table(
                self._door.credentials,
                self._door.name,
                self._settings,
                listeners,
                addresses,
                secrets.token_bytes,
                tell,
                table_number=self._number,
                spectators=server,
            )
            self._update(replace(self._advert, free=0, state="playing"))
            self._agreed.set()
            await trio.sleep_forever()

    def _tell(self, event: LobbyEvent) -> None:
        match event:
            case CodeShown(code):
                self._code = code
            case LobbyShown(_, seats, _):
                self._update(replace(self._advert, free=seats.count(None)))
            case _:
                pass
        self._events.put(event)

    def _hide(self, reason: str) -> None:
        self._events.put(Hidden(reason))


@contextlib.asynccontextmanager
async def host(
    players: int = 2,
    *,
    name: str | None = None,
    identity: Identity | None = None,
    replay_dir: Folder | None = None,
    listen: str | None = None,
    spectators: int = DEFAULT_LIMITS.spectators_max,
    advertise: bool = True,
    **choices: Unpack[TableChoices],
) -> AsyncGenerator[OpenTable]:
    """Open a table for others to join; its lobby is open while the block lasts.

    ``players`` and ``choices`` are the settings of the table, see ``table_settings``. The rest is this player's: the
    ``name`` that others see (the usual one), the ``identity`` to play with (the player's own, from the
    folder that the command line uses; a key can sit at a table once, so each game at a time takes another), the folder
    ``replay_dir``, the address to ``listen`` at, as HOST:PORT (all interfaces, port 4610 or a free one). Up to so many
    ``spectators`` may watch. With ``advertise`` others find the table on their network by its code; a table on
    loopback is not to be found.

    Raises TableError, ValueError (the name), AddressError, HomeError (the player's own files).
    """
    settings = table_settings(players, **choices)
    async with open_endpoint(name, identity, replay_dir, place_of(listen)) as door:
        table = OpenTable(door, settings, await listening_addresses(door.listeners))
        async with background_tasks() as nursery:
            await nursery.start(partial(table.hold, spectators, advertise=advertise))
            try:
                yield table
            finally:
                await table.close()
