"""The actions of a seat in its turn, as plain values.

An Action need not be legal; ``apply`` judges it. Actions with an ``ends`` part name the line of each new sequence by
its two end squares.
"""

from typing import Final, Literal, NamedTuple, TypeAlias

from seqp2p.rules.variant import UNKNOWN, Card, SeatNumber, Square

NO_SQUARE: Final = -1

ActionKind: TypeAlias = Literal["place", "remove", "exchange", "pass", "draw", "end", "waive", "call", "give"]
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


PASS: Final = Action("pass")
DRAW: Final = Action("draw")
"""Manual draw: a card for the one just played, or for the one played in the seat's last turn."""
END: Final = Action("end")
"""Manual draw: the turn ends without a draw."""
WAIVE: Final = Action("waive")
"""Manual draw: an owed draw is lost."""


def place(card: Card, square: Square, ends: tuple[Ends, ...] = ()) -> Action:
    """Place a chip on a square, with a card of that square or a wild one."""
    return Action("place", card, square, tuple(sorted(ends)))


def remove(card: Card, square: Square) -> Action:
    """Take an opponent's chip off a square."""
    return Action("remove", card, square)


def exchange(card: Card) -> Action:
    """Exchange a dead card for a new one; the turn goes on."""
    return Action("exchange", card)


def call(seat: SeatNumber) -> Action:
    """Call the talk of an opponent; its team gives up cards."""
    return Action("call", seat=seat)


def give(card: Card) -> Action:
    """Give up a card for the talk of one's team."""
    return Action("give", card)
