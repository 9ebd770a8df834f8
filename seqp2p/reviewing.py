"""The review of a replay: the chance to win after each turn, and the cost of each move. No I/O.

Theory of operation. A turn is judged by what its seat could know: its own hand and the open table. ``learned`` gives
each action a value, from which ``bots.chance`` makes the chances of all teams after it, before the seat draws. The cost
of a move is the chance after the best action less the chance after the move. What does not end a turn is not judged: an
exchange, and draws, calls and given cards.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from seqp2p.bots.chance import Chances, chances
from seqp2p.bots.learned import Outlook, worth_comparing
from seqp2p.bots.value import Weights
from seqp2p.match.events import Turned
from seqp2p.replay.playback import Playback
from seqp2p.rules import ACTION_ROWS, UNKNOWN, Action, Position, apply, view

COSTLY_MIN: Final = 10
"""In thousandths: a move that costs less is not among the costly ones."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A move. Its chances are those of all teams, by what its seat could know."""

    chances: Chances
    """After the move."""
    best: Action
    """The best action; the move itself if none is better."""
    best_chances: Chances
    """After the best action."""
    cost: int
    """In thousandths, at least 0."""


@dataclass(frozen=True, slots=True)
class Review:
    """The moves of a replay that can be judged."""

    moves: Mapping[int, Judged]
    """By the number of the moment, from 0."""
    closed: tuple[int, ...]
    """The seats with moves that cannot be judged, because their hands are closed. Ascending."""

    def costly(self, most: int) -> tuple[int, ...]:
        """Return the moments of the moves that cost most, the highest cost first."""
        found = [at for at, move in self.moves.items() if move.cost >= COSTLY_MIN]
        return tuple(sorted(found, key=lambda at: -self.moves[at].cost)[:most])


def review(playback: Playback, weights: Weights) -> Review:
    """Judge the moves of a replay. ``weights`` are those of its table."""
    moves, closed = dict[int, Judged](), set[int]()
    for at, (before, moment) in enumerate(pairwise(playback.moments), 1):
        turned, position = moment.what, before.position
        if not isinstance(turned, Turned) or not ACTION_ROWS[turned.action.kind].ends_turn or position is None:
            continue
        if UNKNOWN in position.hands[turned.seat - 1]:
            closed.add(turned.seat)
        else:
            moves[at] = judge(position, turned.action, weights)
    return Review(moves, tuple(sorted(closed)))


def judge(position: Position, action: Action, weights: Weights) -> Judged:
    """Judge a place, a removal or a pass of the seat to move, whose hand is known. Other hands are not read."""
    seen = view(position, position.to_move)
    outlook = Outlook(seen, weights)
    best = max((action, *worth_comparing(seen)), key=outlook.value)

    def after(each: Action) -> Chances:
        return chances(apply(seen.position, each), seen.team, outlook.value(each))

    then, could = after(action), after(best)
    return Judged(then, best, could, could[seen.team - 1] - then[seen.team - 1])
