"""A move that a person prepares while others play. It is kept in memory only, and never draws."""

from dataclasses import dataclass, replace

from seqp2p.rules import NO_SQUARE, Action, CompletedSequence, SeatNumber, Team, View, legal_actions
from seqp2p.ui.language import t


@dataclass(frozen=True, slots=True)
class PreparedMove:
    """An action with a square, and all that it depends on: the chip on the square, and every completed sequence."""

    action: Action
    chip: Team
    sequences: tuple[CompletedSequence, ...]

    @classmethod
    def of(cls, seen: View, action: Action) -> "PreparedMove | None":
        """Return the move if it would be legal now in the seat's turn; None for another, and for one without a square.

        ``seen`` is of ``in_own_turn``.
        """
        if action.square == NO_SQUARE or action._replace(ends=()) not in seen.legal:
            return None
        return cls(action, seen.board[action.square], seen.sequences)

    def fault(self, seen: View, shown: str) -> str | None:
        """Return why it is not sent in this turn of the seat; None if it is. ``shown`` is the action for the reader."""
        if seen.board[self.action.square] != self.chip:
            return t("{action} is taken back: its square has changed since", action=shown)
        if seen.sequences != self.sequences:
            return t("{action} is taken back: a sequence was made or broken since", action=shown)
        if self.action._replace(ends=()) not in seen.legal:
            return t("{action} is taken back: it is not possible any more", action=shown)
        return None


def in_own_turn(seen: View, own: SeatNumber) -> View:
    """Return the view with the actions that the seat would have in its turn."""
    position = seen.position._replace(to_move=own, pending=None, exchanged=0)
    return replace(seen, legal=legal_actions(position))
