"""What a lobby tells its program: events for a screen or a script."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from seqp2p.match.table import Settings


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who has sat down."""

    name: str
    key: bytes


@dataclass(frozen=True, slots=True)
class Former:
    """The game that a table has had before: its id, and the keys that sit down again without the code.

    Their seats are kept for them for ``keeps_s`` seconds.
    """

    game: bytes
    keys: frozenset[bytes]
    keeps_s: float = 0.0


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
class WatcherCame:
    """A spectator was let in by the code, before the start or after it (host). ``count``: how many there are now."""

    name: str
    key: bytes
    count: int


LobbyEvent: TypeAlias = CodeShown | LobbyShown | TurnedAway | WatcherCame
Tell: TypeAlias = Callable[[LobbyEvent], None]
