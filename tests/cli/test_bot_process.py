"""The process that plays local bots: calls come by standard input, and a fault of one bot is its own."""

import os
import secrets
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

import seqp2p
from seqp2p.api.game import OWN_RESOURCES
from seqp2p.api.resume import open_stored
from seqp2p.bots.player import Bot
from seqp2p.bots.registry import BOTS
from seqp2p.cli import bot_process
from seqp2p.cli.bot_process import BotCall, BotEnded, BotProcess, LocalBot, kept_calls
from seqp2p.cli.running import LineReader
from seqp2p.live.absence import Absent
from seqp2p.lobby.events import LobbyShown
from seqp2p.match.events import Dropped
from seqp2p.rules import Action, View
from tests.api.tools import LIMIT_S, identity, table_of


class Broken:
    """A bot that raises in its second turn."""

    def __init__(self) -> None:
        self._turns = 0

    def choose(self, view: View) -> Action:
        self._turns += 1
        if self._turns > 1:
            raise ZeroDivisionError("the bot is broken")
        return view.legal[0]


class Caller:
    """The calling process: its end of their standard input, and the ends that it was told."""

    def __init__(self) -> None:
        self.bots, self._input = os.pipe()
        self.told: list[BotEnded] = []
        self.is_told = trio.Event()

    def emit(self, ended: BotEnded) -> None:
        self.told.append(ended)
        self.is_told.set()

    def call(self, number: int, table: seqp2p.OpenTable, bot: str = "greedy", code: str = "") -> None:
        seed = secrets.token_bytes(32)
        call = BotCall(number, bot, 0, f"bot {number}", seed, table.address, code or table.code)
        os.write(self._input, msgspec.json.encode(call) + b"\n")

    def close(self) -> None:
        """End the calling process."""
        if self._input >= 0:
            os.close(self._input)
            self._input = -1


@pytest.fixture
def caller(monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
    made = Caller()
    monkeypatch.setattr(bot_process, "LineReader", lambda _: LineReader(made.bots))
    monkeypatch.setattr(bot_process, "emit", made.emit)

    def broken(_: object) -> Bot:
        return Broken()

    monkeypatch.setattr(bot_process, "BOTS", {**BOTS, "broken": broken})
    yield made
    made.close()
    os.close(made.bots)


@asynccontextmanager
async def playing(table: seqp2p.OpenTable, seated: int) -> AsyncGenerator[None]:
    """Run the process of bots; the block begins when so many players are seated, and ends after the last bot."""
    with trio.fail_after(LIMIT_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(BotProcess().run)
            async for event in table.events:
                if isinstance(event, LobbyShown) and len(event.seats) - event.seats.count(None) == seated:
                    break
            yield


async def test_the_fault_of_a_bot_ends_that_bot_alone(caller: Caller, tmp_path: Path) -> None:
    async with table_of(tmp_path, 3) as table:
        caller.call(2, table)
        caller.call(3, table, "broken")
        async with playing(table, 3):
            async with table.seat() as seat:
                broken = next(player.seat for player in seat.players if player.name == "bot 3")
                result = await seqp2p.play_bot(seat, "random")
                assert Dropped((broken,)) in seat.events.so_far
            caller.close()
    assert result.kind == "won"
    [fault] = [ended for ended in caller.told if ended.error]
    assert fault == BotEnded(3, "bot 3", "ZeroDivisionError: the bot is broken", is_fault=True)
    assert {ended.number for ended in caller.told} == {2, 3}


async def test_a_bot_that_is_refused_says_why(caller: Caller, tmp_path: Path) -> None:
    async with table_of(tmp_path) as table:
        caller.call(2, table, code="1-absurd-zebra")
        async with playing(table, 1):
            await caller.is_told.wait()
            caller.close()
    [ended] = caller.told
    assert (ended.number, ended.is_fault) == (2, False)
    assert "code" in ended.error
    assert ended.hint


async def test_without_its_caller_a_bot_waits_in_no_lobby(caller: Caller, tmp_path: Path) -> None:
    async with table_of(tmp_path, 3) as table:
        caller.call(2, table)
        async with playing(table, 2):
            caller.close()
    assert caller.told == [BotEnded(2, "bot 2")]


async def test_without_its_caller_a_bot_stops_when_no_person_is_there_and_plays_on_later(
    caller: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEQP2P_HOME", str(tmp_path / "home"))
    async with table_of(tmp_path, grace_s=1) as table:
        caller.call(2, table)
        async with playing(table, 2), table.seat() as seat:
            await anext(aiter(seat))
            caller.close()
            await seat.stop()
    assert (seat.resumable, caller.told) == (True, [BotEnded(2, "bot 2")])
    (call,) = kept_calls(bytes.fromhex(seat.game))
    called = msgspec.json.decode(call, type=BotCall)
    bot = LocalBot(called, OWN_RESOURCES)
    still_held = open_stored(Path(called.replay))
    with trio.fail_after(LIMIT_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(bot.play)
            await wait_all_tasks_blocked()
            still_held.sidecar.close()
            async with seqp2p.resume(seat.replay, identity=identity("ann")) as again:
                assert (await seqp2p.play_bot(again, "random")).kind == "won"
            bot.let_go()
    assert not kept_calls(bytes.fromhex(seat.game))
    assert [path.name for path in (tmp_path / "home" / "bots").iterdir()] == []


@pytest.mark.parametrize("replay", ["", "game.seqp2p"])
def test_a_bot_that_is_called_again_waits_for_no_people_who_have_not_come_back(replay: str) -> None:
    bot = LocalBot(BotCall(1, "greedy", 0, "bot 1", bytes(32), "", "", replay=replay), OWN_RESOURCES)
    game: Any = SimpleNamespace(
        people=lambda: {1, 2}, out=set(), match=SimpleNamespace(game=SimpleNamespace(seats=(1, 2, 3)))
    )
    bot._hear(game, Absent(2, None))
    assert not bot._parting.is_set()
    bot._hear(game, Absent(1, None, later=True))
    assert bot._parting.is_set() == bool(replay)


async def test_a_bot_whose_game_has_ended_says_nothing(caller: Caller, tmp_path: Path) -> None:
    gone = BotCall(1, "greedy", 0, "bot 1", bytes(32), "", "", replay=str(tmp_path / "gone.seqp2p"))
    os.write(caller._input, msgspec.json.encode(gone) + b"\n")
    with trio.fail_after(LIMIT_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(BotProcess().run)
            await caller.is_told.wait()
            caller.close()
    assert caller.told == [BotEnded(1, "bot 1")]
