"""Another player's table, for a script: its lobby, and the seat there.

Theory of operation. A task keeps the lobby from the moment at which the host shows it until the block of ``join_lobby``
ends, so its events come and requests go while the script does something else. An error ends the lobby's events, and
``seat`` raises it: it comes where the script waits, and in no group.
"""

import contextlib
from collections.abc import AsyncGenerator

import trio

from seqp2p.api.at_table import Events
from seqp2p.api.endpoint import Folder, address_of, listening_at, loopback_with, open_endpoint, own_addresses, relay_of
from seqp2p.api.finding import find_route
from seqp2p.api.game import Lobby
from seqp2p.api.port_mapping import OnPortEvent
from seqp2p.api.seat import Seat, seated
from seqp2p.api.table import JoinedTable, joined_table
from seqp2p.arguments import check_arguments
from seqp2p.crypto.identity import Identity
from seqp2p.live.game import LiveGame
from seqp2p.live.runtime import background_tasks, ignore
from seqp2p.lobby.code import parse_code
from seqp2p.lobby.events import ANY_SEAT, LobbyEvent, LobbyRequest, LobbyShown, SeatChoice
from seqp2p.net.errors import NetError


class JoinedLobby:
    """The lobby of another player's table, in which this player sits. Made by ``join_lobby``."""

    def __init__(self, table: JoinedTable) -> None:
        """Made by this package."""
        self._table = table
        self._events = Events[LobbyEvent]()
        self._lobby: Lobby | None = None
        self._game: LiveGame | None = None
        self._agreed = trio.Event()
        self._failure: NetError | None = None
        self._taken = False

    @property
    def events(self) -> Events[LobbyEvent]:
        """LobbyShown after each change, LineSaid, Declined and the like, until all have agreed."""
        return self._events

    def ask(self, request: LobbyRequest) -> None:
        """Ask for something: TakeSeat, ChooseColour, SayLine. The answer is an event."""
        assert self._lobby is not None, "it is open"
        self._lobby.ask(request)

    @contextlib.asynccontextmanager
    async def seat(self) -> AsyncGenerator[Seat]:
        """Wait until the table is full and all have agreed, then play. Raises NetError, and OSError as files do.

        The seat leaves the table when the block ends, if its game is not over. A second call raises RuntimeError: for
        another game there is ``rematch``.
        """
        if self._taken:
            raise RuntimeError("the seat of this lobby is taken already")
        self._taken = True
        await self._agreed.wait()
        if self._failure is not None:
            raise self._failure
        assert self._game is not None, "it is agreed"
        async with seated(self._game, self._table) as seat:
            yield seat

    async def hold(self, *, task_status: "trio.TaskStatus[None]") -> None:
        """Keep the lobby until cancelled; started once the host has shown it. For ``join_lobby``."""
        is_shown = False

        def on_event(event: LobbyEvent) -> None:
            nonlocal is_shown
            self._events.put(event)
            if isinstance(event, LobbyShown) and not is_shown:
                is_shown = True
                task_status.started()

        async with self._table.open_lobby(on_event) as self._lobby:
            try:
                self._game = await self._lobby.wait()
            except NetError as error:
                if not is_shown:
                    raise
                self._failure = error
            finally:
                self._events.end()
            self._agreed.set()
            await trio.sleep_forever()


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
    where = listening_at(listen) or loopback_with(address_of(address))
    async with open_endpoint(
        name, identity, replay_dir, where, relay_of(relay), on_port=on_port if map_port else None
    ) as endpoint:
        route = await find_route(address, code, own_addresses(endpoint.listeners), endpoint.relay)
        async with contextlib.aclosing(route):
            lobby = JoinedLobby(await joined_table(endpoint, route, code, choice=choice))
            async with background_tasks() as nursery:
                await nursery.start(lobby.hold)
                yield lobby


@check_arguments
@contextlib.asynccontextmanager
async def join(
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
) -> AsyncGenerator[Seat]:
    """Sit down at a table, wait until it is full, and play there: ``join_lobby`` and its ``seat``, with their errors.

    The block begins when all have agreed.
    """
    async with (
        join_lobby(
            address,
            code=code,
            name=name,
            identity=identity,
            replay_dir=replay_dir,
            listen=listen,
            relay=relay,
            map_port=map_port,
            on_port=on_port,
            choice=choice,
        ) as lobby,
        lobby.seat() as seat,
    ):
        yield seat
