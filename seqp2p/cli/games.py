"""One game after the other at one table: the lobby, the game, and the lobby again while there is a reason for it."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Final, TypeAlias

import trio

from seqp2p.api.game import LiveGame
from seqp2p.api.table import AnyTable, Lobby
from seqp2p.cli.known import ChangedKey, check_known, note_finished
from seqp2p.cli.lobby import LobbyTeller, SeatOptions, until_agreed
from seqp2p.cli.output import ABANDONED, DONE, NOT_CONNECTED, CommandError, Output
from seqp2p.cli.playing import exit_code_of, play
from seqp2p.cli.reporter import emit_lobby_left
from seqp2p.cli.running import sentence
from seqp2p.cli.stopping import polite_signals
from seqp2p.hangup import HANGUP, TerminalGone
from seqp2p.i18n import message, message_of
from seqp2p.lobby.events import OnLobbyEvent
from seqp2p.match.events import Result
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.rules.table import team_of
from seqp2p.ui.language import t
from seqp2p.ui.person.console import is_confirmed
from seqp2p.ui.words import Company, score_line

ASK_AGAIN: Final = message("another game at this table? yes (Enter) or no")
ANSWER_S: Final = 60.0
"""The time for a person to choose another game. A joiner waits longer for the host's lobby (``rematch_wait_s``)."""
WARNED_S: Final = 10
OPEN_AGAIN: Final = message("the game ended before the cards were dealt: the lobby opens again")
NOT_BEGUN: Final = message("the game ended before the cards were dealt")
NO_OTHER_HINT: Final = message("ask for a new table, or open one: seqp2p host")

WaitIn: TypeAlias = Callable[[Lobby], Awaitable[LiveGame]]


async def play_games(
    table: AnyTable, options: SeatOptions, teller: LobbyTeller, on_event: OnLobbyEvent, wait_in: WaitIn
) -> int:
    """Play at one table while this player wants to; return the last game's exit code.

    ``on_event`` gets the events of a lobby, ``wait_in`` waits in it. Raises NetError for the first lobby; CommandError
    where another game was wanted, and there is none.
    """
    output, number, dealt, exit_code = teller.output, 0, 0, DONE
    wins = Counter[int]()
    with trio.open_signal_receiver(*polite_signals()) as signals:
        while True:
            teller.open()
            last = table.last
            async with table.open_lobby(on_event) as lobby:
                teller.desk.ask = lobby.ask
                try:
                    game = await _next_game(partial(wait_in, lobby), options, teller, signals)
                except ChangedKey as refused:
                    if lobby.game is None or lobby.game.own.number != 1:
                        raise
                    output.say(refused.hint)
                    output.say(t("without this {name} the lobby opens again, with another code", name=refused.name))
                    continue
                except NetError as error:
                    if last is None:
                        raise
                    raise _no_other_game(_why_not(error), exit_code) from None
                if game is None:
                    return ABANDONED
                number += 1
                if last is not None:
                    output.event("rematch", game=number)
                    output.say(t("game {number} at this table", number=number))
                result = await play(game, options.choices, output, signals, teller.desk.muted)
            exit_code = exit_code_of(result)
            if exit_code == DONE:
                note_finished(game, output)
                _tell_score(game, result, wins, output if options.person else None)
            dealt += game.dealt
            host_gone = game.own.number != 1 and 1 in game.out
            if not await _wants_another(game, options, output, signals, enough=dealt >= options.games, gone=host_gone):
                return exit_code
            if host_gone:
                raise _no_other_game(t("the host is gone"), exit_code)


async def _next_game(
    wait: Callable[[], Awaitable[LiveGame]], options: SeatOptions, teller: LobbyTeller, signals: AsyncIterator[int]
) -> LiveGame | None:
    """Wait for the next game, and compare its players with the known ones; None if this player leaves before."""
    output = teller.output

    async def agree(stop_typing: Callable[[], None]) -> LiveGame:
        game = await wait()
        stop_typing()
        await check_known(game, output, ask=options.person and not output.json and output.asks)
        return game

    left = t("you left the table") if options.person else t("this seat left the table")
    typed = teller.leave_when_typed if options.person else None
    return await until_agreed(agree, signals, typed, partial(emit_lobby_left, output, left), teller.interrupted)


async def _wants_another(
    game: LiveGame, options: SeatOptions, output: Output, signals: AsyncIterator[int], *, enough: bool, gone: bool
) -> bool:
    """Return True if this seat plays another game: the last never began, more were told, or a person says so."""
    if game.left or game.adjourned or options.until_stdin_closes:
        return False
    if not game.dealt:
        output.say(OPEN_AGAIN if game.own.number == 1 else NOT_BEGUN)
        return True
    if not enough:
        return True
    return options.person and output.asks and not gone and await _ask(output, signals)


async def _ask(output: Output, signals: AsyncIterator[int]) -> bool:
    """Ask the person; no answer is no, and so is a signal. Raises TerminalGone, in a group, for a terminal that closes.

    The question is open for ANSWER_S.
    """
    yes = False
    output.ring(ASK_AGAIN)
    output.say(_question(ANSWER_S))
    async with trio.open_nursery() as nursery:
        nursery.cancel_scope.deadline = trio.current_time() + ANSWER_S
        nursery.start_soon(_count_down, output)
        nursery.start_soon(_cancel_on_signal, signals, nursery.cancel_scope)
        if output.screen is not None:
            output.screen.on_enter = ""
        yes = await is_confirmed(output.read_line, lambda: output.say(ASK_AGAIN), empty=True)
        nursery.cancel_scope.cancel()
    if output.screen is not None:
        output.screen.on_enter = None
    return yes


def _tell_score(game: LiveGame, result: Result, wins: Counter[int], output: Output | None) -> None:
    """Add a result to the wins of the teams, and tell a person all of them."""
    company = Company.of(game.table.agreement, game.own.number)
    if result.winners:
        wins[team_of(result.winners[0], len(company.colours))] += 1
    if output is not None:
        output.say_last(score_line(company, wins))


def _question(left_s: float) -> str:
    return t("another game at this table? yes (Enter) or no ({seconds:.0f} s)", seconds=left_s)


async def _count_down(output: Output) -> None:
    """Show the seconds that are left, on a screen; lines that are only added get one more, at WARNED_S."""
    ends, shown = trio.current_time() + ANSWER_S, _question(ANSWER_S)
    for left in range(int(ANSWER_S) - 1, 0, -1):
        await trio.sleep_until(ends - left)
        before, shown = shown, _question(left)
        if output.screen is not None:
            output.screen.amend(before, shown)
        elif left == WARNED_S:
            output.say(shown)


def _why_not(error: NetError) -> str:
    if isinstance(error, PeerRefused) and error.code == "not_seated":
        return t("the host lets this seat in no more")
    return sentence(message_of(error))


async def _cancel_on_signal(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    async for number in signals:
        if number == HANGUP:
            raise TerminalGone
        scope.cancel()


def _no_other_game(reason: str, exit_code: int) -> CommandError:
    text = t("there is no other game at this table: {reason}", reason=reason)
    return CommandError(text, NO_OTHER_HINT, exit_code or NOT_CONNECTED)
