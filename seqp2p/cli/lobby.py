"""The lobby, as people and scripts are told of it, and what they can do in it: on the screen, in lines, as JSON."""

import ipaddress
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from seqp2p.api.home import own_keys
from seqp2p.api.known import known_players, meet
from seqp2p.cli import json_events
from seqp2p.cli.errors import sentence
from seqp2p.cli.known import meeting_note
from seqp2p.cli.options import SeatOptions
from seqp2p.cli.output import Output
from seqp2p.cli.playing import own_console
from seqp2p.cli.ways import tell_ways
from seqp2p.crypto.identity import fingerprint
from seqp2p.errors import UserError, ungrouped
from seqp2p.hangup import HANGUP, TerminalGone
from seqp2p.i18n import message
from seqp2p.live.runtime import ignore
from seqp2p.lobby.code import WORDS
from seqp2p.lobby.events import (
    CodeShown,
    Declined,
    Guest,
    LineSaid,
    LobbyEvent,
    LobbyRequest,
    LobbyShown,
    MovePlayer,
    RelayState,
    RemovePlayer,
    SayLine,
    SpectatorCame,
    StartGame,
    Strangers,
    TurnedAway,
    UseRelay,
)
from seqp2p.match.names import is_bot_name
from seqp2p.match.remark import COURTESIES as REMARKS_KNOWN
from seqp2p.match.table import Settings
from seqp2p.net.addresses import Address
from seqp2p.net.limits import DEFAULT_LIMITS, Window
from seqp2p.net.messages import ChooseColour, TakeSeat
from seqp2p.rules import team_of
from seqp2p.ui.language import current, rules_text, t, translate, without_accents
from seqp2p.ui.language import number as numeral
from seqp2p.ui.person.command_words import Answers, courtesy_of, shown
from seqp2p.ui.person.console import HOW_TO_SAY, NOT_STARTED, lobby_answers, wait_in_lobby
from seqp2p.ui.question import Question, yes_or_no
from seqp2p.ui.words import mute_line, seats_named, settings_lines

if TYPE_CHECKING:  # Only where there is a screen.
    from seqp2p.ui.lobby_scene import LobbyPlace, LobbyScene

T = TypeVar("T")

HOST_ONLY: Final = message("only the host can do that")
ASK_LEAVE: Final = message("leave the table?")
ASK_CLOSE: Final = message("close the table? The others here will have to leave.")


class LobbyView:
    """The lobby on a screen; does nothing without one. ``starts``: the host can call bots to the free seats."""

    def __init__(self, output: Output, title: str, *, starts: bool = False) -> None:
        self._output, self._screen = output, output.screen
        self._scene: LobbyScene | None = None
        if self._screen is not None:
            from seqp2p.ui import lobby_scene

            self._scene = lobby_scene.LobbyScene(lobby_scene.LobbyModel(title), WORDS, starts=starts)
        self.show()

    @property
    def shows(self) -> bool:
        """True if there is a screen, so that the lobby needs no lines."""
        return self._scene is not None

    def show(self) -> None:
        """Show the lobby, at first or after something else."""
        if self._screen is not None and self._scene is not None:
            self._screen.show(self._scene)

    def change(self, **fields: object) -> None:
        """Show something else in some fields of the lobby's model."""
        if self._screen is not None and self._scene is not None:
            self._scene.change(**fields)
            self._screen.refresh()

    def refuse(self, reason: str) -> None:
        """Say why what was typed is not taken, in place of all answers before. An empty one takes them back."""
        if self._screen is not None:
            for line in [line for line in self._screen.lines if line.kind == "answer"]:
                self._screen.lines.remove(line)
        if reason:
            self._output.say(reason, "answer")

    def seats(self, event: LobbyShown) -> None:
        if self._scene is None:
            return
        settings = event.settings
        places = [_place(event, seat) for seat in range(1, len(event.seats) + 1)]
        colours = settings.offered_colours if event.own_seat else ()
        self.change(
            places=tuple(places),
            rules=tuple(settings_lines(settings)),
            colours=colours,
            waits=waiting_line(event),
            reading=tuple(rules_text(settings.variant, current()).splitlines()),
        )
        if event.own_seat != 1 and event.seats[0] is not None:
            self.change(title=t("seqp2p: the table of {name}", name=event.seats[0].name))


def _place(event: LobbyShown, seat: int) -> "LobbyPlace":
    from seqp2p.ui.lobby_scene import LobbyPlace

    settings, own = event.settings, seat == event.own_seat
    guest, colour = event.seats[seat - 1], settings.colours[team_of(seat, settings.teams) - 1]
    if guest is None:
        return LobbyPlace(colour)
    others = [other.name for other in event.seats if other is not None and other is not guest]
    is_own = own or guest.key in own_keys()
    note = "" if is_own else meeting_note(meet(seat, guest.name, guest.key, known_players(), others))
    notes = (note, t("is asked whether to play again") if guest.asked else "")
    return LobbyPlace(colour, guest.name, "  ".join(filter(None, notes)), own)


class BoundedLines:
    """Says lines that others cause by coming and going, so many in a minute; then one that there are too many."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._lines = Window(DEFAULT_LIMITS.lines_max, DEFAULT_LIMITS.lines_s)
        self._notes = Window(1, DEFAULT_LIMITS.lines_s)

    def say(self, line: str, kind: str = "log") -> bool:
        """Say a line, if there is room for it. Return True if it was said."""
        now = trio.current_time()
        said = self._lines.take(now)
        if said:
            self._output.say(line, kind)
        elif self._notes.take(now):
            word = shown("seats")
            many = t("players come and go too often to report each time; {word} lists who is here", word=word)
            self._output.say(many)
        return said


@dataclass(frozen=True, slots=True)
class WaysIn:
    """The ways to a host's table: its address, the port of its router, and the relay where it can be met."""

    address: Address
    mapped: Address | None = None
    relay: Address | None = None

    def joining(self, code: str, command: str = "join") -> str:
        """Return the command that most others join with, or watch. A relay's is good on the host's network, too."""
        if self.relay is not None:
            return f"seqp2p {command} {code} --relay {self.relay}"
        return f"seqp2p {command} {self.mapped or self.address} --code {code}"

    def lines(self, code: str, *, full: bool) -> list[str]:
        """Return the commands that others come with."""
        if full:
            return [t("others watch with:  {command}", command=self.joining(code, "watch"))]
        near = f"seqp2p join {self.address} --code {code}" if self.relay is None else self.joining(code)
        is_found = self.relay is None and not ipaddress.ip_address(self.address.host).is_loopback
        lines = [t("others join with:  {command}", command=f"seqp2p join {code}" if is_found else near)]
        if is_found:
            lines.append(t("if that finds nothing:  {command}", command=near))
        if self.mapped is not None:
            lines.append(t("from the internet: {command}", command=f"seqp2p join {self.mapped} --code {code}"))
        return lines


class LobbyDesk:
    """Obeys typed words of a lobby. ``ask`` passes a request on; ``calls`` and ``recalls`` are a host's, for bots.

    ``muted`` are the keys of the muted players, also in the games that follow.
    """

    def __init__(self, output: Output, calls: Callable[[], None] | None, recalls: Callable[[], None]) -> None:
        self.ask: Callable[[LobbyRequest], None] = ignore
        self.muted: set[bytes] = set()
        self.lobby: LobbyShown | None = None
        self.invitation = ""
        self.relay: Address | None = None  # the one that this player uses
        self.removes = False  # a removal is on its way, and a new code with it
        self._output = output
        self._calls = calls
        self._recalls = recalls

    def begin(self) -> None:
        """Begin the game, with bots on the free seats: for a host."""
        if self._calls is not None:
            self._calls()
            self.ask(StartGame())

    def answers(self) -> Answers:
        return {
            "seat": self._seat,
            "colour": self._colour,
            "say": self._say,
            "mute": self._mute,
            "move": self._move,
            "remove": self._remove,
            "copy": self._copy,
            "relay": self._use_relay,
        }

    def relay_offer(self) -> str:
        """Return the line that offers the host's relay; empty where there is none, or this player uses it."""
        relay = None if self.lobby is None else self.lobby.relay
        if relay in (None, self.relay):
            return ""
        return t("this table also uses the relay {relay}; type {word} to use it too", relay=relay, word=shown("relay"))

    def _use_relay(self, _: str) -> Sequence[str]:
        if self.lobby is None:
            return [translate(NOT_STARTED)]
        if (relay := self.lobby.relay) is None:
            return [t("the host of this table uses no relay")]
        if relay != self.relay:
            self.relay = relay
            self.ask(UseRelay())
            self._output.ask("relay", None)
        return [t("you use the relay {relay}, unless everybody has already accepted the table", relay=relay)]

    def _seat(self, typed: str) -> Sequence[str]:
        if not _is_number(typed):
            return [t("add the number of a free seat, like: {word} 3", word=shown("seat"))]
        self.ask(TakeSeat(int(typed)))
        return ()

    def _colour(self, typed: str) -> Sequence[str]:
        if self.lobby is None:
            return [translate(NOT_STARTED)]
        offered = self.lobby.settings.offered_colours
        wanted = without_accents(typed.strip().lower())
        for colour in offered:
            if wanted in (colour, without_accents(translate(colour))):
                self.ask(ChooseColour(colour))
                return ()
        return [colours_offered(self.lobby.settings)]

    def _say(self, typed: str) -> Sequence[str]:
        if not typed.strip():
            return [translate(HOW_TO_SAY)]
        self.ask(SayLine(courtesy_of(typed.strip())))
        return ()

    def _mute(self, typed: str) -> Sequence[str]:
        if (guest := self._found(typed)) is None:
            return [_which("mute")]
        self.muted ^= {guest.key}
        return [mute_line(guest.name, muted=guest.key in self.muted)]

    def _move(self, typed: str) -> Sequence[str]:
        name, _, seat = typed.strip().rpartition(" ")
        guest = self._found(name)
        if self._calls is None:
            return [translate(HOST_ONLY)]
        if guest is None or not _is_number(seat):
            return [t("say who moves, and to which seat, like: {word} 2 4", word=shown("move"))]
        self.ask(MovePlayer(guest.key, int(seat)))
        return ()

    def _remove(self, typed: str) -> Sequence[str]:
        guest = self._found(typed)
        if self._calls is None:
            return [translate(HOST_ONLY)]
        if guest is None:
            return [_which("remove")]
        self._recalls()
        self.removes = True
        self.ask(RemovePlayer(guest.key))
        return ()

    def _copy(self, _: str) -> Sequence[str]:
        if not self.invitation:
            return [translate(HOST_ONLY)]
        if not self._output.copy(self.invitation):
            return [t("nothing can be copied here; the line is:  {line}", line=self.invitation)]
        return [t("the terminal was asked to copy:  {line}", line=self.invitation)]

    def _found(self, typed: str) -> Guest | None:
        """Return the other player of this name or seat; None where one's seat is another's name, too."""
        if self.lobby is None:
            return None
        guests = {
            seat: guest
            for seat, guest in enumerate(self.lobby.seats, 1)
            if guest is not None and seat != self.lobby.own_seat
        }
        found = seats_named(typed, {seat: guest.name for seat, guest in guests.items()})
        return guests[found[0]] if len(found) == 1 else None


def colours_offered(settings: Settings) -> str:
    return t("the colours of this table: {colours}", colours=", ".join(map(translate, settings.offered_colours)))


def _which(word: str) -> str:
    return t("add the name or the seat of another player, like: {word} seat 2", word=shown(word))


def _is_number(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit() and 1 <= int(text.strip()[:3]) <= 12


class LobbyTeller:
    """Tells people and scripts the events of a lobby.

    ``ways`` are those to a host's own table; ``by_hand`` tells if the game waits until this player begins it.
    """

    def __init__(
        self,
        options: SeatOptions,
        output: Output,
        view: LobbyView,
        ways: WaysIn | None = None,
        *,
        by_hand: Callable[[], bool] = lambda: False,
    ) -> None:
        self.desk = LobbyDesk(output, options.start, options.pause)
        self.desk.relay = options.relay if ways is None else ways.relay
        self._by_hand = by_hand
        self._colours = self._waits = self._offer = ""
        self.options = options
        self.output = output
        self.view = view
        self._ways = ways
        self._codes: list[str] = []
        self._changes, self._alarms = BoundedLines(output), BoundedLines(output)
        self._strangers_told_at = 1
        self._full = False
        self._others = False  # players sit here, not only called bots
        self._hosts = False
        self._asks_to_leave = False
        self._told: dict[str, list[str]] = {}  # the lines told last, by the word that asks for them
        self._shown = trio.Event()  # set once a lobby was shown: a host is there
        self.start_soon: Callable[[Callable[[], Awaitable[None]]], None] = ignore
        """Starts a task that may outlast a lobby: a port of the router is closed again."""
        self._looking: trio.CancelScope | None = None  # while the ways in are looked for

    def on_event(self, event: LobbyEvent) -> None:
        output = self.output
        match event:
            case CodeShown(code):
                self._tell_code(code)
            case LobbyShown():
                self._show(event)
            case LineSaid(seat, name, key, text):
                if key not in self.desk.muted:
                    output.event(json_events.LineEvent(seat, name, key.hex(), text))
                    said = translate(text) if text in REMARKS_KNOWN else text  # a courtesy
                    output.say(t("{who}: {text}", who=name, text=said), "remark")
                self._tell_full(was_full=self._full)
            case Declined(code, reason):
                output.event(json_events.DeclinedEvent(code, reason))
                output.say(sentence(reason), "answer")
                if code == "no_colour" and self.desk.lobby is not None:
                    output.say(colours_offered(self.desk.lobby.settings), "answer")
            case RelayState(relay, reason):
                self._tell_relay(relay, reason)
            case TurnedAway(reason):
                self._changes.say(translate(reason))
            case Strangers(count, wrong):
                self._tell_strangers(count, wrong)
            case SpectatorCame(name, key, count):
                output.event(json_events.WatcherEvent(name, key.hex(), count))
                self._changes.say(t("{name} watches ({count} in all)", name=name, count=count))

    def open(self, *, shows: bool = True) -> None:
        """Begin a lobby: at first, or the next one at the same table, whose code is another."""
        if shows:
            self.view.show()
        self._codes.clear()
        self._full = self._others = self._asks_to_leave = False
        self._offer = ""
        if self.output.screen is not None:
            self.output.screen.close_questions()

    def _show(self, event: LobbyShown) -> None:
        output, was_full = self.output, self._full
        self._full = None not in event.seats
        self._hosts = event.own_seat == 1
        others = (seat for number, seat in enumerate(event.seats, 1) if seat is not None and number != event.own_seat)
        self._others = not all(is_bot_name(seat.name) for seat in others)
        if not self._shown.is_set():
            self.view.refuse("")  # What was typed on the way here is over.
            self._shown.set()
        self.desk.lobby = event
        self.view.seats(event)
        emit_lobby(event, output)
        if self.options.person and (offer := self.desk.relay_offer()) != self._offer:
            self._offer = offer
            if not self.view.shows and offer:
                self._changes.say(offer)
            elif self.view.shows:
                output.ask("relay", Question(offer) if offer else None)
        colours = colours_line(event)
        line, changed = seats_line(event), colours != self._colours != ""
        if not self.view.shows:
            if [line, colours] != self._told.get("seats", [])[:2]:
                self._changes.say(line)
            if changed:
                self._changes.say(colours)
            waits = waiting_line(event)
            if self.options.person and event.own_seat > 1 and waits != self._waits:
                self._changes.say(waits)
            self._waits = waits
        self._told["seats"], self._colours = [line, colours, keys_line(event)], colours
        self._tell_full(was_full=was_full)

    def _tell_full(self, *, was_full: bool) -> None:
        """Tell a host whose table is full when the game begins: on a screen as a notice that counts down."""
        if not (self._by_hand() and self._full):
            self.output.ask("start", None)
            return
        ends_at = trio.current_time() + DEFAULT_LIMITS.full_table_s
        if self.view.shows:
            self.output.ask("start", Question(t("all seats are taken; the game begins"), ends_at=ends_at))
        if was_full:
            return
        if self.view.shows:
            self.output.ring(t("the table is full"))
            return
        text = t(
            "all seats are taken: the game begins in {seconds} s, or at once with {word}; a change or a chat"
            " message restarts the wait",
            seconds=numeral(DEFAULT_LIMITS.full_table_s),
            word=shown("start"),
        )
        if self._alarms.say(text, "answer"):
            self.output.ring(t("the table is full"))

    async def leave_when_typed(self) -> None:
        """Obey typed lines; return when the person wants to leave, or the input has ended."""
        console = own_console(self.output)
        begin = None if self.options.start is None else self.desk.begin
        answers = {**lobby_answers(self._told, begin), **self.desk.answers(), "reach": self._reach}
        try:
            if not await wait_in_lobby(console, answers, self._asked) and not console.terminal:
                # An input that ended at once does not hide that no host is there; but that news may never come.
                with trio.move_on_after(DEFAULT_LIMITS.lobby_answer_s):
                    await self._shown.wait()
                console.say(t("your input has ended"))
        finally:
            if self._looking is not None:
                self._looking.cancel()

    def _reach(self, _: str) -> Sequence[str]:
        if self._ways is None:
            return [translate(HOST_ONLY)]
        if self._looking is None:
            self._looking = trio.CancelScope()
            self.start_soon(partial(self._tell_ways, self._ways, self._looking))
        return ()

    async def _tell_ways(self, ways: WaysIn, looking: trio.CancelScope) -> None:
        """Tell how friends elsewhere come, unless the lobby ends before it is known."""
        with looking:
            await tell_ways(self.output, ways.relay, ways.mapped, "answer")
        self._looking = None

    def interrupted(self) -> bool:
        """Handle Ctrl-C: while other players sit here, ask once. Return True if nothing else is to do."""
        if not (self._others and self.output.asks) or self._asks_to_leave:
            return False
        self._asks_to_leave = True
        self.output.ask("leaving", yes_or_no(translate(ASK_CLOSE if self._hosts else ASK_LEAVE)))
        return True

    def _asked(self) -> bool:
        asked, self._asks_to_leave = self._asks_to_leave, False
        self.output.ask("leaving", None)
        return asked

    def _tell_strangers(self, count: int, wrong: int) -> None:
        """Count strangers in one line of the screen; without a screen, in a line for each tenfold count."""
        self.output.event(json_events.StrangersEvent(count, wrong))
        parts = [t("wrong code: {count}", count=wrong)] if wrong else []
        if (others := count - wrong) > 0:
            parts.append(t("disconnected or found no seat: {count}", count=others))
        line = t("turned away: {count} ({reasons})", count=count, reasons=t("; ").join(parts))
        self.view.change(strangers=line)
        if not self.view.shows and count >= self._strangers_told_at:
            self._strangers_told_at = 10 ** len(str(count))
            self.output.say(line)

    def _tell_relay(self, relay: Address, reason: str) -> None:
        self.output.event(json_events.RelayEvent(str(relay), reason or None))
        if reason:
            self._changes.say(t("nobody can join through the relay now: {reason}", reason=translate(reason)), "alarm")
        else:
            self._changes.say(t("the relay at {relay} is back", relay=relay))

    def _tell_code(self, code: str) -> None:
        output, codes = self.output, self._codes
        full = self._full and not self.desk.removes  # The seat of a removed player is free.
        if codes and self.desk.removes:
            output.say(t("the code {code} is no longer valid: the player who was removed knows it", code=codes[-1]))
        elif codes:
            output.say(t("the code {code} is no longer valid: there were too many wrong tries", code=codes[-1]))
        self.desk.removes = False
        codes.append(code)
        ways = self._ways
        assert ways is not None, "only a host has a code"
        relay = None if ways.relay is None else str(ways.relay)
        output.event(json_events.ListeningEvent(str(ways.address), code, relay))
        lines = ways.lines(code, full=full)
        self.desk.invitation = ways.joining(code)
        self.view.change(code=code, ways=tuple(lines), copies=True)
        self._told["code"] = [*lines, t("the join code is:  {code}", code=code)]
        if full or not self.view.shows:
            for line in self._told["code"]:
                output.say(line)


def waiting_line(event: LobbyShown) -> str:
    """Return what the start of the game waits for, as this player is told it."""
    seconds, is_full = numeral(DEFAULT_LIMITS.full_table_s), None not in event.seats
    if asked := [guest.name for guest in event.seats if guest is not None and guest.asked]:
        return t("the game begins when all have accepted it; not yet: {names}", names=", ".join(asked))
    if event.own_seat == 1 and is_full:
        return t("a change or a chat message restarts the wait; F5 begins at once")
    if event.own_seat == 1:
        return t("the game begins when the table is full; F5 begins it now, with bots on the free seats")
    if is_full:
        return t(
            "the table is full: the game begins when the host starts it, at the latest after {seconds} s without"
            " a change or a chat message",
            seconds=seconds,
        )
    return t("the game begins when the table is full, or when the host starts it with bots on the free seats")


def seats_line(event: LobbyShown) -> str:
    names = [seat.name if seat else t("free") for seat in event.seats]
    if event.own_seat:
        names[event.own_seat - 1] = t("{name} (you)", name=names[event.own_seat - 1])
    return t("at the table: {seats}", seats=", ".join(names))


def keys_line(event: LobbyShown) -> str:
    keys = (t("{name} {mark}", name=seat.name, mark=fingerprint(seat.key)) for seat in event.seats if seat is not None)
    return t("keys: {keys}", keys=", ".join(keys))


def colours_line(event: LobbyShown) -> str:
    colours, seats = event.settings.colours, range(1, len(event.seats) + 1)
    teams = {team: [str(seat) for seat in seats if team_of(seat, len(colours)) == team] for team in seats}
    parts = (f"{translate(colour)} {'+'.join(teams[team])}" for team, colour in enumerate(colours, 1))
    return t("colours of the seats: {colours}", colours=", ".join(parts))


def emit_lobby(event: LobbyShown, output: Output) -> None:
    seats = [
        None if seat is None else json_events.GuestFields(seat.name, seat.key.hex(), seat.asked) for seat in event.seats
    ]
    relay = None if event.relay is None else str(event.relay)
    output.event(json_events.LobbyEvent(event.own_seat or None, seats, event.settings.colours, relay))


async def until_agreed(
    wait: Callable[[Callable[[], None]], Awaitable[T]],
    signals: AsyncIterator[int],
    typed: Callable[[], Awaitable[None]] | None,
    leave: Callable[[], None],
    interrupted: Callable[[], bool] = lambda: False,
) -> T | None:
    """Wait for a table to be agreed. Return None if this player leaves before: by a signal, or as ``typed`` returns.

    ``wait`` gets a function that stops the typing. ``interrupted`` handles Ctrl-C while lines are typed, and returns
    False if it is to leave. ``leave`` tells that this player has left. Raises what ``wait``
    does, and TerminalGone for a terminal that has closed.
    """
    agreed: T | None = None
    leaving = gone = False
    try:
        with ungrouped(UserError, TerminalGone):
            async with trio.open_nursery() as nursery:
                typing = trio.CancelScope()

                def end() -> None:
                    nonlocal leaving
                    leaving = True
                    nursery.cancel_scope.cancel()

                async def end_when_typed() -> None:
                    if typed is not None:
                        with typing:
                            await typed()
                            end()

                nursery.start_soon(_end_on_signal, signals, end, lambda: not typing.cancel_called and interrupted())
                nursery.start_soon(end_when_typed)
                agreed = await wait(typing.cancel)
                nursery.cancel_scope.cancel()
    except TerminalGone:
        gone = True
    if leaving or gone:
        leave()
    if gone:
        raise TerminalGone
    return None if leaving else agreed


async def _end_on_signal(signals: AsyncIterator[int], end: Callable[[], None], interrupted: Callable[[], bool]) -> None:
    async for number in signals:
        if number == HANGUP:
            raise TerminalGone
        if number != signal.SIGINT or not interrupted():
            end()
