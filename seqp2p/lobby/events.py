"""What a lobby tells its program: events for a screen or a script."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from seqp2p.i18n import message
from seqp2p.match.table import Settings


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who has sat down."""

    name: str
    key: bytes


@dataclass(frozen=True, slots=True)
class Former:
    """The game that a table has had before: its id, and the seats of those who sit down again without the code, by key.

    Their places are kept for them for ``keeps_s`` seconds.
    """

    game: bytes
    seats: Mapping[bytes, int]
    keeps_s: float = 0.0

    def missing(self, seated: Collection[bytes]) -> frozenset[int]:
        """The seats of those who are not back, where ``seated`` are the keys of all who have sat down."""
        return frozenset(seat for key, seat in self.seats.items() if key not in seated)

    def place(self, key: bytes, free: Collection[int], seated: Collection[bytes]) -> int:
        """Which of the free seats this key gets: the one it had, else the lowest, if possible nobody's from before."""
        own = self.seats.get(key)
        if own is not None and own in free:
            return own
        missing = self.missing(seated)
        return min(free, key=lambda seat: (seat in missing, seat))


@dataclass(frozen=True, slots=True)
class CodeShown:
    """The join code that holds from now on (host)."""

    code: str


@dataclass(frozen=True, slots=True)
class LobbyShown:
    """How the table plays and who sits where, after each change: ``seats[0]`` is seat 1, the host; None is free."""

    settings: Settings
    seats: tuple[Guest | None, ...]
    own_seat: int


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """Somebody was refused, or has left the lobby (host)."""

    reason: str


@dataclass(frozen=True, slots=True)
class SpectatorCame:
    """A spectator was let in by the code, before the start or after it (host). ``count``: how many there are now."""

    name: str
    key: bytes
    count: int


def gone(name: str, reason: str) -> TurnedAway:
    """Who sat under this name has left the lobby; ``reason`` is empty where none is known."""
    if reason:
        return TurnedAway(message("{name} has left the table: {reason}", name=name, reason=reason))
    return TurnedAway(message("{name} has left the table", name=name))


LobbyEvent: TypeAlias = CodeShown | LobbyShown | TurnedAway | SpectatorCame
Tell: TypeAlias = Callable[[LobbyEvent], None]
