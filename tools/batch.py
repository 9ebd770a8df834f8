"""Many games of one table at once, as arrays: for training. ``tests/learning`` compares it with the engine.

All games of a batch are at the same turn. They know the usual rules without the options: chips, sequences, dead cards,
passes, the reshuffle. Choices are made for all games by arrays of squares and kinds.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from seqp2p.bots.features import (
    CATEGORIES,
    COMPLETE,
    DEAD,
    FAMILIES,
    MANY,
    NOT_HELD,
    Shape,
    line_feature,
    shape,
    square_class,
    square_weights,
)
from seqp2p.bots.greedy import EXCHANGE_SCORE, OTHERS_LINE, OWN_LINE, SPECIAL_CARD_PRICE
from seqp2p.bots.value import teams_max
from seqp2p.rules import Variant, hand_size

Array = NDArray[Any]
PLAIN: Final = 0
WILD: Final = 1
TAKE: Final = 2
ONGOING: Final = -1
TURNS_MAX: Final = 600
ROWS_MAX: Final = 4096


@dataclass(frozen=True, eq=False)
class Tables:
    """A shape as arrays."""

    shape: Shape
    incidence: Array
    """By square, then by line: 1 if it lies in it."""
    feature: Array
    """By code."""
    weight: Array
    """By feature: the digits that a line adds to its squares, own and others'."""
    square: Array
    """By such a sum: the class."""
    greedy_own: Array
    greedy_others: Array
    through: Array
    """By square: the lines through it, padded with one that is never complete."""
    squares_of: Array
    """By line: its squares."""
    clash: Array


@lru_cache(maxsize=4)
def tables(variant: Variant, teams: int) -> Tables:
    """Return the arrays of a shape."""
    form = shape(variant, teams)
    lines, size = variant.board.lines, len(variant.board.grid)
    incidence = np.zeros((size, len(lines)), np.float32)
    for n, line in enumerate(lines):
        incidence[list(line), n] = 1
    corner_lines = [len(set(line) & set(variant.board.corners)) for line in lines]
    feature = np.zeros(form.base ** (form.teams + CATEGORIES + 1), np.int16)
    for code in sorted(_possible(form, max(corner_lines))):
        feature[code] = line_feature(form, code)
    weight = np.array([square_weights(form, n) for n in range(form.features)], np.float32)
    own, others = _greedy(form)
    through = np.full((size, max(map(len, form.through))), len(lines), np.int32)
    for square, at in enumerate(form.through):
        through[square, : len(at)] = at
    clash = np.zeros((len(lines), len(lines)), bool)
    for n, at in enumerate(form.clash):
        clash[n, list(at)] = True
    classes = np.array([square_class(n) for n in range(MANY**3)], np.int16)
    return Tables(form, incidence, feature, weight, classes, own, others, through, np.array(lines), clash)


def _possible(form: Shape, corners_max: int) -> set[int]:
    """Return all codes that a line can have."""
    codes = {0}
    reached = [codes]
    for _ in range(form.length):
        reached.append({code + value for code in reached[-1] for value in form.values[1:]})
    return set[int]().union(*reached[form.length - corners_max :])


def _greedy(form: Shape) -> tuple[Array, Array]:
    """Return by feature the worth of a line to ``greedy``: of an own chip, of spoiling it."""
    own, others = np.zeros(form.features, np.float32), np.zeros(form.features, np.float32)
    for n in range(2, form.squares_from):
        if n >= form.empty_from:
            lacks = form.length - (n - form.empty_from) // 8
            own[n], others[n] = OWN_LINE[lacks], OTHERS_LINE[lacks] * (form.teams - 1)
        elif n >= form.opponents_from:
            others[n] = OTHERS_LINE[1 + (n - form.opponents_from) // 18 % (form.length - 1)]
        else:
            own[n] = OWN_LINE[1 + (n - 2) // (6 * form.length)]
    return own, others


class Batch:
    """So many games, from the deal on."""

    def __init__(self, variant: Variant, players: int, teams: int, games: int, rng: np.random.Generator) -> None:
        self.variant, self.players, self.teams, self.games, self.rng = variant, players, teams, games, rng
        self.tables = tables(variant, teams_max(variant, teams))
        self.to_win = dict(variant.sequences_to_win)[teams]
        self.table = next(n for n, size in enumerate(variant.sizes) if size.players == players)
        grid, faces, lines = np.array(variant.board.grid), len(variant.faces), len(variant.board.lines)
        self.grid = np.where(grid < 0, faces, grid)  # a face of its own for corners: never held
        self.twin = np.array(self.tables.shape.twin)
        size = hand_size(variant, players)
        self.pile = rng.permuted(np.tile(np.array(variant.deck), (games, 1)), axis=1)
        self.top = np.full(games, len(variant.deck) - players * size)
        self.hand = np.zeros((games, players, faces + 1), np.int8)
        for seat in range(players):
            at = self.pile[:, self.top[0] + seat * size : self.top[0] + (seat + 1) * size]
            np.add.at(self.hand[:, seat], (np.arange(games)[:, None], at), 1)
        self.gone = np.zeros((games, faces + 1), np.int8)
        """By card: its copies among the discards."""
        self.last = np.full((games, players), -2)
        self.chip = np.zeros((games, len(grid)), np.int8)
        self.chip[:, list(variant.board.corners)] = -1
        self.closed = np.zeros((games, lines + 1), bool)
        self.protected = np.zeros((games, len(grid)), bool)
        self.made = np.zeros((games, teams), np.int8)
        self.winner = np.full(games, ONGOING)
        """The winning team from 1, 0 for a drawn game."""
        self.idle = np.zeros(games, np.int32)
        self.turn = 0
        self.wild, self.takes = list(variant.wild), list(variant.removing)

    @property
    def seat(self) -> int:
        """The seat to move, from 0."""
        return self.turn % self.players

    def active(self) -> Array:
        """Return the numbers of the games that go on."""
        return np.flatnonzero(self.winner == ONGOING)

    def dead_cards(self, rows: Array) -> Array:
        """Return by game and card: the copies in the hand to move that can be placed nowhere."""
        alive = np.zeros((len(rows), self.hand.shape[2]), bool)
        free = self.chip[rows] == 0
        at, square = np.nonzero(free)
        alive[at, self.grid[square]] = True
        alive[:, self.wild + self.takes] = True
        return np.where(alive, 0, self.hand[rows, self.seat])

    def exchange(self, rows: Array) -> Array:
        """Exchange a dead card in each of these games that has one. Return the games that had one."""
        dead = self.dead_cards(rows)
        some = dead.any(axis=1)
        self._put_down(rows[some], dead[some].argmax(axis=1))
        self._draw(rows[some])
        return rows[some]

    def exchanges(self) -> Array:
        """Return by game the exchanges that one turn allows now."""
        limit = self.variant.exchanges_per_turn
        return self.top + self.gone.sum(axis=1) if limit is None else np.full(self.games, limit)

    def _put_down(self, rows: Array, cards: Array) -> None:
        self.hand[rows, self.seat, cards] -= 1
        self.gone[rows, cards] += 1
        self.last[rows, self.seat] = cards

    def _draw(self, rows: Array) -> None:
        for game in rows[self.top[rows] == 0]:
            cards = np.repeat(np.arange(self.gone.shape[1]), self.gone[game])
            self.top[game] = len(cards)
            self.pile[game, : len(cards)] = self.rng.permutation(cards)
            self.gone[game], self.last[game] = 0, -2
        self.top[rows] -= 1
        self.hand[rows, self.seat, self.pile[rows, self.top[rows]]] += 1

    def states(self, rows: Array) -> Array:
        """Return the states of the squares as the seat to move sees them."""
        form, seat = self.tables.shape, self.seat
        chip = self.chip[rows]
        held, gone = self.hand[rows, seat][:, self.grid], self.gone[rows][:, self.grid]
        category = np.where(held > 0, 2 - held - gone, NOT_HELD + 2 - gone)
        seen = np.where(chip == 0, form.free(0) + category, 0)
        relative = (chip - 1 - seat) % self.teams
        seen = np.where(chip > 0, 1 + relative, seen)
        for other in range(self.players):
            if other != seat:
                fresh = (self.last[rows, other][:, None] == self.grid) & (chip == other % self.teams + 1)
                seen = np.where(fresh, 1 + relative + form.teams, seen)
        return seen.astype(np.uint8)

    def candidates(self, rows: Array) -> tuple[Array, Array, Array]:
        """Return the actions to compare: places in ``rows``, squares, kinds. No jack goes where a plain card can."""
        chip, hand = self.chip[rows], self.hand[rows, self.seat]
        free = chip == 0
        plain = free & (hand[:, self.grid] > 0)
        wild = free & ~plain & (hand[:, self.wild].sum(axis=1) > 0)[:, None]
        takes = (chip > 0) & (chip != self.seat % self.teams + 1) & ~self.protected[rows]
        takes &= (hand[:, self.takes].sum(axis=1) > 0)[:, None]
        found = [np.nonzero(mask) for mask in (plain, wild, takes)]
        kinds = np.repeat([PLAIN, WILD, TAKE], [len(at) for at, _ in found])
        at, square = (np.concatenate([each[n] for each in found]) for n in (0, 1))
        order = np.lexsort((kinds, square, at))
        return at[order], square[order], kinds[order]

    def features(self, rows: Array, at: Array, square: Array, kind: Array) -> tuple[Array, Array, Array]:
        """Return the counts of all features after these actions, the state of the score, and which of them win."""
        form, seat, n = self.tables.shape, self.seat, np.arange(len(at))
        seen = self.states(rows)[at]
        hand, card, twin = self.hand[rows, seat], self.grid[square], self.twin[square]
        copies = hand[at, card]
        seen[n, square] = form.chip(0, fresh=True)
        taken = kind == TAKE
        gone = self.gone[rows][at, card]
        back = np.where(copies > 0, 2 - copies - gone, NOT_HELD + 2 - gone)
        seen[n[taken], square[taken]] = (form.free(0) + back)[taken]
        spent = (kind == PLAIN) & (copies == 1) & (seen[n, twin] >= form.free(0))
        seen[n[spent], twin[spent]] += NOT_HELD
        codes = (np.array(form.values, np.float32)[seen] @ self.tables.incidence).astype(np.int32)
        line = self.tables.feature[codes]
        closed = self.closed[rows][:, :-1]
        line[closed[at]] = DEAD
        made = self.made[rows].astype(np.int32)[at]
        team = seat % self.teams
        for each in np.flatnonzero((line == COMPLETE).any(axis=1)):
            while (line[each] == COMPLETE).any():
                first = (line[each] == COMPLETE).argmax()
                line[each, self.tables.clash[first]] = DEAD
                made[each, team] += 1
        wins = made[:, team] >= self.to_win
        others = np.delete(made, team, axis=1).max(axis=1)
        state = np.minimum(made[:, team], 1) * 2 + others if form.states > 1 else np.zeros(len(at), np.int32)
        state = np.where(wins, 0, state)
        sums = self.tables.weight[line]
        own, theirs = ((sums[..., side] @ self.tables.incidence.T).astype(np.int32) for side in (0, 1))
        pair = self.tables.square[own] * 7 + self.tables.square[theirs]
        free = seen >= form.free(0)
        by_square = form.squares_from + pair * CATEGORIES + (seen - form.free(0)) * free
        by_square[~free] = DEAD
        counted = self._counts(rows, at, square, kind, copies, free.sum(axis=1))
        all_of = np.concatenate([line, by_square, counted + np.array(form.counts_from)], axis=1, dtype=np.int64)
        all_of += (n * form.features)[:, None]
        phi = (
            np.bincount(all_of.ravel(), minlength=len(at) * form.features)
            .reshape(len(at), form.features)
            .astype(np.uint8)
        )
        phi[:, DEAD] = 0
        return phi, state, wins

    def _counts(self, rows: Array, at: Array, square: Array, kind: Array, copies: Array, free: Array) -> Array:
        hand, gone = self.hand[rows, self.seat], self.gone[rows]
        wilds, takers = (hand[:, cards].sum(axis=1) for cards in (self.wild, self.takes))
        deck = 2 * len(self.wild), 2 * len(self.takes)
        wilds_unseen = deck[0] - wilds - gone[:, self.wild].sum(axis=1)
        takers_unseen = deck[1] - takers - gone[:, self.takes].sum(axis=1)
        full = self.chip[rows][at, self.twin[square]] != 0
        dead = self.dead_cards(rows).sum(axis=1)[at]
        dead = dead + ((kind == PLAIN) & full & (copies == 2)) - np.where((kind == TAKE) & full, copies, 0)
        found = (
            wilds[at] - (kind == WILD),
            takers[at] - (kind == TAKE),
            wilds_unseen[at],
            takers_unseen[at],
            dead,
            np.full(len(at), self.table),
            hand.sum(axis=1)[at] - 1,
            free // 10,
        )
        places: Array = np.minimum(np.stack(found, axis=1), np.array(FAMILIES) - 1)
        return places

    def greedy(self, rows: Array, at: Array, square: Array, kind: Array) -> Array:
        """Return the scores of actions by the rules of ``greedy``, with a fraction that decides ties."""
        tables = self.tables
        codes = (np.array(tables.shape.values, np.float32)[self.states(rows)] @ tables.incidence).astype(np.int32)
        line = tables.feature[codes]
        line[self.closed[rows][:, :-1]] = DEAD
        own = tables.greedy_own[line] @ tables.incidence.T
        others = tables.greedy_others[line] @ tables.incidence.T
        score = others[at, square] + np.where(kind == TAKE, 0, own[at, square])
        wins = (own[at, square] >= OWN_LINE[1]) & (kind != TAKE)
        wins &= (self.made[rows, self.seat % self.teams] + 1 >= self.to_win)[at]
        score += np.where(wins, 1_000_000, 0) - np.where(kind == PLAIN, 0, SPECIAL_CARD_PRICE)
        score += self.rng.random(len(score)) * 0.5
        return score

    def play(self, rows: Array, square: Array, kind: Array) -> None:
        """Play one action in each of these games, and draw; the games that are not among them pass."""
        seat, team = self.seat, self.seat % self.teams + 1
        hand = self.hand[rows, seat]
        card = self.grid[square]
        for special, cards in ((WILD, self.wild), (TAKE, self.takes)):
            held = np.array(cards)[(hand[:, cards] > 0).argmax(axis=1)]
            card = np.where(kind == special, held, card)
        self.chip[rows, square] = np.where(kind == TAKE, 0, team)
        placed = kind != TAKE
        self._complete(rows[placed], square[placed], team)
        passing = np.setdiff1d(self.active(), rows)
        self._put_down(rows, card)
        self._draw(rows[self.winner[rows] == ONGOING])
        self.idle[rows] = 0
        self.idle[passing] += 1
        self.turn += 1
        over = (self.winner == ONGOING) & ((self.idle >= self.players) | (self.turn >= TURNS_MAX))
        self.winner[over] = 0

    def _complete(self, rows: Array, square: Array, team: int) -> None:
        tables, lines = self.tables, len(self.tables.squares_of)
        near = tables.through[square]
        chips = self.chip[rows[:, None, None], tables.squares_of[np.minimum(near, lines - 1)]]
        full = ((chips == team) | (chips < 0)).all(axis=2) & (near < lines) & ~self.closed[rows[:, None], near]
        for each in np.flatnonzero(full.any(axis=1)):
            game = rows[each]
            for n in sorted(near[each, full[each]]):
                if not self.closed[game, n]:
                    self.closed[game, :-1] |= tables.clash[n]
                    self.protected[game, tables.squares_of[n]] = True
                    self.made[game, team - 1] += 1
            if self.made[game, team - 1] >= self.to_win:
                self.winner[game] = team


def best_of(at: Array, score: Array) -> tuple[Array, Array]:
    """Return the places that have candidates (``at`` is ascending), and the best candidate of each."""
    order = np.lexsort((score, at))
    last = np.flatnonzero(np.diff(at[order], append=-1))
    return at[order][last], order[last]


def greedy_turn(batch: Batch, rows: Array) -> tuple[Array, Array, Array]:
    """Return the games, squares and kinds of the choices of ``greedy``, after its exchanges."""
    left = batch.exchanges()
    while True:
        at, square, kind = batch.candidates(rows)
        score = batch.greedy(rows, at, square, kind)
        have, best = best_of(at, score)
        top = np.zeros(len(rows))
        top[have] = score[best]
        changed = batch.exchange(rows[(top < EXCHANGE_SCORE) & (left[rows] > 0)])
        left[changed] -= 1
        if not len(changed):
            return rows[have], square[best], kind[best]
