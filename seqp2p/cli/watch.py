"""``seqp2p watch [CODE | HOST:PORT]``: see what the table sees, check everything, and keep a replay."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import click
import trio

from seqp2p.cli import home
from seqp2p.cli.finding import find_way
from seqp2p.cli.join import read_place
from seqp2p.cli.lines import is_terminal
from seqp2p.cli.lobby_view import LobbyView
from seqp2p.cli.output import ABANDONED, DONE, USAGE, CommandError, Output
from seqp2p.cli.playing import open_writer, own_desk
from seqp2p.cli.reporter import Reporter, tell_lobby_left
from seqp2p.cli.running import cancel_when_stdin_closes, run_async
from seqp2p.cli.screening import ScreenWish, on_screen, screen_options
from seqp2p.cli.seating import leave_on_signal
from seqp2p.cli.stopping import polite_signals
from seqp2p.hangup import HANGUP, TerminalGone
from seqp2p.i18n import message
from seqp2p.live.spectator import SpectatorRunner
from seqp2p.lobby.spectator_join import WaitingSpectator, watch_table
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.table import encode_agreement
from seqp2p.net.addresses import Address
from seqp2p.net.tls import make_credentials
from seqp2p.rules import View, view
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import word_of
from seqp2p.ui.person.console import wait_in_lobby
from seqp2p.ui.person.input_parser import one_line
from seqp2p.ui.person.seat_info import board_answer, log_answer, where_answer
from seqp2p.ui.plain import legend_lines, score_line, seats_lines
from seqp2p.ui.words import Company

LEAVING: Final = frozenset({"leave", "quit", "exit"})
LEFT: Final = message("you left")
WHAT_TO_TYPE: Final = message(
    "you watch: board shows the board, board 5 a row, board e a column, where e5 a square, score the sequences, seats"
    " who holds what, log what happened, leave ends it"
)
LET_IN: Final = message("you are let in; the game is shown once the table is full")
NOT_DEALT: Final = message("the cards are not dealt yet")


@dataclass(frozen=True, slots=True)
class Seeing:
    """What the command line said: the name to show, where the replay goes, where words go, whose child this is."""

    name: str | None
    replay_dir: Path
    output: Output
    until_stdin_closes: bool


@click.command(
    "watch",
    help=message(
        "Watch a table, before it is full or while it plays: everything but the hands.\n\n"
        "CODE finds the table on this network by its number. HOST:PORT always works. Without either, the tables on"
        " this network are listed, and the code is asked for."
    ),
)
@click.argument("place", metavar="[CODE | HOST:PORT]", required=False)
@click.option("--code", help=message("The join code that the host shows. Without it: SEQP2P_CODE, or asked for."))
@click.option("--name", help=message("The name the host sees."))
@click.option("--replay-dir", type=click.Path(file_okay=False), help=message("Where the replay goes."))
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per event on standard output."))
@click.option("--until-stdin-closes", is_flag=True, hidden=True)
@screen_options
def command(
    place: str | None,
    code: str | None,
    name: str | None,
    replay_dir: str | None,
    wish: ScreenWish,
    *,
    as_json: bool,
    until_stdin_closes: bool,
) -> None:
    """Read what is given, and watch."""
    host, given = read_place(place, code)
    if given is None and not is_terminal():
        raise CommandError(t("no join code was given"), t("use --code CODE or set SEQP2P_CODE"), USAGE)
    seeing = Seeing(name, home.replay_dir(replay_dir), Output(as_json), until_stdin_closes)
    raise SystemExit(run_async(lambda: watch_on_screen(host, given, seeing, None if until_stdin_closes else wish)))


async def watch_on_screen(host: Address | None, code: str | None, seeing: Seeing, wish: ScreenWish | None) -> int:
    """Watch, with a screen where one is wished for and possible; returns the exit code."""
    async with on_screen(seeing.output, wish) as output:
        return await watch(host, code, replace(seeing, output=output))


async def watch(host: Address | None, code: str | None, seeing: Seeing) -> int:
    """Find the table, be let in, then watch; returns the exit code."""
    exit_code = ABANDONED
    async with trio.open_nursery() as nursery:
        orphaned = trio.CancelScope()
        if seeing.until_stdin_closes:
            nursery.start_soon(cancel_when_stdin_closes, orphaned)
        with orphaned, home.held_identity() as held:
            lobby = LobbyView(seeing.output, t("seqp2p: watch a table"))
            way, given = await find_way(host, code, (), lobby, seeing.output)
            come_in = partial(
                watch_table,
                make_credentials(held.identity),
                home.player_name(seeing.name, held.number),
                given,
                way.host,
                secrets.token_bytes,
                dial=way.dial,
                let_in=lambda: seeing.output.say(LET_IN),
            )
            waiting = await wait_for_table(come_in, seeing)
            if waiting is not None:
                exit_code = await see(waiting, seeing)
        nursery.cancel_scope.cancel()
    return exit_code


async def wait_for_table(come_in: Callable[[], Awaitable[WaitingSpectator]], seeing: Seeing) -> WaitingSpectator | None:
    """Wait until the table is full; None when whoever waits has gone away, by typing so or by a signal.

    Raises TerminalGone once that is told.
    """
    waiting: WaitingSpectator | None = None
    leaving = gone = False

    def leave() -> None:
        nonlocal leaving
        leaving = True
        nursery.cancel_scope.cancel()

    async def leave_when_typed() -> None:
        await wait_in_lobby(own_desk(seeing.output), told={"seats": [translate(LET_IN)]})
        leave()

    with trio.open_signal_receiver(*polite_signals()) as signals:
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(leave_on_signal, signals, leave)
                if seeing.output.asks and not seeing.until_stdin_closes:
                    nursery.start_soon(leave_when_typed)
                waiting = await come_in()
                nursery.cancel_scope.cancel()
        except* TerminalGone:
            gone = True
        if leaving or gone:
            tell_lobby_left(seeing.output, translate(LEFT))
    if gone:
        raise TerminalGone
    return None if leaving else waiting


async def see(waiting: WaitingSpectator, seeing: Seeing) -> int:
    """Watch an agreed table to its end; returns the exit code. Raises TerminalGone once that is told."""
    match = Match(encode_agreement(waiting.agreement))
    reporter = Reporter(seeing.output, match)
    reporter.seats()
    path = home.watch_path(seeing.replay_dir, match.game.id, waiting.credentials.identity.public)

    # As for a seat: an impatient second Ctrl-C must not cut off how the game ended.
    with trio.open_signal_receiver(*polite_signals()) as signals:
        with open_writer(path, match) as writer:
            spectator = SpectatorRunner(waiting, match, writer, reporter.tell, secrets.token_bytes)
            balcony = Balcony(spectator, reporter)
            reporter.show(balcony.sees, lambda: None)
            listens = not seeing.until_stdin_closes
            result = await _run(spectator, balcony, signals, path, listens=listens)
        reporter.over(result, None, path)
    if balcony.gone:
        raise TerminalGone
    return DONE if result.kind in {"won", "drawn"} else ABANDONED


async def _run(
    spectator: SpectatorRunner, balcony: "Balcony", signals: AsyncIterator[int], path: Path, *, listens: bool
) -> Result:
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(balcony.leave_on_signal, signals)
            if listens:
                nursery.start_soon(balcony.listen)
            result = await spectator.run()
            nursery.cancel_scope.cancel()
    except* OSError:
        # Whatever can go wrong in the network has a name of its own: this is the disk.
        raise CommandError(t("cannot write the replay {path}", path=path), home.REPLAYS_HINT) from None
    return result


class Balcony:
    """A person who watches, at typed lines. The end of what is typed is no reason to go; ``gone`` is the terminal."""

    def __init__(self, spectator: SpectatorRunner, reporter: Reporter) -> None:
        self._spectator = spectator
        self._reporter = reporter
        self._company = Company.of(spectator.match.game.agreement, 0)
        self.gone = False

    def sees(self) -> View | None:
        """What lies open on the table; None before the deal."""
        position = self._spectator.match.game.position
        return None if position is None else view(position, 0)

    async def leave_on_signal(self, signals: AsyncIterator[int]) -> None:
        """Go away politely when this process is asked to end, however often."""
        async for number in signals:
            self.gone = self.gone or number == HANGUP
            await self._spectator.leave(LEFT)

    async def listen(self) -> None:
        """Obey what is typed, as long as something is."""
        while (line := await self._reporter.output.read_line()) is not None:
            first, _, rest = one_line(line).partition(" ")
            word = word_of(first)
            if word in LEAVING and not rest:
                await self._spectator.leave(LEFT)
            elif word:
                for shown in self.answer(word, rest):
                    self._reporter.output.say(shown, "answer")

    def answer(self, word: str, rest: str = "") -> list[str]:
        """The lines that a word asks for, with what is typed behind it."""
        if word == "log":
            return log_answer(self._reporter.story, rest)
        position = self._spectator.match.game.position
        if word not in ("board", "where", "score", "seats", "help"):
            return [t("{word} is no word of a spectator's", word=f"{word} {rest}".strip()), translate(WHAT_TO_TYPE)]
        if position is None:
            return [translate(NOT_DEALT), translate(WHAT_TO_TYPE)] if word == "help" else [translate(NOT_DEALT)]
        return self._look(view(position, 0), word, rest)

    def _look(self, seen: View, word: str, rest: str) -> list[str]:
        colours = self._company.colours
        match word:
            case "board":
                return board_answer(seen, rest, colours, self._reporter.story.last)
            case "where":
                return where_answer(seen, rest, colours)
            case "score":
                return [score_line(seen, colours)]
            case "seats":
                return seats_lines(seen, self._company)
            case _:
                return [translate(WHAT_TO_TYPE), *legend_lines(seen.variant, colours)]
