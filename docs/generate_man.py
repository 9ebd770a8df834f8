"""Writes the manual pages in ``docs/man``: ``seqp2p``, its commands, and the protocol of bots (``make man``)."""

import re
import sys
from pathlib import Path

import click
from click_man.core import write_man_pages

from seqp2p import __version__
from seqp2p.bots.wire import protocol_text
from seqp2p.cli.main import COMMANDS, EXIT_CODES, cli, spoken
from seqp2p.ui import language

PAGES = Path(__file__).parent / "man"
SCRIPTING = Path(__file__).parent / "scripting.md"
DATE = "2026-11-21"


def generate(folder: Path) -> None:
    """Write every page into this folder, into that of its chapter."""
    first, seventh = folder / "man1", folder / "man7"
    first.mkdir(exist_ok=True)
    seventh.mkdir(exist_ok=True)
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
    write_man_pages("seqp2p", group, version=__version__, target_dir=str(first), date=DATE)
    for page in first.iterdir():
        of_all = section("Environment") + section("Files") if page.stem == "seqp2p" else ""
        page.write_text(page.read_text("utf-8") + exit_status() + of_all + see_also(page.stem, names), "utf-8")
    (seventh / "seqp2p-bots.7").write_text(bots_page(), "utf-8")


def exit_status() -> str:
    """The section on exit codes."""
    rows = "".join(f".TP\n{code}\n{text}\n" for code, text in EXIT_CODES.items())
    return f".SH EXIT STATUS\n{rows}"


def section(name: str) -> str:
    """The table of a section of docs/scripting.md, a paragraph a row."""
    table = SCRIPTING.read_text("utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|$", table, re.MULTILINE)
    return f".SH {name.upper()}\n" + "".join(f".TP\n{roff(names)}\n{roff(meaning)}\n" for names, meaning in rows)


def bots_page() -> str:
    """The page on the protocol of bots, from its Markdown."""
    title = f'.TH "SEQP2P-BOTS" "7" "{DATE}" "{__version__}" "seqp2p bots Manual"'
    lines = [title, ".SH NAME", r"seqp2p\-bots \- the protocol of programs that play", ".SH DESCRIPTION"]
    lines += [row for line in protocol_text().splitlines() for row in paragraph(line)]
    return "\n".join([*lines, ".SH SEE ALSO", r"\fBseqp2p\-try\-bot\fP(1)", ""])


def paragraph(line: str) -> list[str]:
    """A line of Markdown as lines of a manual page."""
    match line.split(" ", maxsplit=1):
        case ["###", heading]:
            return [f".SH {heading.upper()}"]
        case ["-", item]:
            return [r".IP \(bu 2", roff(item)]
        case ["|", row]:
            first, *others = (cell.strip() for cell in row.strip(" |").split(" | "))
            return [] if first in {"---", "type", "action"} else [".TP", roff(first), roff("; ".join(others))]
        case ["```python"]:
            return [".PP", ".nf"]
        case ["```"]:
            return [".fi"]
        case _:
            return [roff(line) or ".PP"]


def roff(text: str) -> str:
    """Markdown as text of a manual page: without links and marks of code."""
    plain = re.sub(r"\[(.+?)\]\(.+?\)", r"\1", text).replace("`", "").replace("**", "")
    plain = plain.replace("\\", r"\e").replace("-", r"\-")
    plain = re.sub(r"[^\0-~]", lambda found: rf"\[u{ord(found[0]):04X}]", plain)
    return rf"\&{plain}" if plain[:1] in {".", "'"} else plain


def see_also(page: str, names: list[str]) -> str:
    """The section that names the other pages."""
    others = ["seqp2p", *(f"seqp2p-{name}" for name in names)]
    named = ", ".join(rf"\fB{other}\fP(1)" for other in others if other != page)
    return f".SH SEE ALSO\n{named}\n".replace("-", r"\-")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
