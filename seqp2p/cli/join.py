"""``seqp2p join [CODE | HOST:PORT]``: find a table, sit down, wait until it starts, play."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from seqp2p.cli.errors import run_async
from seqp2p.cli.options import SeatOptions, make_address, map_port_option, place_options, seat_options
from seqp2p.i18n import message


@click.command(
    "join",
    help=message(
        "Sit down at a table, and play when it is full.\n\nCODE finds the table on this network by its"
        " number; a long CODE also finds it through the host's relay. HOST:PORT always works. Without"
        " either, the tables on this network are listed, and you are asked for the code."
    ),
)
@place_options
@click.option("--listen", metavar=message("ADDR:PORT"), help=message("Where to listen; default: on all interfaces."))
@map_port_option
@click.option("--seat", "wished_seat", type=click.IntRange(2, 12), help=message("The seat you want, if it is free."))
@click.option("--team", type=click.IntRange(1, 12), help=message("The team you want, if it has a free seat."))
@seat_options
def command(
    listen: str | None,
    map_port: bool,
    wished_seat: int | None,
    team: int | None,
    seat: Callable[[], SeatOptions],
    **place: Any,
) -> None:
    from seqp2p.cli.other_table import join  # what --help and completion need not wait for

    options, address = replace(seat(), wished_seat=wished_seat, team=team), make_address(listen)
    raise SystemExit(run_async(lambda: join(options, address, map_port=map_port, **place)))
