"""``seqp2p join HOST:PORT``: sit down at a table, wait until it starts, play."""

import os
import secrets

import click

from seqp2p.cli.lines import is_terminal
from seqp2p.cli.output import USAGE, CommandError, Output
from seqp2p.cli.running import run_async
from seqp2p.cli.seating import Lobbying, open_door
from seqp2p.cli.settings import make_address, make_choices, seat_options
from seqp2p.net.addresses import Address, listening_addresses
from seqp2p.net.lobby_join import join_table


@click.command("join")
@click.argument("address", metavar="HOST:PORT")
@click.option("--code", help="The join code that the host shows. Without it: SEQP2P_CODE, or asked for.")
@seat_options
def command(
    address: str,
    code: str | None,
    bot: str | None,
    pace_s: float,
    name: str | None,
    replay_dir: str | None,
    *,
    as_json: bool,
    until_stdin_closes: bool,
) -> None:
    """Sit down at the table at HOST:PORT, and play when it is full."""
    host = make_address(address)
    given = code or os.environ.get("SEQP2P_CODE") or ask_code()
    lobbying = Lobbying(make_choices(bot, pace_s, replay_dir), name, Output(as_json), until_stdin_closes)
    raise SystemExit(run_async(lambda: join(host, given, lobbying)))


def ask_code() -> str:
    """The code as typed; raises CommandError where nobody can be asked."""
    if not is_terminal():
        raise CommandError("no join code was given", "use --code CODE or set SEQP2P_CODE", USAGE)
    click.echo("join code (like 7-amber-falcon): ", nl=False, err=True)
    return input()


async def join(host: Address, code: str, lobbying: Lobbying) -> int:
    """Sit down, then play; returns the exit code."""
    async with open_door(lobbying, None) as door:
        addresses = await listening_addresses(door.listeners, host)
        table = await join_table(
            door.credentials,
            door.name,
            code,
            host,
            door.listeners,
            addresses,
            secrets.token_bytes,
            door.announcer(()),
        )
        return await door.play(table)
