"""``strong``: deals the hidden cards, tries its best actions in each of these worlds, and keeps the best.

Determinised search: the actions with the best learned values are tried in the same worlds, up to the seat's next turn;
the worse half of them is dropped again and again, so most of the work goes into close ones (sequential halving: Karnin,
Koren and Somekh, Almost optimal exploration in multi-armed bandits, ICML 2013). The learned value itself counts as some
worlds, so a few trials do no harm. All knowledge comes from the view.

With a number of trials the choice follows from view and randomness, on every machine: all arithmetic is in whole
numbers, and nothing depends on a clock or on the order of a set.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from seqp2p.bots.learned import WIN_AT_LEAST, worth_comparing
from seqp2p.bots.lookahead import Lookahead
from seqp2p.bots.value import shipped
from seqp2p.rules import DRAW, Action, View

Stopwatch: TypeAlias = Callable[[], float]
"""Seconds of a clock with any origin."""

DEFAULT_S: Final = 0.5
TRIALS_MAX: Final = 100_000
"""The most trials for one choice, with any time."""
TRIAL_S: Final = 0.0006
"""About the time of a trial with two players, for people who wait."""
TRIED: Final = 6
"""The actions that are tried."""
PRIOR_WORLDS: Final = 5
"""The worlds that the learned value counts for, for each other seat that takes a turn: with more of them, worlds differ
more."""
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
        return self.ranking(view)[0]

    def ranking(self, view: View) -> Sequence[Action]:
        """Return the best action, and after it others that were thought of, the better ones first."""
        begun = self._clock() if self._effort.seconds else 0.0
        if len(view.legal) == 1:
            return view.legal
        if DRAW in view.legal:
            return (DRAW,)
        lookahead = Lookahead(view, shipped(view.variant, view.teams), self._randomness)
        value = {action: lookahead.outlook.value(action) for action in worth_comparing(view)}
        ranked = sorted(value, key=lambda action: -value[action])
        exchanges = [action for action in view.legal if action.kind == "exchange"]
        if value[ranked[0]] >= WIN_AT_LEAST or view.phase == "penalty":
            return ranked
        # After an exchange the turn goes on, with one more card to choose from.
        return exchanges or self._search(lookahead, ranked[:TRIED], begun)

    def _search(self, lookahead: Lookahead, actions: Sequence[Action], begun: float) -> Sequence[Action]:
        """Return these actions, which are in the order of their first estimates, the best first."""
        left, dropped, trials = list(actions), list[Action](), 0
        score = {action: PRIOR_WORLDS * len(lookahead.others) * lookahead.prior(action) for action in left}
        rounds = (len(left) - 1).bit_length()
        halvings = [WHOLE * number // rounds for number in range(1, rounds + 1)]
        while len(left) > 1:
            world, scores = lookahead.world(), list[int]()
            for action in left:
                scores.append(lookahead.play(action, world))
                trials += 1
                if self._spent(trials, begun) >= WHOLE:
                    break
            if len(scores) == len(left):
                # A world counts only after all actions have been tried in it.
                for action, chance in zip(left, scores, strict=True):
                    score[action] += chance
            while halvings and self._spent(trials, begun) >= halvings[0]:
                del halvings[0]
                left.sort(key=lambda action: -score[action])
                half = (len(left) + 1) // 2
                left, dropped = left[:half], left[half:] + dropped
        return left + dropped

    def _spent(self, trials: int, begun: float) -> int:
        """Return the spent effort, of WHOLE."""
        spent = WHOLE * trials // self._effort.trials
        if self._effort.seconds:
            spent = max(spent, int(WHOLE * (self._clock() - begun) / self._effort.seconds))
        return spent
