"""Watching a table: the spectator's game, and its events for a script.

Theory of operation. ``enter_table`` waits until the table is full. ``WatchedGame.run`` checks everything as a seat does
and keeps a replay of its own, in the caller's task. ``watch`` runs it in the background of a script's block.
"""

import contextlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Final

import trio

from seqp2p.api.at_table import AtTable, Events
from seqp2p.api.background_tasks import LEFT
from seqp2p.api.endpoint import Folder, chosen_name, lock_identity, relay_of, replay_folder
from seqp2p.api.finding import find_route
from seqp2p.api.game import LIVE_CHECKS, first_error, ignore, nothing
from seqp2p.api.home import watch_path
from seqp2p.arguments import check_arguments
from seqp2p.crypto.identity import Identity
from seqp2p.live.spectator import SpectatorRunner
from seqp2p.live.spectator_session import WatchEvent
from seqp2p.lobby.events import OnLobbyEvent
from seqp2p.lobby.join import WaitingSpectator, watch_table
from seqp2p.lobby.own import Own, Route
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.table import encode_agreement
from seqp2p.net.tls import make_credentials
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import View, view


class WatchedGame:
    """A game that a spectator watches: ``run`` it, and ``leave`` meanwhile."""

    def __init__(self, waiting: WaitingSpectator, directory: Path) -> None:
        """Made by ``enter_table``."""
        self.match: Final = Match(encode_agreement(waiting.agreement), checks=LIVE_CHECKS)
        self.replay: Final = watch_path(directory, self.match.game.id, waiting.credentials.identity.public)
        self._waiting = waiting
        self._running = trio.Event()
        self._spectator: SpectatorRunner | None = None

    @property
    def view(self) -> View | None:
        """The view of a spectator; None before the cards are dealt."""
        position = self.match.game.position
        return None if position is None else view(position, 0)

    async def run(self, on_event: Callable[[WatchEvent], None], begun: Callable[[], None] = nothing) -> Result:
        """Watch to the end of the game. The replay is complete and signed when this returns.

        ``on_event`` gets each event while the match is as it is after it; ``begun`` is called once the replay is open.
        Raises OSError where the replay cannot be kept.
        """
        try:
            writer = ReplayWriter(self.replay, self.match)
        except OSError:
            await self._waiting.frames.abort()
            raise
        failure: BaseException | None = None
        result: Result | None = None
        with writer:
            self._spectator = SpectatorRunner(self._waiting, self.match, writer, on_event, secrets.token_bytes)
            self._running.set()
            begun()
            try:
                result = await self._spectator.run()
            except* OSError as group:
                failure = first_error(group)  # Errors of the network have names of their own: this is the disk.
        if failure is not None:
            raise failure
        assert result is not None, "it has ended"
        return result

    async def leave(self, reason: str) -> None:
        """Watch no longer; ``run`` returns."""
        await self._running.wait()
        assert self._spectator is not None, "it runs"
        await self._spectator.leave(reason)


async def enter_table(own: Own, route: Route, code: str, replay_dir: Path, let_in: Callable[[], None]) -> WatchedGame:
    """Be let in by the join code, and wait until the table is full. Raises NetError.

    The spectator is told LobbyShown after each change, and TurnedAway if it waits for its turn at the code.
    """
    return WatchedGame(await watch_table(own, route, code, let_in), replay_dir)


class Spectator(AtTable[WatchEvent]):
    """A spectator at a table: ``async for event in spectator`` gives the events, from the first step of the game on.

    Everything is checked here as a seat checks it, and kept in a replay of one's own. ``Absent`` and ``Back`` are the
    host's, which alone sends a spectator the game. Made by ``watch``.
    """

    def __init__(self, game: WatchedGame) -> None:
        """Made by ``watch``."""
        events = Events[WatchEvent]()
        super().__init__(game.match, game.replay, events, partial(game.run, events.put), partial(game.leave, LEFT))
        self._game = game

    async def leave(self) -> None:
        """Watch no longer; return when the replay is complete."""
        await self._part(partial(self._game.leave, LEFT))

    def __repr__(self) -> str:
        return f"Spectator(game={self.game[:12]})"

    @property
    def view(self) -> View | None:
        """The view of a spectator; None before the cards are dealt."""
        return self._game.view

    def __aiter__(self) -> AsyncIterator[WatchEvent]:
        return aiter(self._events)


@check_arguments
@contextlib.asynccontextmanager
async def watch(
    address: str | None = None,
    *,
    code: str,
    name: str | None = None,
    identity: Identity | None = None,
    replay_dir: Folder | None = None,
    relay: str | None = None,
    let_in: Callable[[], None] = nothing,
    on_event: OnLobbyEvent = ignore,
) -> AsyncGenerator[Spectator]:
    """Watch the table of the host at ``address`` or at the ``relay``, as in ``join``: before it is full, or later.

    The block begins when the table is full, at once where it plays already; ``let_in`` is called before, when the
    code was right, and ``on_event`` with LobbyShown after each change of seats, and with TurnedAway if it has to wait.
    Raises what ``join`` raises.
    """
    with lock_identity(identity) as locked:
        called = chosen_name(name, locked)
        directory = replay_folder(replay_dir)
        route = await find_route(address, code, (), relay_of(relay))
        async with contextlib.aclosing(route):
            own = Own(make_credentials(locked.identity), called, secrets.token_bytes, on_event)
            spectator = Spectator(await enter_table(own, route, code, directory, let_in))
        async with spectator.running():
            yield spectator
