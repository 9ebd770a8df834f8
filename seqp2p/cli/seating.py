"""What a seat needs before it has one: an identity held, a door to listen at, and a voice for the lobby."""

import contextlib
import ipaddress
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import trio

from seqp2p.cli import home
from seqp2p.cli.known import check_known
from seqp2p.cli.lobby_view import LobbyView
from seqp2p.cli.output import ABANDONED, CommandError, Output
from seqp2p.cli.playing import Choices, own_desk
from seqp2p.cli.running import cancel_when_stdin_closes
from seqp2p.cli.screening import ScreenWish
from seqp2p.hangup import HANGUP, TerminalGone
from seqp2p.lobby.events import CodeShown, LobbyEvent, LobbyShown, SpectatorCame, Tell, TurnedAway
from seqp2p.lobby.leaving import leave_table
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.addresses import Address, open_listeners
from seqp2p.net.errors import NetError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.tls import Credentials, make_credentials
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.console import wait_in_lobby

SitDown: TypeAlias = Callable[[], Awaitable[AgreedTable]]
"""Waits in a lobby until its table is agreed; cancelled, it says goodbye."""


@dataclass(frozen=True, slots=True)
class Lobbying:
    """What the command line said.

    How the seat plays, the name wished for, where words go, whose child this is, how many games it plays unasked,
    what calls bots to the free seats, where this player may, and which screen a person wishes for.
    """

    choices: Choices
    name: str | None
    output: Output
    until_stdin_closes: bool
    games: int = 1
    start: Callable[[], None] | None = None
    wish: ScreenWish | None = None

    @property
    def wished(self) -> ScreenWish | None:
        """The screen that is wished for; None where no person sits."""
        return self.wish if self.person else None

    def at(self, output: Output) -> "Lobbying":
        """The same, with words going there."""
        return replace(self, output=output)

    @property
    def person(self) -> bool:
        """Whether somebody sits there who can be asked, and can type."""
        return self.choices.person and not self.until_stdin_closes


@dataclass(frozen=True)
class Door:
    """An identity, held, and the listeners that go with it."""

    lobbying: Lobbying
    held: home.LockedIdentity
    credentials: Credentials
    name: str
    listeners: Sequence[trio.SocketListener]
    told: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """What was said last of the lobby, by the word that asks for it again."""
    shown: trio.Event = field(default_factory=trio.Event)
    """Set once a lobby was shown: whether a host is there is known."""

    def announcer(self, addresses: Sequence[Address], view: LobbyView) -> Tell:
        """Tells people and scripts what happens in the lobby; ``addresses`` are a host's own."""
        output = self.lobbying.output
        codes: list[str] = []
        full = False

        def tell(event: LobbyEvent) -> None:
            nonlocal full
            match event:
                case CodeShown(code):
                    if codes:
                        output.say(t("the code {code} was tried wrongly too often, and holds no more", code=codes[-1]))
                    codes.append(code)
                    output.event("listening", address=str(addresses[0]), code=code)
                    ways = ways_in(addresses[0], full=full, again=len(codes) > 1)
                    view.code(code, ways)
                    self.told["code"] = [*ways, t("the join code is:  {code}", code=code)]
                    if full or not view.shows:
                        for line in self.told["code"]:
                            output.say(line)
                case LobbyShown(_, seats, own_seat):
                    full = None not in seats
                    self.shown.set()
                    view.seats(event)
                    shown = [seat.name if seat else t("free") for seat in seats]
                    shown[own_seat - 1] = t("{name} (you)", name=shown[own_seat - 1])
                    self.told["seats"] = [t("at the table: {seats}", seats=", ".join(shown))]
                    if not view.shows:
                        output.say(*self.told["seats"])
                case TurnedAway(reason):
                    output.say(translate(reason))
                case SpectatorCame(name, key, count):
                    output.event("watcher", name=name, key=key.hex(), count=count)
                    output.say(t("{name} watches ({count} in all)", name=name, count=count))

        return tell

    async def wait(self, sit: SitDown, signals: AsyncIterator[int]) -> AgreedTable | None:
        """Wait in the lobby; returns the table that is agreed, or None when this player has gone away before the game.

        A person goes away by typing so, everybody by a signal. Raises what ``sit`` and ``check_known`` do, and
        TerminalGone once that is all the same.
        """
        output, leaving, gone = self.lobbying.output, False, False
        table: AgreedTable | None = None
        failure: NetError | CommandError | None = None
        try:
            async with trio.open_nursery() as nursery:

                def leave() -> None:
                    nonlocal leaving
                    leaving = True
                    nursery.cancel_scope.cancel()

                nursery.start_soon(leave_on_signal, signals, leave)
                typing = trio.CancelScope()
                if self.lobbying.person:
                    nursery.start_soon(self._leave_when_typed, typing, leave)
                try:
                    table = await sit()
                    typing.cancel()
                    await check_known(table, output, ask=self.lobbying.person and not output.json and output.asks)
                except (NetError, CommandError) as error:
                    failure = error
                nursery.cancel_scope.cancel()
        except* TerminalGone:
            gone = True
        if failure:
            raise failure
        if (leaving or gone) and table:
            await leave_table(table, "")
        if gone:
            raise TerminalGone
        return None if leaving else table

    async def _leave_when_typed(self, scope: trio.CancelScope, leave: Callable[[], None]) -> None:
        with scope:
            desk = own_desk(self.lobbying.output)
            if not await wait_in_lobby(desk, self.lobbying.start, self.told) and not desk.terminal:
                # An input that ended at once hides no answer to whether a host is there; but that may never come.
                with trio.move_on_after(DEFAULT_LIMITS.lobby_answer_s):
                    await self.shown.wait()
                desk.say(t("your input has ended"))
            leave()


def ways_in(address: Address, *, full: bool, again: bool) -> list[str]:
    """The commands by which others come to a host's table; ``again``: they were shown before, with another code."""
    if full:
        return [t("others watch with:  {command}", command=f"seqp2p watch {address}")]
    ways = [t("others join with:  {command}", command=f"seqp2p join {address}")]
    if not again and not ipaddress.ip_address(address.host).is_loopback:
        ways.append(t("on this network:   seqp2p join"))
    return ways


async def leave_on_signal(signals: AsyncIterator[int], leave: Callable[[], None]) -> None:
    """Leave a lobby when this process is asked to end. Raises TerminalGone for a terminal that closes."""
    async for number in signals:
        if number == HANGUP:
            raise TerminalGone
        leave()


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
