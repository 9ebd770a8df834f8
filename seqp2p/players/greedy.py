"""``greedy``: looks at the lines through a square, and one action ahead. It never guesses at hidden cards."""

import random
from collections.abc import Iterator

from seqp2p.rules import NO_SQUARE, UNKNOWN, Action, Square, Team, View

FREE: Team = 0
# What a line is worth to its team by the chips it has there already, and to others to be spoilt: each chip more is
# worth several lines with one less, and the last one before a sequence more than anything.
OWN_LINE = (1, 6, 30, 160, 900, 0)
OTHERS_LINE = (0, 4, 24, 140, 800, 0)
# A jack (unicorn, dragon) can go anywhere, so it waits for something that is worth it.
SPECIAL_CARD_PRICE = 150
# Exchanging a dead card costs nothing and brings a card that can be played: before anything but a good move.
EXCHANGE_SCORE = 100


class GreedyBot:
    """Takes the action with the best score by threats made and threats spoilt; ties are drawn by lot."""

    def __init__(self, randomness: random.Random) -> None:
        self._randomness = randomness

    def choose(self, view: View) -> Action:
        """The legal action with the best score."""
        scores = {action: score(view, action) for action in view.legal}
        best = max(scores.values())
        return self._randomness.choice([action for action, value in scores.items() if value == best])


def score(view: View, action: Action) -> int:
    """What an action is worth to the seat that sees this view, in the units of the tables above."""
    if action.kind == "exchange":
        return EXCHANGE_SCORE
    if action.square == NO_SQUARE:
        return 0
    special = {*view.variant.wild, *view.variant.removing}
    price = SPECIAL_CARD_PRICE if action.card in special else 0
    if action.kind == "remove":
        return sum(OTHERS_LINE[chips] for chips in _lines(view, action.square, view.board[action.square])) - price
    own = sum(OWN_LINE[chips] for chips in _lines(view, action.square, view.team))
    spoilt = sum(
        OTHERS_LINE[chips]
        for team in range(1, view.teams + 1)
        if team != view.team
        for chips in _lines(view, action.square, team)
    )
    return own + spoilt - price


def _lines(view: View, square: Square, team: Team) -> Iterator[int]:
    """How many squares a team has of each line through a square that it may still complete, that square left out."""
    grid = view.variant.board.grid
    for line in view.variant.board.lines:
        if square not in line:
            continue
        others = [view.board[other] for other in line if other != square and grid[other] != UNKNOWN]
        if all(chip in (FREE, team) for chip in others):
            corners = len(line) - 1 - len(others)
            yield others.count(team) + corners
