"""Watching a table: the spectator's game, and its events for a script.

Theory of operation. ``enter_table`` waits until the table is full. ``WatchedGame.run`` (live/spectator.py) checks
everything as a seat does and keeps a replay of its own, in the caller's task. ``watch`` runs it in the background of a
script's block.
"""

import contextlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from functools import partial
from pathlib import Path

from seqp2p.api.at_table import AtTable, Events
from seqp2p.api.endpoint import chosen_name, lock_identity, relay_of, replay_folder
from seqp2p.api.finding import find_route
from seqp2p.api.game import LIVE_CHECKS
from seqp2p.api.home import Folder, watch_path
from seqp2p.arguments import check_arguments
from seqp2p.crypto.identity import Identity
from seqp2p.live.runtime import LEFT, ignore
from seqp2p.live.spectator import WatchedGame as WatchedGame  # noqa: PLC0414  # for the command line
from seqp2p.live.spectator_session import WatchEvent
from seqp2p.lobby.events import OnLobbyEvent, Own
from seqp2p.lobby.join import watch_table
from seqp2p.match.machine import Match
from seqp2p.match.table import encode_agreement
from seqp2p.net.dialling import Route
from seqp2p.net.tls import make_credentials
from seqp2p.rules import View


async def enter_table(own: Own, route: Route, code: str, replay_dir: Path, let_in: Callable[[], None]) -> WatchedGame:
    """Be let in by the join code, and wait until the table is full. Raises NetError.

    The spectator is told LobbyShown after each change, and TurnedAway if it waits for its turn at the code.
    """
    waiting = await watch_table(own, route, code, let_in)
    match = Match(encode_agreement(waiting.agreement), checks=LIVE_CHECKS)
    replay = watch_path(replay_dir, match.game.id, own.key)
    return WatchedGame(waiting, match, replay, secrets.token_bytes)


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
    let_in: Callable[[], None] = ignore,
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
