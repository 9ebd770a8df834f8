"""``seqp2p join [CODE | HOST:PORT]``: find a table, sit down, wait until it starts, play."""

from typing import Final

import click

from seqp2p.api.endpoint import open_endpoint, own_addresses
from seqp2p.api.game import LiveGame
from seqp2p.api.table import Lobby, joined_table
from seqp2p.bots.program import Program
from seqp2p.cli import home
from seqp2p.cli.finding import find_route, read_place
from seqp2p.cli.games import play_games
from seqp2p.cli.lines import is_terminal
from seqp2p.cli.lobby import LobbyTeller, LobbyView, SeatOptions
from seqp2p.cli.output import USAGE, CommandError, Output
from seqp2p.cli.running import ending_with_parent, run_async
from seqp2p.cli.screening import ScreenWish, on_screen, screen_options
from seqp2p.cli.settings import make_address, make_choices, seat_options
from seqp2p.i18n import message
from seqp2p.net.addresses import Address
from seqp2p.ui.language import t

WAITING: Final = message("waiting for the host to open the table again")


@click.command(
    "join",
    help=message(
        "Sit down at a table, and play when it is full.\n\n"
        "CODE finds the table on this network by its number. HOST:PORT always works. Without either, the tables on"
        " this network are listed, and the code is asked for."
    ),
)
@click.argument("place", metavar="[CODE | HOST:PORT]", required=False)
@click.option("--code", help=message("The join code that the host shows. Without it: SEQP2P_CODE, or asked for."))
@click.option("--listen", hidden=True)
@seat_options
@screen_options
def command(
    place: str | None,
    code: str | None,
    listen: str | None,
    bot: str | None,
    program: Program | None,
    pace_s: float,
    name: str | None,
    games: int,
    replay_dir: str | None,
    wish: ScreenWish,
    *,
    as_json: bool,
    until_stdin_closes: bool,
) -> None:
    """Read the arguments, and join."""
    host, given = read_place(place, code)
    if given is None and not is_terminal():
        raise CommandError(t("no join code was given"), t("use --code CODE or set SEQP2P_CODE"), USAGE)
    choices = make_choices(bot, pace_s, replay_dir, program)
    options = SeatOptions(choices, home.checked_name(name), Output(as_json), until_stdin_closes, games, wish=wish)
    address = None if listen is None else make_address(listen)
    raise SystemExit(run_async(lambda: join(host, given, options, address)))


async def join(host: Address | None, code: str | None, options: SeatOptions, listen: Address | None) -> int:
    """Find the table, sit down, then play; return the exit code."""
    async with (
        on_screen(options.output, options.wished) as output,
        ending_with_parent(wanted=options.until_stdin_closes),
        open_endpoint(options.name, None, options.choices.replay_dir, listen) as endpoint,
    ):
        view = LobbyView(output, t("seqp2p: join a table"))
        route, given = await find_route(host, code, own_addresses(endpoint.listeners), view, output)
        table = await joined_table(endpoint, route, given)
        teller = LobbyTeller(options, output, view)

        async def wait_in(lobby: Lobby) -> LiveGame:
            if table.last is not None:
                output.say(WAITING)
            return await lobby.wait()

        return await play_games(table, options, teller, teller.on_event, wait_in)
