"""A seat that a script plays."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from functools import partial
from pathlib import Path

import trio

from seqp2p.api.at_table import AtTable
from seqp2p.api.background_tasks import Runner
from seqp2p.api.events import Events
from seqp2p.api.game import LiveGame
from seqp2p.api.turns import Questions, Turn
from seqp2p.i18n import message
from seqp2p.live.recorder import TableEvent
from seqp2p.match.events import Result
from seqp2p.match.remark import REMARK_LENGTH_MAX
from seqp2p.match.text import cleaned
from seqp2p.rules import View


class Seat(AtTable, AsyncIterator[Turn]):
    """One seat of a game: ``async for turn in seat`` gives each time it is asked, until the game is over for it.

    A turn that was refused is given again, unless it has been played since. A caller that breaks out of the loop and
    then leaves the ``async with`` block leaves the table. Made by ``join``, ``resume`` and ``OpenTable.seat``.
    """

    def __init__(self, game: LiveGame) -> None:
        """Made by this package."""
        super().__init__(game.match)
        self._game = game
        self._own = game.own
        self._events = Events[TableEvent]()
        for event in () if game.resumption is None else game.resumption.events:
            self._events.put(event)
        self._questions = Questions(game.match, game.own)
        play = partial(game.play, self._questions, self._on_event)
        self._runner = Runner(lambda begun: play(begun=begun), game.leave, self._end)

    def __repr__(self) -> str:
        return f"Seat({self.number}, game={self.game[:12]})"

    @property
    def number(self) -> int:
        """This seat, from 1; the host's is 1."""
        return self._own.number

    @property
    def view(self) -> View | None:
        """What this seat sees now; None before the cards are dealt."""
        return self._own.view(self._match) if self._game.dealt else None

    @property
    def events(self) -> Events[TableEvent]:
        """What happens in the game, from its first event on (match/events.py, and ``Absent`` and ``Back``)."""
        return self._events

    @property
    def result(self) -> Result | None:
        """How the game ended for this seat; None while it goes on, and where the session has failed."""
        return self._runner.result

    @property
    def replay(self) -> Path:
        """The file of the replay; it is complete and signed when there is a ``result``."""
        return self._game.replay

    async def __anext__(self) -> Turn:
        turn = await self._questions.next()
        if turn is not None:
            return turn
        self._runner.check()
        raise StopAsyncIteration

    async def say(self, text: str) -> None:
        """Say something to the table: one line, at most 200 characters; raises ValueError for another.

        A seat may say 200 things in a game; after that, and after the end, nothing is said.
        """
        if not cleaned(text, len(text)) or len(cleaned(text, len(text))) > REMARK_LENGTH_MAX:
            raise ValueError(message("a remark has 1 to {most} characters that can be shown", most=REMARK_LENGTH_MAX))
        await trio.lowlevel.checkpoint()
        await self._game.say(text)

    async def leave(self) -> None:
        """Leave the game for good, by a signature that all see; returns when the replay is complete."""
        await trio.lowlevel.checkpoint()
        await self._runner.leave()

    def running(self) -> contextlib.AbstractAsyncContextManager[None]:
        """Play until the block ends: for this package."""
        return self._runner.running()

    def _on_event(self, event: TableEvent) -> None:
        self._events.put(event)
        self._questions.hear(event)

    def _end(self) -> None:
        self._events.end()
        self._questions.end()


@contextlib.asynccontextmanager
async def seated(game: LiveGame) -> AsyncGenerator[Seat]:
    """Play this game by turns until the block ends. Raises OSError, SidecarError."""
    seat = Seat(game)
    try:
        async with seat.running():
            yield seat
    finally:
        with trio.CancelScope(shield=True):
            await game.decline()  # Its files could not be made, so that it was never played.
