"""A script's own table: its lobby, its events, and seat 1. ``rematch`` opens the lobbies of its next games."""

import contextlib
import secrets
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final, TypeAlias, Unpack

import trio

from seqp2p.api.at_table import Events
from seqp2p.api.bots import play_bot
from seqp2p.api.endpoint import listening_at, open_endpoint, relay_of
from seqp2p.api.home import Folder
from seqp2p.api.join import join
from seqp2p.api.lobby import HeldLobby
from seqp2p.api.port_mapping import OnPortEvent
from seqp2p.api.seat import rematch
from seqp2p.api.settings import table_settings
from seqp2p.api.table import HostedTable, HostOptions, open_table
from seqp2p.arguments import check_arguments
from seqp2p.bots.registry import why_no_bot
from seqp2p.crypto.identity import Identity
from seqp2p.errors import ungrouped
from seqp2p.live.runtime import ignore
from seqp2p.lobby.events import Guest, LobbyEvent, LobbyShown
from seqp2p.match.names import BOT_NAME
from seqp2p.match.table import Settings, TableChoices
from seqp2p.net.errors import NetError
from seqp2p.net.limits import DEFAULT_LIMITS, SPECTATORS_MAX

CALL_AGAIN_S: Final = 1.0
"""After so many seconds a bot that got no seat is called again."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """Others cannot find the table on the network by itself; ``reason`` says why. They can join by its address."""

    reason: str


OpenTableEvent: TypeAlias = LobbyEvent | Hidden


class OpenTable(HeldLobby[HostedTable]):
    """A table whose lobby is open: others join it, and it begins when it is full. Made by ``host``."""

    def __repr__(self) -> str:
        return f"OpenTable({self.address})"

    @property
    def address(self) -> str:
        """The address for others, as HOST:PORT: the likeliest of ``addresses``."""
        return self.addresses[0]

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address at which others can reach this table, likeliest first."""
        return tuple(map(str, self._table.addresses))

    @property
    def code(self) -> str:
        """The join code that holds now. After three wrong tries it is another: the event CodeShown says so."""
        return self._table.code

    @property
    def name(self) -> str:
        """The name that the others see."""
        return self._table.endpoint.name

    @property
    def settings(self) -> Settings:
        """The settings of the table, with the colours that the teams have now."""
        return self._table.settings

    @property
    def events(self) -> Events[OpenTableEvent]:
        """Every LobbyEvent, and Hidden, until the ``host`` block ends."""
        return self._events

    def hide(self, reason: str) -> None:
        """Others cannot find the table by themselves. For this package."""
        self._events.put(Hidden(reason))


@check_arguments
@contextlib.asynccontextmanager
async def host(
    players: int = 2,
    *,
    name: str | None = None,
    identity: Identity | None = None,
    replay_dir: Folder | None = None,
    listen: str | None = None,
    relay: str | None = None,
    spectators: int = DEFAULT_LIMITS.spectators_max,
    advertise: bool = True,
    by_hand: bool = False,
    fill: str | None = None,
    wait_for: int = 0,
    map_port: bool = False,
    on_port: OnPortEvent = ignore,
    **choices: Unpack[TableChoices],
) -> AsyncGenerator[OpenTable]:
    """Open a table for others to join; its lobby is open while the block lasts.

    ``players`` and ``choices`` are the settings of the table, see ``table_settings``. The rest is this player's: the
    ``name`` that others see (the usual one), the ``identity`` to play with (the player's own, from the folder that the
    command line uses; a key can sit at a table once, so each game at a time takes another), the folder ``replay_dir``,
    the address to ``listen`` at, as HOST:PORT, or HOST for a free port (all interfaces, port 4610 or a free one).
    Players who cannot dial that come by the ``relay``, HOST:PORT; the code has a meeting place then. Up to so many
    ``spectators`` may watch. With ``advertise`` others find the table on their network by its code; a table on
    loopback is not to be found. The game begins when all seats are taken; with ``by_hand`` it then waits for
    ``table.ask(StartGame())``, or for 10 s without a change.

    ``fill`` is the name of a bot, in BOTS, that sits down on the free seats at once; ``wait_for`` places are kept for
    others. These bots belong to this process, come back for each other game, and end with the block: ``resume`` does
    not call them again.

    With ``map_port`` the home router is asked, by UPnP, to open a port to the whole internet that leads to this
    program, until the block ends; ``on_port`` hears of it. ``table.addresses`` has its address. It takes up to
    10 s; without a port the table opens all the same.

    Raises TableError, ValueError (the name, no bot, so many spectators), AddressError, HomeError (the player's own
    files), and NetError (the relay).
    """
    settings = table_settings(players, **choices)
    if fill is not None and (reason := why_no_bot(fill)):
        raise ValueError(reason)
    if not 0 <= wait_for < players or (wait_for and fill is None):
        raise ValueError("wait_for goes with fill, and is less than the number of players")
    if not 0 <= spectators <= SPECTATORS_MAX:
        raise ValueError(f"spectators are 0 to {SPECTATORS_MAX}, not {spectators}")
    async with open_endpoint(
        name, identity, replay_dir, listening_at(listen), relay_of(relay), on_port=on_port if map_port else None
    ) as endpoint:
        table = OpenTable()
        options = HostOptions(spectators, by_hand=by_hand, advertise=advertise, warn=table.hide)
        async with table.held(open_table(endpoint, settings, options)) as nursery:
            if fill is not None:
                nursery.start_soon(_fill, table, fill, wait_for, relay)
            yield table


async def _fill(table: OpenTable, bot: str, wait_for: int, relay: str | None) -> None:
    """Seat bots until the table's events end, but keep places for ``wait_for`` others.

    A bot that does not get its seat, for the code has changed or somebody was faster, is gone, and called again later.
    Raises the first other error of a bot.
    """
    bots, seats = set[bytes](), tuple[Guest | None, ...]()
    with ungrouped(Exception):
        async with trio.open_nursery() as nursery:

            def call() -> None:
                seated = {guest.key for guest in seats if guest is not None}
                others, coming = len(seated - bots) - 1, len(bots - seated)
                for _ in range(seats.count(None) - coming - max(wait_for - others, 0)):
                    identity = Identity.generate(secrets.token_bytes)
                    bots.add(identity.public)
                    nursery.start_soon(sit, identity)

            async def sit(identity: Identity) -> None:
                try:
                    await _play_games(table, bot, identity, relay)
                except NetError:
                    await trio.sleep(CALL_AGAIN_S)
                bots.discard(identity.public)
                call()

            async for event in table.events:
                if isinstance(event, LobbyShown):
                    seats = event.seats
                    call()


async def _play_games(table: OpenTable, bot: str, identity: Identity, relay: str | None) -> None:
    """Play game after game at this table, as long as there is one. Raises NetError where the first cannot be."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with join(
            table.address, code=table.code, name=BOT_NAME, identity=identity, replay_dir=folder, relay=relay
        ) as first:
            await play_bot(first, bot)
            last = first
            with contextlib.suppress(NetError):
                while True:
                    async with rematch(last) as again:
                        await play_bot(again, bot)
                    last = again
