"""What ``host`` advertises of its table, from the first guest to the game."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from seqp2p.cli import host as module
from seqp2p.cli.bot_filler import FillBots, Filling
from seqp2p.cli.games import LastGame, OpenLobby
from seqp2p.cli.output import Output
from seqp2p.cli.playing import Choices, Ended
from seqp2p.cli.seating import Door, Lobbying
from seqp2p.cli.settings import make_settings
from seqp2p.lobby.adverts import TableAdvert
from seqp2p.lobby.events import CodeShown, Former, Guest, LobbyShown
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.addresses import Address
from seqp2p.net.limits import DEFAULT_LIMITS
from tests.net.tools import agreement, identity
from tests.net.tools import credentials as numbered


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

    async def host_table(*arguments: Any, table_number: int, former: Former | None, **_: Any) -> AgreedTable:
        numbers.append(table_number)
        formers.append(former)
        tell = arguments[6]
        guests = [Guest(name, bytes(32)) for name in ("ann", "bob", "eve")]
        tell(CodeShown(f"{table_number}-amber-falcon"))
        for count in (1, 2, 3):
            tell(LobbyShown(arguments[2], (*guests[:count], *[None] * (3 - count)), 1))
        return agreed

    async def play_games(_: Door, open_lobby: OpenLobby) -> int:
        # Two games, one after the other: the table is open before each.
        last = LastGame(agreed, Ended(0, begun=True, left=False, out=frozenset({3})))
        for before in (None, last):
            async with open_lobby(before) as sit_down:
                assert await sit_down() is agreed
        return 0

    monkeypatch.setattr(module, "advertising", advertising)
    monkeypatch.setattr(module, "host_table", host_table)
    monkeypatch.setattr(module, "play_games", play_games)
    settings = make_settings(3)
    lobbying = Lobbying(Choices("random", 0, tmp_path), "ann", Output(json=False), until_stdin_closes=False)
    filling = Filling(FillBots("random", 0, at_once=False))
    assert await module.host(settings, 0, Address("127.0.0.1", 0), lobbying, filling) == 0
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
    # Seat 3 has left the game: it comes back by the new code, like anybody.
    assert formers == [None, Former(formers[1].game, {identity(2).public: 2}, DEFAULT_LIMITS.rematch_keeps_s)]
    # The code is for people, and for nobody who only listens.
    assert "amber" in capsys.readouterr().out
    assert not any("amber" in value for advert in said for value in advert.properties().values())
