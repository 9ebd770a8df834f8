"""The lobby on the screen: what happens in it, put into the words of its scene. Without a screen nothing is shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seqp2p.cli import home
from seqp2p.cli.known import load, meet, meeting_note
from seqp2p.cli.output import Output
from seqp2p.crypto.identity import fingerprint
from seqp2p.lobby.events import Guest, LobbyShown
from seqp2p.lobby.wordlist import WORDS
from seqp2p.match.table import Settings
from seqp2p.rules import team_of
from seqp2p.ui.words import settings_lines

if TYPE_CHECKING:  # Only where there is a screen.
    from seqp2p.ui.lobby_scene import LobbyPlace, LobbyScene


class LobbyView:
    """What a lobby shows. ``starts``: whether bots can be called to the free seats."""

    def __init__(self, output: Output, title: str, *, starts: bool = False) -> None:
        self._screen = output.screen
        self._scene = None if self._screen is None else _scene(title, starts=starts)
        self.show()

    @property
    def shows(self) -> bool:
        """Whether there is a screen, so that nothing of this needs a line."""
        return self._scene is not None

    def show(self) -> None:
        """Show the lobby, at first or after something else."""
        if self._screen is not None and self._scene is not None:
            self._screen.show(self._scene)

    def asks(self, question: str) -> None:
        """What is asked; nothing where the text is empty."""
        self._change(asks=question)

    def tables(self, lines: Sequence[tuple[int, str]] | None) -> None:
        """The tables that can be found, by number; None when none is looked for any more."""
        self._change(tables=None if lines is None else tuple(lines))

    def code(self, code: str, ways: Sequence[str]) -> None:
        """The code that holds now, and the commands by which others come."""
        self._change(code=code, ways=tuple(ways))

    def seats(self, event: LobbyShown) -> None:
        """Who sits where, and how the table plays."""
        if self._scene is None:
            return
        settings = event.settings
        places = [
            _place(settings, seat, guest, own=seat == event.own_seat) for seat, guest in enumerate(event.seats, 1)
        ]
        self._change(places=tuple(places), rules=tuple(settings_lines(settings)))

    def _change(self, **fields: object) -> None:
        if self._screen is not None and self._scene is not None:
            self._scene.change(**fields)
            self._screen.refresh()


def _scene(title: str, *, starts: bool) -> "LobbyScene":
    from seqp2p.ui.lobby_scene import LobbyModel, LobbyScene

    return LobbyScene(LobbyModel(title), WORDS, starts=starts)


def _place(settings: Settings, seat: int, guest: Guest | None, *, own: bool) -> "LobbyPlace":
    from seqp2p.ui.lobby_scene import LobbyPlace

    colour = settings.colours[team_of(seat, settings.teams) - 1]
    if guest is None:
        return LobbyPlace(colour)
    note = "" if own or guest.key in home.own_keys() else meeting_note(meet(seat, guest.name, guest.key, load()))
    return LobbyPlace(colour, guest.name, "  ".join(part for part in (fingerprint(guest.key), note) if part), own)
