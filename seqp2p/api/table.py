"""Tables: a player's own one, or a seat at another player's.

Theory of operation. A HostedTable or a JoinedTable plays one game after the other. For each it opens a lobby; once all
seats have agreed, the lobby gives a LiveGame. A game that is not played is declined when the lobby's block ends. The
next lobby lets the players of the last game in by their keys.
"""

import contextlib
import secrets
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import trio

from seqp2p.api.endpoint import Endpoint
from seqp2p.api.game import OWN_RESOURCES, AnyTable, Lobby, Resources
from seqp2p.i18n import message_of
from seqp2p.live.game import LiveGame
from seqp2p.live.runtime import background_tasks, ignore
from seqp2p.lobby.adverts import TableAdvert
from seqp2p.lobby.code import make_place, make_table_number, place_of, public_part
from seqp2p.lobby.discovery import Warn, advertising
from seqp2p.lobby.events import (
    ANY_SEAT,
    NO_FORMER,
    CodeShown,
    Former,
    LobbyEvent,
    LobbyRequests,
    LobbyShown,
    OnLobbyEvent,
    RelayState,
    SeatChoice,
)
from seqp2p.lobby.host import Hosting, host_table, rematch_listeners
from seqp2p.lobby.join import join_table, rejoin_table
from seqp2p.lobby.place import HostLines
from seqp2p.lobby.spectators import spectator_server
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.names import is_bot_name
from seqp2p.match.table import Settings
from seqp2p.net.addresses import Address, tcp_dial
from seqp2p.net.dialling import Route
from seqp2p.net.errors import NetError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.serving import Listener
from seqp2p.net.transit import check_relay


@dataclass(frozen=True)
class HostOptions:
    """The wishes of a host for its table.

    Up to so many ``spectators`` may watch. ``friends`` are the keys that have finished a game with this player.
    ``by_hand``: a full table waits for StartGame, or 10 s, before the first game. With ``advertise`` others find the
    table on their network; ``warn`` gets the reason where they cannot.
    """

    spectators: int = DEFAULT_LIMITS.spectators_max
    friends: Collection[bytes] = frozenset()
    by_hand: bool = False
    advertise: bool = True
    warn: Warn = ignore


@dataclass(eq=False, repr=False, kw_only=True)
class HostedTable(AnyTable):
    """This player's own table: seat 1."""

    settings: Settings
    options: HostOptions
    addresses: Sequence[Address]
    advert: TableAdvert
    update: Callable[[TableAdvert], None]
    code: str = ""
    _on_event: OnLobbyEvent = ignore
    _lines: HostLines | None = None
    _place: str = ""

    async def keep_lines(self, relay: Address, *, task_status: "trio.TaskStatus[None]") -> None:
        """Have lines at a meeting place of this relay, until cancelled. For ``open_table``."""

        def on_away(reason: NetError | None) -> None:
            self._on_event(RelayState(relay, "" if reason is None else message_of(reason)))

        self._place = make_place(secrets.token_bytes)
        self._lines = HostLines(
            relay, tcp_dial, DEFAULT_LIMITS, lambda place: self._advertise(place=place.mark), on_away
        )
        task_status.started()
        await self._lines.run()

    @property
    def by_hand(self) -> bool:
        """True if the next game waits for StartGame: of another game, all its players have said that they want it."""
        return self.options.by_hand and not (self.last is not None and self.last.dealt)

    @contextlib.asynccontextmanager
    async def open_lobby(self, on_event: OnLobbyEvent, *, asked: bool = False) -> AsyncGenerator[Lobby]:
        """See ``AnyTable``. Spectators are looked after until the block ends."""
        self._on_event = on_event
        listeners: list[Listener] = [*self.endpoint.listeners, *(self._lines.listeners if self._lines else ())]
        former, back = NO_FORMER, list[Listener]()
        if self.last is not None:
            former = former_of(self.last)
            back = rematch_listeners(self.last.table, former.seats.values())
        async with spectator_server(self.options.spectators) as server:

            def on_lobby_event(event: LobbyEvent) -> None:
                on_event(event)
                if isinstance(event, LobbyShown):
                    self.settings = event.settings  # The colours chosen are those of the next game, too.
                    self._advertise(free=event.seats.count(None), state="open")
                elif isinstance(event, CodeShown):
                    self._note_code(event.code)

            async def sit_down(requests: LobbyRequests) -> AgreedTable:
                own = self.endpoint.own(self.addresses, on_lobby_event)
                hosting = Hosting(
                    self.settings,
                    self.advert.number,
                    self._place,
                    server,
                    former,
                    self.options.friends,
                    by_hand=self.by_hand,
                    asked=asked,
                )
                table = await host_table(replace(own, listeners=[*listeners, *back]), hosting, requests)
                self._advertise(free=0, state="playing")
                return replace(table, listeners=listeners)

            async with self._lobby(sit_down) as lobby:
                yield lobby

    def _note_code(self, code: str) -> None:
        """Advertise the number of a new code, and wait at its meeting place."""
        self.code = code
        if (number := public_part(code)[0]) != self.advert.number:
            self._advertise(number=number)
        if self._lines is not None and (place := place_of(code)) is not None:
            self._place = place
            self._lines.move(place)

    def _advertise(self, **changes: Any) -> None:
        self.advert = replace(self.advert, **changes)
        self.update(self.advert)


@dataclass(eq=False, repr=False, kw_only=True)
class JoinedTable(AnyTable):
    """Another player's table; a resumed one has no ``route`` and ``code`` to a first game."""

    addresses: Sequence[Address]
    route: Route | None = None
    code: str = ""
    choice: SeatChoice = ANY_SEAT

    def open_lobby(
        self, on_event: OnLobbyEvent, *, asked: bool = False
    ) -> contextlib.AbstractAsyncContextManager[Lobby]:
        """See ``AnyTable``. The code is given for the first game alone; then the host knows this seat by its key."""
        endpoint, route, last = self.endpoint, self.route, self.last

        async def sit_down(requests: LobbyRequests) -> AgreedTable:
            own = endpoint.own(self.addresses, on_event)
            if last is not None:
                agreed = last.table_now.relay  # Perhaps the host's, which this player has agreed to.
                own = own if agreed is None else replace(own, relay=agreed.address)
                return await rejoin_table(own, last.table_now, requests, asked=asked)
            assert route is not None, "a resumed table has had its first game"
            return await join_table(own, route, self.code, requests, self.choice)

        return self._lobby(sit_down)


def former_of(game: LiveGame) -> Former:
    """Return which keys of the last game sit down again without the code, and keep their seats.

    Where the cards were not dealt, a player was missing, and the seats are free for others.
    """
    gone = set(game.out)
    if game.resumption is not None:  # The process that called the bots has ended, and they with its game.
        gone |= {seat for seat, entry in enumerate(game.table.agreement.seats, 1) if is_bot_name(entry.name)}
    seats = {game.table.key(seat): seat for seat in game.table.others if seat not in gone}
    return Former(game.table.game, seats, DEFAULT_LIMITS.rematch_keeps_s if game.dealt else 0.0)


@contextlib.asynccontextmanager
async def open_table(
    endpoint: Endpoint, settings: Settings, options: HostOptions, last: LiveGame | None = None
) -> AsyncGenerator[HostedTable]:
    """Open this player's own table until the block ends.

    ``last`` is a game that goes on at this table already. A player who uses a relay has a meeting place there; raises
    NetError where that relay cannot be used at first.
    """
    relay = endpoint.relay
    if relay is not None and last is None:
        await check_relay(relay, tcp_dial, DEFAULT_LIMITS)
    addresses = await endpoint.addresses()
    number = make_table_number(secrets.token_bytes)
    advert = TableAdvert(number, endpoint.name, settings.variant, settings.players, settings.players - 1)
    if last is not None:
        advert = replace(advert, free=0, state="playing")
    async with contextlib.AsyncExitStack() as stack:
        update: Callable[[TableAdvert], None] = ignore
        if options.advertise:
            update = await stack.enter_async_context(advertising(advert, endpoint.listeners, addresses, options.warn))
        table = HostedTable(
            endpoint=endpoint,
            last=last,
            settings=settings,
            options=options,
            addresses=addresses,
            advert=advert,
            update=update,
        )
        if relay is not None:
            nursery = await stack.enter_async_context(background_tasks())
            await nursery.start(table.keep_lines, relay)
        yield table


async def joined_table(
    endpoint: Endpoint, route: Route, code: str, resources: Resources = OWN_RESOURCES, choice: SeatChoice = ANY_SEAT
) -> JoinedTable:
    """Return the table at the end of this route. Its first lobby gets the ``choice``."""
    addresses = await endpoint.addresses(route.host)
    return JoinedTable(
        endpoint=endpoint, route=route, code=code, addresses=addresses, resources=resources, choice=choice
    )


@contextlib.asynccontextmanager
async def resumed_table(game: LiveGame, endpoint: Endpoint, options: HostOptions) -> AsyncGenerator[AnyTable]:
    """Open the table of a resumed game until the block ends: this player's own, or the one of the game's host."""
    if game.own.number == 1:
        async with open_table(endpoint, game.table.agreement.settings, options, game) as own:
            yield own
        return
    towards = game.table_now.addresses[1]
    addresses = await endpoint.addresses(towards[0] if towards else None)
    yield JoinedTable(endpoint=endpoint, last=game, addresses=addresses)
