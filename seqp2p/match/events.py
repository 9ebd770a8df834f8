"""The events of a match: frozen facts, in order. Seats count from 1.

``plain`` has a row for each event: its name and its fields for scripts and bots. ``cli.events`` has the sentence.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, assert_never

from seqp2p.i18n import message
from seqp2p.rules import ACTION_ROWS, Action, DealerDraw, Variant, format_action


@dataclass(frozen=True, slots=True)
class Seated:
    """All seats agreed to the table and showed their game keys; the dealer is drawn."""

    draw: DealerDraw


@dataclass(frozen=True, slots=True)
class Shuffled:
    """A seat's shuffle is proved. ``number`` counts the ``seats`` of a round of shuffles, ``reshuffle`` the rounds."""

    seat: int
    number: int
    reshuffle: int
    seats: int


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
    """A seat's turn is skipped for good."""

    seat: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """Seats have left the game for good. All cards that are not played are dealt again."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Redealt:
    """Every seat that stays has a new hand."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The game is over: all seats signed the final position, or those that stay are one team."""

    result: "Result"


STOPPED: Final = message("stopped for now")
"""The reason of a result: the player of this seat has stopped, and may come back."""
DROPPED: Final = message("the others have voted to go on without you")
"""The reason of the seat that the others have gone on without."""


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


def plain(event: Event, variant: Variant) -> tuple[str, dict[str, Any]]:  # noqa: C901, PLR0911, PLR0912  # a row each
    """Return an event's name and fields in JSON. The caller fills in ``seconds``: a match knows no time."""
    match event:
        case Seated(draw):
            return "dealer", {"seat": draw.dealer}
        case Shuffled(seat, _, reshuffle):
            return "shuffle", {"seat": seat, "seconds": None, "reshuffle": reshuffle}
        case Dealt():
            return "dealt", {"seconds": None}
        case Turned(turn, seat, action):
            name = "turn" if ACTION_ROWS[action.kind].ends_turn else action.kind
            return name, {"turn": turn, "seat": seat, "action": format_action(variant, action)}
        case Drawn(seat):
            return "drawn", {"seat": seat}
        case Remarked(seat, number, text, courtesy):
            return "remark", {"seat": seat, "number": number, "text": text, "courtesy": courtesy}
        case Voted(seat, number, action, about):
            return "vote", {"seat": seat, "action": action, "seats": sorted(about), "round": number}
        case Undone(step):
            return "undone", {"step": step}
        case Skipped(seat):
            return "skipped", {"seat": seat}
        case Dropped(seats):
            return "dropped", {"seats": sorted(seats)}
        case Redealt():
            return "redeal", {}
        case Finished(result):
            return "over", plain_result(result)
        case _:
            assert_never(event)


def plain_result(result: Result) -> dict[str, Any]:
    """Return a result's fields in JSON."""
    forfeit = result.kind == "forfeit"
    return {
        "result": "unfinished" if forfeit else result.kind,
        "winners": () if forfeit else result.winners,
        "forfeit": result.winners if forfeit else (),
        "reason": str(result.reason) or None,
    }
