"""A seat that a script plays."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from functools import partial
from typing import Self, TypeAlias

import trio

from seqp2p.api.at_table import AtTable, Events
from seqp2p.api.game import AnyTable, Lobby, safety_words_with
from seqp2p.api.home import GIVEN, HomeError
from seqp2p.api.known import Meeting, meet_others
from seqp2p.api.turns import Questions, Turn
from seqp2p.arguments import check_arguments
from seqp2p.bots.exec_player import BotFailed
from seqp2p.i18n import message
from seqp2p.live.game import LiveGame
from seqp2p.live.recorder import TableEvent
from seqp2p.live.runtime import LEFT, ignore
from seqp2p.lobby.events import OnLobbyEvent
from seqp2p.match.remark import REMARK_LENGTH_MAX
from seqp2p.match.text import text_fault
from seqp2p.rules import View

SeatEvent: TypeAlias = TableEvent | BotFailed | Meeting


class Seat(AtTable[SeatEvent], AsyncIterator[Turn]):
    """One seat of a game: ``async for turn in seat`` gives each time it is asked, until the game is over for it.

    A turn that was refused or cancelled is given again, unless it has been played since. A loop begins with the open
    turn, also where an earlier one had it. A caller that breaks out of the loop and then leaves the ``async with``
    block stops for now, as by ``stop``: ``resume`` goes on. Made by ``join``, ``resume`` and ``OpenTable.seat``.
    """

    def __init__(self, game: LiveGame, table: AnyTable) -> None:
        """Made by this package."""
        self._table = table
        events = Events[SeatEvent]()
        for event in () if game.resumption is None else game.resumption.events:
            events.put(event)
        self._game = game
        self._questions = Questions(game.match, game.own)
        play = partial(game.play, self._questions, self._on_event)
        super().__init__(game.match, game.replay, events, lambda begun: play(begun=begun), game.stop)

    def __repr__(self) -> str:
        return f"Seat({self.number}, game={self.game[:12]})"

    @property
    def number(self) -> int:
        """This seat, from 1; the host's is 1."""
        return self._game.own.number

    @property
    def view(self) -> View | None:
        """The present view of this seat; None before the cards are dealt."""
        return self._game.own.view(self._match) if self._game.dealt else None

    @check_arguments
    def safety_words(self, seat: int) -> tuple[str, ...] | None:
        """Return the safety words with another seat, to compare by voice; None before the keys are shown.

        Raises ValueError for a seat that is no other player's.
        """
        if seat not in (others := self._game.table.others):
            raise ValueError(f"the other seats are {', '.join(map(str, others))}, not {seat}")
        return safety_words_with(self._match, self.number, seat)

    def __aiter__(self) -> Self:
        self._questions.give_again()
        return self

    async def __anext__(self) -> Turn:
        turn = await self._questions.next()
        if turn is not None:
            return turn
        self._check()
        raise StopAsyncIteration

    async def leave(self) -> None:
        """Leave for good, by a signature that all see; return when the replay is complete."""
        await self._part(partial(self._game.leave, LEFT))

    async def stop(self) -> None:
        """Stop for now, and sign nothing; return when the others are told. ``resume`` goes on with the replay."""
        await self._part(self._game.stop)

    @property
    def resumable(self) -> bool:
        """True once the game has stopped here, and can be resumed with whoever comes back: bots of ``fill`` do not."""
        return self._game.resumable

    def table_after_game(self) -> AnyTable:
        """Return the table of this seat, whose last game this one is: for ``rematch``. For this package."""
        self._table.last = self._game
        return self._table

    @check_arguments
    async def say(self, text: str) -> None:
        """Say something to the table: one line of at most 200 characters that can be shown, with single spaces.

        Raises ValueError for another.

        A seat may say 200 things in a game; after that, and after the end, nothing is said.
        """
        if fault := text_fault(message("a remark"), text, REMARK_LENGTH_MAX):
            raise ValueError(fault)
        await trio.lowlevel.checkpoint()
        await self._game.say(text)

    def tell(self, event: SeatEvent) -> None:
        """Add an event, for ``play_bot``."""
        self._events.put(event)

    def _on_event(self, event: TableEvent) -> None:
        self._events.put(event)
        self._questions.on_event(event)

    def _end(self) -> None:
        super()._end()
        self._questions.end()


@contextlib.asynccontextmanager
async def seated(game: LiveGame, table: AnyTable) -> AsyncGenerator[Seat]:
    """Play this game by turns until the block ends. Raises OSError, SidecarError.

    A seat that plays with a key of the player's own folder is told first whether it knows the others.
    """
    seat = Seat(game, table)
    if table.endpoint.identity.number != GIVEN:
        with contextlib.suppress(HomeError):  # A damaged list of players is no reason to leave a table.
            for meeting in meet_others(game.table):
                seat.tell(meeting)
    try:
        async with seat.running():
            yield seat
    finally:
        with trio.CancelScope(shield=True):
            await game.decline()  # Its files could not be made, so that it was never played.


@check_arguments
@contextlib.asynccontextmanager
async def rematch(
    seat: Seat, *, asked: bool = False, on_event: OnLobbyEvent = ignore, on_lobby: Callable[[Lobby], None] = ignore
) -> AsyncGenerator[Seat]:
    """Play another game at the table of a seat whose game is over, within the block of the table's first seat.

    In a series each block ends before the next one begins, so that memory does not grow with the games.

    The host of the game opens the lobby again, and the others return to it without the code, to the seats they had.
    The block begins when all have agreed. With ``asked`` the others see that this seat has not accepted yet, until
    ``lobby.ask(AcceptGame())``; LobbyShown has the same of them (``Guest.asked``). To decline, cancel it. ``on_event``
    is called with each LobbyEvent of this seat, and ``on_lobby`` before the wait.

    Raises RuntimeError before the game is over, and once the block of the table's first seat has ended; and what
    ``join`` does: LinkLost if the host is gone, for one.
    """
    if seat.result is None:
        raise RuntimeError("the game of this seat is not over")
    table = seat.table_after_game()
    if table.endpoint.is_closed:
        raise RuntimeError("a rematch belongs within the block of the table's first seat, which has ended")
    async with table.open_lobby(on_event, asked=asked) as lobby:
        on_lobby(lobby)
        async with seated(await lobby.wait(), table) as again:
            yield again
