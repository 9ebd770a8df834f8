"""Requests of the player in a lobby, the host or a joiner. They come as values through a channel.

Those that a joiner may send as they are, are the messages themselves (net/messages.py).
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import trio

from seqp2p.net.messages import AcceptGame, ChooseColour, TakeSeat


@dataclass(frozen=True, slots=True)
class SayLine:
    """Say this to all in the lobby."""

    text: str


@dataclass(frozen=True, slots=True)
class MovePlayer:
    """Move the player with this key to a seat; the player who sits there takes the other seat (host)."""

    key: bytes
    seat: int


@dataclass(frozen=True, slots=True)
class RemovePlayer:
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
class SeatChoice:
    """The wishes of a joiner for its first seat, as far as there are any."""

    seat: int | None = None
    team: int | None = None
    colour: str | None = None


ANY_SEAT: Final = SeatChoice()
LobbyRequests: TypeAlias = trio.MemoryReceiveChannel[LobbyRequest]
