"""A table of one's own: what is advertised of it, and the bots in its free seats."""

import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, cast

import msgspec
import pytest
import trio
import trio.testing

from seqp2p.api import table as table_module
from seqp2p.api.game import AnyTable, LiveGame, Lobby
from seqp2p.cli import own_table as filling_module
from seqp2p.cli import own_table as module
from seqp2p.cli.bot_process import BotCall, BotEnded
from seqp2p.cli.lobby import LobbyTeller
from seqp2p.cli.options import Choices, SeatOptions
from seqp2p.cli.output import Output
from seqp2p.cli.own_table import TRIES, Filling
from seqp2p.cli.running import ChildStart, Hear
from seqp2p.errors import UserError
from seqp2p.lobby.adverts import TableAdvert
from seqp2p.lobby.events import NO_FORMER, CodeShown, Former, Guest, LobbyShown, OnLobbyEvent
from seqp2p.lobby.host import Hosting
from seqp2p.lobby.own import Own
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.table import Settings
from seqp2p.net.addresses import Address
from tests.cli.processes import LIMIT_S, Household, children, none_runs
from tests.cli.test_person import Person
from tests.helpful import HELPFUL
from tests.net.tools import agreement, identity
from tests.net.tools import credentials as numbered
from tests.table import make_settings

TABLE = Address("127.0.0.1", 4610)
SETTINGS = Settings("kids", 3, 3, ("red", "yellow", "green"), False, True, False, True, 0, 120)
HOST = Guest("host", bytes(32))


def test_a_person_starts_with_bots(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "3", "--pace", "0", bot=None, stdin=subprocess.PIPE)
    host.event("listening")
    host.type("help")
    host.line("start begins, with bots on the free seats")
    guest = people.join(host, who="anna")
    host.line("at the table: host .you., anna, free")
    assert len(children(host.pid)) == 0
    host.type("start")
    host.line("^a bot takes the free seat$")
    assert host.event("seated", seat=3)["name"] == "bot 3"
    person = Person(host)
    person.turn()
    bots = children(host.pid)
    assert len(bots) == 1
    host.type("leave", "yes")
    assert host.end() == 5
    assert none_runs(bots)
    assert guest.end() in (0, 5)


def test_where_nobody_types_bots_come_at_once(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "3", "--fill", HELPFUL, "--games", "2")
    assert host.end() == 0
    names = [event["name"] for event in host.events if event["event"] == "seated"]
    assert names == ["host", "bot 2", "bot 3"] * 2
    results = [event["result"] for event in host.events if event["event"] == "over"]
    assert len(results) == 2
    assert {*results} <= {"won", "drawn"}


def test_bots_that_are_killed_in_the_lobby_are_replaced(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "4", bot=None, stdin=subprocess.PIPE)
    guest = people.join(host, who="anna")
    host.line("at the table: host .you., anna, free, free")
    # It holds its seat, and does not answer: the table is full, and the game does not begin.
    guest.signal(signal.SIGSTOP)
    host.type("start")
    host.line("at the table: host .you., anna, bot 3, bot 4")
    [bots] = children(host.pid)
    before = sum("free" in line for line in host.err)
    people.kill(bots)
    host.line("free", before + 1)
    guest.signal(signal.SIGCONT)
    host.event("dealt")
    assert [event["name"] for event in host.events if event["event"] == "seated"] == ["host", "anna", "bot 3", "bot 4"]
    assert children(host.pid) != {bots}
    host.signal(signal.SIGTERM)
    assert host.end() == 5


def shown(*guests: Guest | None) -> LobbyShown:
    return LobbyShown(SETTINGS, (HOST, *guests), 1)


class RefusedBots:
    """A process whose bots are all refused, as if the code had been burned."""

    codes: ClassVar[list[str]] = []
    """The codes of all calls."""

    def __init__(self, _: ChildStart, hear: Hear) -> None:
        self._hear = hear

    async def run(self) -> int:
        await trio.sleep_forever()

    async def send(self, line: bytes) -> None:
        call = msgspec.json.decode(line, type=BotCall)
        self.codes.append(call.code)
        await trio.sleep(0.001)
        self._hear(msgspec.to_builtins(BotEnded(call.number, call.name, "the code is wrong")))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The codes that bots were called with; every bot is refused."""
    monkeypatch.setattr(filling_module, "Child", RefusedBots)
    monkeypatch.setattr(filling_module, "PAUSE_S", 0.001)
    RefusedBots.codes = []
    return RefusedBots.codes


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that other tasks do, in the end."""
    with trio.fail_after(LIMIT_S):
        while not condition():  # noqa: ASYNC110  # nothing tells of it
            await trio.sleep(0.001)


async def test_a_new_code_is_used_by_the_next_bot(calls: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    filling = Filling("random", 0, at_once=False)
    async with filling.ready(TABLE, None, Output(json=False)):
        filling.on_event(CodeShown("1-a-b"))
        filling.on_event(shown(None, None))
        await trio.testing.wait_all_tasks_blocked()
        assert calls == []
        filling.call()
        await until(lambda: len(calls) >= 2)
        filling.on_event(CodeShown("2-c-d"))
        await until(lambda: "2-c-d" in calls)
        # Somebody else has come: there is nothing to fill.
        filling.on_event(shown(Guest("anna", b"a"), Guest("bert", b"b")))
        count = len(calls)
        await trio.sleep(0.1)
        assert len(calls) <= count + 1
    assert "bots take the 2 free seats" in capsys.readouterr().out


async def test_bots_that_never_get_in_are_given_up(calls: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    filling = Filling("random", 0, at_once=False)
    async with filling.ready(TABLE, None, Output(json=False)):
        filling.on_event(CodeShown("1-a-b"))
        filling.on_event(shown(None, Guest("anna", b"a")))
        filling.call()
        await until(lambda: "bots cannot sit down" in capsys.readouterr().out)
        assert len(calls) == TRIES
        # A person may try again.
        filling.call()
        await until(lambda: len(calls) > TRIES)


async def test_a_bot_without_weights_is_not_called(
    calls: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling_module, "why_no_bot", lambda _: "the weights are missing")
    filling = Filling("normal", 0, at_once=False)
    async with filling.ready(TABLE, None, Output(json=False)):
        filling.on_event(CodeShown("1-a-b"))
        filling.on_event(shown(None, None))
        filling.call()
        await trio.testing.wait_all_tasks_blocked()
    assert (calls, capsys.readouterr().out) == ([], "the weights are missing\n")


async def test_where_nobody_could_call_again_it_is_an_error(calls: list[str]) -> None:
    filling = Filling("random", 0, at_once=True)

    async def lobby() -> None:
        async with filling.ready(TABLE, None, Output(json=False)):
            filling.on_event(CodeShown("1-a-b"))
            filling.on_event(shown(None, Guest("anna", b"a")))
            await trio.sleep_forever()

    with pytest.raises(ExceptionGroup) as caught:
        await lobby()
    assert caught.group_contains(UserError)
    assert len(calls) == TRIES


async def test_a_closed_lobby_needs_nobody(calls: list[str]) -> None:
    filling = Filling("random", 0, at_once=True)
    async with filling.ready(TABLE, None, Output(json=False)):
        filling.on_event(CodeShown("1-a-b"))
        filling.on_event(shown(Guest("anna", b"a"), Guest("bert", b"b")))
        filling.close()
        await trio.testing.wait_all_tasks_blocked()
        assert calls == []


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
