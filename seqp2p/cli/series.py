"""One game after the other at one table: the lobby, the game, the question for another, and the lobby again."""

import contextlib
import math
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Final, Literal, TypeAlias

import trio

from seqp2p.api.endpoint import Endpoint, open_endpoint
from seqp2p.api.game import AnyTable, LiveGame, Lobby
from seqp2p.api.table import former_of
from seqp2p.cli.errors import polite_signals, sentence
from seqp2p.cli.json_events import RematchEvent
from seqp2p.cli.known import ChangedKey, check_known, note_finished
from seqp2p.cli.lobby import LobbyTeller, until_agreed
from seqp2p.cli.options import SeatOptions
from seqp2p.cli.output import Output, on_screen
from seqp2p.cli.playing import exit_code_of, play
from seqp2p.cli.reporter import PortTeller, emit_lobby_left
from seqp2p.cli.running import ending_with_parent
from seqp2p.errors import ABANDONED, DONE, NOT_CONNECTED, UserError
from seqp2p.i18n import message, message_of
from seqp2p.live.runtime import ignore
from seqp2p.lobby.events import CodeShown, Guest, LobbyEvent, LobbyShown, OnLobbyEvent
from seqp2p.match.names import is_bot_name
from seqp2p.net.addresses import Address
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AcceptGame
from seqp2p.rules.table import team_of
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import word_of
from seqp2p.ui.person.console import is_confirmed
from seqp2p.ui.question import Question, yes_or_no
from seqp2p.ui.words import Company, listed, score_line

NO_OTHER_HINT: Final = message("ask for a new table, or open one: seqp2p host")
WaitIn: TypeAlias = Callable[[Lobby], Awaitable[LiveGame]]
ASK_AGAIN: Final = message("another game at this table?")
ASK_ALONE: Final = message("open the table again, with a new code?")
ANSWER_S: Final = 60.0
"""The time for a person to choose another game."""
WARNED_S: Final = 10
TOLD_S: Final = 3.0
"""The time for a no to reach a host that has not opened the next lobby yet."""
ABOUT: Final = "rematch"
"""The question for another game, among those that a screen can have open."""


@contextlib.asynccontextmanager
async def sitting_down(
    options: SeatOptions, listen: Address | None, *, map_port: bool
) -> AsyncGenerator[tuple[Output, Endpoint]]:
    """Yield the output, with a screen if one is wished for, and the endpoint at which this player is reached."""
    async with (
        on_screen(options.output, options.wished) as output,
        ending_with_parent(wanted=options.until_stdin_closes),
        open_endpoint(
            options.name,
            None,
            options.choices.replay_dir,
            listen,
            options.relay,
            on_port=PortTeller(output).asking(wanted=map_port),
        ) as endpoint,
    ):
        if options.name is None and options.person and endpoint.identity.number > 1:
            output.say(t("another window plays under your name, so you sit here as {name}", name=endpoint.name))
        yield output, endpoint


async def play_games(
    table: AnyTable,
    options: SeatOptions,
    teller: LobbyTeller,
    on_event: OnLobbyEvent,
    wait_in: WaitIn,
) -> int:
    """Play at one table while this player wants to; return the last game's exit code.

    ``on_event`` gets the events of a lobby, ``wait_in`` waits in it. A resumed game, ``table.last``, comes before the
    first lobby. Raises NetError for the first lobby; UserError where another game was wanted, and there is none.
    """
    output, number, dealt, exit_code = teller.output, 0, 0, DONE
    wins, resumed = Counter[int](), table.last
    came_back = resumed is not None
    question: RematchQuestion | None = None
    with trio.open_signal_receiver(*polite_signals()) as signals:
        while True:
            if (game := resumed) is not None:
                resumed = None
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
                    if number:
                        output.event(RematchEvent(number + 1))
                        output.say(t("game {number} at this table", number=number + 1))
                    result = await play(game, options.choices, output, signals, teller.desk.muted)
            number += 1
            exit_code = exit_code_of(result)
            if exit_code == DONE:
                note_finished(game, output)
                if result.winners:
                    wins[team_of(result.winners[0], game.table.agreement.settings.teams)] += 1
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
    table: AnyTable, teller: LobbyTeller, on_event: OnLobbyEvent, question: "RematchQuestion | None"
) -> AsyncGenerator[Lobby]:
    """Open the next lobby. A screen keeps the last game as long as the person is asked for another."""
    if question is None:
        teller.open()
        if table.last is not None and table.last.own.number != 1:
            teller.output.say(t("waiting for the host to open the table again"))
    told = on_event if question is None else question.on_event
    async with table.open_lobby(told, asked=question is not None) as lobby:
        teller.desk.ask = lobby.ask
        yield lobby


async def _next_game(
    wait: Callable[[], Awaitable[LiveGame]],
    options: SeatOptions,
    teller: LobbyTeller,
    signals: AsyncIterator[int],
    question: "RematchQuestion | None",
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
        teller.open(shows=False)
        question.show_lobby(teller.view.show)
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

    Raises UserError where another game is wanted, and the host is gone.
    """
    if game.left or game.stopped or options.until_stdin_closes:
        return "no"
    gone = game.own.number != 1 and 1 in game.out
    if not game.dealt:
        opens = t("the game ended before the cards were dealt: the lobby opens again")
        output.say(opens if game.own.number == 1 else t("the game ended before the cards were dealt"))
    elif enough:
        return "ask" if options.person and output.asks and not gone else "no"
    if gone:
        raise _no_other_game(t("the host is gone"), exit_code)
    return "yes"


def _say_no_other_game(error: NetError, question: "RematchQuestion | None", exit_code: int, output: Output) -> int:
    """Tell a person that there is no other game, and return the exit code of the last one.

    Raises UserError for a program, and where the last game has not begun.
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


def _why_not(error: NetError) -> str:
    if isinstance(error, PeerRefused) and error.code == "not_seated":
        return t("the host no longer admits this seat")
    return sentence(message_of(error))


def _no_other_game(reason: str, exit_code: int) -> UserError:
    text = t("there is no other game at this table: {reason}", reason=reason)
    return UserError(text, NO_OTHER_HINT, exit_code or NOT_CONNECTED)


class RematchQuestion:
    """A person's question for another game after this one. ``on_event`` gets what the lobby needs once it is accepted.

    The next lobby is open while the person is asked: the others see the answer in it, and the person sees theirs.
    ``why_over`` is the reason why it was taken back, if it was.
    """

    def __init__(self, game: LiveGame, output: Output, on_event: OnLobbyEvent) -> None:
        self.accepted = False
        self.why_over = ""
        self._output = output
        self._on_event = on_event
        self._own = game.own.number
        self._former = {key: game.table.agreement.seats[seat - 1].name for key, seat in former_of(game).seats.items()}
        self._expects = set(self._former)
        self._seated: dict[bytes, Guest] = {}
        self._lobby: LobbyShown | None = None
        self._code: CodeShown | None = None
        self._asked_at = trio.current_time()
        # Bots have time.
        alone = all(map(is_bot_name, self._former.values()))
        self._ends_at = math.inf if alone else self._asked_at + ANSWER_S
        self._on_free_seat: Callable[[], None] = ignore
        self._asking = trio.CancelScope()
        self._is_open = trio.Event()

    def on_event(self, event: LobbyEvent) -> None:
        """Tell who accepts and who declines. The rest of the lobby is shown once this person has accepted."""
        if isinstance(event, LobbyShown):
            self._tell(event)
            self._lobby = event
            self._is_open.set()
        elif isinstance(event, CodeShown):
            self._code = event
        if self.accepted or not isinstance(event, LobbyShown | CodeShown):
            self._on_event(event)
        if self.accepted and isinstance(event, LobbyShown):
            self._show_free_seat(event)

    def _show_free_seat(self, lobby: LobbyShown) -> None:
        if None in lobby.seats:
            self._on_free_seat()

    async def ask(self) -> bool:
        """Return True if the person accepts within ANSWER_S, unless it is taken back meanwhile."""
        output = self._output
        text = ASK_AGAIN if self._former else ASK_ALONE
        output.ring(text)
        question = yes_or_no(translate(text), "yes", self._ends_at)
        async with trio.open_nursery() as nursery:
            self._asking = nursery.cancel_scope
            self._asking.deadline = self._ends_at
            if self.why_over:
                self._asking.cancel()
            nursery.start_soon(self._count, lambda: question)
            self.accepted = await is_confirmed(self._read_line, lambda: output.say(question.spoken()), empty=True)
            self._asking.cancel()
        output.ask(ABOUT, None)
        return self.accepted

    async def _read_line(self) -> str | None:
        line = await self._output.read_line()
        if line is not None and word_of(line.strip().partition(" ")[0]) == "say":
            self._output.say(t("the game is over: this was not sent"))
        return line

    async def until_told(self) -> None:
        """After a no, wait for the host's lobby, at most TOLD_S: to leave it tells the others."""
        if self._own != 1 and not self.why_over:
            with trio.move_on_after(TOLD_S):
                await self._is_open.wait()

    def show_lobby(self, on_free_seat: Callable[[], None]) -> None:
        """Pass on the code and the seats that came while the person was asked.

        A screen keeps the last game, until ``on_free_seat`` is called: others can come then.
        """
        self._on_free_seat = on_free_seat
        if self._code is not None:
            self._on_event(self._code)
        if (lobby := self._lobby) is not None:
            own = lobby.own_seat - 1
            accepted = (
                guest and replace(guest, asked=guest.asked and at != own) for at, guest in enumerate(lobby.seats)
            )
            self._on_event(replace(lobby, seats=tuple(accepted)))
            self._show_free_seat(lobby)

    async def count_waits(self) -> None:
        """Show the players that the game waits for, and how long, until cancelled."""
        await self._count(self._wait)

    def why_closed(self, reason: str) -> str:
        """Return why a host's lobby has ended, by an error that gives this reason."""
        host = None if self._lobby is None else self._lobby.seats[0]
        return reason if host is None or not host.asked else t("{name} plays no other game", name=host.name)

    def _tell(self, event: LobbyShown) -> None:
        output, before = self._output, self._seated
        seats = enumerate(event.seats, 1)
        self._seated = {guest.key: guest for seat, guest in seats if guest is not None and seat != event.own_seat}
        for key, guest in self._seated.items():
            was_asked = key not in before or before[key].asked
            if was_asked and not guest.asked and key in self._former and not is_bot_name(guest.name):
                output.say(t("{name} wants another game", name=guest.name))
        for key, guest in before.items():
            if key not in self._seated and guest.asked:
                output.say(t("{name} plays no other game", name=guest.name))
                self._expects.discard(key)
        if self._former and not self._expects and event.own_seat == 1 and not self.accepted:
            self.why_over = t("nobody else plays on")
            self._asking.cancel()

    def _wait(self) -> Question | None:
        if self._lobby is None:
            ends_at = self._asked_at + DEFAULT_LIMITS.rematch_wait_s
            return Question(t("waiting for the host to open the table again"), ends_at=ends_at)
        if asked := [guest.name for guest in self._seated.values() if guest.asked]:
            return Question(t("waiting for {names}", names=listed(asked)), ends_at=self._asked_at + ANSWER_S)
        ends_at = self._asked_at + DEFAULT_LIMITS.rematch_keeps_s
        missing = [self._former[key] for key in self._expects if key not in self._seated]
        if self._own != 1 or not missing or trio.current_time() >= ends_at:
            return None
        return Question(t("kept for {names}", names=listed(missing)), ends_at=ends_at)

    async def _count(self, waits: Callable[[], Question | None]) -> None:
        """Show a wait. Without a screen, tell its last WARNED_S seconds, too."""
        output, shown = self._output, None
        while True:
            now, wait = trio.current_time(), waits()
            if wait != shown:
                output.ask(ABOUT, wait)
                shown = wait
            elif wait and output.screen is None and WARNED_S - 1 < wait.ends_at - now <= WARNED_S:
                output.say(wait.at(now).text)
            await trio.sleep(1)
