"""The ``seqp2p`` command: one module a subcommand, imported only when it is called, so that ``--help`` is quick."""

import importlib
import sys
from types import MappingProxyType

import click

from seqp2p import __version__
from seqp2p.cli.output import CommandError, report_bug

# Subcommand → (module with its ``command``, what --help says of it).
COMMANDS = MappingProxyType(
    {
        "host": ("seqp2p.cli.host", "Open a table for others to join."),
        "join": ("seqp2p.cli.join", "Sit down at a table."),
        "demo": ("seqp2p.cli.demo", "Watch bots play: real peers, one process each."),
        "verify": ("seqp2p.cli.verify", "Verify replays: every signature, proof, share and move."),
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of subcommands, without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="seqp2p")
def cli() -> None:
    """Sequence between peers: no referee, and no host that sees a card."""


def main() -> None:
    """Run the command line."""
    sys.excepthook = report_bug
    try:
        cli(prog_name="seqp2p")
    except CommandError as error:
        error.show()
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
