"""The ``seqp2p`` command: one module a subcommand, imported only when it is called, so that ``--help`` is quick."""

import importlib
import sys
from types import MappingProxyType

import click

from seqp2p import __version__
from seqp2p.cli.output import ABANDONED, DONE, USAGE, CommandError, prepare_streams, report_bug

# Subcommand → (module with its ``command``, what --help says of it).
COMMANDS = MappingProxyType(
    {
        "host": ("seqp2p.cli.host", "Open a table for others to join."),
        "join": ("seqp2p.cli.join", "Sit down at a table."),
        "resume": ("seqp2p.cli.resume", "Take your seat again in a game that is not finished."),
        "watch": ("seqp2p.cli.watch", "Watch a table: everything but the hands."),
        "demo": ("seqp2p.cli.demo", "Watch bots play: real peers, one process each."),
        "verify": ("seqp2p.cli.verify", "Verify replays: every signature, proof, share and move."),
        "rules": ("seqp2p.cli.rules", "Read the rules of the game, in English or French."),
        "arena": ("seqp2p.cli.arena", "Play bots against each other, on the engine alone."),
        "id": ("seqp2p.cli.identity", "Show this player's name and key."),
    }
)


class LazyGroup(click.Group):
    """A group that imports a subcommand when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The subcommands in the order in which --help lists them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a subcommand."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand that the first argument names; raises CommandError with the nearest name if there is none."""
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1, cutoff=0.5)
            hint = f"did you mean seqp2p {near[0]}?" if near else "seqp2p --help lists the commands"
            raise CommandError(f"no such command: {args[0]}", hint, USAGE)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of subcommands, without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="seqp2p")
@click.pass_context
def cli(context: click.Context) -> None:
    """Sequence between peers: no referee, and no host that sees a card."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(USAGE)


def main() -> None:
    """Run the command line."""
    prepare_streams()
    sys.excepthook = report_bug
    try:
        code = run()
    except CommandError as error:
        error.show()
        code = error.exit_code
    sys.exit(code)


def run() -> int:
    """Run the command line; returns the exit code, or raises SystemExit with it, or CommandError."""
    try:
        # The code of an early exit (--help); a subcommand that says nothing of its exit code has none to say.
        code: int | None = cli.main(prog_name="seqp2p", standalone_mode=False)
    except click.UsageError as error:
        raise usage_error(error) from None
    except click.Abort:  # Ctrl-C or the end of input while something was asked.
        raise CommandError("stopped", exit_code=ABANDONED) from None
    return code or DONE


def usage_error(error: click.UsageError) -> CommandError:
    """What is wrong with the command line, said the way this program says it."""
    hint = f"see {error.ctx.command_path if error.ctx else 'seqp2p'} --help"
    text = error.format_message()
    if isinstance(error, click.NoSuchOption) and error.possibilities:
        text, hint = error.message, f"did you mean {error.possibilities[0]}?"
    text = " ".join(text.split()).rstrip(".")
    return CommandError(text[:1].lower() + text[1:], hint, USAGE)
