"""What ``host`` advertises of its table, from the first guest to the game."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from seqp2p.api import table as table_module
from seqp2p.api.game import LiveGame
from seqp2p.api.lobby import AnyTable, Lobby
from seqp2p.cli import own_table as module
from seqp2p.cli.lobby import LobbyTeller
from seqp2p.cli.options import Choices, SeatOptions
from seqp2p.cli.output import Output
from seqp2p.cli.own_table import Filling
from seqp2p.lobby.adverts import TableAdvert
from seqp2p.lobby.events import NO_FORMER, CodeShown, Former, Guest, LobbyShown, OnLobbyEvent
from seqp2p.lobby.host import Hosting
from seqp2p.lobby.own import Own
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.addresses import Address
from tests.net.tools import agreement, identity
from tests.net.tools import credentials as numbered
from tests.table import make_settings


async def test_a_table_is_advertised_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[TableAdvert] = []
    numbers: list[int] = []
    formers: list[Any] = []
    agreed = AgreedTable(numbered(1), agreement(3), 1, {}, [])

    @asynccontextmanager
    async def advertising(advert: TableAdvert, *_: Any) -> AsyncIterator[Callable[[TableAdvert], None]]:
        said.append(advert)
        yield said.append

    async def host_table(own: Own, hosting: Hosting, _: object) -> AgreedTable:
        numbers.append(hosting.number)
        formers.append(hosting.former)
        tell = own.on_event
        guests = [Guest(name, bytes(32)) for name in ("ann", "bob", "eve")]
        tell(CodeShown(f"{hosting.number}-amber-falcon"))
        for count in (1, 2, 3):
            tell(LobbyShown(hosting.settings, (*guests[:count], *[None] * (3 - count)), 1))
        return agreed

    async def play_games(
        table: AnyTable,
        options: SeatOptions,
        teller: LobbyTeller,
        tell: OnLobbyEvent,
        wait_in: Callable[[Lobby], Awaitable[LiveGame]],
    ) -> int:
        # Two games, one after the other: the table is open before each.
        for _ in range(2):
            async with table.open_lobby(tell) as lobby:
                game = await wait_in(lobby)
                assert game.table.agreement is agreed.agreement
                cast("dict[int, Any]", game.match.left)[3] = "its goodbye"
        return 0

    monkeypatch.setattr(table_module, "advertising", advertising)
    monkeypatch.setattr(table_module, "host_table", host_table)
    monkeypatch.setattr(module, "play_games", play_games)
    options = SeatOptions(Choices("random", 0, tmp_path), "ann", Output(json=False), until_stdin_closes=False)
    filling = Filling("random", 0, at_once=False)
    assert await module.host(make_settings(3), 0, Address("127.0.0.1", 0), options, filling) == 0
    assert len(set(numbers)) == 1
    number = numbers[0]
    assert {(advert.number, advert.host, advert.variant, advert.players) for advert in said} == {
        (number, "ann", "classic", 3)
    }
    assert [(advert.free, advert.state) for advert in said] == [
        (2, "open"),
        (2, "open"),
        (1, "open"),
        (0, "open"),
        (0, "playing"),
        *[(2, "open"), (1, "open"), (0, "open"), (0, "playing")],
    ]
    # Seat 3 has left the game: it comes back by the new code, like any other player.
    assert formers == [NO_FORMER, Former(agreed.game, {identity(2).public: 2}, 0)]
    # The code is for people, and for nobody who only listens.
    assert "amber" in capsys.readouterr().out
    assert not any("amber" in value for advert in said for value in advert.properties().values())
