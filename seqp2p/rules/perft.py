"""Perft: the number of sequences of legal actions from a position, the usual test of an engine.

``protocol/perft`` has positions with their counts, and protocol/README.md its form.
"""

from seqp2p.rules.actions import Action
from seqp2p.rules.engine import apply, legal_actions, new_pile
from seqp2p.rules.position import Position
from seqp2p.rules.variant import UNKNOWN, Card


def perft(position: Position, pile: tuple[Card, ...], plies: int) -> int:
    """Return the number of sequences of so many legal actions (at least 1), with a known pile: see ``apply_known``.

    >>> from seqp2p.rules import KIDS, Options, start
    >>> position = start(KIDS, 2, 2, Options(), 1, [KIDS.deck[:3], KIDS.deck[3:6]])
    >>> [perft(position, KIDS.deck[6:], plies) for plies in (1, 2, 3)]
    [6, 36, 216]
    """
    actions = legal_actions(position)
    if plies == 1:
        return len(actions)
    return sum(perft(*apply_known(position, pile, action), plies - 1) for action in actions)


def apply_known(position: Position, pile: tuple[Card, ...], action: Action) -> tuple[Position, tuple[Card, ...]]:
    """Return position and pile after an action of the seat to move; the first card of the pile is the next one drawn.

    If the pile is empty and a card is drawn, the discards become the pile in the order of ``new_pile``. Raises
    IllegalAction or AmbiguousAction.
    """
    source = pile or new_pile(position, action)
    after = apply(position, action, source[0] if source else UNKNOWN)
    return after, source[1:] if after.draws > position.draws else pile
