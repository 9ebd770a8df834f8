"""``seqp2p rules``: the rules of the game, the options, and how doubtful points are read."""

import os
import sys

import click

from seqp2p.cli import json_events
from seqp2p.cli.output import Output
from seqp2p.i18n import message
from seqp2p.rules import VARIANTS
from seqp2p.ui.language import current, rules_text


@click.command("rules", help=message("Print the rules of the classic game, or of the one for kids."))
@click.argument("variant", type=click.Choice(list(VARIANTS)), default="classic")
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object with the text on standard output."))
def command(variant: str, *, as_json: bool) -> None:
    output = Output(as_json)
    text = rules_text(variant, current())
    output.event(json_events.RulesEvent(variant, current(), text))
    if not as_json and sys.stdout.isatty() and not os.environ.get("ACCESSIBLE"):
        click.echo_via_pager(text)
    elif not as_json:
        for line in text.splitlines():
            output.say(line)
