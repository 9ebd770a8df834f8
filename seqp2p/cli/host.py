"""``seqp2p host``: open a table, wait until it is full, play."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from seqp2p.api.endpoint import open_endpoint
from seqp2p.api.game import LiveGame
from seqp2p.api.lobby import Lobby
from seqp2p.api.table import HostedTable, open_table
from seqp2p.bots.registry import USUAL
from seqp2p.cli.bot_filler import Filling
from seqp2p.cli.games import play_games
from seqp2p.cli.known import friends
from seqp2p.cli.lobby import LobbyTeller, LobbyView, SeatOptions, Ways
from seqp2p.cli.output import USAGE, CommandError, Output
from seqp2p.cli.port_teller import PortTeller, map_port_option
from seqp2p.cli.programs import BotName
from seqp2p.cli.running import ending_with_parent, run_async
from seqp2p.cli.screening import on_screen
from seqp2p.cli.settings import make_address, make_settings, seat_options, table_options
from seqp2p.i18n import message
from seqp2p.lobby.events import LobbyEvent, LobbyShown
from seqp2p.lobby.requests import ChooseColour
from seqp2p.lobby.spectators import SPECTATORS_MAX
from seqp2p.match.table import Settings
from seqp2p.net.addresses import Address
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.ui.language import t


@click.command("host", help=message("Open a table for others to join, and play when it is full."))
@click.option("--players", type=click.IntRange(min=1), default=2, show_default=True)
@table_options
@click.option(
    "--fill",
    type=BotName(),
    help=message(
        "The bot for free seats, normal without it, when start is typed; at once where nobody types: with --bot or"
        " --json."
    ),
)
@click.option(
    "--spectators",
    type=click.IntRange(0, SPECTATORS_MAX),
    default=DEFAULT_LIMITS.spectators_max,
    show_default=True,
    help=message("How many may watch, with the join code."),
)
@click.option("--listen", metavar=message("ADDR:PORT"), help=message("Where to listen; all interfaces without it."))
@map_port_option
@seat_options
def command(
    players: int,
    fill: str | None,
    spectators: int,
    listen: str | None,
    map_port: bool,
    seat: Callable[[], SeatOptions],
    **table: Any,
) -> None:
    settings = make_settings(players, **table)
    address = None if listen is None else make_address(listen)
    options = seat()
    pace_s = options.choices.pace_s or (options.output.preferences.pace if options.person else 0)
    at_once = fill is not None and (options.output.json or not options.person)
    filling = Filling(fill or USUAL, pace_s, at_once=at_once)
    options = replace(options, start=filling.call, pause=filling.pause)
    if options.choice.colour not in (None, *settings.offered_colours):
        raise CommandError(
            t("the colours of this table are {colours}", colours=", ".join(settings.offered_colours)), exit_code=USAGE
        )
    raise SystemExit(run_async(lambda: host(settings, spectators, address, options, filling, map_port=map_port)))


async def host(
    settings: Settings,
    spectators: int,
    listen: Address | None,
    options: SeatOptions,
    filling: Filling,
    *,
    invites: bool = True,
    map_port: bool = False,
) -> int:
    """Keep the lobby, then play, with at most so many spectators; return the exit code.

    ``filling`` calls bots to free seats. Without ``invites`` the output has no ways to join: the others are all bots.
    """
    async with (
        on_screen(options.output, options.wished) as output,
        ending_with_parent(wanted=options.until_stdin_closes),
        open_endpoint(
            options.name,
            None,
            options.choices.replay_dir,
            listen,
            options.relay if invites else None,
            on_port=PortTeller(output).asking(wanted=map_port),
        ) as endpoint,
    ):
        view = LobbyView(output, t("seqp2p: your table"), starts=invites)
        by_hand = invites and options.person and output.asks
        async with open_table(endpoint, settings, spectators, output.say, friends=friends(), by_hand=by_hand) as table:
            return await play_at_own_table(table, options, output, filling, view, spectators, invites=invites)


async def play_at_own_table(
    table: HostedTable,
    options: SeatOptions,
    output: Output,
    filling: Filling,
    view: LobbyView,
    spectators: int,
    *,
    invites: bool = True,
    resumed: LiveGame | None = None,
) -> int:
    """Play at this player's own table, after a ``resumed`` game if there is one; return the exit code."""
    ways = Ways(table.addresses[0], table.endpoint.mapped, table.endpoint.relay)
    async with filling.ready(table.addresses[0], ways.relay, output):
        teller = LobbyTeller(options, output, view, ways, by_hand=lambda: table.by_hand)

        def on_event(event: LobbyEvent) -> None:
            if invites or isinstance(event, LobbyShown):
                teller.on_event(event)
            filling.on_event(event)

        async def wait_in(lobby: Lobby) -> LiveGame:
            if table.last is None and options.choice.colour is not None:
                lobby.ask(ChooseColour(options.choice.colour))
            game = await lobby.wait()
            filling.close()
            if spectators:
                command = ways.watching()
                output.say(t("others watch with:  {command}  and the same code", command=command))
            return game

        return await play_games(table, options, teller, on_event, wait_in, resumed=resumed)
