"""The lobby of a table, for a script, and the script's seat there.

Theory of operation. A task keeps the lobby from the moment at which it is shown until the block of ``host`` or
``join_lobby`` ends, so its events come and requests go while the script does something else. No cancellation of the
caller's reaches it: spectators are looked after until the seat has said goodbye. A NetError ends the lobby, and
``seat`` raises it: it comes where the script waits, and in no group.
"""

import contextlib
from collections.abc import AsyncGenerator
from typing import Any, Generic, TypeVar

import trio

from seqp2p.api.at_table import Events
from seqp2p.api.game import AnyTable, Lobby
from seqp2p.api.seat import Seat, seated
from seqp2p.live.game import LiveGame
from seqp2p.live.runtime import CLOSE_S, background_tasks
from seqp2p.lobby.events import LobbyEvent, LobbyRequest, LobbyShown
from seqp2p.net.errors import NetError

T = TypeVar("T", bound=AnyTable)


class HeldLobby(Generic[T]):
    """The lobby of a table, until the block ends that has made it."""

    _table: T
    _lobby: Lobby

    def __init__(self) -> None:
        """Made by this package, which gives it to nobody before ``held`` has opened it."""
        self._events = Events[Any]()
        self._game: LiveGame | None = None
        self._failure: NetError | None = None
        self._settled = trio.Event()
        self._seat: Seat | None = None
        self._scope = trio.CancelScope()

    def ask(self, request: LobbyRequest) -> None:
        """Ask for something: ChooseColour, SayLine; a guest TakeSeat, too, a host MovePlayer, RemovePlayer, StartGame.

        The answer is an event.
        """
        self._lobby.ask(request)

    @contextlib.asynccontextmanager
    async def seat(self) -> AsyncGenerator[Seat]:
        """Wait until the table is full and all have agreed, then play. Raises NetError, and OSError as files do.

        The seat stops for now when the block ends, if its game is not over. A wait that is cancelled changes nothing:
        the lobby stays open, and ``seat`` can wait again. Raises RuntimeError once the seat was given (for another game
        there is ``rematch``) or the table is closed.
        """
        await self._settled.wait()
        if self._failure is not None:
            raise self._failure
        game, self._game = self._game, None
        if game is None:
            raise RuntimeError("the seat is taken already, or the table is closed")
        async with seated(game, self._table) as self._seat:
            yield self._seat

    @contextlib.asynccontextmanager
    async def held(self, opening: contextlib.AbstractAsyncContextManager[T]) -> AsyncGenerator[trio.Nursery]:
        """Keep the lobby until the block ends, which begins once it is shown; tasks may join. For this package."""
        async with background_tasks() as nursery:
            await nursery.start(self._hold, opening)
            self._scope.shield = True  # Not before: trio leaves a task to its cancelled caller.
            try:
                yield nursery
            finally:
                await self.close()

    async def close(self) -> None:
        """Let the seat stop for now, then end the lobby, and the table with it. Cannot be cancelled."""
        with trio.CancelScope(shield=True), trio.move_on_after(CLOSE_S):
            if self._seat is not None:
                await self._seat.stop()
        self._scope.cancel()

    async def _hold(
        self, opening: contextlib.AbstractAsyncContextManager[T], *, task_status: "trio.TaskStatus[None]"
    ) -> None:
        is_shown = False

        def on_event(event: LobbyEvent) -> None:
            nonlocal is_shown
            self._events.put(event)
            if isinstance(event, LobbyShown) and not is_shown:
                is_shown = True
                task_status.started()

        try:
            with self._scope:
                async with opening as self._table, self._table.open_lobby(on_event) as self._lobby:
                    try:
                        self._game = await self._lobby.wait()
                    except NetError as error:
                        if not is_shown:
                            raise
                        self._failure = error
                    self._settle()
                    await trio.sleep_forever()
        finally:
            self._game = None
            self._settle()
            self._events.end()

    def _settle(self) -> None:
        """Nobody waits any longer for all to agree."""
        self._settled.set()
