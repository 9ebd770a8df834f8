"""The lobby of one game, and the table that opens one lobby after the other."""

import contextlib
import math
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable

import trio

from seqp2p.api.endpoint import Endpoint
from seqp2p.api.game import OWN_RESOURCES, LiveGame, Resources, new_game
from seqp2p.lobby.events import OnLobbyEvent
from seqp2p.lobby.requests import LobbyRequest, LobbyRequests
from seqp2p.lobby.table import AgreedTable


class Lobby:
    """The lobby of one game. ``wait`` returns the game once all seats have agreed; cancelled, it says goodbye."""

    def __init__(
        self,
        endpoint: Endpoint,
        sit_down: Callable[[LobbyRequests], Awaitable[AgreedTable]],
        resources: Resources = OWN_RESOURCES,
    ) -> None:
        self._endpoint = endpoint
        self._sit_down = sit_down
        self._resources = resources
        self.game: LiveGame | None = None
        self._asked, self._requests = trio.open_memory_channel[LobbyRequest](math.inf)

    def ask(self, request: LobbyRequest) -> None:
        """Ask for a seat, a colour, …. The answer is an event: LobbyShown, LineSaid, Declined."""
        self._asked.send_nowait(request)

    async def wait(self) -> LiveGame:
        """Wait until the table is full and agreed. Raises NetError where it cannot be."""
        table = await self._sit_down(self._requests)
        self.game = new_game(table, self._endpoint.identity, self._endpoint.replay_dir, self._resources)
        return self.game

    async def close(self) -> None:
        """Decline a game that was not played. Cannot be cancelled; takes at most ``close_s``."""
        if self.game is not None:
            with trio.CancelScope(shield=True):
                await self.game.decline()


class AnyTable(ABC):
    """A table for one game after the other. ``last``: the last game that was agreed at this table."""

    def __init__(self, endpoint: Endpoint, resources: Resources = OWN_RESOURCES) -> None:
        self.endpoint = endpoint
        self.last: LiveGame | None = None
        self._resources = resources

    @abstractmethod
    def open_lobby(
        self, on_event: OnLobbyEvent, *, asked: bool = False
    ) -> contextlib.AbstractAsyncContextManager[Lobby]:
        """Open the lobby of the next game; the block covers that game, too. ``on_event`` gets its events.

        ``asked``: the lobby tells the others that this player is asked for another game, until it gets AcceptGame.
        """

    @contextlib.asynccontextmanager
    async def _lobby(self, sit_down: Callable[[LobbyRequests], Awaitable[AgreedTable]]) -> AsyncGenerator[Lobby]:
        lobby = Lobby(self.endpoint, sit_down, self._resources)
        try:
            yield lobby
        finally:
            await lobby.close()
            self.last = lobby.game or self.last
