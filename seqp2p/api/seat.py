"""A seat that a script plays."""

from collections.abc import AsyncIterator
from pathlib import Path

import trio

from seqp2p.api.at_table import AtTable
from seqp2p.api.events import Events
from seqp2p.api.game import LiveGame
from seqp2p.api.turns import Turn
from seqp2p.i18n import message
from seqp2p.live.recorder import TableEvent
from seqp2p.match.events import Result
from seqp2p.match.remark import REMARK_LENGTH_MAX
from seqp2p.match.text import cleaned
from seqp2p.rules import View


class Seat(AtTable, AsyncIterator[Turn]):
    """One seat of a game: ``async for turn in seat`` gives each time it is asked, until the game is over for it.

    A turn that was refused is given again, unless it has been played since. Whoever breaks out of the loop and then
    leaves the ``async with`` block leaves the table. Made by ``join``, ``resume`` and ``OpenTable.seat``.
    """

    def __init__(self, game: LiveGame) -> None:
        """Made by this package."""
        self._game = game
        super().__init__(game.sitting.match)
        self._own = game.sitting.own

    def __repr__(self) -> str:
        return f"Seat({self.number}, game={self.game[:12]})"

    @property
    def number(self) -> int:
        """This seat, from 1; the host's is 1."""
        return self._own.number

    @property
    def view(self) -> View | None:
        """What this seat sees now; None before the cards are dealt."""
        return None if self._match.game.position is None else self._own.view(self._match)

    @property
    def events(self) -> Events[TableEvent]:
        """What happens in the game, from its first event on (match/events.py, and ``Absent`` and ``Back``)."""
        return self._game.events

    @property
    def result(self) -> Result | None:
        """How the game ended for this seat; None while it goes on, and where the session has failed."""
        return self._game.running.result

    @property
    def replay(self) -> Path:
        """The file of the replay; it is complete and signed when there is a ``result``."""
        return self._game.sitting.writer.path

    async def __anext__(self) -> Turn:
        turn = await self._game.questions.next()
        if turn is not None:
            return turn
        self._game.running.check()
        raise StopAsyncIteration

    async def say(self, text: str) -> None:
        """Say something to the table: one line, at most 200 characters; raises ValueError for another.

        A seat may say 200 things in a game; after that, and after the end, nothing is said.
        """
        if not cleaned(text, len(text)) or len(cleaned(text, len(text))) > REMARK_LENGTH_MAX:
            raise ValueError(message("a remark has 1 to {most} characters that can be shown", most=REMARK_LENGTH_MAX))
        await trio.lowlevel.checkpoint()
        await self._game.session.say(text)

    async def leave(self) -> None:
        """Leave the game for good, by a signature that all see; returns when the replay is complete."""
        await trio.lowlevel.checkpoint()
        await self._game.running.leave()
        self._game.running.check()
