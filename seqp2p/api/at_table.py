"""The common part of a seat and a spectator for a script: their table, the events, the result and the replay.

Theory of operation. The game runs in a task that no cancellation of the caller's reaches. When the caller's block ends,
by an error or not, the game is asked to stop, and waited for. After CLOSE_S it is cut off, as by a crash.
"""

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

import trio

from seqp2p.api.background_tasks import CLOSE_S, background_tasks
from seqp2p.api.events import Events
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.table import Settings
from seqp2p.replay.sidecar import SidecarError
from seqp2p.replay.verify import Player

E = TypeVar("E")

Play: TypeAlias = Callable[[Callable[[], None]], Awaitable[Result]]
"""Runs to the end. It calls its argument once its files are open; it raises OSError and SidecarError."""


class AtTable(Generic[E]):
    """A seat or a spectator of one game: ``play`` runs in the background, ``ask_to_stop`` asks it to end."""

    def __init__(
        self, match: Match, replay: Path, events: Events[E], play: Play, ask_to_stop: Callable[[], Awaitable[None]]
    ) -> None:
        """Made by this package."""
        self._match = match
        self._replay = replay
        self._events = events
        self._play = play
        self._ask_to_stop = ask_to_stop
        self._result: Result | None = None
        self._failure: OSError | SidecarError | None = None
        self._begun = trio.Event()
        self._over = trio.Event()
        self._scope = trio.CancelScope(shield=True)

    @property
    def game(self) -> str:
        """The id of the game, 64 hexadecimal digits."""
        return self._match.game.id.hex()

    @property
    def settings(self) -> Settings:
        return self._match.game.agreement.settings

    @property
    def players(self) -> tuple[Player, ...]:
        """The players in seat order: name, and identity key (64 hexadecimal digits)."""
        entries = enumerate(self._match.game.agreement.seats, 1)
        return tuple(Player(number, entry.name, entry.key.hex()) for number, entry in entries)

    @property
    def events(self) -> Events[E]:
        """The events of the game, from ``Seated`` to ``Finished``, with ``Absent`` and ``Back``."""
        return self._events

    @property
    def result(self) -> Result | None:
        """The result, or the reason of the end for this process alone; None while the game goes on, or if it failed."""
        return self._result

    @property
    def replay(self) -> Path:
        """The file of the replay; it is complete and signed when the game is over for this process."""
        return self._replay

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Run until the block ends, which begins once the files are open. For this package."""
        async with background_tasks() as nursery:
            nursery.start_soon(self._run)
            try:
                await self._begun.wait()
                self._check()
                yield
            finally:
                with trio.CancelScope(shield=True):
                    with trio.move_on_after(CLOSE_S):
                        await self._end_by(self._ask_to_stop)
                    self._scope.cancel()
                    await self._over.wait()
        self._check()

    def _check(self) -> None:
        """Raise its failure, once: OSError, SidecarError."""
        if (failure := self._failure) is not None:
            self._failure = None
            raise failure

    async def _run(self) -> None:
        try:
            with self._scope:
                self._result = await self._play(self._begun.set)
        except (OSError, SidecarError) as failure:
            self._failure = failure
        finally:
            self._begun.set()
            self._over.set()
            self._end()

    def _end(self) -> None:
        """Nothing more comes."""
        self._events.end()

    async def _part(self, ask_to_end: Callable[[], Awaitable[None]]) -> None:
        await trio.lowlevel.checkpoint()
        await self._end_by(ask_to_end)
        self._check()

    async def _end_by(self, ask_to_end: Callable[[], Awaitable[None]]) -> None:
        """Ask the game to end, if it has not, and wait until all is sent and written."""
        if not self._over.is_set():
            await ask_to_end()
        await self._over.wait()
