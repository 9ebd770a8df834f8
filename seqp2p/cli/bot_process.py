"""The process that plays all local bots of one table: ``python -m seqp2p.cli.bot_process``, started by own_table.

Theory of operation. Each line of standard input calls one bot (``BotCall``); each line of standard output tells that
one has ended (``BotEnded``). Secrets come by standard input: never in an argument list, where others could read them.
Each bot is a peer like any other, with an identity, listeners and links of its own. The bots share one thing: a memory
of checks that were found right. Their files are in a folder of this player's until their game is over.

While standard input is open, the bots play game after game. When it closes, the process that called them is gone,
perhaps killed, and its player can resume the seat. Then they finish the game that they are in. If all people have
stopped, or none is there for the grace, they stop for now, and ``resume`` calls them again (``kept_calls``). A signal
makes all bots stop at once, and the line ``LEAVE`` makes them leave for good. The process ends with its last bot.
"""

import gc
import os
import random
import secrets
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec
import trio

from seqp2p.api.endpoint import lock_identity, loopback_with, open_endpoint, relay_of
from seqp2p.api.game import AnyTable, LiveGame, Lobby, Resources
from seqp2p.api.home import data_dir, own_dir
from seqp2p.api.resume import StoredGame, endpoint_of, open_stored, resumed_game
from seqp2p.api.table import HostOptions, joined_table, resumed_table
from seqp2p.bots.player import BotPlayer
from seqp2p.bots.registry import BOTS
from seqp2p.cli.errors import line_of, polite_signals
from seqp2p.cli.output import prepare_streams, report_bug
from seqp2p.cli.running import LineReader
from seqp2p.crypto.equation import sum_first
from seqp2p.crypto.identity import Identity
from seqp2p.errors import UserError, errors_in
from seqp2p.live.absence import Absent, Back
from seqp2p.live.recorder import TableEvent
from seqp2p.live.runtime import LEFT, Runtime, ignore
from seqp2p.match.checks import Remembering
from seqp2p.net.addresses import parse_address
from seqp2p.net.dialling import Route
from seqp2p.replay.disk import read_regular, write_beside
from seqp2p.replay.resume import GameOver
from seqp2p.replay.sidecar import SeatHeld, sidecar_path
from seqp2p.rules import Action, View
from seqp2p.ui import language

T = TypeVar("T")
Parting: TypeAlias = Literal["stop", "leave"]
_FOLDER: Final = "bots"
HOST: Final = 1
"""The seat of the player whose process calls the bots."""
LEAVE: Final = b"leave\n"
"""A line of standard input: all bots leave for good."""
_CALL: Final = ".bot"
_CALL_SIZE_MAX: Final = 4096
HELD_S: Final = 0.5
"""A bot looks so often if the process before it has let go of its seat."""


class BotCall(msgspec.Struct, frozen=True):
    """A bot is to join a table and to play there. ``seed`` is its identity key, ``relay`` the one of its host.

    With a ``replay`` it is to take its seat in that game again.
    """

    number: int
    bot: str
    pace_s: float
    name: str
    seed: bytes
    address: str
    code: str
    relay: str = ""
    replay: str = ""

    def __repr__(self) -> str:
        return f"BotCall(number={self.number}, name={self.name!r})"  # neither the seed nor the code


def kept_calls(game: bytes) -> list[bytes]:
    """Return a line of standard input for each local bot that has stopped in the middle of this game."""
    calls = list[bytes]()
    for path in sorted((data_dir() / _FOLDER).glob(f"*-{game.hex()[:12]}-*{_CALL}")):
        with suppress(OSError, msgspec.MsgspecError):  # Such a bot is missed at the table.
            call = msgspec.json.decode(read_regular(path, _CALL_SIZE_MAX), type=BotCall)
            replay = path.with_suffix(".seqp2p")
            if call.bot in BOTS:
                calls.append(msgspec.json.encode(msgspec.structs.replace(call, replay=str(replay))) + b"\n")
    return calls


class BotEnded(msgspec.Struct, frozen=True):
    """The bot of this number is gone. ``error`` is empty where nothing failed; ``is_fault``: a bug, no refusal."""

    number: int
    name: str
    error: str = ""
    hint: str = ""
    is_fault: bool = False


class OneWorker(Runtime):
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
        self._resources = Resources(Remembering(sum_first(secrets.token_bytes)), OneWorker())
        self._bots: list[LocalBot] = []
        self._reading = trio.CancelScope()

    async def run(self) -> None:
        """Play the bots that are called; return when the last one has ended."""
        with trio.open_signal_receiver(*polite_signals()) as signals:
            async with trio.open_nursery() as listening:
                listening.start_soon(self._stop_on_signal, signals)
                async with trio.open_nursery() as nursery:
                    await self._take_calls(nursery)
                listening.cancel_scope.cancel()

    async def _take_calls(self, nursery: trio.Nursery) -> None:
        """Start a bot for each line of standard input; at its end, the bots are on their own."""
        reader = LineReader(0)
        with self._reading:
            while (line := await reader.read_line()) is not None:
                if line == LEAVE.decode().strip():
                    self._end_all("leave")
                    return
                bot = LocalBot(msgspec.json.decode(line, type=BotCall), self._resources)
                self._bots.append(bot)
                nursery.start_soon(self._play, bot)
        for bot in self._bots:
            bot.let_go()

    async def _play(self, bot: "LocalBot") -> None:
        error, is_fault = UserError(""), False
        try:
            await bot.play()
        except Exception as raised:  # noqa: BLE001  # a fault of one bot must not end the others; it is told
            match min(errors_in(raised), key=lambda each: isinstance(each, UserError)):  # A fault comes first.
                case GameOver() | SeatHeld():
                    pass  # The process before this one has played the seat to the end, or plays it still.
                case UserError() as refusal:
                    error = refusal
                case fault:
                    error, is_fault = UserError(f"{type(fault).__name__}: {fault}"), True
        self._bots.remove(bot)
        emit(BotEnded(bot.call.number, bot.call.name, line_of(error), language.translate(error.hint), is_fault))

    async def _stop_on_signal(self, signals: AsyncIterator[int]) -> None:
        async for _ in signals:
            self._reading.cancel()
            self._end_all("stop")

    def _end_all(self, way: Parting) -> None:
        for bot in self._bots:
            bot.part(way)


class LocalBot:
    """One bot at one table, game after game."""

    def __init__(self, call: BotCall, resources: Resources) -> None:
        self.call = call
        self._resources = resources
        self._sitting_down = trio.CancelScope()
        self._parting = trio.Event()
        self._way: Parting = "stop"
        self._is_let_go = False
        self._stopped = set[int]()  # the people who have stopped for now, or have not come back
        self._fault: Exception | None = None
        # A bot's choices need no secrecy, but others must not be able to predict them.
        bot = BOTS[call.bot](random.Random(secrets.randbits(128)))  # noqa: S311  # seeded with secrets
        self._player = BotPlayer(bot, call.pace_s)

    def let_go(self) -> None:
        """The calling process is gone: play this game, and no other one."""
        self._is_let_go = True
        self._sitting_down.cancel()

    def part(self, way: Parting) -> None:
        """Stop for now, or leave for good, as soon as possible."""
        self.let_go()
        self._way = way
        self._parting.set()

    async def play(self) -> None:
        """Play until there is no other game. Raises NetError, what files raise, and what the bot raises."""
        async with self._resumed_table() if self.call.replay else self._joined_table() as table:
            game = table.last
            if game is not None:
                await self._play_game(game)
            while game is None or not (game.resumable or HOST in game.out):
                async with table.open_lobby(ignore) as lobby:
                    if (game := await self._sit_down(lobby)) is None:
                        return
                    await self._play_game(game)

    @asynccontextmanager
    async def _joined_table(self) -> AsyncGenerator[AnyTable]:
        call, route = self.call, Route(parse_address(self.call.address))
        where, relay = loopback_with(route.host), relay_of(call.relay or None)
        async with open_endpoint(call.name, Identity(call.seed), own_dir() / _FOLDER, where, relay) as endpoint:
            yield await joined_table(endpoint, route, call.code, self._resources)

    @asynccontextmanager
    async def _resumed_table(self) -> AsyncGenerator[AnyTable]:
        stored = await self._stored(Path(self.call.replay))
        with stored.sidecar, lock_identity(Identity(self.call.seed)) as locked:
            async with (
                resumed_game(stored, locked, None, runtime=self._resources.runtime) as game,
                resumed_table(game, endpoint_of(game, stored, locked), HostOptions()) as table,
            ):
                yield table

    async def _stored(self, replay: Path) -> StoredGame:
        """Open the game when no other process plays the seat: the one before this one may be about to stop.

        Raises GameOver if it has ended, SeatHeld if this process is left to itself meanwhile.
        """
        with self._sitting_down:
            while True:
                try:
                    return open_stored(replay, self._resources)
                except SeatHeld:
                    await trio.sleep(HELD_S)
                except (GameOver, FileNotFoundError):
                    _delete(replay)
                    raise GameOver(str(replay)) from None
        raise SeatHeld(str(replay))

    async def _sit_down(self, lobby: Lobby) -> LiveGame | None:
        with trio.CancelScope() as self._sitting_down:
            if not self._is_let_go:
                return await lobby.wait()
        return None

    async def _play_game(self, game: LiveGame) -> None:
        self._stopped.clear()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._part_when_told, game)
            await game.play(self, partial(self._hear, game), begun=lambda: self._keep_call(game.replay))
            nursery.cancel_scope.cancel()
        if not game.resumable or self._way == "leave":
            _delete(game.replay)
        if self._fault is not None:
            raise self._fault

    def _hear(self, game: LiveGame, event: TableEvent) -> None:
        """Stop as soon as all people have, or have not come back, the host among them: its ``resume`` calls again."""
        if isinstance(event, Absent) and (event.later or (self.call.replay and event.seat != HOST)):
            self._stopped.add(event.seat)
        elif isinstance(event, Back):
            self._stopped.discard(event.seat)
        people = game.people() & set(game.match.game.seats) - game.out
        if HOST in people and people <= self._stopped and not self._parting.is_set():
            self.part("stop")

    async def _part_when_told(self, game: LiveGame) -> None:
        await self._parting.wait()
        await (game.stop() if self._way == "stop" else game.leave(LEFT))

    def _keep_call(self, replay: Path) -> None:
        """Keep what ``kept_calls`` returns, for this player alone to read."""
        call = msgspec.structs.replace(self.call, code="", replay="")
        write_beside(replay, msgspec.json.encode(call), synced=True).replace(replay.with_suffix(_CALL))

    async def choose(self, view: View, refused: str | None) -> Action:
        """Return the bot's choice. A bot that raises leaves its table, so that the others need not wait for it."""
        if self._parting.is_set():
            await trio.sleep_forever()
        try:
            return await self._player.choose(view, refused)
        except Exception as fault:  # noqa: BLE001  # a bot may raise anything; ``play`` raises it again
            self._fault = fault
            self.part("leave")
            return await trio.sleep_forever()


def _delete(replay: Path) -> None:
    """Delete all files of a bot in a game."""
    for path in (replay, replay.with_suffix(_CALL), sidecar_path(replay)):
        with suppress(OSError):
            path.unlink()


def emit(event: BotEnded) -> None:
    """Write a line for the calling process, if it is there to read it."""
    with suppress(OSError):
        os.write(1, msgspec.json.encode(event) + b"\n")


def main() -> None:
    prepare_streams()
    language.use(language.wanted((), os.environ))
    sys.excepthook = report_bug
    gc.set_threshold(20_000, 20, 100)  # As in seqp2p.__main__.
    trio.run(BotProcess().run)


if __name__ == "__main__":
    main()
