"""A seat that a bot or a program plays: the options that name it, and the events that a program gets."""

import functools
import random
import secrets
import shlex
import shutil
from collections.abc import Callable
from typing import Any

import click

from seqp2p.bots.exec_player import ExecPlayer, Failed, Notice, Time
from seqp2p.bots.program import Program
from seqp2p.bots.registry import BOTS, STRONG, RandomBot, why_no_bot
from seqp2p.bots.wire import hello
from seqp2p.cli.output import USAGE, CommandError, Output
from seqp2p.i18n import message
from seqp2p.live.absence import Absent, Back
from seqp2p.live.asking import PATIENCE_S
from seqp2p.live.recorder import TableEvent
from seqp2p.live.voting import AskAbout
from seqp2p.match.game import Game
from seqp2p.ui.language import t, translate

TIME_S_MAX = 86_400


class BotName(click.Choice[str]):
    """One of ``BOTS``; ``strong:N`` is checked by its number, and completed like the others by its kind."""

    def __init__(self) -> None:
        super().__init__(list(BOTS))

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return the value's name in --help. (Before click 8.2 there was no context.)"""
        del param, ctx
        return f"[{'|'.join((*BOTS, f'{STRONG}:N'))}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; fail with the reason if there is no such bot."""
        if not isinstance(value, str):
            return super().convert(value, param, ctx)
        reason = why_no_bot(value)
        if reason is not None:
            self.fail(translate(reason), param, ctx)
        return value


def program_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a program; the command gets them as ``program``, None where none is named."""

    @functools.wraps(command)
    def with_program(
        *, exec_line: str | None, exec_time_s: float | None, verbose_bot: bool, bot: str | None, **others: Any
    ) -> None:
        if exec_line is not None and bot is not None:
            raise CommandError(t("one seat has one bot: --bot and --exec exclude each other"), exit_code=USAGE)
        program = None if exec_line is None else make_program(exec_line, exec_time_s, verbose=verbose_bot)
        command(program=program, bot=bot, **others)

    line = click.option(
        "--exec",
        "exec_line",
        metavar=message("COMMAND"),
        help=message("A program plays this seat, by JSON lines: docs/scripting.md."),
    )
    verbose = click.option(
        "--verbose-bot", is_flag=True, help=message("Show what the program writes to standard error.")
    )
    return line(time_option(verbose(with_program)))


def time_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option for the time a program may take."""
    return click.option(
        "--exec-time",
        "exec_time_s",
        metavar=message("S"),
        type=click.FloatRange(0.1, TIME_S_MAX),
        help=message("Seconds for a choice; without it, the table's turn less 2, or 30."),
    )(command)


def make_program(line: str, time_s: float | None, *, verbose: bool) -> Program:
    """Return the program of this command line, split as by a shell. Raises CommandError (usage) if there is none."""
    try:
        arguments = tuple(shlex.split(line))
    except ValueError:
        message = t("a quotation mark is not closed in: {line}", line=line)
        raise CommandError(message, exit_code=USAGE) from None
    if not arguments or shutil.which(arguments[0]) is None:
        name = arguments[0] if arguments else ""
        message = t("there is no program {name!r} that could be started", name=name)
        hint = t("name it with its folder, like {example}; it needs the right to be executed", example="./bot.py")
        raise CommandError(message, hint, USAGE)
    return Program(arguments, time_s, verbose)


def exec_player(program: Program, game: Game, seat: int, pace_s: float, output: Output) -> ExecPlayer:
    settings = game.agreement.settings
    table = hello(
        seat,
        game.variant,
        settings.teams,
        settings.options,
        [each.name for each in game.agreement.seats],
        game=game.id,
        turn_time_s=settings.turn_time_s,
    )
    time = Time(program.time_s, settings.turn_time_s, PATIENCE_S)
    lot = RandomBot(random.Random(secrets.randbits(128)))  # noqa: S311  # seeded with secrets
    return ExecPlayer(program, table, game.variant, time, lot, _telling(output), pace_s)


def _telling(output: Output) -> Callable[[Notice], None]:
    def tell(notice: Notice) -> None:
        if not isinstance(notice, Failed):
            return
        output.event("bot_failed", reason=str(notice.reason), gone=notice.gone)
        text = (
            t(
                "the bot has failed: {reason}; moves are drawn by lot to the end of the game",
                reason=translate(notice.reason),
            )
            if notice.gone
            else t("the bot has failed: {reason}; this move is drawn by lot", reason=translate(notice.reason))
        )
        output.say(text, "alarm")

    return tell


def overhearing(player: ExecPlayer) -> Callable[[TableEvent], None]:
    def hear(event: TableEvent) -> None:
        match event:
            case Absent(seat, grace_s, later):
                player.emit({"event": "absent", "seat": seat, "grace_s": grace_s, "later": later})
            case Back(seat):
                player.emit({"event": "back", "seat": seat})
            case AskAbout():
                pass  # A program is not asked whom to drop.
            case _:
                player.hear(event)

    return hear
