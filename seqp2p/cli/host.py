"""``seqp2p host``: open a table, wait until it is full, play."""

import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

import click

from seqp2p.cli.games import Last, play_games
from seqp2p.cli.output import Output
from seqp2p.cli.running import run_async
from seqp2p.cli.seating import Door, Lobbying, SitDown, open_door
from seqp2p.cli.settings import (
    make_address,
    make_choices,
    make_settings,
    seat_options,
    time_options,
)
from seqp2p.match.table import Settings
from seqp2p.net.addresses import Address, listening_addresses
from seqp2p.net.adverts import TableAdvert
from seqp2p.net.code import make_table_number
from seqp2p.net.discovery import advertising
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.lobby import LobbyEvent, LobbyShown
from seqp2p.net.lobby_host import host_table
from seqp2p.net.table import Table
from seqp2p.net.watchers import SPECTATORS_MAX, Watchers, watched_by
from seqp2p.rules import VARIANTS, Options
from seqp2p.said import said
from seqp2p.ui.language import t


@click.command("host", help=said("Open a table for others to join, and play when it is full."))
@click.option("--players", type=click.IntRange(min=1), default=2, show_default=True)
@click.option("--teams", type=int, help=said("2 or 3, for 6 and 12 players; usually 2."))
@click.option("--variant", type=click.Choice(list(VARIANTS)), default="classic", show_default=True)
@click.option("--advanced", is_flag=True, help=said("One-eyed jacks may take a chip out of a completed sequence."))
@click.option(
    "--no-table-talk", is_flag=True, help=said("A remark may be called: the speaker's team gives up a card each.")
)
@click.option("--manual-draw", is_flag=True, help=said("Players draw by themselves, and can forget to."))
@click.option("--closed-hands", is_flag=True, help=said("Do not open the hands for the replay at the end."))
@time_options
@click.option(
    "--spectators",
    type=click.IntRange(0, SPECTATORS_MAX),
    default=DEFAULT_LIMITS.watchers_max,
    show_default=True,
    help=said("How many may watch, with the join code."),
)
@click.option("--listen", metavar="ADDR:PORT", help=said("Where to listen; all interfaces without it."))
@seat_options
def command(
    players: int,
    teams: int | None,
    variant: str,
    turn_time_s: int,
    grace_s: int,
    spectators: int,
    listen: str | None,
    bot: str | None,
    pace_s: float,
    name: str | None,
    games: int,
    replay_dir: str | None,
    *,
    advanced: bool,
    no_table_talk: bool,
    manual_draw: bool,
    closed_hands: bool,
    as_json: bool,
    until_stdin_closes: bool,
) -> None:
    """Keep a table as the options say."""
    options = Options(advanced=advanced, table_talk=not no_table_talk, manual_draw=manual_draw)
    settings = make_settings(players, teams, variant, options, grace_s, turn_time_s, closed_hands=closed_hands)
    address = None if listen is None else make_address(listen)
    lobbying = Lobbying(make_choices(bot, pace_s, replay_dir), name, Output(as_json), until_stdin_closes, games)
    raise SystemExit(run_async(lambda: host(settings, spectators, address, lobbying)))


async def host(settings: Settings, spectators: int, listen: Address | None, lobbying: Lobbying) -> int:
    """Keep the lobby, then play, with at most so many spectators; returns the exit code."""
    async with open_door(lobbying, listen) as door:
        addresses = await listening_addresses(door.listeners)
        number = make_table_number(secrets.token_bytes)
        advert = TableAdvert(number, door.name, settings.variant, settings.players, settings.players - 1)
        async with advertising(advert, door.listeners, addresses, lobbying.output.say) as update:
            hosting = _Hosting(door, settings, spectators, addresses, advert, update)
            return await play_games(door, hosting.open_lobby)


@dataclass(frozen=True)
class _Hosting:
    """What is the same in every game at this table."""

    door: Door
    settings: Settings
    spectators: int
    addresses: Sequence[Address]
    advert: TableAdvert
    update: Callable[[TableAdvert], None]

    @asynccontextmanager
    async def open_lobby(self, last: Last | None) -> AsyncGenerator[SitDown]:
        """The lobby of the next game; its spectators are looked after until the block ends."""
        async with watched_by(self.spectators) as watchers:
            yield partial(self._sit_down, watchers, last)

    async def _sit_down(self, watchers: Watchers | None, last: Last | None) -> Table:
        announce = self.door.announcer(self.addresses)

        def tell(event: LobbyEvent) -> None:
            announce(event)
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
            watchers=watchers,
            former=last.former if last else None,
        )
        self.update(replace(self.advert, free=0, state="playing"))
        if watchers:
            self.door.lobbying.output.say(
                t("others watch with:  {command}  and the same code", command=f"seqp2p watch {self.addresses[0]}")
            )
        return table
