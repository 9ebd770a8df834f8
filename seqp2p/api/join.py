"""Another player's table, for a script: its lobby, and the seat there."""

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from seqp2p.api.at_table import Events
from seqp2p.api.endpoint import listening_at, loopback_with, open_endpoint, own_addresses, relay_of
from seqp2p.api.finding import find_route
from seqp2p.api.home import Folder
from seqp2p.api.lobby import HeldLobby
from seqp2p.api.port_mapping import OnPortEvent
from seqp2p.api.seat import Seat
from seqp2p.api.table import JoinedTable, joined_table
from seqp2p.arguments import arguments_of, check_arguments
from seqp2p.crypto.identity import Identity
from seqp2p.live.runtime import ignore
from seqp2p.lobby.code import parse_code
from seqp2p.lobby.events import ANY_SEAT, LobbyEvent, SeatChoice
from seqp2p.net.addresses import parse_address


class JoinedLobby(HeldLobby[JoinedTable]):
    """The lobby of another player's table, in which this player sits. Made by ``join_lobby``."""

    @property
    def events(self) -> Events[LobbyEvent]:
        """LobbyShown after each change, LineSaid, Declined and the like, until all have agreed."""
        return self._events

    def _settle(self) -> None:
        super()._settle()
        self._events.end()


@check_arguments
@contextlib.asynccontextmanager
async def join_lobby(
    address: str | None = None,
    *,
    code: str,
    name: str | None = None,
    identity: Identity | None = None,
    replay_dir: Folder | None = None,
    listen: str | None = None,
    relay: str | None = None,
    map_port: bool = False,
    on_port: OnPortEvent = ignore,
    choice: SeatChoice = ANY_SEAT,
) -> AsyncGenerator[JoinedLobby]:
    """Sit down in the lobby of a table, until the block ends; ``lobby.seat()`` waits for the game, and plays.

    ``address`` is the host's, as HOST:PORT; without it the table is found on this LAN by its ``code``, or at the
    ``relay``, HOST:PORT, if its code has a meeting place. No other relay is used.

    The block begins when the host shows the lobby. If it ends before the game, the seat says goodbye. ``name``,
    ``identity``, ``replay_dir``, ``listen``, ``map_port`` and ``on_port`` are as in ``host``, but at a host on loopback
    it listens on loopback. ``choice`` is wished for first of all.

    Raises AddressError, BadCode (the code cannot be one), Unreachable, PeerRefused (by the host; ``code`` says why),
    WrongKey and PeerError (the host is not honest, or no seqp2p), LinkLost (the host is gone): all of them NetError.
    ValueError (the name), HomeError and OSError (the player's own files).
    """
    code = parse_code(code)
    where = listening_at(listen) or loopback_with(None if address is None else parse_address(address))
    async with open_endpoint(
        name, identity, replay_dir, where, relay_of(relay), on_port=on_port if map_port else None
    ) as endpoint:
        route = await find_route(address, code, own_addresses(endpoint.listeners), endpoint.relay)
        async with contextlib.aclosing(route):
            table = await joined_table(endpoint, route, code, choice=choice)
            lobby = JoinedLobby()
            async with lobby.held(contextlib.nullcontext(table)):
                yield lobby


@check_arguments
@arguments_of(join_lobby)
@contextlib.asynccontextmanager
async def join(*args: Any, **kwargs: Any) -> AsyncGenerator[Seat]:
    """Sit down at a table, wait until it is full, and play there: ``join_lobby`` and its ``seat``, with their errors.

    The block begins when all have agreed.
    """
    async with join_lobby(*args, **kwargs) as lobby, lobby.seat() as seat:
        yield seat
