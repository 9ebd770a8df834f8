"""``seqp2p join [CODE | HOST:PORT]``: find a table, sit down, wait until it starts, play."""

from collections.abc import Callable
from dataclasses import replace

import click

from seqp2p.api.endpoint import own_addresses
from seqp2p.api.game import Lobby
from seqp2p.api.table import joined_table
from seqp2p.cli.finding import enter_by_code
from seqp2p.cli.lobby import LobbyTeller, LobbyView
from seqp2p.cli.options import SeatOptions, make_address, map_port_option, place_options, seat_options
from seqp2p.cli.running import run_async
from seqp2p.cli.series import play_games, sitting_down
from seqp2p.i18n import message
from seqp2p.lobby.events import SeatChoice
from seqp2p.net.addresses import Address
from seqp2p.net.dialling import Route
from seqp2p.ui.language import t


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
    host: Address | None,
    code: str | None,
    listen: str | None,
    map_port: bool,
    wished_seat: int | None,
    team: int | None,
    seat: Callable[[], SeatOptions],
) -> None:
    options = replace(seat(), wished_seat=wished_seat, team=team)
    address = make_address(listen)
    raise SystemExit(run_async(lambda: join(host, code, options, address, map_port=map_port)))


async def join(
    host: Address | None, code: str | None, options: SeatOptions, listen: Address | None, *, map_port: bool = False
) -> int:
    async with sitting_down(options, listen, map_port=map_port) as (output, endpoint):
        view = LobbyView(output, t("seqp2p: join a table"))
        choice = SeatChoice(options.wished_seat, options.team, options.colour)

        async def enter(route: Route, given: str) -> int:
            table = await joined_table(endpoint, route, given, choice=choice)
            teller = LobbyTeller(options, output, view)
            return await play_games(table, options, teller, teller.on_event, Lobby.wait)

        own = own_addresses(endpoint.listeners)
        return await enter_by_code(host, code, own, view, output, enter, endpoint.relay)
