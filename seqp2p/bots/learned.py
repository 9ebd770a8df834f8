"""``learned``: the action after which a learned value is highest, one action ahead.

The value is computed in whole numbers from the view alone, so the same view gives the same choice on every machine. An
action changes a few squares, their lines, and the squares of these: only their rows are taken out of the sum and put
back. ``features`` has what they are, ``tools.train`` made the weights.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, TypeAlias

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
from seqp2p.bots.greedy import only_builds, score
from seqp2p.bots.value import Weights, shipped, teams_max
from seqp2p.rules import DRAW, UNKNOWN, Action, Card, Line, Square, Variant, View

SIDE: Final = MANY**3
"""The count of a square's lines: the own side's, and SIDE times the others'."""
WIN: Final = 1 << 60
WIN_AT_LEAST: Final = WIN >> 1
"""The value of a win with noise is higher, every other one lower."""
COMPLETED: Final = 1 << 19
"""Half a logit: a sequence completed with a card of its square is worth more than its learned value (docs/bots.md)."""
COMPLETED_WILD: Final = 1 << 17
"""The same for a sequence completed with a wild card."""

Change: TypeAlias = tuple[Square, int]
"""A square and its new state."""


class LearnedBot:
    """Chooses by the learned value. Keeps nothing from turn to turn, and needs no randomness."""

    def __init__(self, weights: Weights | None = None) -> None:
        self._weights = weights

    def choose(self, view: View) -> Action:
        return ranking(view, self._weights)[0]


def ranking(view: View, weights: Weights | None = None, noise: Callable[[], int] = int) -> Sequence[Action]:
    """Return the legal action of most worth, and after it others, the better ones first.

    Their worth is in units of 1/SCALE². A ``noise`` is added to each: none without it.
    """
    if len(view.legal) == 1:
        return view.legal
    if DRAW in view.legal:
        return (DRAW,)
    if only_builds(view):
        return sorted(view.legal, key=partial(score, view), reverse=True)
    outlook = Outlook(view, weights or shipped(view.variant, view.teams))
    worth = {action: outlook.worth(action) + noise() for action in worth_comparing(view)}
    ranked = sorted(worth, key=worth.__getitem__, reverse=True)
    exchanges = [action for action in view.legal if action.kind == "exchange"]
    # After an exchange the turn goes on, with one more card to choose from.
    return exchanges if exchanges and worth[ranked[0]] < WIN_AT_LEAST else ranked


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


class _Found(dict[int, int]):
    """Features by what they are of, each found when first asked for."""

    def __init__(self, feature: Callable[[int], int]) -> None:
        self._feature = feature

    def __missing__(self, key: int) -> int:
        self[key] = feature = self._feature(key)
        return feature


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """The lookup tables of a variant for so many teams, or fewer."""

    form: Shape
    known: _Found
    """By code of a line."""
    squares: _Found
    """By count of a free square's lines: the feature of the square, less its state."""
    adds: tuple[int, ...]
    """By feature of a line: what it adds to the counts of its squares."""
    spots: tuple[tuple[Square, ...], ...]
    """By card: its squares."""
    number: Mapping[Line, int]
    along: tuple[tuple[int, ...], ...]
    """By square: the lines in its row, its column and its two diagonals."""


@lru_cache(maxsize=8)
def _tables(variant: Variant, teams: int) -> _Tables:
    form, board = shape(variant, teams), variant.board
    weights = (square_weights(form, feature) for feature in range(form.features))
    return _Tables(
        form=form,
        known=_Found(partial(line_feature, form)),
        squares=_Found(partial(_square_feature, form)),
        adds=tuple(own + SIDE * theirs for own, theirs in weights),
        spots=tuple(tuple(s for s, face in enumerate(board.grid) if face == c) for c in range(len(variant.faces))),
        number={line: n for n, line in enumerate(board.lines)},
        along=tuple(
            tuple(n for n, line in enumerate(board.lines) if _lies_along(board.cols, line, square))
            for square in range(len(board.grid))
        ),
    )


def _square_feature(form: Shape, count: int) -> int:
    pair = square_class(count % SIDE) * CLASSES + square_class(count // SIDE)
    return form.squares_from - form.free(0) + pair * CATEGORIES


def _lies_along(cols: int, line: Line, square: Square) -> bool:
    """Return True for a line in the row, column or diagonals of a square: the cross product is zero."""
    (row, col), (next_row, next_col) = divmod(line[0], cols), divmod(line[1], cols)
    return (square // cols - row) * (next_col - col) == (square % cols - col) * (next_row - row)


class Outlook:
    """A position as one seat may know it, ready to compare its actions."""

    def __init__(self, view: View, weights: Weights) -> None:
        variant = view.variant
        self.tables = _tables(variant, teams_max(variant, view.teams))
        self.variant = variant
        self.hand = Counter(view.hand)
        self._weights = weights
        self._shape = self.tables.form
        self._free_from = self._shape.free(0)
        self._advanced = view.options.advanced
        self._to_win = dict(variant.sequences_to_win)[view.teams]
        self._table = next(n for n, size in enumerate(variant.sizes) if size.players == view.players)
        self._gone = Counter(card for cards in view.discards for card in cards)
        self.sequences: tuple[tuple[int, int], ...] = tuple(
            ((each.team - view.team) % view.teams, self.tables.number[each.squares]) for each in view.sequences
        )
        """The team, counted from the seat's own, and the line."""
        self.seen = self._states(view)
        """By square: its state."""
        self._count()

    def _count(self) -> None:
        """Compute everything that follows from the states of the squares and the sequences."""
        tables, values = self.tables, self._shape.values
        self._closed = {n for _, line in self.sequences for n in self._shape.clash[line]}
        made = Counter(team for team, _ in self.sequences)
        self._state = score_state(self._shape, made.pop(0, 0), max(made.values(), default=0))
        self._rows = self._weights.rows[self._state]
        self._codes = [sum([values[self.seen[s]] for s in line]) for line in self.variant.board.lines]
        self._features = [DEAD if n in self._closed else tables.known[code] for n, code in enumerate(self._codes)]
        self._sums = [sum([tables.adds[self._features[n]] for n in at]) for at in self._shape.through]
        free = self._free_from
        self._total = sum([self._rows[feature] for feature in self._features if feature])
        self._total += sum(
            [self._rows[tables.squares[self._sums[s]] + state] for s, state in enumerate(self.seen) if state >= free]
        )
        self._free = sum([state >= free for state in self.seen])
        self._dead = [card for card in self.hand if self.hand[card] and self._is_dead(card)]

    def value(self, action: Action) -> int:
        """Return the value after an action of the seat, in units of 1/SCALE²; WIN if it wins."""
        if action.kind == "give":
            return self._without(action.card)
        changes = self._changes(action)
        features = self._features_after(changes)
        breaks = action.kind == "remove" and any(
            action.square in self.variant.board.lines[n] for _, n in self.sequences
        )
        if breaks or COMPLETE in features.values():
            return copy(self).counted_with(action, changes)
        total = self._total + self._difference(changes, features) + self._count_rows(action)
        return self._weights.value(self._state, total)

    def worth(self, action: Action) -> int:
        """Return the value of an action, and more if it completes a sequence; WIN if it wins."""
        value = self.value(action)
        if action.kind == "place" and self._sums[action.square] % SIDE >= MANY * MANY:
            value += COMPLETED_WILD if action.card in self.variant.wild else COMPLETED
        return min(WIN, value)

    def gains(self, action: Action) -> dict[Line, int]:
        """Return by line through the square of an action with a chip what it alone adds to the value, in its units.

        Lines that the action completes are left out.
        """
        after, weights, state = self._features_after(self._changes(action)), self._weights, self._state
        now, lines = weights.value(state, self._total), self.variant.board.lines
        return {
            lines[n]: weights.value(state, self._total + self._difference((), {n: after[n]})) - now
            for n in self._shape.through[action.square]
            if after.get(n, COMPLETE) != COMPLETE
        }

    def is_free(self, square: Square) -> bool:
        return self.seen[square] >= self._free_from

    def _sequences_after(self, action: Action) -> tuple[tuple[int, int], ...]:
        """Return the sequences after an action of the seat, seen already: as the engine makes and breaks them."""
        sequences, lines = self.sequences, self.variant.board.lines
        if action.kind == "remove":
            return tuple((team, n) for team, n in sequences if action.square not in lines[n])
        if action.kind == "place":
            chips = 0, self._shape.chip(0), self._shape.chip(0, fresh=True)
            for n in (self.tables.along if self._advanced else self._shape.through)[action.square]:
                clash = self._shape.clash[n]
                if all(self.seen[s] in chips for s in lines[n]) and not any(m in clash for _, m in sequences):
                    sequences = (*sequences, (0, n))
        return sequences

    def _features_after(self, changes: Iterable[Change]) -> dict[int, int]:
        """Return by line that changed squares are in: its new feature."""
        codes, values = dict[int, int](), self._shape.values
        for square, new in changes:
            delta = values[new] - values[self.seen[square]]
            for n in self._shape.through[square]:
                if n not in self._closed:
                    codes[n] = codes.get(n, self._codes[n]) + delta
        known = self.tables.known
        return {n: known[code] for n, code in codes.items()}

    def _difference(self, changes: Iterable[Change], features: Mapping[int, int]) -> int:
        """Return the difference that changed squares and lines make to the sum of rows."""
        rows, seen, sums, free = self._rows, self.seen, self._sums, self._free_from
        adds, squares, lines = self.tables.adds, self.tables.squares, self.variant.board.lines
        total, moved = 0, dict[Square, int]()
        for n, new in features.items():
            old = self._features[n]
            if new != old:
                total += rows[new] - rows[old]
                if delta := adds[new] - adds[old]:
                    for square in lines[n]:
                        moved[square] = moved.get(square, 0) + delta
        now = dict(changes)
        for square in moved.keys() | now.keys():
            before, after = seen[square], now.get(square, seen[square])
            if before >= free:
                total -= rows[squares[sums[square]] + before]
            if after >= free:
                total += rows[squares[sums[square] + moved.get(square, 0)] + after]
        return total

    def _count_rows(self, action: Action) -> int:
        """Return the rows of the counts after an action."""
        variant, hand = self.variant, self.hand
        wilds, takers = (sum(hand[card] for card in cards) for cards in (variant.wild, variant.removing))
        wilds_unseen, takers_unseen = (
            2 * len(cards) - sum(hand[card] + self._gone[card] for card in cards)
            for cards in (variant.wild, variant.removing)
        )
        card, twin = variant.board.grid[action.square], self._shape.twin[action.square]
        dead, free = sum(hand[each] for each in self._dead), self._free
        full = not self.is_free(twin)
        if action.kind == "remove":
            dead, free, takers = dead - (hand[card] if full else 0), free + 1, takers - 1
        elif action.kind == "place":
            plain = action.card not in variant.wild
            dead, free, wilds = dead + (plain and full and hand[card] == 2), free - 1, wilds - (not plain)
        else:  # a card given up, or a pass
            dead -= action.card in self._dead
            wilds, takers = wilds - (action.card in variant.wild), takers - (action.card in variant.removing)
        held = sum(hand.values())
        places = counts((wilds, takers, wilds_unseen, takers_unseen, dead, self._table, held - 1, free // 10))
        return sum([self._rows[first + place] for first, place in zip(self._shape.counts_from, places, strict=True)])

    def _changes(self, action: Action) -> list[Change]:
        """Return the new states of the squares that an action of the seat changes."""
        if action.kind == "pass":
            return []
        form, square = self._shape, action.square
        card = self.variant.board.grid[square]
        if action.kind == "remove":
            return [(square, self._free_state(card))]
        placed = (square, form.chip(0, fresh=True))
        twin = form.twin[square]
        if action.card != card or self.hand[card] > 1 or twin == square or not self.is_free(twin):
            return [placed]
        return [placed, (twin, self.seen[twin] + NOT_HELD)]

    def counted_with(self, action: Action, changes: Iterable[Change]) -> int:
        """Change to the board after an action of the seat, which may make or break a sequence. Return its value."""
        self.seen = self.seen.copy()
        for square, state in changes:
            self.seen[square] = state
        self.sequences = self._sequences_after(action)
        if sum(team == 0 for team, _ in self.sequences) >= self._to_win:
            return WIN
        free, dead = self._free, self._dead
        self._count()
        self._free, self._dead = free, dead  # the counts are those before the action
        return self._weights.value(self._state, self._total + self._count_rows(action))

    def _without(self, card: Card) -> int:
        squares = [square for square in self.tables.spots[card] if self.is_free(square)] if self.hand[card] == 1 else []
        changes = [(square, self.seen[square] + NOT_HELD) for square in squares]
        return copy(self).counted_with(Action("give", card), changes)

    def _states(self, view: View) -> list[int]:
        form, found = self._shape, list[int]()
        # The last cards of the other seats, each with the team, counted from the seat's own.
        fresh = {
            (cards[-1], (seat - view.seat) % view.teams)
            for seat, cards in enumerate(view.discards, start=1)
            if cards and seat != view.seat
        }
        for square, team in enumerate(view.board):
            card = self.variant.board.grid[square]
            if team < 0:
                found.append(0)
            elif team:
                relative = (team - view.team) % view.teams
                found.append(form.chip(relative, fresh=(card, relative) in fresh))
            else:
                found.append(self._free_state(card))
        return found

    def _free_state(self, card: Card) -> int:
        held = self.hand[card]
        return self._shape.free((0 if held else NOT_HELD) + 2 - held - self._gone[card])

    def _is_dead(self, card: Card) -> bool:
        spots = self.tables.spots[card] if card != UNKNOWN else ()
        return bool(spots) and not any(map(self.is_free, spots))


class NoisyBot:
    """A level: chooses by the learned value, which it sees through noise of this weight, but misses no win at once."""

    def __init__(self, weight: int, randomness: random.Random) -> None:
        self._weight = weight
        self._randomness = randomness

    def choose(self, view: View) -> Action:
        return ranking(view, noise=self._noise)[0]

    def _noise(self) -> int:
        """Return the sum of four even numbers of 8 bits, about their mean: nearly a bell, in whole numbers."""
        return self._weight * (sum(self._randomness.getrandbits(32).to_bytes(4, "big")) - 510)
