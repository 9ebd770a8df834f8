"""The events of a match: frozen facts, in order. Seats count from 1."""

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
    """A seat has a new card, which the others do not know."""

    seat: int


@dataclass(frozen=True, slots=True)
class Remarked:
    """A seat made a remark; ``number`` counts its remarks. A courtesy is one of the preset ones."""

    seat: int
    number: int
    text: str
    courtesy: bool


@dataclass(frozen=True, slots=True)
class Voted:
    """A seat votes to close the open step without its contributor; ``about`` are the seats it would skip or drop."""

    seat: int
    round: int
    action: Literal["skip", "drop"]
    about: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Undone:
    """The closed steps from this one on, which were not final, are undone: another closing of this step stands."""

    step: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A seat's turn passes on without it; that is final."""

    seat: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """Seats have left the game for good; that is final. All cards that are not played are dealt again."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Redealt:
    """Every seat that stays has a new hand."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The game is over: all seats signed the final position, or those that stay are one team."""

    result: "Result"


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game. ``winners`` are seats; ``reason`` is the reason why it was not played out, else it is empty.

    ``forfeit``: the seats that stay have won, because the others left or are proved to have cheated.
    """

    kind: Literal["won", "drawn", "forfeit", "unfinished"]
    winners: tuple[int, ...] = ()
    reason: str = ""


Event: TypeAlias = (
    Seated | Shuffled | Dealt | Turned | Drawn | Remarked | Voted | Undone | Skipped | Dropped | Redealt | Finished
)
