"""``seqp2p join [CODE | HOST:PORT]``: find a table, sit down, wait until it starts, play."""

import os
import re
import secrets
from contextlib import nullcontext
from functools import partial
from typing import Final

import click

from seqp2p.api.endpoint import own_addresses
from seqp2p.bots.program import Program
from seqp2p.cli import home
from seqp2p.cli.finding import find_way
from seqp2p.cli.games import LastGame, play_games
from seqp2p.cli.lines import is_terminal
from seqp2p.cli.lobby_view import LobbyView
from seqp2p.cli.output import USAGE, CommandError, Output
from seqp2p.cli.parent_watch import Overheard, Tether, held_by
from seqp2p.cli.running import run_async
from seqp2p.cli.screening import ScreenWish, on_screen, screen_options
from seqp2p.cli.seating import Lobbying, open_door
from seqp2p.cli.settings import make_address, make_choices, note_child, seat_options
from seqp2p.i18n import message
from seqp2p.lobby.join import join_table, rejoin_table
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.addresses import Address, listening_addresses
from seqp2p.ui.language import t

WAITING: Final = message("waiting for the host to open the table again")
# A number and a word, as no machine is named by people who expect to be understood; one can be given with its port.
_LIKE_A_CODE = re.compile(r"\s*\d+[\s\-_]*[^\W\d_][^:.]*")


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
@click.option("--tethered", is_flag=True, hidden=True, callback=note_child)
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
    tethered: bool,
) -> None:
    """Read what is given, and join."""
    host, given = read_place(place, code)
    if given is None and not is_terminal():
        raise CommandError(t("no join code was given"), t("use --code CODE or set SEQP2P_CODE"), USAGE)
    tether = Tether() if tethered else None
    output = Overheard(as_json, tether=tether) if tether else Output(as_json)
    choices = make_choices(bot, pace_s, replay_dir, program)
    lobbying = Lobbying(choices, name, output, until_stdin_closes, games, wish=wish)
    address = None if listen is None else make_address(listen)
    try:
        raise SystemExit(run_async(lambda: join(host, given, lobbying, address, tether)))
    finally:
        if tether:
            tether.clean_up(home.data_dir())


def read_place(place: str | None, code: str | None) -> tuple[Address | None, str | None]:
    """The host's address and the code, as far as they are given; raises CommandError (usage)."""
    if place is not None and _LIKE_A_CODE.fullmatch(place):
        if code is not None:
            raise CommandError(t("the join code is given twice"), t("leave out --code"), USAGE)
        return None, place
    address = None if place is None else make_address(place)
    return address, code or os.environ.get("SEQP2P_CODE") or None


async def join(
    host: Address | None, code: str | None, lobbying: Lobbying, listen: Address | None, tether: Tether | None
) -> int:
    """Find the table, sit down, then play; returns the exit code."""
    async with (
        on_screen(lobbying.output, lobbying.wished) as output,
        open_door(lobbying.at(output), listen) as door,
        held_by(tether),
    ):
        view = LobbyView(output, t("seqp2p: join a table"))
        way, given = await find_way(host, code, own_addresses(door.listeners), view, output)
        addresses = await listening_addresses(door.listeners, way.host)
        tell = door.announcer((), view)

        async def sit_down(last: LastGame | None) -> AgreedTable:
            common = (door.listeners, addresses, secrets.token_bytes, tell)
            if last is None:
                return await join_table(door.credentials, door.name, given, way.host, *common, dial=way.dial)
            view.show()
            output.say(WAITING)
            return await rejoin_table(door.credentials, door.name, last.table, *common)

        async def sit_down_if_held(last: LastGame | None) -> AgreedTable:
            return await (tether.while_held(partial(sit_down, last)) if tether else sit_down(last))

        return await play_games(door, lambda last: nullcontext(partial(sit_down_if_held, last)))
