"""Writes the manual pages in ``docs/man``, one for ``seqp2p`` and one for each of its commands (``make man``)."""

import sys
from pathlib import Path

import click
from click_man.core import write_man_pages

from seqp2p import __version__
from seqp2p.cli.main import COMMANDS, EXIT_CODES, cli, spoken
from seqp2p.ui import language

PAGES = Path(__file__).parent / "man"
DATE = "2026-11-21"


def generate(folder: Path) -> None:
    """Write every page into this folder."""
    language.use("en")
    context = click.Context(cli, info_name="seqp2p")
    names = list(COMMANDS)
    commands = {name: command for name in names if (command := cli.get_command(context, name)) is not None}
    for name, command in commands.items():
        command.short_help = COMMANDS[name][1].rstrip(".")
    group = click.Group(
        "seqp2p",
        commands,
        params=spoken(cli).params,
        help=cli.help,
        short_help="Sequence between peers",
        context_settings=cli.context_settings,
        invoke_without_command=True,
    )
    write_man_pages("seqp2p", group, version=__version__, target_dir=str(folder), date=DATE)
    for page in folder.glob("*.1"):
        page.write_text(page.read_text("utf-8") + exit_status() + see_also(page.stem, names), "utf-8")


def exit_status() -> str:
    """The section on exit codes."""
    rows = "".join(f".TP\n{code}\n{text}\n" for code, text in EXIT_CODES.items())
    return f".SH EXIT STATUS\n{rows}"


def see_also(page: str, names: list[str]) -> str:
    """The section that names the other pages."""
    others = ["seqp2p", *(f"seqp2p-{name}" for name in names)]
    named = ", ".join(rf"\fB{other}\fP(1)" for other in others if other != page)
    return f".SH SEE ALSO\n{named}\n".replace("-", r"\-")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
