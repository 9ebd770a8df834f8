"""The words of a lobby about seats, colours and talk, and the players of whom nothing is shown."""

from collections.abc import Callable, Sequence
from typing import Final

from seqp2p.api.game import ignore
from seqp2p.cli.output import Output
from seqp2p.i18n import message
from seqp2p.lobby.events import Guest, LobbyShown
from seqp2p.lobby.requests import (
    ChooseColour,
    LobbyRequest,
    MovePlayer,
    RemovePlayer,
    SayLine,
    StartGame,
    TakeSeat,
    UseRelay,
)
from seqp2p.net.addresses import Address
from seqp2p.ui.language import t, translate, without_accents
from seqp2p.ui.person.command_words import Answers, courtesy_of, shown
from seqp2p.ui.person.console import NOT_STARTED
from seqp2p.ui.person.person import HOW_TO_SAY
from seqp2p.ui.words import mute_line, seats_named

HOST_ONLY: Final = message("only the host can do that")


class LobbyDesk:
    """Obeys typed words of a lobby. ``ask`` passes a request on; ``calls`` and ``recalls`` are a host's, for bots.

    ``muted`` are the keys of the players of whom nothing is shown, also in the games that follow.
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

    @property
    def start(self) -> Callable[[], None] | None:
        """The function that begins the game, with bots on the free seats; None where this player is no host."""
        calls = self._calls
        if calls is None:
            return None

        def begin() -> None:
            calls()
            self.ask(StartGame())

        return begin

    def answers(self) -> Answers:
        """Return the words with their handlers."""
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
        return [t("you use the relay {relay}, unless all have agreed to the table already", relay=relay)]

    def _seat(self, typed: str) -> Sequence[str]:
        if not _is_number(typed):
            return [t("write the number of a free seat, like: {word} 3", word=shown("seat"))]
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
        return [t("write one of the colours: {colours}", colours=", ".join(map(translate, offered)))]

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
            return [t("write who moves, and to which seat, like: {word} 2 4", word=shown("move"))]
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


def _which(word: str) -> str:
    return t("write the name or the seat of another player, like: {word} seat 2", word=shown(word))


def _is_number(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit() and 1 <= int(text.strip()[:3]) <= 12
