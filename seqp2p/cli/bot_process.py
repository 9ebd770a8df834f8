"""The process that plays all local bots of one table: ``python -m seqp2p.cli.bot_process``, started by bot_filler.

Theory of operation. Each line of standard input calls one bot (``BotCall``); each line of standard output tells that
one has ended (``BotEnded``). Secrets come by standard input: never in an argument list, where others could read them.
Each bot is a peer like any other, with an identity, listeners and links of its own. The bots share one thing: a memory
of checks that were found right. Their replays are not kept.

While standard input is open, the bots play game after game. When it closes, the process that called them is gone,
perhaps killed. Then they finish the game that they are in, since its player can resume the seat; they leave earlier if
the table drops that seat. A signal makes all bots leave at once. The process ends with its last bot.
"""

import gc
import os
import random
import secrets
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import msgspec
import trio

from seqp2p.api.background_tasks import LEFT
from seqp2p.api.endpoint import loopback_with, open_endpoint, relay_of
from seqp2p.api.finding import Route
from seqp2p.api.game import LiveGame, Resources, ignore
from seqp2p.api.lobby import Lobby
from seqp2p.api.table import joined_table
from seqp2p.bots.player import BotPlayer
from seqp2p.bots.registry import BOTS
from seqp2p.cli.lines import LineReader
from seqp2p.cli.output import CommandError, prepare_streams, report_bug
from seqp2p.cli.running import as_command_error
from seqp2p.cli.stopping import polite_signals
from seqp2p.crypto.batch import sum_first
from seqp2p.crypto.identity import Identity
from seqp2p.live.recorder import TableEvent
from seqp2p.live.runtime import UnderTrio
from seqp2p.match.checks import Remembering
from seqp2p.match.events import Dropped
from seqp2p.net.addresses import parse_address, tcp_dial
from seqp2p.net.errors import NetError
from seqp2p.rules import Action, View
from seqp2p.ui import language

T = TypeVar("T")
HOST: Final = 1
"""The seat of the player whose process calls the bots."""


class BotCall(msgspec.Struct, frozen=True):
    """A bot is to join a table and to play there. ``seed`` is its identity key, ``relay`` the one of its host."""

    number: int
    bot: str
    pace_s: float
    name: str
    seed: bytes
    address: str
    code: str
    relay: str = ""

    def __repr__(self) -> str:
        return f"BotCall(number={self.number}, name={self.name!r})"  # neither the seed nor the code


class BotEnded(msgspec.Struct, frozen=True):
    """The bot of this number is gone. ``error`` is empty where nothing failed; ``is_fault``: a bug, no refusal."""

    number: int
    name: str
    error: str = ""
    hint: str = ""
    is_fault: bool = False


class OneWorker(UnderTrio):
    """Trio's clock, and one worker thread for the heavy work of all bots.

    Proofs are checked one after the other. So of a proof that several bots receive at once, the first check is
    remembered before the second begins.
    """

    def __init__(self) -> None:
        self._limiter = trio.CapacityLimiter(1)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do the work in the worker thread when its turn comes."""
        return await trio.to_thread.run_sync(work, limiter=self._limiter)


class BotProcess:
    def __init__(self) -> None:
        self._resources = Resources(Remembering(sum_first(secrets.token_bytes)), OneWorker(), keeps=False)
        self._bots: list[LocalBot] = []
        self._reading = trio.CancelScope()

    async def run(self) -> None:
        """Play the bots that are called; return when the last one has ended."""
        with trio.open_signal_receiver(*polite_signals()) as signals:
            async with trio.open_nursery() as listening:
                listening.start_soon(self._leave_on_signal, signals)
                async with trio.open_nursery() as nursery:
                    await self._take_calls(nursery)
                listening.cancel_scope.cancel()

    async def _take_calls(self, nursery: trio.Nursery) -> None:
        """Start a bot for each line of standard input; at its end, the bots are on their own."""
        reader = LineReader(0)
        with self._reading:
            while (line := await reader.read_line()) is not None:
                bot = LocalBot(msgspec.json.decode(line, type=BotCall), self._resources)
                self._bots.append(bot)
                nursery.start_soon(self._play, bot)
        for bot in self._bots:
            bot.let_go()

    async def _play(self, bot: "LocalBot") -> None:
        error, is_fault = CommandError(""), False
        try:
            await bot.play()
        except (NetError, CommandError) as failure:
            error = as_command_error(failure)
        except Exception as fault:  # noqa: BLE001  # a fault of one bot must not end the others; it is told
            error, is_fault = CommandError(f"{type(fault).__name__}: {fault}"), True
        self._bots.remove(bot)
        emit(BotEnded(bot.call.number, bot.call.name, str(error), error.hint, is_fault))

    async def _leave_on_signal(self, signals: AsyncIterator[int]) -> None:
        async for _ in signals:
            self._reading.cancel()
            for bot in self._bots:
                bot.leave()


class LocalBot:
    """One bot at one table, game after game."""

    def __init__(self, call: BotCall, resources: Resources) -> None:
        self.call = call
        self._resources = resources
        self._sitting_down = trio.CancelScope()
        self._leaving = trio.Event()
        self._is_let_go = self._is_host_dropped = False
        self._fault: Exception | None = None
        # A bot's choices need no secrecy, but others must not be able to predict them.
        bot = BOTS[call.bot](random.Random(secrets.randbits(128)))  # noqa: S311  # seeded with secrets
        self._player = BotPlayer(bot, call.pace_s)

    @property
    def is_leaving(self) -> bool:
        return self._leaving.is_set()

    def let_go(self) -> None:
        """The calling process is gone: play this game to its end, as long as the table keeps that process's seat."""
        self._is_let_go = True
        self._sitting_down.cancel()
        if self._is_host_dropped:
            self._leaving.set()

    def leave(self) -> None:
        """Leave the table as soon as possible."""
        self.let_go()
        self._leaving.set()

    async def play(self) -> None:
        """Join, and play until there is no other game. Raises NetError, and what the bot raises."""
        call, route = self.call, Route(parse_address(self.call.address), tcp_dial)
        where, relay = loopback_with(route.host), relay_of(call.relay or None)
        async with open_endpoint(call.name, Identity(call.seed), Path(), where, relay) as endpoint:
            table = await joined_table(endpoint, route, call.code, self._resources)
            while True:
                async with table.open_lobby(ignore) as lobby:
                    if (game := await self._sit_down(lobby)) is None:
                        return
                    await self._play_game(game)
                if HOST in game.out:
                    return

    async def _sit_down(self, lobby: Lobby) -> LiveGame | None:
        with trio.CancelScope() as self._sitting_down:
            if not self._is_let_go:
                return await lobby.wait()
        return None

    async def _play_game(self, game: LiveGame) -> None:
        self._is_host_dropped = False
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._leave_when_told, game)
            await game.play(self, self.on_event, cancel_leaves=True)
            nursery.cancel_scope.cancel()
        if self._fault is not None:
            raise self._fault

    async def _leave_when_told(self, game: LiveGame) -> None:
        await self._leaving.wait()
        await game.leave(LEFT)

    def on_event(self, event: TableEvent) -> None:
        """Take note of a dropped host."""
        if isinstance(event, Dropped) and HOST in event.seats:
            self._is_host_dropped = True
            if self._is_let_go:
                self._leaving.set()

    async def choose(self, view: View, refused: str | None) -> Action:
        """Return the bot's choice. A bot that raises leaves its table, so that the others need not wait for it."""
        if self.is_leaving:
            await trio.sleep_forever()
        try:
            return await self._player.choose(view, refused)
        except Exception as fault:  # noqa: BLE001  # a bot may raise anything; ``play`` raises it again
            self._fault = fault
            self._leaving.set()
            return await trio.sleep_forever()


def emit(event: BotEnded) -> None:
    """Write a line for the calling process, if it is there to read it."""
    with suppress(OSError):
        os.write(1, msgspec.json.encode(event) + b"\n")


def main() -> None:
    prepare_streams()
    language.use(language.wanted((), os.environ))
    sys.excepthook = report_bug
    gc.set_threshold(20_000, 20, 100)  # As in seqp2p.cli.main.
    trio.run(BotProcess().run)


if __name__ == "__main__":
    main()
