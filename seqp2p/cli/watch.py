"""``seqp2p watch [CODE | HOST:PORT]``: see what the table sees, check everything, and keep a replay."""

from typing import Any

import click

from seqp2p.cli.errors import run_async
from seqp2p.cli.options import (
    Choices,
    SeatOptions,
    checked_name,
    place_options,
    relay_option,
    replay_dir_option,
    screen_options,
    usable_replay_dir,
)
from seqp2p.cli.output import Output, ScreenWish
from seqp2p.i18n import message


@click.command(
    "watch",
    help=message(
        "Watch a table, before it is full or while it plays: everything but the hands.\n\nCODE finds the"
        " table on this network by its number; a long CODE also finds it through the host's relay."
        " HOST:PORT always works. Without either, the tables on this network are listed, and you are asked"
        " for the code."
    ),
)
@place_options
@click.option("--name", help=message("The name the host sees."))
@replay_dir_option
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per event on standard output."))
@click.option("--until-stdin-closes", is_flag=True, hidden=True)
@relay_option
@screen_options
def command(
    name: str | None,
    replay_dir: str | None,
    relay: str | None,
    wish: ScreenWish,
    *,
    as_json: bool,
    until_stdin_closes: bool,
    **place: Any,
) -> None:
    from seqp2p.cli.other_table import watch  # what --help and completion need not wait for

    choices = Choices(None, 0, usable_replay_dir(replay_dir))
    options = SeatOptions(choices, checked_name(name), Output(as_json), until_stdin_closes, wish=wish)
    options = options.with_relay(relay)
    raise SystemExit(run_async(lambda: watch(options, **place)))
