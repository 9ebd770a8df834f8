"""``strong``: deals the hidden cards, tries its best actions in each of these worlds, and keeps the best.

Determinised search: the actions with the best learned values are tried in the same worlds, up to the seat's next turn;
the worse half of them is dropped again and again, so most of the work goes into close ones (sequential halving: Karnin,
Koren and Somekh, Almost optimal exploration in multi-armed bandits, ICML 2013). The learned value itself counts as some
worlds, so a few trials do no harm. All knowledge comes from the view.

With a number of trials the choice follows from view and randomness, on every machine: all arithmetic is in whole
numbers, and nothing depends on a clock or on the order of a set.

A trial plays on from a possible position for one turn of the next seats; the learned value judges its end.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from seqp2p.bots.features import MANY
from seqp2p.bots.learned import SIDE, WIN_AT_LEAST, Event, Outlook, worth_comparing
from seqp2p.bots.value import CERTAIN, Weights, chance, shipped
from seqp2p.rules import DRAW, UNKNOWN, Action, Card, SeatNumber, Square, View, team_of

TURNS_AHEAD_MAX: Final = 3
"""The others' turns are played until the seat's own next one, or so many."""
BREADTH: Final = 4
"""The actions that a seat thinks of in a later turn."""
# The worth of a chip by the chips that a line lacks, one, two or three: an own line, another's that it spoils.
OWN_LINE: Final = (900, 160, 30)
OTHERS_LINE: Final = (800, 140, 24)
URGENT: Final = 800
"""A square or chip of less worth waits for a card of its own, not for a jack."""
KEPT_ONE_IN: Final = 4
"""A card that a seat would rather have played stays in its dealt hand so rarely."""
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
Stopwatch: TypeAlias = Callable[[], float]
"""Seconds of a clock with any origin."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort for a choice: so many trials, or so many seconds by a clock."""

    trials: int = TRIALS_MAX
    seconds: float = 0.0
    """0 for no limit but the trials."""


class World:
    """A possible deal of the hidden cards."""

    def __init__(self, hands: Sequence[tuple[Card, ...]], drawn: Card) -> None:
        self.hands = hands
        """In seat order."""
        self.drawn = drawn
        """The card that the seat draws; UNKNOWN if there is none."""
        self.outlooks = dict[SeatNumber, Outlook]()
        """The other seats' views, by those that were asked for."""


class Lookahead:
    """The future of a seat's position."""

    def __init__(self, view: View, weights: Weights, randomness: random.Random) -> None:
        self._view = view
        self._weights = weights
        self._randomness = randomness
        self.outlook: Final = Outlook(view, weights)
        self._after = dict[Action, Outlook]()
        hidden, discards = list(view.variant.deck), [card for cards in view.discards for card in cards]
        for card in (*view.hand, *discards):
            hidden.remove(card)
        self.hidden: Final = hidden
        self._discards = discards
        seats = [(view.seat + n - 1) % view.players + 1 for n in range(1, view.players)]
        self._seats = [seat for seat in seats if view.hand_sizes[seat - 1]]
        self.others: Final = self._seats[:TURNS_AHEAD_MAX]
        """The other seats that take a turn, in order."""
        self._unlikely = self._cards_passed_over()

    def prior(self, action: Action) -> int:
        """Return the chance to win by the learned value alone, in units of 1/CERTAIN."""
        return chance(self.outlook.value(action))

    def world(self) -> World:
        hidden, view = shuffled(self.hidden, self._randomness), self._view
        hands = list[tuple[Card, ...]]([()] * view.players)
        hands[view.seat - 1] = view.hand
        for seat in self._seats:
            hands[seat - 1] = self._deal(hidden, view.hand_sizes[seat - 1], self._unlikely[seat])
        left = hidden or self._discards
        return World(hands, left[self._randomness.getrandbits(32) * len(left) >> 32] if left else UNKNOWN)

    def play(self, action: Action, world: World) -> int:
        """Return the chance to win, in units of 1/CERTAIN, of an action after a turn of the next seats."""
        if action not in self._after:
            self._after[action] = self.outlook.after([(self._view.seat, action)])
        events: list[Event] = [(self._view.seat, action)]
        for seat in self.others:
            found = best_later(self._outlook_of(seat, world).after(events))
            if found is None:
                continue
            value, chosen = found
            if value >= WIN_AT_LEAST:
                return CERTAIN if team_of(seat, self._view.teams) == self._view.team else 0
            events.append((seat, chosen))
        found = best_later(self._after[action].after(events[1:], world.drawn))
        return self.prior(action) if found is None else chance(found[0])

    def _outlook_of(self, seat: SeatNumber, world: World) -> Outlook:
        if seat not in world.outlooks:
            team = team_of(seat, self._view.teams)
            seen = replace(self._view, seat=seat, team=team, hand=world.hands[seat - 1])
            world.outlooks[seat] = Outlook(seen, self._weights)
        return world.outlooks[seat]

    def _deal(self, hidden: list[Card], size: int, unlikely: frozenset[Card]) -> tuple[Card, ...]:
        """Take a hand off the end of the shuffled cards. The first card of a hand was drawn after the last turn."""
        hand, put_back = list[Card](), list[Card]()
        while hidden and len(hand) < size:
            card = hidden.pop()
            if hand and card in unlikely and self._randomness.getrandbits(32) * KEPT_ONE_IN >> 32:
                put_back.append(card)
            else:
                hand.append(card)
        while len(hand) < size:
            hand.append(put_back.pop())
        hidden[:0] = put_back
        return tuple(hand)

    def _cards_passed_over(self) -> dict[SeatNumber, frozenset[Card]]:
        """Return by seat the cards with a better square than that of its last chip, on the board before it."""
        view, board, found = self._view, list(self._view.board), dict[SeatNumber, frozenset[Card]]()
        for seat in reversed(self._seats):
            found[seat] = frozenset()
            team, discards = team_of(seat, view.teams), view.discards[seat - 1]
            placed = [s for s in self.outlook.tables.spots[discards[-1]] if board[s] == team] if discards else []
            if len(placed) != 1 or placed[0] in view.protected:
                continue
            board[placed[0]] = 0
            seen = replace(view, seat=seat, team=team, hand=(), board=tuple(board))
            before = Outlook(seen, self._weights)
            worth = [_WORTH[before.lines_through(s)] if before.is_free(s) else -1 for s in range(len(board))]
            played = worth[placed[0]]
            found[seat] = frozenset(
                card for card in set(self.hidden) if any(worth[s] > played for s in before.tables.spots[card])
            )
        return found


class StrongBot:
    """Chooses by trying. Keeps nothing from turn to turn."""

    def __init__(self, randomness: random.Random, clock: Stopwatch, effort: Effort) -> None:
        self._randomness = randomness
        self._clock = clock
        self._effort = effort

    def choose(self, view: View) -> Action:
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


def best_later(outlook: Outlook) -> tuple[int, Action] | None:
    """Return a good action of a seat in a later turn, after its value; None where it has none."""
    found = list[tuple[int, Square, Card, bool]]()
    for card, count in outlook.hand.items():
        if count <= 0 or card == UNKNOWN:
            continue
        if card in outlook.variant.wild:
            found += _anywhere(outlook, card)
        elif card in outlook.variant.removing:
            found += [(URGENT, square, card, True) for square in outlook.urgent_chips()]
        else:
            spots = outlook.tables.spots[card]
            found += [(_WORTH[outlook.lines_through(s)], s, card, False) for s in spots if outlook.is_free(s)]
    found.sort(reverse=True)
    actions = [Action("remove" if takes else "place", card, square) for _, square, card, takes in found[:BREADTH]]
    values = [(outlook.value(action), action) for action in actions]
    return max(values, key=lambda each: each[0], default=None)


def shuffled(cards: Sequence[Card], randomness: random.Random) -> list[Card]:
    """Return the cards in random order, by whole numbers: the same everywhere for the same randomness."""
    order, bits = list(cards), randomness.getrandbits
    for at in range(len(order) - 1, 0, -1):
        other = bits(32) * (at + 1) >> 32
        order[at], order[other] = order[other], order[at]
    return order


def _anywhere(outlook: Outlook, card: Card) -> list[tuple[int, Square, Card, bool]]:
    """Return the urgent squares for a card that can go anywhere; the best one where none is urgent."""
    squares = range(len(outlook.seen))
    all_of = sorted(((_WORTH[outlook.lines_through(s)], s) for s in squares if outlook.is_free(s)), reverse=True)
    urgent = [(worth, square, card, False) for worth, square in all_of[:BREADTH] if worth >= URGENT]
    return urgent or [(0, square, card, False) for _, square in all_of[:1]]


class _Worth(dict[int, int]):
    """By count of a square's lines: the worth of a chip there."""

    def __missing__(self, count: int) -> int:
        worth = 0
        for lines, (one, two, three) in ((count % SIDE, OWN_LINE), (count // SIDE, OTHERS_LINE)):
            worth += lines // (MANY * MANY) * one + lines // MANY % MANY * two + lines % MANY * three
        self[count] = worth
        return worth


_WORTH: Final = _Worth()
