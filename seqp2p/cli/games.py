"""One game after the other at one table: the lobby, the game, and the lobby again while there is a reason for it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final, TypeAlias

import trio

from seqp2p.cli.output import ABANDONED, NOT_CONNECTED, CommandError, Output
from seqp2p.cli.playing import Ended, play
from seqp2p.cli.reporter import tell_lobby_left
from seqp2p.cli.running import sentence
from seqp2p.cli.seating import Door, SitDown
from seqp2p.cli.stopping import polite_signals
from seqp2p.hangup import HANGUP, TerminalGone
from seqp2p.i18n import message, message_of
from seqp2p.lobby.events import Former
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.errors import NetError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import LEAVING, NO, YES, word_of

ASK_AGAIN: Final = message("another game at this table? yes/no")
ANSWER_S: Final = 60.0
"""For a person to say whether to play again. A host's lobby is waited for longer (``rematch_wait_s``)."""
OPEN_AGAIN: Final = message("the game ended before the cards were dealt: the lobby opens again")
NO_OTHER_HINT: Final = message("ask for a new table, or open one: seqp2p host")


@dataclass(frozen=True, slots=True)
class LastGame:
    """The game that this table has had before."""

    table: AgreedTable
    ended: Ended

    @property
    def former(self) -> Former:
        """What the host of the next one has to know: who may come back by its key, and whose seat is kept.

        Where the game never began somebody was missing: then the seats are there for whoever comes.
        """
        seats = {self.table.key(seat): seat for seat in self.table.others if seat not in self.ended.out}
        return Former(self.table.game, seats, DEFAULT_LIMITS.rematch_keeps_s if self.ended.begun else 0.0)

    @property
    def host_is_out(self) -> bool:
        """Whether the host, whoever that was, has left or cheated."""
        return 1 in self.ended.out


OpenLobby: TypeAlias = Callable[[LastGame | None], AbstractAsyncContextManager[SitDown]]
"""Opens the lobby of the next game; what belongs to both lobby and game ends with the block."""


async def play_games(door: Door, open_lobby: OpenLobby) -> int:
    """Play at one table as long as somebody wants to; returns the last game's exit code.

    Raises NetError for the first lobby; CommandError where another game was wanted, and there is none.
    """
    last: LastGame | None = None
    number = begun = 0
    with trio.open_signal_receiver(*polite_signals()) as signals:
        while True:
            async with open_lobby(last) as sit_down:
                try:
                    table = await _next_table(door, sit_down, last, signals)
                except TerminalGone:
                    _tell_lobby_left(door)
                    raise
                if table is None:
                    _tell_lobby_left(door)
                    return ABANDONED
                number += 1
                if last is not None:
                    door.lobbying.output.event("rematch", game=number)
                    door.lobbying.output.say(t("game {number} at this table", number=number))
                last = LastGame(table, await play(table, door.held, door.lobbying.choices, door.lobbying.output))
            begun += last.ended.begun
            if not await _wants_another(door, last, begun, signals):
                return last.ended.exit_code
            if table.seat != 1 and last.host_is_out:
                raise _no_other_game(t("the host is gone"), last)


def _tell_lobby_left(door: Door) -> None:
    person = door.lobbying.person
    tell_lobby_left(door.lobbying.output, t("you left the table") if person else t("this seat left the table"))


async def _next_table(
    door: Door, sit_down: SitDown, last: LastGame | None, signals: AsyncIterator[int]
) -> AgreedTable | None:
    try:
        return await door.wait(sit_down, signals)
    except NetError as error:
        if last is None:
            raise
        raise _no_other_game(sentence(message_of(error)), last) from None


async def _wants_another(door: Door, last: LastGame, begun: int, signals: AsyncIterator[int]) -> bool:
    """Whether this seat sits down again: because the game never began, was told to play on, or a person says so."""
    lobbying, ended = door.lobbying, last.ended
    if ended.left or lobbying.until_stdin_closes:
        return False
    if not ended.begun:
        lobbying.output.say(OPEN_AGAIN)
        return True
    if begun < lobbying.games:
        return True
    gone = last.table.seat != 1 and last.host_is_out
    return lobbying.person and lobbying.output.asks and not gone and await _ask(lobbying.output, signals)


async def _ask(output: Output, signals: AsyncIterator[int]) -> bool:
    """Ask the person; no answer is no, and so is a signal. Raises TerminalGone, in a group, for one."""
    yes = False
    output.ring()
    output.say(t("another game at this table? yes/no ({seconds:.0f} s)", seconds=ANSWER_S))
    async with trio.open_nursery() as nursery:
        nursery.cancel_scope.deadline = trio.current_time() + ANSWER_S
        nursery.start_soon(_cancel_on_signal, signals, nursery.cancel_scope)
        while (line := await output.read_line()) is not None:
            word = word_of(line)
            yes = word in YES
            if yes or word in NO or word in LEAVING:
                break
            output.say(translate(ASK_AGAIN))
        nursery.cancel_scope.cancel()
    return yes


async def _cancel_on_signal(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    async for number in signals:
        if number == HANGUP:
            raise TerminalGone
        scope.cancel()


def _no_other_game(reason: str, last: LastGame) -> CommandError:
    exit_code = last.ended.exit_code or NOT_CONNECTED
    message = t("there is no other game at this table: {reason}", reason=reason)
    return CommandError(message, NO_OTHER_HINT, exit_code)
