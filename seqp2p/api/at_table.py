"""The common part of a seat and a spectator for a script: their table, the events, the result and the replay.

Theory of operation. The game runs in a task that no cancellation of the caller's reaches. When the caller's block ends,
by an error or not, the game is asked to stop, and waited for. After CLOSE_S it is cut off, as by a crash.
"""

import contextlib
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final, Generic, TypeAlias, TypeVar

import trio

from seqp2p.live.runtime import CLOSE_S, background_tasks
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.table import Settings
from seqp2p.replay.sidecar import SidecarError
from seqp2p.replay.verify import Player

E = TypeVar("E")
EVENTS_MAX: Final = 10_000
"""The longest game with all its remarks has half of this; events of strangers in an open lobby are dropped first."""
Play: TypeAlias = Callable[[Callable[[], None]], Awaitable[Result]]
"""Runs to the end. It calls its argument once its files are open; it raises OSError and SidecarError."""


class Events(Generic[E]):
    """Frozen events in the order in which they came. ``async for`` gives each, and waits for the next until the end.

    They need not be read, and a slow reader delays nothing. Only the newest EVENTS_MAX are kept.
    """

    def __init__(self) -> None:
        """Filled by ``put`` until ``end``: made by this package."""
        self._kept: deque[E] = deque(maxlen=EVENTS_MAX)
        self._count = 0
        self._ended = False
        self._news = trio.lowlevel.ParkingLot()

    @property
    def so_far(self) -> tuple[E, ...]:
        """All that are kept, oldest first."""
        return tuple(self._kept)

    def put(self, event: E) -> None:
        """Keep an event, and wake the readers."""
        self._kept.append(event)
        self._count += 1
        self._news.unpark_all()

    def end(self) -> None:
        """Tell the readers that there are no more events."""
        self._ended = True
        self._news.unpark_all()

    def __aiter__(self) -> AsyncIterator[E]:
        return _Reader(self)

    async def after(self, number: int) -> tuple[int, E] | None:
        """Return the first kept event after so many, and its number; None at the end."""
        while number >= self._count and not self._ended:
            await self._news.park()
        if number >= self._count:
            return None
        at = max(0, number - (self._count - len(self._kept)))
        return self._count - len(self._kept) + at + 1, self._kept[at]


class _Reader(AsyncIterator[E]):
    def __init__(self, events: Events[E]) -> None:
        self._events = events
        self._read = 0

    async def __anext__(self) -> E:
        await trio.lowlevel.checkpoint()
        following = await self._events.after(self._read)
        if following is None:
            raise StopAsyncIteration
        self._read, event = following
        return event


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
