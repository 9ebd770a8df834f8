"""``seqp2p host``: open a table, wait until it is full, play."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from seqp2p.bots.registry import USUAL
from seqp2p.cli.errors import run_async
from seqp2p.cli.options import (
    BotName,
    SeatOptions,
    make_address,
    make_settings,
    map_port_option,
    seat_options,
    table_options,
)
from seqp2p.errors import USAGE, UserError
from seqp2p.i18n import message
from seqp2p.net.limits import DEFAULT_LIMITS, SPECTATORS_MAX
from seqp2p.ui.language import t


@click.command("host", help=message("Open a table for others to join, and play when it is full."))
@click.option("--players", type=click.IntRange(2, 12), default=2, help=message("How many players at a table."))
@table_options
@click.option(
    "--fill",
    type=BotName(),
    help=message(
        "The bot for the free seats when start is typed, by default normal. With --bot or --json, where"
        " nobody types, it sits down at once."
    ),
)
@click.option(
    "--wait-for",
    type=click.IntRange(0, 11),
    help=message("Keep places for N players from elsewhere before --fill fills the rest."),
)
@click.option(
    "--spectators",
    type=click.IntRange(0, SPECTATORS_MAX),
    default=DEFAULT_LIMITS.spectators_max,
    help=message("How many may watch, with the join code."),
)
@click.option("--no-advertise", "hidden", is_flag=True, help=message("Others find the table by its address alone."))
@click.option("--listen", metavar=message("ADDR:PORT"), help=message("Where to listen; default: on all interfaces."))
@map_port_option
@seat_options
def command(
    players: int,
    fill: str | None,
    wait_for: int | None,
    spectators: int,
    hidden: bool,
    listen: str | None,
    map_port: bool,
    seat: Callable[[], SeatOptions],
    **table: Any,
) -> None:
    from seqp2p.api.table import HostOptions  # what --help and the completion of a name need not wait for
    from seqp2p.cli.own_table import Filling, host

    settings = make_settings(players, **table)
    address, wished = make_address(listen), HostOptions(spectators, advertise=not hidden)
    options = seat()
    pace_s = options.choices.pace_s or (options.output.preferences.pace if options.person else 0)
    at_once = fill is not None and (options.output.json or not options.person)
    if wait_for and not (at_once and wait_for < players):
        text = t("--wait-for takes a number below that of the players, with --fill, where no person types start")
        raise UserError(text, exit_code=USAGE)
    filling = Filling(fill or USUAL, pace_s, at_once=at_once, wait_for=wait_for or 0)
    options = replace(options, start=filling.call, pause=filling.pause)
    if options.colour not in (None, *settings.offered_colours):
        raise UserError(
            t("the colours of this table are {colours}", colours=", ".join(settings.offered_colours)), exit_code=USAGE
        )
    raise SystemExit(run_async(lambda: host(settings, wished, address, options, filling, map_port=map_port)))
