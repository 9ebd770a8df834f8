"""The ``seqp2p`` command: one module a subcommand, imported only when it is called, so that ``--help`` is quick."""

import contextlib
import copy
import importlib
import os
import sys
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast

import click

from seqp2p import __version__
from seqp2p.cli import log_file, progress
from seqp2p.cli.errors import forget_seat, hear_ctrl_c, line_of, resume_command
from seqp2p.cli.output import prepare_streams, printable, put_line, report_bug, show_error
from seqp2p.cli.preferences import kept
from seqp2p.errors import ABANDONED, DONE, FAILED, NOT_CONNECTED, NOT_VERIFIED, USAGE, UserError
from seqp2p.i18n import Message, message, message_of, of_system
from seqp2p.ui import language
from seqp2p.ui.language import command_line, t, translate

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Subcommand → (module with its ``command``, what --help says of it).
COMMANDS = MappingProxyType(
    {
        "play": ("seqp2p.cli.play", message("Play against bots on this machine.")),
        "host": ("seqp2p.cli.host", message("Open a table for others to join.")),
        "join": ("seqp2p.cli.join", message("Sit down at a table.")),
        "resume": ("seqp2p.cli.resume", message("Take your seat again in an unfinished game.")),
        "watch": ("seqp2p.cli.watch", message("Watch a table: everything but the hands.")),
        "demo": ("seqp2p.cli.demo", message("Watch bots play: real peers, one process each.")),
        "verify": ("seqp2p.cli.verify", message("Verify replays: every signature, proof, share and move.")),
        "show": ("seqp2p.cli.show", message("Look at a replay, step by step.")),
        "export": ("seqp2p.cli.export", message("Write a replay as text, JSON, a picture, or a web page.")),
        "games": ("seqp2p.cli.games", message("List your games, newest first.")),
        "stats": ("seqp2p.cli.stats", message("Statistics of many replays: who wins, how long, and where.")),
        "rules": ("seqp2p.cli.rules", message("Read the rules of the game, in your language.")),
        "arena": ("seqp2p.cli.arena", message("Play bots against each other, on the engine alone.")),
        "try-bot": ("seqp2p.cli.try_bot", message("Try a program as a bot: does it keep to the protocol?")),
        "schema": ("seqp2p.cli.schema", message("Print the JSON Schemas of --json and of bots.")),
        "config": ("seqp2p.cli.config", message("List, read and change your saved settings.")),
        "reach": ("seqp2p.cli.reach", message("Show how friends elsewhere can reach this machine.")),
        "id": ("seqp2p.cli.identity", message("Show this player's name and key.")),
        "completion": ("seqp2p.cli.completion", message("Print the script that completes commands in a shell.")),
    }
)

# What --help calls the values of an option of this type; a time in seconds has a name that ends in _s.
VALUES: Final[Mapping[str, str]] = {
    "text": message("TEXT"),
    "integer": message("N"),
    "integer range": message("N"),
    "float range": message("NUMBER"),
    "seconds": message("SECONDS"),
}

# The headings of --help, and the options under them; the first has all others.
OTHERS: Final = message("Options")
HEADINGS: Final[Mapping[str, Sequence[str]]] = {
    OTHERS: (),
    message("Table"): (
        *("players", "bots", "teams", "variant", "advanced", "table_talk", "manual_draw", "open_hands"),
        *("turn_time_s", "grace_s", "fill", "wait_for", "spectators"),
    ),
    message("Seat and bots"): (
        *("bot", "pace_s", "exec_line", "exec_time_s", "verbose_bot"),
        *("name", "games", "colour", "wished_seat", "team"),
    ),
    message("Network"): ("code", "listen", "hidden", "map_port", "relay"),
    message("Screen"): ("plain", "palette", "ascii_only"),
    message("Every command"): ("lang", "no_progress", "log_file"),
}
HEADING_FROM: Final = 3
"""Fewer options have no heading of their own."""

# What a user may expect of a command: the command, the option or word, and the advice.
MEANT: Final[Mapping[tuple[str, str], str]] = {
    ("play", "--players"): message("--bots says how many bots you play against"),
    ("host", "--bots"): message("--players says how many play; --fill names the bot for free seats"),
    **{(command, "kids"): message("--variant kids is the kids' game") for command in ("play", "host")},
}

SOURCES: Final = Path(__file__).parents[2]
_GIT: Final = ("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
_GIT_S: Final = 5

EXIT_CODES: Final[Mapping[int, Message]] = {
    DONE: message("done: the game was played to its end, every file is verified"),
    FAILED: message("failed"),
    USAGE: message("usage"),
    NOT_VERIFIED: message("a replay is invalid"),
    NOT_CONNECTED: message("could not connect, or was refused"),
    ABANDONED: message("the game was abandoned; verify: none invalid, but one is unfinished"),
}


def _hide_progress(_context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        progress.hide()


def _start_log(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None and not context.resilient_parsing:
        try:
            log_file.start(value)
        except OSError as error:
            message = t("cannot write the log file {path}: {reason}", path=value, reason=of_system(error))
            raise UserError(message, t("name another file with --log-file")) from None


def common_options() -> list[click.Parameter]:
    """Return the options of every command, made again: click names the value of a path in the language of that time."""
    return [
        # The language itself is chosen before click reads anything: even --help speaks it.
        click.Option(
            ["--lang"],
            type=click.Choice(language.LANGUAGES),
            expose_value=False,
            help=message("The language; default: the setting, or that of LANG."),
        ),
        click.Option(
            ["--no-progress"],
            is_flag=True,
            expose_value=False,
            callback=_hide_progress,
            help=message("Show no progress bars, and no lines of progress."),
        ),
        click.Option(
            ["--log-file"],
            type=click.Path(dir_okay=False),
            expose_value=False,
            is_eager=True,
            callback=_start_log,
            help=message("Write events, errors and the traces of faults to this file, without secrets."),
        ),
    ]


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        return spoken(importlib.import_module(COMMANDS[cmd_name][0]).command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand named first. Raises UserError with the nearest name if there is none."""
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1, cutoff=0.5)
            hint = (
                t("did you mean {command}?", command=command_line(near[0]))
                if near
                else t("{command} --help lists the commands", command="seqp2p")
            )
            raise UserError(t("no such command: {command}", command=args[0]), hint, USAGE)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands, without importing any."""
        del ctx
        with formatter.section(t("Commands")):
            formatter.write_dl([(name, translate(text)) for name, (_, text) in COMMANDS.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section(t("Exit codes")):
            formatter.write_dl([(str(code), translate(text)) for code, text in EXIT_CODES.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete commands, without importing any, and the options of the group."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=translate(text))
            for name, (_, text) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)


class SpokenFormatter(click.HelpFormatter):
    """Writes headings as the reader's language does: French has a space before the colon."""

    def write_heading(self, heading: str) -> None:
        self.write(" " * self.current_indent + t("{heading}:", heading=heading) + "\n")


class SpokenContext(click.Context):
    formatter_class = SpokenFormatter


def spoken(command: click.Command) -> click.Command:
    """Return the command with the common options, and its help in the reader's language."""
    said_again = copy.copy(command)
    said_again.help = translate(command.help or "")
    said_again.params = [*map(copy.copy, command.params), *common_options()]
    click.help_option("-h", "--help", callback=show_help)(said_again)
    said_again.context_class = SpokenContext
    for parameter in said_again.params:
        if parameter.metavar is not None:
            parameter.metavar = translate(parameter.metavar)
        if isinstance(parameter, click.Option):
            parameter.help = translate(parameter.help or "")
            parameter.show_default = True
            kind = "seconds" if (parameter.name or "").endswith("_s") else parameter.type.name
            if parameter.metavar is None and not parameter.is_flag and kind in VALUES:
                parameter.metavar = translate(VALUES[kind])
    if isinstance(said_again, click.Group):
        said_again.subcommand_metavar = translate(said_again.subcommand_metavar or "")
    else:
        said_again.format_options = partial(format_options, said_again)  # type: ignore[method-assign]
    return said_again


def format_options(command: click.Command, context: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the options of a command under their headings."""
    headings = {name: heading for heading, names in HEADINGS.items() for name in names}
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    rows = [(headings.get(each.name or "", OTHERS), row) for each in options if (row := each.get_help_record(context))]
    counts = Counter(heading for heading, _ in rows)
    for heading in HEADINGS:
        if chosen := [row for of, row in rows if heading == (of if counts[of] >= HEADING_FROM else OTHERS)]:
            with formatter.section(translate(heading)):
                formatter.write_dl(chosen)


def show_version(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        put_line(f"seqp2p, version {full_version()}")
        context.exit()


def show_help(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        put_line(context.get_help())
        context.exit()


def full_version() -> str:
    """Return ``0.1.0``, or ``0.1.0 (commit 0123456789ab)``; ``-dirty`` after it if files were changed since."""
    commit = _commit_of_sources() if (SOURCES / ".git").exists() else _commit_of_install("seqp2p")
    return f"{__version__} (commit {commit})" if commit else __version__


def _commit_of_sources() -> str | None:
    """Ask git, as of an editable install."""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        asked = subprocess.run(  # noqa: S603  # all of it is said here
            _GIT, cwd=SOURCES, env=environment, capture_output=True, text=True, timeout=_GIT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return asked.stdout.strip()


def _commit_of_install(name: str) -> str | None:
    """Read the note of the installer (PEP 610): it has the commit of an install from a repository."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        noted = json.loads(distribution(name).read_text("direct_url.json") or "{}")
        return str(noted["vcs_info"]["commit_id"])[:12]
    except (PackageNotFoundError, ValueError, KeyError, TypeError):
        return None


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    help=message("Sequence between peers: no referee, and no host that sees a card."),
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help=message("Show the version and exit."),
)
@click.pass_context
def cli(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        put_line(context.get_help(), sys.stderr)
        context.exit(USAGE)


def main() -> None:
    prepare_streams()
    sys.excepthook = report_bug
    warnings.showwarning = cast("Any", show_warning)
    arguments = sys.argv[1:]
    if arguments[:1] == ["--plain"]:
        os.environ["ACCESSIBLE"] = "1"  # For the menu, and all that it starts.
        del arguments[0]
    speak(arguments, environment := dict(os.environ))
    is_bare = " ".join(arguments).replace("=", " ") in ("", *(f"--lang {each}" for each in language.LANGUAGES))
    if not (is_bare and sys.stdin.isatty() and sys.stdout.isatty()):
        sys.exit(exit_code_of(arguments))
    from seqp2p.cli.menu import choose_command, wait_for_enter  # what --help need not wait for

    while words := choose_command(COMMANDS):
        speak([*words, *arguments], environment)
        with contextlib.suppress(SystemExit):
            exit_code_of(words)
        forget_seat()
        log_file.stop()
        progress.hide(False)
        speak(arguments, environment)
        with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
            wait_for_enter(t("Enter: back to the menu"))
    sys.exit(DONE)


def speak(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Choose the language, and report faults of the settings."""
    now = kept()
    language.use(*(language.wanted(words, environment, now.values.language) for words in (arguments, ())))
    for problem in now.problems:
        show_warning(problem)


def exit_code_of(arguments: Sequence[str]) -> int:
    """Run a command. Show its error, if it ends with one, with the command that resumes an unfinished game.

    Raises SystemExit where the command does.
    """
    try:
        return run(arguments)
    except UserError as error:
        if command := resume_command():
            error.hint = t("come back with: {command}", command=command)
        elif error.exit_code == USAGE and not error.hint:
            _, named, _ = spoken(cli).make_parser(click.Context(cli)).parse_args([*arguments])
            error.hint = t("see {command} --help", command=" ".join(["seqp2p", *named[:1]]))
        if error.quotes_code or error.exit_code == USAGE:
            log_file.error(f"{type(error).__name__}, which may quote a join code", "", error.exit_code)
        else:
            log_file.error(line_of(error), translate(error.hint), error.exit_code)
        show_error(error, as_json="--json" in arguments)
        return error.exit_code


def show_warning(warning: Warning | str, *_: object) -> None:
    """Print a warning of the library as one sentence."""
    text = message_of(warning) if isinstance(warning, Warning) else warning
    sys.stderr.write(f"seqp2p: {printable(translate(text))}\n")


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit code, or raises SystemExit with it, or UserError."""
    try:
        hear_ctrl_c()
        # The code of an early exit (--help); a subcommand that says nothing of its exit code has none to say.
        code: int | None = spoken(cli).main(list(arguments), "seqp2p", standalone_mode=False)
    except click.UsageError as error:
        raise usage_error(error) from None
    except (click.Abort, KeyboardInterrupt):  # Ctrl-C, as early as can be, or the end of input at a question.
        raise UserError(t("stopped"), exit_code=ABANDONED) from None
    return code or DONE


def usage_error(error: click.UsageError) -> UserError:
    hint = t("see {command} --help", command=error.ctx.command_path if error.ctx else "seqp2p")
    if isinstance(error, click.BadParameter) and isinstance(argument := error.param, click.Argument):
        values = f"{{{'|'.join(argument.type.choices)}}}" if isinstance(argument.type, click.Choice) else ""
        error.param_hint = repr(argument.metavar or values or argument.name)  # as in --help
    text = error.format_message()
    word = text.partition("(")[2].partition(")")[0]
    if isinstance(error, click.NoSuchOption):
        text, word = t("No such option {name!r}.", name=error.option_name), error.option_name
        if error.possibilities:
            hint = t("did you mean {command}?", command=error.possibilities[0])
    if meant := MEANT.get((error.ctx.info_name or "" if error.ctx else "", word)):
        hint = translate(meant)
    text = " ".join(text.split()).rstrip(".")
    return UserError(text[:1].lower() + text[1:], hint, USAGE)
