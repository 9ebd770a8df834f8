"""The actions of a seat in its turn, as plain values; and the refusals of the rules.

An Action need not be legal; ``apply`` judges it. Actions with an ``ends`` part name the line of each new sequence by
its two end squares.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias, assert_never, get_args

from seqp2p.arguments import check_arguments
from seqp2p.rules.variant import UNKNOWN, Card, SeatNumber, Square


class RulesError(ValueError):
    """A violation of the rules. The message is one sentence that a player understands."""


class NotationError(RulesError):
    """A text that is no card, square, action or position."""


class IllegalAction(RulesError):
    """An action that can be written down, but that the rules forbid in this position."""


class AmbiguousAction(RulesError):
    """An action that names two sequences where only one can count."""


NO_SQUARE: Final = -1

ActionKind: TypeAlias = Literal["place", "remove", "exchange", "pass", "draw", "end", "waive", "call", "give"]


@dataclass(frozen=True, slots=True)
class ActionRow:
    """The properties of a kind of action, for notation, match, events and replays."""

    text: str  # the form of its text: for a kind without a card its one word, or the word for {seat}, {card}, {square}
    shows: Literal["nothing", "card", "hand"] = "nothing"
    """The cards that its seat shows: none, the one that goes to the discards, or the whole hand."""
    ends_turn: bool = False  # True for the kinds that complete a turn
    moves_chip: bool = False  # True for the kinds that put or take a chip


def _row(kind: ActionKind) -> ActionRow:  # noqa: PLR0911  # a row for each kind
    match kind:
        case "place":
            return ActionRow("{card} {square}", "card", ends_turn=True, moves_chip=True)
        case "remove":
            return ActionRow("{card} x{square}", "card", ends_turn=True, moves_chip=True)
        case "exchange":
            return ActionRow("{card} dead", "card")
        case "give":
            return ActionRow("{card} given", "card")
        case "call":
            return ActionRow("call {seat}")
        case "pass":
            return ActionRow("pass", "hand", ends_turn=True)
        case "draw" | "end" | "waive":
            return ActionRow(kind)
        case _:
            assert_never(kind)


ACTION_ROWS: Final[Mapping[ActionKind, ActionRow]] = MappingProxyType(
    {kind: _row(kind) for kind in get_args(ActionKind)}
)

Ends: TypeAlias = tuple[Square, Square]
"""The two end squares of a line of sequence length, in reading order."""


class Action(NamedTuple):
    """One action of the seat to move. ``notation`` has its text form."""

    kind: ActionKind
    card: Card = UNKNOWN
    square: Square = NO_SQUARE
    ends: tuple[Ends, ...] = ()
    """The sequences that the mover names if a chip makes more than fit; ascending, and nearly always empty."""
    seat: SeatNumber = 0
    """The seat whose talk is called, 0 in all other actions."""

    def __str__(self) -> str:
        """The text if it names no card. Actions of positions and of ``parse_action`` know the names: ``QH e5``."""
        row = ACTION_ROWS.get(self.kind)
        return repr(self) if row is None or "{card}" in row.text else row.text.format(seat=self.seat)


PASS: Final = Action("pass")
DRAW: Final = Action("draw")
"""Manual draw: a card for the one just played, or for the one played in the seat's last turn."""
END: Final = Action("end")
"""Manual draw: the turn ends without a draw."""
WAIVE: Final = Action("waive")
"""Manual draw: an owed draw is lost."""


@check_arguments
def place(card: Card, square: Square, ends: tuple[Ends, ...] = ()) -> Action:
    """Place a chip on a square, with a card of that square or a wild one."""
    return Action("place", card, square, tuple(sorted(ends)))


@check_arguments
def remove(card: Card, square: Square) -> Action:
    """Take an opponent's chip off a square."""
    return Action("remove", card, square)


@check_arguments
def exchange(card: Card) -> Action:
    """Exchange a dead card for a new one; the turn goes on."""
    return Action("exchange", card)


@check_arguments
def call(seat: SeatNumber) -> Action:
    """Call the talk of an opponent; its team gives up cards."""
    return Action("call", seat=seat)


@check_arguments
def give(card: Card) -> Action:
    """Give up a card for the talk of one's team."""
    return Action("give", card)
