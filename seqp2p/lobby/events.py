"""The way into a lobby and out of it: what a player brings, its requests, and the events.

Requests come as values through a channel. Those that a joiner may send as they are, are the messages themselves
(net/messages.py).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeAlias

import trio

from seqp2p.arguments import CheckedFields
from seqp2p.crypto.group import Randomness
from seqp2p.i18n import message
from seqp2p.match.table import Settings, name_fault
from seqp2p.match.text import clean
from seqp2p.net.addresses import Address
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.messages import LINE_LENGTH_MAX, AcceptGame, ChooseColour, DeclinedMessage, TakeSeat
from seqp2p.net.serving import Listener
from seqp2p.net.tls import Credentials


@dataclass(frozen=True, slots=True)
class Guest:
    """A player who has sat down. ``asked``: not one who has accepted another game yet."""

    name: str
    key: bytes
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Former:
    """The game before at the same table: its id, and the seats of those who may return without the code, by key.

    Their places are kept for ``keeps_s`` seconds.
    """

    game: bytes
    seats: Mapping[bytes, int]
    keeps_s: float = 0.0

    def missing(self, seated: Collection[bytes]) -> frozenset[int]:
        """Return the seats of those who have not returned; ``seated`` are the keys of all who have sat down."""
        return frozenset(seat for key, seat in self.seats.items() if key not in seated)

    def without(self, key: bytes) -> "Former":
        return replace(self, seats={other: seat for other, seat in self.seats.items() if other != key})

    def place(self, key: bytes, free: Collection[int], seated: Collection[bytes]) -> int:
        """Return the free seat that this key gets: the one it had, else the lowest, if possible one not kept."""
        own = self.seats.get(key)
        if own is not None and own in free:
            return own
        missing = self.missing(seated)
        return min(free, key=lambda seat: (seat in missing, seat))


NO_FORMER: Final = Former(b"", {})
"""At the first game of a table."""


@dataclass(frozen=True, slots=True)
class CodeShown:
    """The join code that holds from now on (host)."""

    code: str


@dataclass(frozen=True, slots=True)
class LobbyShown:
    """The settings and the players at the table, after each change. ``seats[0]`` is seat 1, the host; None is free.

    ``own_seat`` is 0 for a spectator, ``relay`` the one that the host uses.
    """

    settings: Settings
    seats: tuple[Guest | None, ...]
    own_seat: int
    relay: Address | None = None


@dataclass(frozen=True, slots=True)
class LineSaid:
    """A player, this one too, said something in the lobby. The text is safe to show, and has been signed by the key."""

    seat: int
    name: str
    key: bytes
    text: str


@dataclass(frozen=True, slots=True)
class Declined:
    """A wish or a line of this player was not taken. ``code`` is one of DECLINED, or a later version's."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """A peer was refused, or has left the lobby (host); or this player waits for its turn at the code (others)."""

    reason: str


@dataclass(frozen=True, slots=True)
class Strangers:
    """Clients that the door has turned away so far (host): ``count`` in all, ``wrong`` of them with a wrong code."""

    count: int
    wrong: int


@dataclass(frozen=True, slots=True)
class SpectatorCame:
    """A spectator was let in by the code, before the start or after it (host). ``count`` is their number now."""

    name: str
    key: bytes
    count: int


@dataclass(frozen=True, slots=True)
class RelayState:
    """The host's relay cannot be used any more, for this reason; or it can be used again, and the reason is empty."""

    relay: Address
    reason: str


DECLINED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "seat_taken": message("That seat is taken."),
        "no_seat": message("That seat cannot be taken; the host keeps seat 1."),
        "colour_taken": message("Another team has chosen that colour."),
        "no_colour": message("This table does not have that colour."),
        "nobody": message("No other player of that name sits here."),
        "too_fast": message("Too many messages within a minute: wait a little."),
        "nothing": message("There is nothing to say."),
        "too_long": message("A line has at most {most} characters.", most=LINE_LENGTH_MAX),
        "host_only": message("Only the host can do that."),
        "no_relay": message("There is no other relay to use at this table."),
        "no_team": message("This table does not have that team."),
    }
)
"""The sentences of the reasons. No host sends ``nobody`` or the last five: these are this program's own."""


def declined(code: str, reason: str = "") -> Declined:
    """Return the event of a declined request; ``reason`` is the host's, for a code of a later version."""
    return Declined(code, DECLINED.get(code, clean(reason) or clean(code)))


def declining(code: str) -> DeclinedMessage:
    return DeclinedMessage(code, str(DECLINED[code]))


def gone(name: str, reason: str) -> TurnedAway:
    """Return the event of a player who has left the lobby; ``reason`` is empty where none is known."""
    if reason:
        return TurnedAway(message("{name} has left the table: {reason}", name=name, reason=reason))
    return TurnedAway(message("{name} has left the table", name=name))


LobbyEvent: TypeAlias = (
    CodeShown | LobbyShown | LineSaid | Declined | TurnedAway | Strangers | SpectatorCame | RelayState
)
OnLobbyEvent: TypeAlias = Callable[[LobbyEvent], None]


@dataclass(frozen=True, slots=True)
class SayLine(CheckedFields):
    """Say this to all in the lobby."""

    text: str


@dataclass(frozen=True, slots=True)
class MovePlayer(CheckedFields):
    """Move the player with this key to a seat; the player who sits there takes the other seat (host)."""

    key: bytes
    seat: int


@dataclass(frozen=True, slots=True)
class RemovePlayer(CheckedFields):
    """Remove the player with this key; the key is refused as long as the lobby is open (host)."""

    key: bytes


@dataclass(frozen=True, slots=True)
class StartGame:
    """Begin as soon as all seats are taken (host)."""


@dataclass(frozen=True, slots=True)
class UseRelay:
    """Use the relay that the host's lobby shows, from the next agreement on (joiner)."""


LobbyRequest: TypeAlias = (
    TakeSeat | ChooseColour | SayLine | MovePlayer | RemovePlayer | StartGame | UseRelay | AcceptGame
)


@dataclass(frozen=True, slots=True)
class SeatChoice(CheckedFields):
    """The wishes of a joiner for its first seat, as far as there are any."""

    seat: int | None = None
    team: int | None = None
    colour: str | None = None


ANY_SEAT: Final = SeatChoice()
LobbyRequests: TypeAlias = trio.MemoryReceiveChannel[LobbyRequest]


@dataclass(frozen=True)
class Own:
    """A player's own part of a lobby. ``on_event`` gets every LobbyEvent as it happens.

    By ``addresses``, likeliest first, the other seats reach the ``listeners``, which stay open; a spectator has none.
    ``relay`` is the one that this player uses. Raises ValueError for a name that others cannot be shown.
    """

    credentials: Credentials
    name: str
    randomness: Randomness
    on_event: OnLobbyEvent
    listeners: Sequence[Listener] = ()
    addresses: Sequence[Address] = ()
    relay: Address | None = None
    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        if fault := name_fault(self.name):
            raise ValueError(fault)

    @property
    def key(self) -> bytes:
        return self.credentials.identity.public
