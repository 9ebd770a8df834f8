"""Watching a table: a spectator beside the caller's block, and its events in it."""

import contextlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path

import trio

from seqp2p.api.at_table import AtTable
from seqp2p.api.background_tasks import background_tasks
from seqp2p.api.endpoint import Folder, chosen_name, holding
from seqp2p.api.events import Events
from seqp2p.api.finding import the_way
from seqp2p.api.home import usual_replay_dir, watch_path
from seqp2p.api.running import Running
from seqp2p.crypto.identity import Identity
from seqp2p.live.spectator import SpectatorRunner
from seqp2p.live.spectator_session import WatchEvent
from seqp2p.lobby.spectator_join import WaitingSpectator, watch_table
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.table import encode_agreement
from seqp2p.net.tls import make_credentials
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import View, view


class Spectator(AtTable):
    """Where a spectator sits: ``async for event in spectator`` gives what happens, from the first step of the game on.

    Everything is checked here as a seat checks it, and kept in a replay of one's own. ``Absent`` and ``Back`` are the
    host's, which alone sends a spectator the game. Made by ``watch``.
    """

    def __init__(self, waiting: WaitingSpectator, writer: ReplayWriter, match: Match) -> None:
        """Made by ``watch``."""
        super().__init__(match)
        self._writer = writer
        self._events = Events[WatchEvent]()
        spectator = SpectatorRunner(waiting, match, writer, self._events.put, secrets.token_bytes)
        self._running = Running(spectator.run, spectator.leave, self._events.end)

    def __repr__(self) -> str:
        return f"Spectator(game={self.game[:12]})"

    @property
    def running(self) -> Running:
        """The spectator: for ``watch``."""
        return self._running

    @property
    def view(self) -> View | None:
        """What lies open on the table; None before the cards are dealt."""
        position = self._match.game.position
        return None if position is None else view(position, 0)

    @property
    def events(self) -> Events[WatchEvent]:
        """What happens, from the first event on."""
        return self._events

    @property
    def result(self) -> Result | None:
        """How the game ended, or why it could not be watched to its end; None while it goes on."""
        return self._running.result

    @property
    def replay(self) -> Path:
        """The file of the replay; it is complete and signed when there is a ``result``."""
        return self._writer.path

    def __aiter__(self) -> AsyncIterator[WatchEvent]:
        return aiter(self._events)

    async def leave(self) -> None:
        """Watch no longer; returns when the replay is complete."""
        await trio.lowlevel.checkpoint()
        await self._running.leave()
        self._running.check()


def nobody_waits() -> None:
    """For a caller who does not want to know when the code was right."""


@contextlib.asynccontextmanager
async def watch(
    address: str | None = None,
    *,
    code: str,
    name: str | None = None,
    identity: Identity | None = None,
    replay_dir: Folder | None = None,
    let_in: Callable[[], None] = nobody_waits,
) -> AsyncGenerator[Spectator]:
    """Watch the table of the host at ``address``, as in ``join``: before it is full, or while it plays.

    The block begins when the table is full, at once where it plays already; ``let_in`` is called before, when the
    code was right. Raises what ``join`` raises.
    """
    with holding(identity) as held:
        called = chosen_name(name, held)
        way = await the_way(address, code, ())
        waiting = await watch_table(
            make_credentials(held.identity), called, code, way.host, secrets.token_bytes, dial=way.dial, let_in=let_in
        )
        match = Match(encode_agreement(waiting.agreement))
        directory = usual_replay_dir() if replay_dir is None else Path(replay_dir)
        try:
            writer = ReplayWriter(watch_path(directory, match.game.id, held.identity.public), match)
        except OSError:
            await waiting.frames.abort()
            raise
        with writer:
            spectator = Spectator(waiting, writer, match)
            async with background_tasks() as nursery:
                nursery.start_soon(spectator.running.run)
                try:
                    yield spectator
                finally:
                    await spectator.running.part()
            spectator.running.check()
