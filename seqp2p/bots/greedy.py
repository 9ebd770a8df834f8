"""``greedy``: the action with the best score by threats made and threats spoilt.

A board can come to a state in which no line is open for anybody. The sheets know no stalemate, and seats that block
each other then go on for thousands of turns. So late in a game, where few games come to, bots only build: they take the
others' chips out of lines of their own, and block no more.
"""

import random
from collections.abc import Iterator

from seqp2p.bots.features import shape
from seqp2p.rules import NO_SQUARE, Action, Square, Team, View, apply

FREE: Team = 0
# The worth of a line by the chips that its team still needs to complete it, before the action: to that team to have
# one less to go, and to the others to have it spoilt. The last chip is worth more than several lines with two to go.
FAR = (0,) * 10
OWN_LINE = (0, 900, 160, 30, 6, 1, *FAR)
OTHERS_LINE = (0, 800, 140, 24, 4, *FAR)
WIN_SCORE = 1_000_000
# A jack (unicorn, dragon) can go anywhere, so it waits for a good move.
SPECIAL_CARD_PRICE = 150
# Exchanging a dead card costs nothing and brings a card that can be played: before anything but a good move.
EXCHANGE_SCORE = 100


class GreedyBot:
    """Takes the action with the best score by threats made and threats spoilt; ties are drawn at random."""

    def __init__(self, randomness: random.Random) -> None:
        self._randomness = randomness

    def choose(self, view: View) -> Action:
        scores = {action: score(view, action) for action in view.legal}
        best = max(scores.values())
        return self._randomness.choice([action for action, value in scores.items() if value == best])


def score(view: View, action: Action) -> int:
    """Return the worth of an action to the seat of this view, in the units of the tables above."""
    if action.kind == "exchange":
        return EXCHANGE_SCORE
    if action.square == NO_SQUARE:
        return 0
    is_special, late = action.card in {*view.variant.wild, *view.variant.removing}, only_builds(view)
    price = SPECIAL_CARD_PRICE if is_special and not late else 0
    if action.kind == "place" and apply(view.position, action).winner == view.team:
        return WIN_SCORE - price
    own = sum(OWN_LINE[1 + missing] for missing in _lines(view, action.square, view.team, taking=late))
    return own + (0 if late else _spoilt(view, action)) - price


def only_builds(view: View) -> bool:
    """Return True late in a game: after three turns for four squares of the board."""
    return 4 * view.turn >= 3 * len(view.board)


def _spoilt(view: View, action: Action) -> int:
    """Return the worth of the others' lines that an action spoils; of several other teams, the mean."""
    if action.kind == "remove":  # The line has the taken chip.
        return sum(OTHERS_LINE[missing] for missing in _lines(view, action.square, view.board[action.square]))
    others = (team for team in range(1, view.teams + 1) if team != view.team)
    lines = (missing for team in others for missing in _lines(view, action.square, team))
    return sum(OTHERS_LINE[1 + missing] for missing in lines) // (view.teams - 1)


def _lines(view: View, square: Square, team: Team, *, taking: bool = False) -> Iterator[int]:
    """Yield for each line through a square that a team may still complete the chips that it lacks on the other squares.

    A line with more than one chip in a sequence of the team cannot become another. With ``taking`` the others' chips
    that can be taken count as two that it lacks.
    """
    corners = frozenset(view.variant.board.corners)
    made = [set(sequence.squares) - corners for sequence in view.sequences if sequence.team == team]
    for line in (view.variant.board.lines[n] for n in shape(view.variant, view.teams).through[square]):
        if any(len(sequence.intersection(line)) > 1 for sequence in made):
            continue
        others = [other for other in line if other != square and other not in corners and view.board[other] != team]
        if all(view.board[other] == FREE or (taking and other not in view.protected) for other in others):
            yield sum(1 if view.board[other] == FREE else 2 for other in others)
