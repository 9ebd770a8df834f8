"""The review of a replay: the chance to win after each turn, and the cost of each move. No I/O.

Theory of operation. A move is judged by what its seat could know: its own hand and the open table. ``learned`` gives
each action a value, which is a logit. The cost of a move is the chance after the best action less the chance after the
move, before the seat draws. What does not end a turn is not judged: an exchange, and draws, calls and given cards.
The chances of all teams after a turn are another thing: they are by all hands (``bots.chance``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from seqp2p.bots.chance import Chances, chances, own_chance
from seqp2p.bots.learned import Outlook, worth_comparing
from seqp2p.bots.value import Weights
from seqp2p.match.events import Turned
from seqp2p.replay.playback import Playback
from seqp2p.rules import ACTION_ROWS, UNKNOWN, Action, Position, view

COSTLY_MIN: Final = 10
"""In thousandths: a move that costs less is not among the costly ones."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A move. All but ``chances`` is by what its seat could know. Chances and costs are in thousandths."""

    chances: Chances
    """Of all teams, by all hands, after the move; empty if a hand is closed."""
    chance: int
    """Of the own team, after the move."""
    best: Action
    """The best action; the move itself if none is better."""
    best_chance: int
    """Of the own team, after the best action."""

    @property
    def cost(self) -> int:
        """At least 0: the best action may be best for another reason than its value."""
        return max(0, self.best_chance - self.chance)


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
        turned, position, after = moment.what, before.position, moment.position
        if not isinstance(turned, Turned) or not ACTION_ROWS[turned.action.kind].ends_turn or position is None:
            continue
        assert after is not None, "a turn has a position"
        if UNKNOWN in position.hands[turned.seat - 1]:
            closed.add(turned.seat)
        else:
            moves[at] = judge(position, turned.action, after, weights)
    return Review(moves, tuple(sorted(closed)))


def judge(position: Position, action: Action, after: Position, weights: Weights) -> Judged:
    """Judge a place, a removal or a pass of the seat to move, whose hand is known."""
    seen = view(position, position.to_move)
    outlook = Outlook(seen, weights)
    best = max((action, *worth_comparing(seen)), key=outlook.worth)
    chance, best_chance = (own_chance(outlook.value(each)) for each in (action, best))
    # The card that is drawn after a reshuffle is not known yet: without it the hand is that before the draw.
    own = tuple(card for card in after.hands[seen.seat - 1] if card != UNKNOWN)
    after = after._replace(hands=(*after.hands[: seen.seat - 1], own, *after.hands[seen.seat :]))
    is_open = not any(UNKNOWN in after.hands[seat - 1] for seat in after.staying)
    return Judged(chances(after, weights) if is_open else (), chance, best, best_chance)
