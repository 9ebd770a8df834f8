"""The question for another game at a table, with who else accepts and the seconds that are left.

The next lobby is open while the person is asked: the others see the answer in it, and the person sees theirs.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

import trio

from seqp2p.api.game import LiveGame
from seqp2p.api.table import former_of
from seqp2p.cli.output import Output
from seqp2p.i18n import message
from seqp2p.lobby.events import CodeShown, Guest, LobbyEvent, LobbyShown, OnLobbyEvent
from seqp2p.lobby.names import is_bot_name
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.ui.language import t
from seqp2p.ui.person.command_words import word_of
from seqp2p.ui.person.console import is_confirmed

ASK_AGAIN: Final = message("another game at this table? yes (Enter) or no")
ANSWER_S: Final = 60.0
"""The time for a person to choose another game."""
WARNED_S: Final = 10
TOLD_S: Final = 3.0
"""The time for a no to reach a host that has not opened the next lobby yet."""

Wait: TypeAlias = tuple[Callable[[int], str], float]
"""A sentence of a wait, given the seconds that are left, and the time at which the wait ends."""


class RematchQuestion:
    """A person's question for another game after this one. ``on_event`` gets what the lobby needs once it is accepted.

    ``why_over`` is the reason for which it was taken back, if it was.
    """

    def __init__(self, game: LiveGame, output: Output, on_event: OnLobbyEvent) -> None:
        self.accepted = False
        self.why_over = ""
        self._output = output
        self._on_event = on_event
        self._own = game.own.number
        self._former = {key: game.table.agreement.seats[seat - 1].name for key, seat in former_of(game).seats.items()}
        self._expects = set(self._former)
        self._seated: dict[bytes, Guest] = {}
        self._lobby: LobbyShown | None = None
        self._code: CodeShown | None = None
        self._asked_at = trio.current_time()
        self._asking = trio.CancelScope()
        self._is_open = trio.Event()

    def on_event(self, event: LobbyEvent) -> None:
        """Tell who accepts and who declines. The rest of the lobby is shown once this person has accepted."""
        if isinstance(event, LobbyShown):
            self._tell(event)
            self._lobby = event
            self._is_open.set()
        elif isinstance(event, CodeShown):
            self._code = event
        if self.accepted or not isinstance(event, LobbyShown | CodeShown):
            self._on_event(event)

    async def ask(self) -> bool:
        """Return True if the person accepts within ANSWER_S, unless it is taken back meanwhile."""
        output, screen = self._output, self._output.screen
        output.ring(ASK_AGAIN)
        wait: Wait = (_question, self._asked_at + ANSWER_S)
        yes = False
        try:
            async with trio.open_nursery() as nursery:
                self._asking = nursery.cancel_scope
                self._asking.deadline = wait[1]
                if self.why_over:
                    self._asking.cancel()
                nursery.start_soon(self._count, lambda: wait)
                if screen is not None:
                    screen.on_enter = ""
                yes = await is_confirmed(self._read_line, lambda: output.say(ASK_AGAIN), empty=True)
                self._asking.cancel()
        finally:
            if screen is not None:
                screen.on_enter = None
        self.accepted = yes
        return yes

    async def _read_line(self) -> str | None:
        line = await self._output.read_line()
        if line is not None and word_of(line.strip().partition(" ")[0]) == "say":
            self._output.say(t("the game is over: this is not sent"))
        return line

    async def until_told(self) -> None:
        """After a no, wait for the host's lobby, at most TOLD_S: to leave it tells the others."""
        if self._own != 1 and not self.why_over:
            with trio.move_on_after(TOLD_S):
                await self._is_open.wait()

    def show_lobby(self) -> None:
        """Pass on the code and the seats that came while the person was asked."""
        if self._code is not None:
            self._on_event(self._code)
        if (lobby := self._lobby) is not None:
            own = lobby.own_seat - 1
            accepted = (
                guest and replace(guest, asked=guest.asked and at != own) for at, guest in enumerate(lobby.seats)
            )
            self._on_event(replace(lobby, seats=tuple(accepted)))

    async def count_waits(self) -> None:
        """Show the players for whom the game waits, until cancelled, and how long."""
        await self._count(self._wait)

    def why_closed(self, reason: str) -> str:
        """Return why a host's lobby has ended, by an error that gives this reason."""
        host = None if self._lobby is None else self._lobby.seats[0]
        return reason if host is None or not host.asked else t("{name} plays no other game", name=host.name)

    def _tell(self, event: LobbyShown) -> None:
        output, before = self._output, self._seated
        seats = enumerate(event.seats, 1)
        self._seated = {guest.key: guest for seat, guest in seats if guest is not None and seat != event.own_seat}
        for key, guest in self._seated.items():
            was_asked = key not in before or before[key].asked
            if was_asked and not guest.asked and key in self._former and not is_bot_name(guest.name):
                output.say(t("{name} wants another game", name=guest.name))
        for key, guest in before.items():
            if key not in self._seated and guest.asked:
                output.say(t("{name} plays no other game", name=guest.name))
                self._expects.discard(key)
        if self._former and not self._expects and event.own_seat == 1 and not self.accepted:
            self.why_over = t("all others have declined")
            self._asking.cancel()

    def _wait(self) -> Wait | None:
        if self._lobby is None:
            return _for_the_host, self._asked_at + DEFAULT_LIMITS.rematch_wait_s
        if asked := [guest.name for guest in self._seated.values() if guest.asked]:
            names = ", ".join(asked)
            return lambda left_s: t("waiting for {names} ({seconds} s)", names=names, seconds=left_s), (
                self._asked_at + ANSWER_S
            )
        ends = self._asked_at + DEFAULT_LIMITS.rematch_keeps_s
        missing = [self._former[key] for key in self._expects if key not in self._seated]
        if self._own != 1 or not missing or trio.current_time() >= ends:
            return None
        names = ", ".join(missing)
        return lambda left_s: t("kept for {names} ({seconds} s)", names=names, seconds=left_s), ends

    async def _count(self, waits: Callable[[], Wait | None]) -> None:
        """Count a wait down on a screen. Without a screen, tell a new wait, and its last WARNED_S seconds."""
        output, shown, of = self._output, "", ""
        while True:
            if (wait := waits()) is None:
                of = ""
            else:
                sentence, ends = wait
                left = max(0, math.ceil(ends - trio.current_time()))
                text = sentence(left)
                if sentence(0) != of or (output.screen is None and left == WARNED_S):
                    output.say(text)
                elif output.screen is not None:
                    output.screen.amend(shown, text)
                shown, of = text, sentence(0)
            await trio.sleep(1)


def _question(left_s: int) -> str:
    return t("another game at this table? yes (Enter) or no ({seconds} s)", seconds=left_s)


def _for_the_host(left_s: int) -> str:
    return t("waiting for the host to open the table again ({seconds} s)", seconds=left_s)
