"""A player's own table: its adverts, and the bots in its free seats."""

import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
import trio
import trio.testing

import seqp2p
from seqp2p.api import table as table_module
from seqp2p.cli import own_table as filling_module
from seqp2p.cli.bot_process import BotCall, BotEnded
from seqp2p.cli.output import Output
from seqp2p.cli.own_table import TRIES, Filling
from seqp2p.cli.running import ChildStart, Hear
from seqp2p.errors import UserError
from seqp2p.lobby.adverts import TableAdvert
from seqp2p.lobby.events import CodeShown, Guest, LobbyShown
from seqp2p.net.addresses import Address
from tests.api.tools import play_varied, sits_down, table_with
from tests.cli.conftest import Cli, refused
from tests.cli.processes import LIMIT_S, Household, children
from tests.helpful import HELPFUL
from tests.table import make_settings

TABLE, RELAY = Address("127.0.0.1", 4610), Address("10.9.0.9", 4001)
SETTINGS = make_settings(3, "kids")
HOST = Guest("host", bytes(32))


def test_where_nobody_types_bots_come_at_once(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "3", "--fill", HELPFUL, "--games", "2")
    assert host.end() == 0
    names = [event["name"] for event in host.events if event["event"] == "seated"]
    assert names == ["host", "bot 2", "bot 3"] * 2
    results = [event["result"] for event in host.events if event["event"] == "over"]
    assert len(results) == 2
    assert {*results} <= {"won", "drawn"}


def test_places_are_kept_for_players_from_elsewhere(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "4", "--fill", HELPFUL, "--wait-for", "2", "--no-advertise")
    host.line("at the table: host .you., bot 2, free, free")
    ann, ben = people.join(host, who="ann"), people.join(host, who="ben")
    assert [process.end() for process in (host, ann, ben)] == [0, 0, 0]
    names = {event["name"] for event in host.events if event["event"] == "seated"}
    assert names == {"host", "bot 2", "ann", "ben"}
    assert sum(line.startswith("at the table: ") for line in host.err) == 4


@pytest.mark.parametrize("words", [("--fill", "random"), ("--bot", "random"), ("--bot", "random", "--fill", "random")])
def test_places_are_kept_only_where_bots_come_at_once_and_leave_some(cli: Cli, words: tuple[str, ...]) -> None:
    exit_code, error, _ = refused(cli("host", "--players", "2", "--wait-for", 2, *words))
    assert (exit_code, error.split()[0]) == (2, "--wait-for")


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

    calls: ClassVar[list[BotCall]] = []

    def __init__(self, _: ChildStart, hear: Hear) -> None:
        self._hear = hear

    async def run(self) -> int:
        await trio.sleep_forever()

    async def send(self, line: bytes) -> None:
        call = msgspec.json.decode(line, type=BotCall)
        self.calls.append(call)
        await trio.sleep(0.001)
        self._hear(msgspec.to_builtins(BotEnded(call.number, call.name, "the code is wrong")))


def filling_of(*guests: Guest | None, bot: str = "random", at_once: bool = False) -> Filling:
    """Return who fills a table with these guests, whose code has been shown."""
    filling = Filling(bot, 0, at_once=at_once)
    filling.on_event(CodeShown("1-a-b"))
    filling.on_event(shown(*guests))
    return filling


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[BotCall]:
    """The calls of bots; every bot is refused."""
    monkeypatch.setattr(filling_module, "Child", RefusedBots)
    monkeypatch.setattr(filling_module, "PAUSE_S", 0.001)
    RefusedBots.calls = []
    return RefusedBots.calls


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that other tasks do."""
    with trio.fail_after(LIMIT_S):
        while not condition():  # noqa: ASYNC110  # nothing tells of it
            await trio.sleep(0.001)


async def test_a_new_code_is_used_by_the_next_bot(calls: list[BotCall], capsys: pytest.CaptureFixture[str]) -> None:
    filling = filling_of(None, None)
    async with filling.ready(TABLE, RELAY, Output(json=False)):
        await trio.testing.wait_all_tasks_blocked()
        assert calls == []
        filling.call()
        await until(lambda: len(calls) >= 2)
        filling.on_event(CodeShown("2-c-d"))
        await until(lambda: calls[-1].code == "2-c-d")
        # A player elsewhere may reach a bot by the host's relay alone.
        assert {(call.address, call.relay) for call in calls} == {(str(TABLE), str(RELAY))}
        # Others have come: there is nothing to fill.
        filling.on_event(shown(Guest("anna", b"a"), Guest("bert", b"b")))
        count = len(calls)
        await trio.sleep(0.1)
        assert len(calls) <= count + 1
    assert "bots take the 2 free seats" in capsys.readouterr().out


async def test_bots_that_never_get_in_are_given_up(calls: list[BotCall], capsys: pytest.CaptureFixture[str]) -> None:
    filling = filling_of(None, Guest("anna", b"a"))
    async with filling.ready(TABLE, None, Output(json=False)):
        filling.call()
        await until(lambda: "bots cannot sit down" in capsys.readouterr().out)
        assert len(calls) == TRIES
        # A person may try again.
        filling.call()
        await until(lambda: len(calls) > TRIES)


async def test_a_bot_without_weights_is_not_called(
    calls: list[BotCall], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling_module, "why_no_bot", lambda _: "the weights are missing")
    filling = filling_of(None, None, bot="normal")
    async with filling.ready(TABLE, None, Output(json=False)):
        filling.call()
        await trio.testing.wait_all_tasks_blocked()
    assert (calls, capsys.readouterr().out) == ([], "the weights are missing\n")


async def test_where_nobody_could_call_again_it_is_an_error(calls: list[BotCall]) -> None:
    filling = filling_of(None, Guest("anna", b"a"), at_once=True)
    with pytest.RaisesGroup(UserError, flatten_subgroups=True):
        async with filling.ready(TABLE, None, Output(json=False)):
            await trio.sleep_forever()
    assert len(calls) == TRIES


async def test_a_closed_lobby_needs_no_bot(calls: list[BotCall]) -> None:
    filling = filling_of(None, None, at_once=True)
    filling.close()
    async with filling.ready(TABLE, None, Output(json=False)):
        await trio.testing.wait_all_tasks_blocked()
        assert calls == []


@pytest.mark.simulation
async def test_a_table_is_advertised_as_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told: list[TableAdvert] = []

    @asynccontextmanager
    async def advertising(advert: TableAdvert, *_: Any) -> AsyncIterator[Callable[[TableAdvert], None]]:
        told.append(advert)
        yield told.append

    async def play_two_games(seat: seqp2p.Seat) -> None:
        await play_varied(seat)
        async with seqp2p.rematch(seat) as again:
            await play_varied(again)

    monkeypatch.setattr(table_module, "advertising", advertising)
    async with table_with(tmp_path, sits_down(tmp_path, play_two_games)) as table:
        number = int(table.code.partition("-")[0])  # Of the code no more is told.
        async with table.seat() as ann:
            await play_two_games(ann)
    assert {replace(advert, free=1, state="open") for advert in told} == {TableAdvert(number, "ann", "kids", 2, 1)}
    states = [state for state, _ in groupby((advert.free, advert.state) for advert in told)]
    assert states == [(1, "open"), (0, "open"), (0, "playing")] * 2
