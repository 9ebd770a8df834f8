"""Another player's table: this player sits down at it, or watches it."""

import secrets
from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import Final

import trio

from seqp2p.api.endpoint import chosen_name, lock_identity, own_addresses
from seqp2p.api.game import Lobby
from seqp2p.api.table import joined_table
from seqp2p.api.watch import WatchedGame, enter_table
from seqp2p.cli.errors import polite_signals
from seqp2p.cli.finding import enter_by_code
from seqp2p.cli.lobby import BoundedLines, LobbyTeller, LobbyView, emit_lobby, seats_line, until_agreed
from seqp2p.cli.options import SeatOptions
from seqp2p.cli.output import Output, on_screen
from seqp2p.cli.playing import cannot_write, exit_code_of, own_console
from seqp2p.cli.reporter import Reporter, emit_lobby_left
from seqp2p.cli.running import ending_with_parent
from seqp2p.cli.series import play_games, sitting_down
from seqp2p.errors import ABANDONED
from seqp2p.hangup import HANGUP, TerminalGone
from seqp2p.i18n import message
from seqp2p.lobby.events import LobbyEvent, LobbyShown, Own, SeatChoice, TurnedAway
from seqp2p.match.events import Result
from seqp2p.net.addresses import Address
from seqp2p.net.dialling import Route
from seqp2p.net.tls import make_credentials
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import LEAVING, Answers, answer_to, word_of
from seqp2p.ui.person.console import lobby_answers, wait_in_lobby
from seqp2p.ui.person.input_parser import one_line
from seqp2p.ui.person.seat_info import NOT_DEALT, SPECTATOR_WORDS, TableInfo
from seqp2p.ui.plain import SPECTATOR_HELP, legend_lines
from seqp2p.ui.words import Company, Sight

LEFT: Final = message("you left")
LET_IN: Final = message("you are let in")
FILLING: Final = message("the game is shown once the table is full")


async def join(
    options: SeatOptions, listen: Address | None, host: Address | None, code: str | None, *, map_port: bool
) -> int:
    async with sitting_down(options, listen, map_port=map_port) as (output, endpoint):
        view = LobbyView(output, t("seqp2p: join a table"))
        choice = SeatChoice(options.wished_seat, options.team, options.colour)

        async def enter(route: Route, given: str) -> int:
            table = await joined_table(endpoint, route, given, choice=choice)
            teller = LobbyTeller(options, output, view)
            return await play_games(table, options, teller, teller.on_event, Lobby.wait)

        own = own_addresses(endpoint.listeners)
        return await enter_by_code(host, code, own, view, output, enter, endpoint.relay)


async def watch(options: SeatOptions, host: Address | None, code: str | None) -> int:
    async with (
        on_screen(options.output, options.wished) as output,
        ending_with_parent(wanted=options.until_stdin_closes),
    ):
        with lock_identity(None) as locked:
            lobby = LobbyView(output, t("seqp2p: watch a table"))
            lobby.change(command="seqp2p watch")
            let_in = partial(output.say, LET_IN)
            told, changes = dict[str, list[str]](), BoundedLines(output)

            def on_event(event: LobbyEvent) -> None:
                if isinstance(event, TurnedAway):
                    output.say(event.reason)
                elif isinstance(event, LobbyShown):
                    lobby.seats(event)
                    emit_lobby(event, output)
                    if not told:
                        lobby.refuse("")
                        output.say(FILLING)
                    if [line := seats_line(event)] != told.get("seats"):
                        told["seats"] = [line]
                        if not lobby.shows:
                            changes.say(line)

            async def leave_when_typed() -> None:
                answers: Answers = {**lobby_answers(told), "help": lambda _: [translate(FILLING)]}
                await wait_in_lobby(own_console(output), answers)

            own = Own(
                make_credentials(locked.identity), chosen_name(options.name, locked), secrets.token_bytes, on_event
            )
            typed = leave_when_typed if output.asks and options.person else None
            left = partial(emit_lobby_left, output, translate(LEFT))

            async def enter(route: Route, given: str) -> int:
                by = partial(enter_table, own, route, given, options.choices.replay_dir, let_in)
                with trio.open_signal_receiver(*polite_signals()) as signals:
                    game = await until_agreed(lambda _: by(), signals, typed, left)
                    return ABANDONED if game is None else exit_code_of(await see(game, output, listens=options.person))

            return await enter_by_code(host, code, (), lobby, output, enter, options.relay)


async def see(game: WatchedGame, output: Output, *, listens: bool) -> Result:
    """Watch the game to its end. Raises TerminalGone once the end is told."""
    reporter = Reporter(output, game.match)
    reporter.seats()
    # As for a seat: an impatient second Ctrl-C must not cut off how the game ended.
    with trio.open_signal_receiver(*polite_signals()) as signals:
        console = SpectatorConsole(game, reporter)
        reporter.show(Sight(lambda: game.view))
        failure: OSError | None = None
        result: Result | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(console.leave_on_signal, signals)
            if listens:
                nursery.start_soon(console.listen)
            try:
                result = await game.run(reporter.on_event)
            except OSError as error:
                failure = error
            nursery.cancel_scope.cancel()
        if result is None:
            raise cannot_write(game.replay, failure)
        reporter.over(result, None, game.replay)
    if console.gone:
        raise TerminalGone
    return result


class SpectatorConsole:
    """The typed lines of a person who watches. The end of the input is no reason to leave.

    ``gone`` is set once the terminal has closed.
    """

    def __init__(self, game: WatchedGame, reporter: Reporter) -> None:
        self._game = game
        self._reporter = reporter
        self._company = Company.of(game.match.game.agreement, 0)
        info = TableInfo(self._company, reporter.story, lambda: game.view)
        self._answers: Answers = {**info.answers(SPECTATOR_WORDS), "help": self._help}
        self.gone = False

    async def leave_on_signal(self, signals: AsyncIterator[int]) -> None:
        async for number in signals:
            self.gone = self.gone or number == HANGUP
            await self._game.leave(LEFT)

    async def listen(self) -> None:
        console = own_console(self._reporter.output)
        while (typed := await console.read()) is not None:
            line = one_line(typed)
            if word_of(line) in LEAVING:
                await self._game.leave(LEFT)
            elif line:
                console.show(*self.answer(line))

    def answer(self, line: str) -> Iterable[str]:
        if (found := answer_to(line, self._answers)) is not None:
            return found
        return [t("spectators cannot use {word}", word=line.lower().split()[0]), translate(SPECTATOR_HELP)]

    def _help(self, _: str) -> Iterable[str]:
        painted = self._reporter.output.screen is not None
        if (seen := self._game.view) is None:
            return [translate(NOT_DEALT), translate(SPECTATOR_HELP)]
        return [translate(SPECTATOR_HELP), *legend_lines(seen.variant, self._company.colours, painted=painted)]
