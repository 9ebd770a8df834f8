"""``learned``: the action after which a learned value is highest, one action ahead.

The value is computed in whole numbers from the view alone, so the same view gives the same choice on every machine. An
action changes a few squares, their lines, and the squares of these: only their rows are taken out of the sum and put
back. ``features`` has what they are, ``seqp2p.learning.train`` made the weights.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Final

from seqp2p.bots.features import (
    CATEGORIES,
    CLASSES,
    COMPLETE,
    DEAD,
    MANY,
    NOT_HELD,
    Shape,
    counts,
    line_feature,
    score_state,
    shape,
    square_class,
    square_weights,
)
from seqp2p.bots.value import Weights, shipped, teams_max
from seqp2p.rules import (
    DRAW,
    UNKNOWN,
    Action,
    Card,
    CompletedSequence,
    Position,
    Square,
    Variant,
    View,
    apply,
    team_of,
)

SIDE: Final = MANY**3
"""The count of a square's lines: the own side's, and SIDE times the others'."""

Change = tuple[Square, int]
"""A square and its new state."""


class LearnedBot:
    """Chooses by the learned value. Keeps nothing from turn to turn, and needs no randomness."""

    def __init__(self, weights: Weights | None = None) -> None:
        self._weights = weights

    def choose(self, view: View) -> Action:
        """Return the legal action with the best value."""
        return best_action(view, self._weights)


def best_action(view: View, weights: Weights | None = None, noise: Callable[[], int] = int) -> Action:
    """Return the legal action with the best value, in units of 1/SCALE², and its ``noise``: none without it."""
    if len(view.legal) == 1:
        return view.legal[0]
    if DRAW in view.legal:
        return DRAW
    outlook = Outlook(view, weights or shipped(view.variant, view.teams))
    value, best = max(
        ((outlook.value(action) + noise(), action) for action in worth_comparing(view)), key=itemgetter(0)
    )
    exchanges = [action for action in view.legal if action.kind == "exchange"]
    # After an exchange the turn goes on, with one more card to choose from.
    return exchanges[0] if exchanges and value < WIN_AT_LEAST else best


def worth_comparing(view: View) -> list[Action]:
    """Return the actions that differ, in their order: no wild card where a card of the square can go."""
    special = {*view.variant.wild, *view.variant.removing}
    plain = {action.square for action in view.legal if action.kind == "place" and action.card not in special}
    first = dict[tuple[object, ...], Action]()
    for action in view.legal:
        if action.kind == "exchange":
            continue
        if action.card not in special or action.kind == "give":
            first[action.kind, action.card, action.square] = action
        elif action.square not in plain:
            first.setdefault((action.kind, action.square), action)
    return list(first.values()) or list(view.legal)


WIN: Final = 1 << 60
WIN_AT_LEAST: Final = WIN >> 1
"""The value of a win with noise is higher, every other one lower."""


class _Codes(dict[int, int]):
    """By code of a line: its feature, found when first asked for."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape

    def __missing__(self, code: int) -> int:
        self[code] = feature = line_feature(self._shape, code)
        return feature


class _Pairs(dict[int, int]):
    """By count of a square's lines: its classes for both sides."""

    def __missing__(self, count: int) -> int:
        self[count] = pair = square_class(count % SIDE) * CLASSES + square_class(count // SIDE)
        return pair


@lru_cache(maxsize=8)
def _tables(variant: Variant, teams: int) -> tuple[_Codes, _Pairs, tuple[int, ...]]:
    """Return the lookup tables; the last has by feature of a line what it adds to the counts of its squares."""
    form = shape(variant, teams)
    weights = (square_weights(form, feature) for feature in range(form.features))
    return _Codes(form), _Pairs(), tuple(own + SIDE * theirs for own, theirs in weights)


class Outlook:
    """A seat's position, ready to compare actions."""

    def __init__(self, view: View, weights: Weights) -> None:
        variant = view.variant
        self._view = view
        self._weights = weights
        self._shape = shape(variant, teams_max(variant, view.teams))
        self._grid = variant.board.grid
        self._lines = variant.board.lines
        tables = _tables(self._shape.variant, self._shape.teams)
        self._known, self._pairs, self._adds = tables
        self._hand = Counter(view.hand)
        self._gone = Counter(card for cards in view.discards for card in cards)
        self._table = next(n for n, size in enumerate(variant.sizes) if size.players == view.players)
        self._number = {line: n for n, line in enumerate(self._lines)}
        self._seen = self._states()
        self._closed = self._closed_by(view.sequences)
        self._state = self._score(view.sequences)
        values = self._shape.values
        self._codes = [sum([values[self._seen[s]] for s in line]) for line in self._lines]
        self._rows = weights.rows[self._state]
        self._features = [
            DEAD if closed else self._known[code] for code, closed in zip(self._codes, self._closed, strict=True)
        ]
        self._sums = [sum([self._adds[self._features[n]] for n in at]) for at in self._shape.through]
        self._total = self._board_rows(self._seen, self._features, self._sums, self._rows)
        self._free = sum(state >= self._shape.free(0) for state in self._seen)
        self._dead = [card for card in self._hand if self._is_dead(card)]

    def value(self, action: Action) -> int:
        """Return the value after an action of the seat, in units of 1/SCALE²."""
        if action.kind == "give":
            return self._without(action.card)
        changes = self._changes(action)
        features, codes = dict[int, int](), dict[int, int]()
        values = self._shape.values
        for square, new in changes:
            delta = values[new] - values[self._seen[square]]
            for n in self._shape.through[square]:
                if not self._closed[n]:
                    codes[n] = codes.get(n, self._codes[n]) + delta
        for n, code in codes.items():
            features[n] = self._known[code]
        broken = action.kind == "remove" and any(action.square in each.squares for each in self._view.sequences)
        if broken or COMPLETE in features.values():
            return self._anew(action, changes)
        total = self._total + self._difference(changes, features)
        return self._weights.value(self._state, total + self._count_rows(action, self._rows))

    def _difference(self, changes: Sequence[Change], features: dict[int, int]) -> int:
        """Return the difference that changed squares and lines make to the sum of rows."""
        rows, seen, sums, free = self._rows, self._seen, self._sums, self._shape.free(0)
        total, moved = 0, dict[Square, int]()
        for n, new in features.items():
            old = self._features[n]
            if new != old:
                total += rows[new] - rows[old]
                if delta := self._adds[new] - self._adds[old]:
                    for square in self._lines[n]:
                        moved[square] = moved.get(square, 0) + delta
        now = dict(changes)
        for square in moved.keys() | now.keys():
            before, after = seen[square], now.get(square, seen[square])
            if before >= free:
                total -= rows[self._square(before, sums[square])]
            if after >= free:
                total += rows[self._square(after, sums[square] + moved.get(square, 0))]
        return total

    def _square(self, state: int, count: int) -> int:
        return self._shape.squares_from + self._pairs[count] * CATEGORIES + state - self._shape.free(0)

    def _board_rows(
        self, seen: Sequence[int], features: Sequence[int], sums: Sequence[int], rows: Sequence[int]
    ) -> int:
        free = self._shape.free(0)
        total = sum([rows[feature] for feature in features if feature])
        return total + sum([rows[self._square(state, sums[s])] for s, state in enumerate(seen) if state >= free])

    def _count_rows(self, action: Action, rows: Sequence[int]) -> int:
        """Return the rows of the counts after an action."""
        view, variant, hand = self._view, self._view.variant, self._hand
        wilds, takers = (sum(hand[card] for card in cards) for cards in (variant.wild, variant.removing))
        wilds_unseen, takers_unseen = (
            2 * len(cards) - sum(hand[card] + self._gone[card] for card in cards)
            for cards in (variant.wild, variant.removing)
        )
        card, twin = self._grid[action.square], self._shape.twin[action.square]
        dead, free = sum(hand[each] for each in self._dead), self._free
        full = self._view.board[twin] != 0
        if action.kind == "remove":
            dead, free, takers = dead - (hand[card] if full else 0), free + 1, takers - 1
        elif action.kind == "place":
            plain = action.card not in variant.wild
            dead, free, wilds = dead + (plain and full and hand[card] == 2), free - 1, wilds - (not plain)
        else:  # a card given up
            dead -= action.card in self._dead
            wilds, takers = wilds - (action.card in variant.wild), takers - (action.card in variant.removing)
        places = counts(wilds, takers, wilds_unseen, takers_unseen, dead, self._table, len(view.hand) - 1, free)
        return sum([rows[first + place] for first, place in zip(self._shape.counts_from, places, strict=True)])

    def _changes(self, action: Action) -> list[Change]:
        """Return the new states of the squares that an action changes."""
        form, card, square = self._shape, self._grid[action.square], action.square
        if action.kind == "remove":
            return [(square, self._free_state(card))]
        placed = (square, form.chip(0, fresh=True))
        twin = form.twin[square]
        if action.card != card or self._hand[card] > 1 or twin == square or self._view.board[twin]:
            return [placed]
        return [placed, (twin, self._seen[twin] + NOT_HELD)]

    def _anew(self, action: Action, changes: Iterable[Change]) -> int:
        """Return the value after an action that makes or breaks a sequence."""
        after = apply(self._view.position, action)
        if after.winner == self._view.team:
            return WIN
        seen = self._seen.copy()
        for square, new in changes:
            seen[square] = new
        rows = self._weights.rows[self._score(after.sequences)]
        return self._weights.value(
            self._score(after.sequences), self._sum(seen, after, rows) + self._count_rows(action, rows)
        )

    def _without(self, card: Card) -> int:
        """Return the value without a card of the hand."""
        seen = self._seen.copy()
        if self._hand[card] == 1:
            for square, state in enumerate(seen):
                if self._grid[square] == card and state >= self._shape.free(0):
                    seen[square] += NOT_HELD
        total = self._sum(seen, self._view.position, self._rows)
        return self._weights.value(self._state, total + self._count_rows(Action("give", card), self._rows))

    def _sum(self, seen: Sequence[int], position: Position, rows: Sequence[int]) -> int:
        """Return the rows of a board with these sequences."""
        values, closed = self._shape.values, self._closed_by(position.sequences)
        features = [
            DEAD if closed[n] else self._known[sum([values[seen[s]] for s in line])]
            for n, line in enumerate(self._lines)
        ]
        sums = [sum([self._adds[features[n]] for n in at]) for at in self._shape.through]
        return self._board_rows(seen, features, sums, rows)

    def _states(self) -> list[int]:
        """Return the states of the squares."""
        view, form = self._view, self._shape
        fresh = {
            (cards[-1], team_of(seat, view.teams))
            for seat, cards in enumerate(view.discards, start=1)
            if cards and seat != view.seat
        }
        found = list[int]()
        for square, team in enumerate(view.board):
            card = self._grid[square]
            if team < 0:
                found.append(0)
            elif team:
                found.append(form.chip((team - view.team) % view.teams, fresh=(card, team) in fresh))
            else:
                found.append(self._free_state(card))
        return found

    def _free_state(self, card: Card) -> int:
        held = self._hand[card]
        return self._shape.free((0 if held else NOT_HELD) + 2 - held - self._gone[card])

    def _is_dead(self, card: Card) -> bool:
        if card == UNKNOWN or card in self._view.variant.wild or card in self._view.variant.removing:
            return False
        return all(self._view.board[s] for s, face in enumerate(self._grid) if face == card)

    def _closed_by(self, sequences: Iterable[CompletedSequence]) -> list[bool]:
        closed = [False] * len(self._lines)
        for sequence in sequences:
            for n in self._shape.clash[self._number[sequence.squares]]:
                closed[n] = True
        return closed

    def _score(self, sequences: Iterable[CompletedSequence]) -> int:
        made = Counter(sequence.team for sequence in sequences)
        own = made.pop(self._view.team, 0)
        return score_state(self._shape, own, max(made.values(), default=0))
