"""The common part of a seat and a spectator for a script: their table, the events, the result and the replay."""

import contextlib
from pathlib import Path
from typing import Generic, TypeVar

import trio

from seqp2p.api.background_tasks import Runner
from seqp2p.api.events import Events
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.table import Settings
from seqp2p.replay.verify import Player

E = TypeVar("E")


class AtTable(Generic[E]):
    """A seat or a spectator of one game, which runs in the background."""

    def __init__(self, match: Match, replay: Path, events: Events[E], runner: Runner) -> None:
        """Made by this package."""
        self._match = match
        self._replay = replay
        self._events = events
        self._runner = runner

    @property
    def game(self) -> str:
        """The id of the game, 64 hexadecimal digits."""
        return self._match.game.id.hex()

    @property
    def settings(self) -> Settings:
        """The settings of the table."""
        return self._match.game.agreement.settings

    @property
    def players(self) -> tuple[Player, ...]:
        """The players in seat order: name, and identity key (64 hexadecimal digits)."""
        entries = enumerate(self._match.game.agreement.seats, 1)
        return tuple(Player(number, entry.name, entry.key.hex()) for number, entry in entries)

    @property
    def events(self) -> Events[E]:
        """The events of the game, from its first on (match/events.py, and ``Absent`` and ``Back``)."""
        return self._events

    @property
    def result(self) -> Result | None:
        """The result, or the reason of the end for this process alone; None while the game goes on, or if it failed."""
        return self._runner.result

    @property
    def replay(self) -> Path:
        """The file of the replay; it is complete and signed when there is a ``result``."""
        return self._replay

    async def leave(self) -> None:
        """Leave for good; return when the replay is complete. A seat leaves by a signature that all see."""
        await trio.lowlevel.checkpoint()
        await self._runner.leave()

    def running(self) -> contextlib.AbstractAsyncContextManager[None]:
        """Run until the block ends: for this package."""
        return self._runner.running()
