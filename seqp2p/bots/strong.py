"""``strong``: deals the hidden cards at random, tries its actions in each of these worlds, keeps the best.

Determinised search: all promising actions are tried in the same worlds, up to the seat's next turn; the worse half of
them is dropped again and again, so most of the work goes into close ones (sequential halving: Karnin, Koren and Somekh,
Almost optimal exploration in multi-armed bandits, ICML 2013). All knowledge comes from the view.

With a number of trials the choice follows from view and randomness, on every machine: all arithmetic is in whole
numbers, and nothing depends on a clock or on the order of a set.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from seqp2p.bots.lookahead import Lookahead
from seqp2p.rules import DRAW, Action, Square, View

Stopwatch: TypeAlias = Callable[[], float]
"""Seconds of a clock with any origin."""

DEFAULT_S: Final = 0.5
TRIALS_MAX: Final = 100_000
"""The most trials for one choice, with any time."""
TURNS_AHEAD_MAX: Final = 3
"""The others' turns are played until the seat's own next one. One wins less with four players, two do with two."""
# Squares to think of for a card that can place a chip anywhere, and chips for one that can take any.
PLACES: Final = 6
TAKINGS: Final = 4
WHOLE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort for a choice: so many trials, or so many seconds by a clock."""

    trials: int = TRIALS_MAX
    seconds: float = 0.0
    """0 for no limit but the trials."""


class StrongBot:
    """Chooses by trying. Keeps nothing from turn to turn."""

    def __init__(self, randomness: random.Random, clock: Stopwatch, effort: Effort) -> None:
        self._randomness = randomness
        self._clock = clock
        self._effort = effort

    def choose(self, view: View) -> Action:
        """Return one of the legal actions, within the effort."""
        begun = self._clock() if self._effort.seconds else 0.0
        if len(view.legal) == 1:
            return view.legal[0]
        if DRAW in view.legal:
            return DRAW
        lookahead = Lookahead(view, self._randomness)
        if view.phase == "penalty":
            return min(view.legal, key=lambda action: lookahead.worth_of_card(action.card))
        for action in view.legal:
            if lookahead.wins(action):
                return action
        for action in view.legal:
            # The turn goes on after it, with one more card to choose from.
            if action.kind == "exchange":
                return action
        return self._search(lookahead, worth_a_thought(lookahead, view), begun)

    def _search(self, lookahead: Lookahead, actions: Sequence[Action], begun: float) -> Action:
        """Return the best of these actions, which are in the order of their first estimates."""
        left, trials = list(actions), 0
        score = dict.fromkeys(left, 0)
        rounds = (len(left) - 1).bit_length()
        turns = min(lookahead.others, TURNS_AHEAD_MAX)
        halvings = [WHOLE * number // rounds for number in range(1, rounds + 1)]
        while len(left) > 1:
            world, scores = lookahead.world(), list[int]()
            for action in left:
                scores.append(lookahead.play(action, world, turns))
                trials += 1
                if self._spent(trials, begun) >= WHOLE:
                    break
            if len(scores) == len(left):
                # A world counts only after all actions have been tried in it.
                for action, value in zip(left, scores, strict=True):
                    score[action] += value
            while halvings and self._spent(trials, begun) >= halvings[0]:
                del halvings[0]
                left = sorted(left, key=lambda action: -score[action])[: (len(left) + 1) // 2]
        return left[0]

    def _spent(self, trials: int, begun: float) -> int:
        """Return the spent effort, of WHOLE."""
        spent = WHOLE * trials // self._effort.trials
        if self._effort.seconds:
            spent = max(spent, int(WHOLE * (self._clock() - begun) / self._effort.seconds))
        return spent


def worth_a_thought(lookahead: Lookahead, view: View) -> list[Action]:
    """Return the actions to try, by their first estimates: only a few of those that can go anywhere."""
    wild, squares = set(view.variant.wild), set[Square]()
    plain = [action for action in view.legal if action.kind == "place" and action.card not in wild]
    squares.update(action.square for action in plain)

    def by_worth(actions: Iterable[Action]) -> list[Action]:
        return sorted(actions, key=lambda action: -lookahead.worth(action))

    def one_each(actions: Iterable[Action], besides: set[Square]) -> list[Action]:
        """Return the first action on each square, by worth."""
        first = {action.square: action for action in reversed(list(actions)) if action.square not in besides}
        return by_worth(first[square] for square in sorted(first))

    places = one_each((a for a in view.legal if a.kind == "place" and a.card in wild), squares)
    takings = one_each((a for a in view.legal if a.kind == "remove"), set())
    return by_worth([*plain, *places[:PLACES], *takings[:TAKINGS]])
