"""What a seat needs before it has one: an identity held, a door to listen at, and a voice for the lobby."""

import contextlib
import ipaddress
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

import trio

from seqp2p.cli import home
from seqp2p.cli.known import check_known
from seqp2p.cli.lines import is_terminal
from seqp2p.cli.output import ABANDONED, Output
from seqp2p.cli.playing import Choices, play
from seqp2p.cli.running import cancel_when_stdin_closes
from seqp2p.net.addresses import Address, open_listeners
from seqp2p.net.lobby import CodeShown, LobbyEvent, LobbyShown, Tell, TurnedAway, WatcherCame
from seqp2p.net.table import Table
from seqp2p.net.tls import Credentials, make_credentials


@dataclass(frozen=True, slots=True)
class Lobbying:
    """What the command line said: how the seat plays, the name wished for, where words go, whose child this is."""

    choices: Choices
    name: str | None
    output: Output
    until_stdin_closes: bool


@dataclass(frozen=True)
class Door:
    """An identity, held, and the listeners that go with it."""

    lobbying: Lobbying
    held: home.Held
    credentials: Credentials
    name: str
    listeners: Sequence[trio.SocketListener]

    def announcer(self, addresses: Sequence[Address]) -> Tell:
        """Tells people and scripts what happens in the lobby; ``addresses`` are a host's own."""
        output = self.lobbying.output
        codes: list[str] = []

        def tell(event: LobbyEvent) -> None:
            match event:
                case CodeShown(code):
                    if codes:
                        output.say(f"the code {codes[-1]} was tried wrongly too often, and holds no more")
                    codes.append(code)
                    output.event("listening", address=str(addresses[0]), code=code)
                    output.say(f"others join with:  seqp2p join {addresses[0]}")
                    if len(codes) == 1 and not ipaddress.ip_address(addresses[0].host).is_loopback:
                        output.say("on this network:   seqp2p join")
                    output.say(f"the join code is:  {code}")
                case LobbyShown(_, seats, own_seat):
                    shown = [seat.name if seat else "free" for seat in seats]
                    shown[own_seat - 1] += " (you)"
                    output.say("at the table: " + ", ".join(shown))
                case TurnedAway(reason):
                    output.say(reason)
                case WatcherCame(name, key, count):
                    output.event("watcher", name=name, key=key.hex(), count=count)
                    output.say(f"{name} watches ({count} in all)")

        return tell

    async def play(self, table: Table) -> int:
        """Play the game at an agreed table; returns the exit code."""
        choices, output = self.lobbying.choices, self.lobbying.output
        await check_known(table, output, ask=choices.bot is None and not output.json and is_terminal())
        return await play(table, self.held, choices, output)


@contextlib.asynccontextmanager
async def open_door(lobbying: Lobbying, listen: Address | None) -> AsyncGenerator[Door]:
    """Hold an identity and listen, until the block ends; raises SystemExit when the starting process has ended."""
    with home.held_identity() as held:
        credentials = make_credentials(held.identity)
        name = home.player_name(lobbying.name, held.number)
        async with trio.open_nursery() as nursery:
            orphaned = trio.CancelScope()
            if lobbying.until_stdin_closes:
                nursery.start_soon(cancel_when_stdin_closes, orphaned)
            listeners = await open_listeners(listen)
            try:
                with orphaned:
                    yield Door(lobbying, held, credentials, name, listeners)
            finally:
                for listener in listeners:
                    await trio.aclose_forcefully(listener)
            nursery.cancel_scope.cancel()
    if orphaned.cancelled_caught:
        # Nobody is left who could be told.
        raise SystemExit(ABANDONED)
