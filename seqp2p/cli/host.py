"""``seqp2p host``: open a table, wait until it is full, play."""

import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import click

from seqp2p.bots.program import Program
from seqp2p.cli.bot_filler import BOT, PACE_S, FillBots, Filling
from seqp2p.cli.bot_name import BotName
from seqp2p.cli.games import LastGame, play_games
from seqp2p.cli.lobby_view import LobbyView
from seqp2p.cli.output import Output
from seqp2p.cli.running import run_async
from seqp2p.cli.screening import ScreenWish, on_screen, screen_options
from seqp2p.cli.seating import Door, Lobbying, SitDown, open_door
from seqp2p.cli.settings import make_address, make_choices, make_settings, seat_options, table_options
from seqp2p.i18n import message
from seqp2p.lobby.adverts import TableAdvert
from seqp2p.lobby.code import make_table_number
from seqp2p.lobby.discovery import advertising
from seqp2p.lobby.events import LobbyEvent, LobbyShown
from seqp2p.lobby.host import host_table
from seqp2p.lobby.spectators import SPECTATORS_MAX, SpectatorServer, spectator_server
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.table import Settings
from seqp2p.net.addresses import Address, listening_addresses
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.ui.language import t


@click.command("host", help=message("Open a table for others to join, and play when it is full."))
@click.option("--players", type=click.IntRange(min=1), default=2, show_default=True)
@table_options
@click.option(
    "--fill",
    type=BotName(),
    help=message("The bot for free seats, when start is typed; at once where nobody types: with --bot or --json."),
)
@click.option(
    "--spectators",
    type=click.IntRange(0, SPECTATORS_MAX),
    default=DEFAULT_LIMITS.spectators_max,
    show_default=True,
    help=message("How many may watch, with the join code."),
)
@click.option("--listen", metavar="ADDR:PORT", help=message("Where to listen; all interfaces without it."))
@seat_options
@screen_options
def command(
    players: int,
    fill: str | None,
    spectators: int,
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
    **table: Any,
) -> None:
    """Keep a table as the options say."""
    settings = make_settings(players, **table)
    address = None if listen is None else make_address(listen)
    choices = make_choices(bot, pace_s, replay_dir, program)
    typed = choices.person and not until_stdin_closes
    pace = pace_s if pace_s or not typed else PACE_S
    filling = Filling(FillBots(fill or BOT, pace, at_once=fill is not None and (as_json or not typed)))
    lobbying = Lobbying(choices, name, Output(as_json), until_stdin_closes, games, filling.call, wish)
    raise SystemExit(run_async(lambda: host(settings, spectators, address, lobbying, filling)))


async def host(
    settings: Settings,
    spectators: int,
    listen: Address | None,
    lobbying: Lobbying,
    filling: Filling,
    *,
    invites: bool = True,
) -> int:
    """Keep the lobby, then play, with at most so many spectators; returns the exit code.

    ``filling`` calls bots to free seats. Without ``invites`` nobody is told how to join: the others are all bots.
    """
    async with on_screen(lobbying.output, lobbying.wished) as output, open_door(lobbying.at(output), listen) as door:
        view = LobbyView(output, t("seqp2p: your table"), starts=invites)
        addresses = await listening_addresses(door.listeners)
        number = make_table_number(secrets.token_bytes)
        advert = TableAdvert(number, door.name, settings.variant, settings.players, settings.players - 1)
        async with (
            advertising(advert, door.listeners, addresses, output.say) as update,
            filling.ready(addresses[0], output),
        ):
            hosting = _Hosting(door, view, settings, spectators, addresses, advert, update, filling, invites)
            return await play_games(door, hosting.open_lobby)


@dataclass(frozen=True)
class _Hosting:
    """What is the same in every game at this table."""

    door: Door
    view: LobbyView
    settings: Settings
    spectators: int
    addresses: Sequence[Address]
    advert: TableAdvert
    update: Callable[[TableAdvert], None]
    filling: Filling
    invites: bool

    @asynccontextmanager
    async def open_lobby(self, last: LastGame | None) -> AsyncGenerator[SitDown]:
        """The lobby of the next game; its spectators are looked after until the block ends."""
        async with spectator_server(self.spectators) as spectators:
            yield partial(self._sit_down, spectators, last)

    async def _sit_down(self, spectators: SpectatorServer | None, last: LastGame | None) -> AgreedTable:
        self.view.show()
        announce = self.door.announcer(self.addresses, self.view)

        def tell(event: LobbyEvent) -> None:
            if self.invites or isinstance(event, LobbyShown):
                announce(event)
            self.filling.tell(event)
            if isinstance(event, LobbyShown):
                self.update(replace(self.advert, free=event.seats.count(None)))

        table = await host_table(
            self.door.credentials,
            self.door.name,
            self.settings,
            self.door.listeners,
            self.addresses,
            secrets.token_bytes,
            tell,
            table_number=self.advert.number,
            spectators=spectators,
            former=last.former if last else None,
        )
        self.filling.close()
        self.update(replace(self.advert, free=0, state="playing"))
        if spectators:
            self.door.lobbying.output.say(
                t("others watch with:  {command}  and the same code", command=f"seqp2p watch {self.addresses[0]}")
            )
        return table
