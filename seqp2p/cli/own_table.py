"""A player's own table: its lobby, bots for the free seats, one game after the other; and a seat that is resumed.

Theory of operation. One child process plays all bots (bot_process.py). Bots are called by a word, or at once, one after
the other: the next one when the last one has sat down. The lobby names each after its seat. A bot that is refused (the
code was burned meanwhile, the seat is kept for another player) is followed by another after a pause, as long as a seat
is free. Bots stay for the next games, and are asked to end when this seat ends. If the seat can be resumed, they are
let go instead.
"""

import contextlib
import itertools
import secrets
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any, Final

import msgspec
import trio

from seqp2p.api.endpoint import Endpoint, lock_identity
from seqp2p.api.game import LiveGame, Lobby
from seqp2p.api.known import friends
from seqp2p.api.resume import StoredGame, endpoint_of, resumed_game
from seqp2p.api.table import HostedTable, HostOptions, open_table, resumed_table
from seqp2p.bots.registry import USUAL, why_no_bot
from seqp2p.cli.bot_process import LEAVE, BotCall, BotEnded, kept_calls
from seqp2p.cli.errors import polite_signals, remember_seat
from seqp2p.cli.lobby import LobbyTeller, LobbyView, WaysIn
from seqp2p.cli.options import SeatOptions
from seqp2p.cli.output import Output, on_screen
from seqp2p.cli.playing import exit_code_of, play, resume_options
from seqp2p.cli.replays import cannot_resume
from seqp2p.cli.reporter import PortTeller
from seqp2p.cli.running import Child, ChildStart, ending_with_parent
from seqp2p.cli.series import play_games, sitting_down
from seqp2p.crypto.identity import Identity
from seqp2p.errors import UserError
from seqp2p.lobby.events import CodeShown, LobbyEvent, LobbyShown
from seqp2p.match.names import BOT_NAME
from seqp2p.match.table import Settings
from seqp2p.net.addresses import Address, AddressError, parse_address
from seqp2p.net.interfaces import is_loopback
from seqp2p.net.messages import ChooseColour
from seqp2p.ui.language import t, tn, translate

PAUSE_S: Final = 1.0
TRIES: Final = 6
"""The number of bots in a row that may fail to sit down. The pauses double: their sum outlasts a kept seat."""
# Of the program as one file it unpacks its own copy: that of this process goes with it, and the bots may play on.
_UNPACK: Final = {"PYINSTALLER_RESET_ENVIRONMENT": "1"}
PROCESS: Final = ChildStart("bots", ("seqp2p.cli.bot_process",), _UNPACK, detached=True, farewell=LEAVE)


@contextlib.asynccontextmanager
async def bots_again(game: bytes, output: Output) -> AsyncGenerator[None]:
    """Let this player's bots in this game take their seats again, until the block ends, as in ``Filling.ready``."""

    def hear(event: dict[str, Any]) -> None:
        if text := why_gone(msgspec.convert(event, BotEnded)):
            output.say(text)

    if not (calls := kept_calls(game)):
        yield
        return
    child = Child(PROCESS, hear)

    async def run() -> None:
        if await child.run():
            output.say(str(child.failure()))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await child.send(b"".join(calls))
        yield
        nursery.cancel_scope.cancel()


def why_gone(bot: BotEnded) -> str:
    """Return the error of a bot for people; nothing where it has none."""
    return t("the peer of {name}: {error}", name=bot.name, error=bot.error) if bot.error else ""


class Filling:
    """Calls bots to the free seats of a lobby, ``at_once`` or when they are called; ``pace_s`` is their least turn.

    At once, it keeps places for as many players who are no bots of its own as are to be waited for: ``wait_for``.
    """

    def __init__(self, bot: str, pace_s: float, *, at_once: bool, wait_for: int = 0) -> None:
        self._bot = bot
        self._pace_s = pace_s
        self._at_once = at_once
        self._wait_for = wait_for
        self._output = Output(json=False)
        self._address: Address | None = None
        self._relay: Address | None = None
        self.code = ""
        self._free: list[int] = []
        self._seated = frozenset[bytes]()
        self._open = self._called = False
        self._keys: dict[int, bytes] = {}  # the key of each bot that is seated or on its way, by its number
        self._child: Child | None = None
        self._failure: UserError | None = None
        self._changed = trio.Event()

    def call(self) -> None:
        """Fill the seats that are free now or become free before the game."""
        if reason := why_no_bot(self._bot):
            self._output.say(translate(reason))
            return
        if not self._called and self._free:
            self._output.say(tn("a bot takes the free seat", "bots take the {count} free seats", len(self._free)))
        self._called = True
        self._change()

    def pause(self) -> None:
        """Call no more bots before the next ``call``: the host has removed a player, and wants the seat free."""
        self._called = False

    def on_event(self, event: LobbyEvent) -> None:
        if isinstance(event, CodeShown):
            self.code = event.code
        elif isinstance(event, LobbyShown):
            self._open = True
            self._free = [number for number, seat in enumerate(event.seats, 1) if seat is None]
            self._seated = frozenset(seat.key for seat in event.seats if seat is not None)
            self._change()

    def close(self) -> None:
        """The lobby is closed. In the next one, people are waited for again."""
        self._open = self._called = False

    @contextlib.asynccontextmanager
    async def ready(self, address: Address, relay: Address | None, output: Output) -> AsyncGenerator[trio.Nursery]:
        """Call bots to the table at this address when they are due, until the block ends; yield the tasks' nursery.

        Players elsewhere reach them by the host's ``relay``. The bots end with the block. If this seat can be resumed,
        they end by themselves instead.
        """
        self._address, self._relay, self._output = address, relay, output
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._serve, nursery)
            yield nursery
            nursery.cancel_scope.cancel()

    async def _serve(self, nursery: trio.Nursery) -> None:
        """Call one bot after the other, as long as one is missing and too many in a row have not failed."""
        failed = 0
        if self._at_once:
            self._process(nursery)
        for number in itertools.count(1):
            while self._missing <= 0:
                await self._changed.wait()
            if await self._sits_down(number, self._process(nursery)):
                failed = 0
            elif self._wants():
                failed += 1
                if failed == TRIES:
                    self._give_up()
                    failed = 0
                else:
                    await trio.sleep(PAUSE_S * 2 ** (failed - 1))

    @property
    def _missing(self) -> int:
        """The number of seats to fill that no bot is on its way to; negative where bots are too many."""
        bots = sum(key in self._seated for key in self._keys.values())
        others = len(self._seated) - 1 - bots
        kept = 0 if self._called else max(self._wait_for - others, 0)
        return len(self._free) - kept - (len(self._keys) - bots) if self._wants() else 0

    def _wants(self) -> bool:
        """Return True if there is a lobby, and bots are called to it."""
        return self._open and (self._called or self._at_once)

    async def _sits_down(self, number: int, child: Child) -> bool:
        """Call a bot; return True when it has its seat, False when it has ended without one."""
        assert self._address is not None, "called within ready()"
        seed = secrets.token_bytes(32)
        key = self._keys[number] = Identity(seed).public
        relay = str(self._relay or "")
        call = BotCall(number, self._bot, self._pace_s, BOT_NAME, seed, str(self._address), self.code, relay)
        await child.send(msgspec.json.encode(call) + b"\n")
        while number in self._keys and key not in self._seated:
            await self._changed.wait()
        return key in self._seated

    def _process(self, nursery: trio.Nursery) -> Child:
        """Return the process that plays the bots; it is started if there is none."""
        if self._child is None:
            self._child = Child(PROCESS, self._take)
            nursery.start_soon(self._run, self._child)
        return self._child

    async def _run(self, child: Child) -> None:
        await child.run()
        self._child = None
        self._failure = child.failure()
        self._keys.clear()
        self._change()

    def _take(self, event: dict[str, Any]) -> None:
        ended = msgspec.convert(event, BotEnded)
        self._keys.pop(ended.number, None)
        if text := why_gone(ended):
            self._failure = UserError(text, ended.hint)
            if ended.is_fault:
                self._output.say(text)
        self._change()

    def _give_up(self) -> None:
        """Raise the last failure where no word can call bots again."""
        assert self._failure is not None, "each bot that ends without a seat says why"
        if self._at_once:
            raise self._failure
        self._called = False
        self._output.say(t("bots cannot sit down: {why}", why=self._failure))

    def _change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


async def host(
    settings: Settings,
    wished: HostOptions,
    listen: Address | None,
    options: SeatOptions,
    filling: Filling,
    *,
    invites: bool = True,
    map_port: bool = False,
) -> int:
    """Keep the lobby, then play, with spectators and an advert as they are ``wished``; return the exit code.

    ``filling`` calls bots to free seats. Without ``invites`` the output has no ways to join: the others are all bots.
    """
    async with sitting_down(options, listen, map_port=map_port) as (output, endpoint):
        by_hand = invites and options.person and output.asks
        wished = replace(wished, friends=friends(), by_hand=by_hand, warn=output.say)
        async with open_table(endpoint, settings, wished) as table:
            return await play_at_own_table(table, options, output, filling, invites=invites)


async def play_at_own_table(
    table: HostedTable, options: SeatOptions, output: Output, filling: Filling, *, invites: bool = True
) -> int:
    """Play at this player's own table, after a resumed game if there is one; return the exit code."""
    view = LobbyView(output, t("seqp2p: your table"), starts=invites)
    ways = WaysIn(table.addresses[0], table.endpoint.mapped, table.endpoint.relay)
    async with filling.ready(table.addresses[0], ways.relay, output) as nursery:
        teller = LobbyTeller(options, output, view, ways, by_hand=lambda: table.by_hand)
        teller.start_soon = nursery.start_soon

        def on_event(event: LobbyEvent) -> None:
            if invites or isinstance(event, LobbyShown):
                teller.on_event(event)
            filling.on_event(event)

        async def wait_in(lobby: Lobby) -> LiveGame:
            if table.last is None and options.colour is not None:
                lobby.ask(ChooseColour(options.colour))
            game = await lobby.wait()
            filling.close()
            if table.options.spectators:
                output.say(t("others watch with:  {command}", command=ways.joining(filling.code, "watch")))
            return game

        return await play_games(table, options, teller, on_event, wait_in)


async def take_seat_again(stored: StoredGame, listen: Address | None, options: SeatOptions, *, map_port: bool) -> int:
    """Play an unfinished game on, and then others at its table, whoever's it is; return the exit code."""
    options = replace(options, choices=replace(options.choices, coached=_listened_here_alone(stored)))
    ports = PortTeller(options.output)
    with stored.sidecar, lock_identity(None, stored.secrets.identity) as locked:
        async with ending_with_parent(wanted=options.until_stdin_closes), contextlib.AsyncExitStack() as stack:
            try:
                resumed = await stack.enter_async_context(
                    resumed_game(stored, locked, listen, ports.asking(wanted=map_port))
                )
            except OSError as error:
                raise cannot_resume(error) from None
            output = await stack.enter_async_context(on_screen(options.output, options.wished))
            remember_seat(stored.replay, resumed.match.game.id, resume_options(stored.replay, options.choices))
            await stack.enter_async_context(bots_again(resumed.match.game.id, output))
            stack.enter_context(ports.telling(output))
            if stored.torn:
                output.say(t("the last thing written is incomplete: it is dropped, and the others will send it again"))
            if options.person and output.asks:
                return await _play_on(resumed, endpoint_of(resumed, stored, locked), options, output)
            with trio.open_signal_receiver(*polite_signals()) as signals:
                return exit_code_of(await play(resumed, options.choices, output, signals))


def _listened_here_alone(stored: StoredGame) -> bool:
    """Return True if no other machine could join the game, as at a table of ``play``."""
    try:
        return is_loopback(parse_address(stored.secrets.listen).host)
    except AddressError:
        return False


async def _play_on(resumed: LiveGame, endpoint: Endpoint, options: SeatOptions, output: Output) -> int:
    """Play a person's game on, and then others at its table, as long as this person wants to."""
    options = replace(options, relay=endpoint.relay)  # that of the game, which may not be the setting's
    opened = HostOptions(friends=friends(), warn=output.say)
    async with resumed_table(resumed, endpoint, opened) as table:
        if isinstance(table, HostedTable):
            filling = Filling(USUAL, output.preferences.pace, at_once=False)
            options = replace(options, start=filling.call, pause=filling.pause)
            return await play_at_own_table(table, options, output, filling)
        teller = LobbyTeller(options, output, LobbyView(output, t("seqp2p: join a table")))
        return await play_games(table, options, teller, teller.on_event, Lobby.wait)
