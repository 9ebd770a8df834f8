"""One game after the other at one table: the lobby, the game, and the lobby again while there is a reason for it."""

import contextlib
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Final, Literal, TypeAlias

import trio

from seqp2p.api.game import LiveGame
from seqp2p.api.lobby import AnyTable, Lobby
from seqp2p.cli.known import ChangedKey, check_known, note_finished
from seqp2p.cli.lobby import LobbyTeller, SeatOptions, until_agreed
from seqp2p.cli.output import ABANDONED, DONE, NOT_CONNECTED, CommandError, Output
from seqp2p.cli.playing import exit_code_of, play
from seqp2p.cli.rematch import RematchQuestion
from seqp2p.cli.reporter import emit_lobby_left
from seqp2p.cli.running import sentence
from seqp2p.cli.stopping import polite_signals
from seqp2p.i18n import message, message_of
from seqp2p.lobby.events import OnLobbyEvent
from seqp2p.lobby.requests import AcceptGame
from seqp2p.match.events import Result
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.rules.table import team_of
from seqp2p.ui.language import t
from seqp2p.ui.words import Company, score_line

WAITING: Final = message("waiting for the host to open the table again")
OPEN_AGAIN: Final = message("the game ended before the cards were dealt: the lobby opens again")
NOT_BEGUN: Final = message("the game ended before the cards were dealt")
NO_OTHER_HINT: Final = message("ask for a new table, or open one: seqp2p host")

WaitIn: TypeAlias = Callable[[Lobby], Awaitable[LiveGame]]


async def play_games(
    table: AnyTable,
    options: SeatOptions,
    teller: LobbyTeller,
    on_event: OnLobbyEvent,
    wait_in: WaitIn,
    *,
    resumed: LiveGame | None = None,
) -> int:
    """Play at one table while this player wants to; return the last game's exit code.

    ``on_event`` gets the events of a lobby, ``wait_in`` waits in it. A ``resumed`` game comes before the first lobby.
    Raises NetError for the first lobby; CommandError where another game was wanted, and there is none.
    """
    output, number, dealt, exit_code = teller.output, 0, 0, DONE
    wins, came_back = Counter[int](), resumed is not None
    question: RematchQuestion | None = None
    with trio.open_signal_receiver(*polite_signals()) as signals:
        while True:
            if (game := resumed) is not None:
                resumed, table.last = None, game
                result = await play(game, options.choices, output, signals)
            else:
                async with _lobby_of(table, teller, on_event, question) as lobby:
                    try:
                        game = await _next_game(partial(wait_in, lobby), options, teller, signals, question)
                    except ChangedKey as refused:
                        _tell_refused(refused, lobby, output)
                        question = None
                        continue
                    except NetError as error:
                        if table.last is None:
                            raise
                        return _say_no_other_game(error, question, exit_code, output)
                    if game is None:
                        return ABANDONED if question is None or question.accepted else exit_code
                    _tell_number(number + 1, output)
                    result = await play(game, options.choices, output, signals, teller.desk.muted)
            number += 1
            exit_code = exit_code_of(result)
            if exit_code == DONE:
                note_finished(game, output)
                _count_win(game, result, wins)
                if options.person:
                    company = Company.of(game.table.agreement, game.own.number)
                    output.say_last(score_line(company, wins, resumed=came_back))
            dealt += game.dealt
            goes_on = _goes_on(game, options, output, exit_code, enough=dealt >= options.games)
            if goes_on == "no":
                return exit_code
            question = RematchQuestion(game, output, on_event) if goes_on == "ask" else None


@contextlib.asynccontextmanager
async def _lobby_of(
    table: AnyTable, teller: LobbyTeller, on_event: OnLobbyEvent, question: RematchQuestion | None
) -> AsyncGenerator[Lobby]:
    """Open the next lobby. A screen keeps the last game as long as the person is asked for another."""
    if question is None:
        teller.open()
        if table.last is not None and table.last.own.number != 1:
            teller.output.say(WAITING)
    told = on_event if question is None else question.on_event
    async with table.open_lobby(told, asked=question is not None) as lobby:
        teller.desk.ask = lobby.ask
        yield lobby


async def _next_game(
    wait: Callable[[], Awaitable[LiveGame]],
    options: SeatOptions,
    teller: LobbyTeller,
    signals: AsyncIterator[int],
    question: RematchQuestion | None,
) -> LiveGame | None:
    """Wait for the next game, and compare its players with the known ones; None if this player leaves before."""
    output = teller.output

    async def agree(stop_typing: Callable[[], None]) -> LiveGame:
        game = await wait()
        stop_typing()
        await check_known(game, output, ask=options.person and not output.json and output.asks)
        return game

    async def answer() -> None:
        """Ask the question; once it is accepted, obey typed lines."""
        assert question is not None, "a person is asked"
        if not await question.ask():
            if question.why_over:
                output.say_last(_no_other_game(question.why_over, DONE).args[0])
            await question.until_told()
            return
        teller.desk.ask(AcceptGame())
        teller.open()
        question.show_lobby()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(question.count_waits)
            await teller.leave_when_typed()
            nursery.cancel_scope.cancel()

    def leave() -> None:
        if question is None or question.accepted:
            emit_lobby_left(output, t("you left the table") if options.person else t("this seat left the table"))

    def interrupted() -> bool:
        return (question is None or question.accepted) and teller.interrupted()

    typed = answer if question is not None else teller.leave_when_typed if options.person else None
    return await until_agreed(agree, signals, typed, leave, interrupted)


def _goes_on(
    game: LiveGame, options: SeatOptions, output: Output, exit_code: int, *, enough: bool
) -> Literal["no", "yes", "ask"]:
    """Return "yes" for another game, if the last never began or more were told; "ask" if a person is to say.

    Raises CommandError where another game is wanted, and the host is gone.
    """
    if game.left or game.stopped or options.until_stdin_closes:
        return "no"
    gone = game.own.number != 1 and 1 in game.out
    if not game.dealt:
        output.say(OPEN_AGAIN if game.own.number == 1 else NOT_BEGUN)
    elif enough:
        return "ask" if options.person and output.asks and not gone else "no"
    if gone:
        raise _no_other_game(t("the host is gone"), exit_code)
    return "yes"


def _say_no_other_game(error: NetError, question: RematchQuestion | None, exit_code: int, output: Output) -> int:
    """Tell a person that there is no other game, and return the exit code of the last one.

    Raises CommandError for a program, and where the last game has not begun.
    """
    if question is None:
        raise _no_other_game(_why_not(error), exit_code) from None
    output.say_last(str(_no_other_game(question.why_closed(_why_not(error)), exit_code)))
    return exit_code


def _tell_refused(refused: ChangedKey, lobby: Lobby, output: Output) -> None:
    """Tell a host who is not let in to the next lobby; raise the error again where this player is no host."""
    if lobby.game is None or lobby.game.own.number != 1:
        raise refused
    output.say(refused.hint)
    output.say(t("without this {name} the lobby opens again, with another code", name=refused.name))


def _tell_number(number: int, output: Output) -> None:
    if number > 1:
        output.event("rematch", game=number)
        output.say(t("game {number} at this table", number=number))


def _count_win(game: LiveGame, result: Result, wins: Counter[int]) -> None:
    """Add a result to the wins of the teams."""
    if result.winners:
        wins[team_of(result.winners[0], game.table.agreement.settings.teams)] += 1


def _why_not(error: NetError) -> str:
    if isinstance(error, PeerRefused) and error.code == "not_seated":
        return t("the host lets this seat in no more")
    return sentence(message_of(error))


def _no_other_game(reason: str, exit_code: int) -> CommandError:
    text = t("there is no other game at this table: {reason}", reason=reason)
    return CommandError(text, NO_OTHER_HINT, exit_code or NOT_CONNECTED)
