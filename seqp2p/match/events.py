"""What a match tells: frozen facts, in the order in which they became so. Seats count from 1."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from seqp2p.rules import Action, DealerDraw


@dataclass(frozen=True, slots=True)
class Seated:
    """All seats agreed to the table and showed their game keys; the dealer is drawn."""

    draw: DealerDraw


@dataclass(frozen=True, slots=True)
class Shuffled:
    """A seat's shuffle is proved. ``number`` counts the seats of this round of shuffles, ``reshuffle`` the rounds."""

    seat: int
    number: int
    reshuffle: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """Every hand is dealt."""


@dataclass(frozen=True, slots=True)
class Turned:
    """A seat took an action. ``turn`` is the number of the turn it belongs to; an exchange is part of its turn."""

    turn: int
    seat: int
    action: Action


@dataclass(frozen=True, slots=True)
class Drawn:
    """A seat has its new card; which one, the others do not know."""

    seat: int


@dataclass(frozen=True, slots=True)
class Remarked:
    """A seat said something; ``number`` counts its remarks. A courtesy is one of the preset ones."""

    seat: int
    number: int
    text: str
    courtesy: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """All seats signed the final position."""

    result: "Result"


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. ``winners`` are seats; ``reason`` says in words why it is unfinished, else it is empty."""

    kind: Literal["won", "drawn", "unfinished"]
    winners: tuple[int, ...] = ()
    reason: str = ""


Event: TypeAlias = Seated | Shuffled | Dealt | Turned | Drawn | Remarked | Finished
