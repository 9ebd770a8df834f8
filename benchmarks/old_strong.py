"""The bot ``strong:1000`` as it was before it searched with learned values: a fixed rung to measure others by.

    seqp2p arena benchmarks.old_strong:OldStrong greedy --deals 2000

It deals the hidden cards at random, tries its actions in each of these worlds up to its next turn, and keeps the best;
a position is judged by lines. It has its own copy of everything but the rules, so it stays the same when the bots of
this program change.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

from seqp2p.rules import (
    DRAW,
    Action,
    Card,
    CompletedSequence,
    Line,
    Square,
    SquareSet,
    Team,
    Variant,
    View,
    set_of,
    team_of,
)

# What a chip is worth by how many chips the line lacks before it: to the team that it belongs to, and to the others,
# for whom it spoils the line. For quick play, not for judging a position.
_FAR: Final = (0,) * 10
"""A line with more to go is worth nothing."""
OWN_CHIP: Final = (0, 900, 170, 36, 8, 2, *_FAR)
OTHERS_CHIP: Final = (0, 800, 130, 24, 4, *_FAR)
JACK_PRICE: Final = 150
"""The advantage of a chip that justifies a card that can go anywhere, in quick play."""

_OPENING: Final = ((), (22, 48), (8, 18, 33), (2, 5, 13, 26), (1, 1, 5, 9, 17))
_BEHIND: Final = ((), (15, 64), (9, 14, 37), (2, 3, 10, 30), (0, 1, 1, 9, 9))
_BEHIND_TO_MOVE: Final = ((), (16, 68), (10, 17, 44), (2, 3, 12, 35), (0, 1, 1, 9, 9))
_AHEAD: Final = ((), (23, 174), (9, 17, 63), (1, 9, 12, 46), (1, 1, 4, 12, 12))
_AHEAD_TO_MOVE: Final = ((), (24, 192), (10, 20, 63), (1, 10, 13, 57), (1, 1, 4, 12, 15))
_LAST: Final = ((), (22, 184), (9, 14, 35), (1, 2, 8, 45), (0, 1, 2, 11, 11))
_LAST_TO_MOVE: Final = ((), (25, 291), (10, 16, 48), (1, 3, 9, 48), (0, 1, 2, 11, 11))


def worth_of_line(*, wins: bool, others_win: bool, to_move: bool) -> tuple[tuple[int, ...], ...]:
    """Return by the chips that a line lacks, then by the cards for them in its team's hands: its worth to the team.

    ``wins``: the team wins with one more sequence; ``others_win``: another team does; ``to_move``: the team is next.
    """
    if wins:
        if others_win:
            return _LAST_TO_MOVE if to_move else _LAST
        return _AHEAD_TO_MOVE if to_move else _AHEAD
    if others_win:
        return _BEHIND_TO_MOVE if to_move else _BEHIND
    return _OPENING


def worth_of_specials(*, wins: bool, others_win: bool) -> tuple[int, int]:
    """The worth in the hand of a card that places a chip anywhere, and of one that takes a chip."""
    if wins:
        return (155, 38) if others_win else (135, 58)
    return (97, 44) if others_win else (72, 44)


SEQUENCE: Final = 128
"""A sequence that the others lack, in addition to its effect on lines and cards."""
TO_MOVE: Final = 10
"""Being next."""
FLATTENING: Final = 200
"""The advantage that is half of a certain win."""

TAKEN: Final = 1 << 30
"""Far more than the worth of any chip: subtracted on the squares that are not free."""
NOBODY: Final = 0

Code: TypeAlias = int
"""The chips of each team in a line, digit by digit, the first team's last; before them its free corners."""


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """The precomputed tables of a variant and a number of teams. Lines are named by their place in it."""

    variant: Variant
    teams: int
    lines: tuple[Line, ...]
    masks: tuple[SquareSet, ...]
    """By line: its squares as a set."""
    empty: tuple[Code, ...]
    """By line: its code on an empty board."""
    through: tuple[tuple[int, ...], ...]
    """By square: the lines through it."""
    along: tuple[tuple[int, ...], ...]
    """By square: the lines in its row, its column and its two diagonals."""
    clash: tuple[tuple[int, ...], ...]
    """By line: the lines that cannot count together with it for one team, itself among them."""
    step: tuple[Code, ...]
    """By team: the number that its chip adds to a code."""
    worth: tuple[tuple[int, ...], ...]
    """By team, then by code: the worth of its chip in such a line."""
    change: tuple[tuple[tuple[int, ...], ...], ...]
    """By team that places a chip, then by code before it: how the worth of a chip in that line changes, team by team
    from the first; empty if it does not."""
    full: bytes
    """By code: 1 if one team has the whole line."""
    lacking: tuple[tuple[Team, int], ...]
    """By code: the one team with chips in it, and the number it still needs; NOBODY if there is no such team."""
    closed: Code
    """The code of a line that is part of a sequence, or clashes with one."""
    spots: tuple[tuple[Square, ...], ...]
    """By card: its squares; none for a card that can go anywhere."""
    pairs: tuple[tuple[tuple[Square, Square], ...], ...]
    """By card: the same two by two; the last of an odd number twice."""


@lru_cache(maxsize=16)
def geometry(variant: Variant, teams: int) -> Geometry:
    """Return the tables for so many teams of a variant."""
    board, length = variant.board, variant.line_length
    corners, base, squares = frozenset(board.corners), length + 1, range(len(board.grid))
    corners_max = max(len(corners.intersection(line)) for line in board.lines)
    # product counts its last digit fastest: it must be the first team's.
    counted = [(n, digits[::-1]) for n in range(corners_max + 1) for digits in product(range(base), repeat=teams)]
    closed, step = len(counted), (0, *(base**team for team in range(teams)))
    lacking = (*(_lacking(length - corner, counts) for corner, counts in counted), (NOBODY, 0))
    worth = (
        (0,) * (closed + 1),
        *((*(_chip(team, *lack) for lack in lacking[:-1]), 0) for team in range(1, teams + 1)),
    )
    spots = tuple(tuple(s for s in squares if board.grid[s] == card) for card in range(len(variant.faces)))
    solid = [frozenset(line) - corners for line in board.lines]
    rows = [_in_line(board.cols, line, squares) for line in board.lines]
    return Geometry(
        variant=variant,
        teams=teams,
        lines=board.lines,
        masks=tuple(map(set_of, board.lines)),
        empty=tuple(base**teams * len(corners.intersection(line)) for line in board.lines),
        through=tuple(tuple(n for n, line in enumerate(board.lines) if square in line) for square in squares),
        along=tuple(tuple(n for n, row in enumerate(rows) if square in row) for square in squares),
        clash=tuple(tuple(n for n, other in enumerate(solid) if len(line & other) > 1) for line in solid),
        step=step,
        worth=worth,
        change=tuple(tuple(_changes(worth, added, closed)) for added in step),
        full=bytes(length - corner in counts for corner, counts in counted) + b"\0",
        lacking=lacking,
        closed=closed,
        spots=spots,
        pairs=tuple(tuple(zip(at[::2], (*at[1::2], *at[-1:]), strict=False)) for at in spots),
    )


def _lacking(length: int, counts: Sequence[int]) -> tuple[Team, int]:
    there = [(team, count) for team, count in enumerate(counts, start=1) if count]
    if len(there) > 1:
        return NOBODY, -1
    team, count = there[0] if there else (NOBODY, 0)
    return team, max(length - count, 0)


def _chip(team: Team, holder: Team, lacking: int) -> int:
    """Return the worth of a team's chip in a line begun by another, or by no team (-1: by several)."""
    if lacking < 0:
        return 0
    return OWN_CHIP[lacking] if holder in (team, NOBODY) else OTHERS_CHIP[lacking]


def _changes(worth: Sequence[Sequence[int]], added: Code, closed: Code) -> Iterator[tuple[int, ...]]:
    for before in range(closed + 1):
        after = before + added
        by_team = tuple(table[after] - table[before] for table in worth[1:]) if after < closed else ()
        yield by_team if any(by_team) else ()


def _in_line(cols: int, line: Line, squares: Sequence[Square]) -> frozenset[Square]:
    """Return the squares of the row, column or diagonal of a line: the cross product is zero."""
    (row, col), (next_row, next_col) = divmod(line[0], cols), divmod(line[1], cols)
    down, right = next_row - row, next_col - col
    return frozenset(s for s in squares if (s // cols - row) * right == (s % cols - col) * down)


class EvalBoard:
    """Chips, sequences and worths; cheap to copy. ``eval_board_of`` makes one from a view."""

    __slots__ = ("_advanced", "code", "free", "geometry", "made", "owner", "protected", "sequences", "worth")

    def __init__(
        self, geometry: Geometry, owner: list[Team], sequences: list[tuple[Team, int]], *, advanced: bool
    ) -> None:
        self.geometry = geometry
        self._advanced = advanced
        self.owner = owner
        """By square: the team whose chip lies there, 0 if it is free, CORNER on a corner."""
        self.sequences = sequences
        """Team and line."""
        self.free: SquareSet = 0
        self.code: list[Code] = []
        """By line."""
        self.worth: list[list[int]] = []
        """By team, then by square: the worth of a chip there, less TAKEN if the square is not free."""
        self.made: list[int] = []
        """By team: the number of its sequences."""
        self.protected = frozenset[Square]()
        """The squares of sequences."""

    def copy(self) -> "EvalBoard":
        other = EvalBoard(self.geometry, self.owner[:], self.sequences[:], advanced=self._advanced)
        other.free = self.free
        other.code = self.code[:]
        other.worth = [worth[:] for worth in self.worth]
        other.made = self.made[:]
        other.protected = self.protected
        return other

    def count(self) -> None:
        """Compute everything that follows from chips and sequences."""
        geometry, owner = self.geometry, self.owner
        step = (*geometry.step, 0)  # a corner, -1, adds nothing
        self.free = set_of(tuple(square for square, team in enumerate(owner) if not team))
        self.code = [
            empty + sum(step[owner[square]] for square in line)
            for empty, line in zip(geometry.empty, geometry.lines, strict=True)
        ]
        self.made = [0] * (geometry.teams + 1)
        self.protected = frozenset[Square]()
        for team, line in self.sequences:
            self.made[team] += 1
            self.protected = self.protected.union(geometry.lines[line])
            for other in geometry.clash[line]:
                self.code[other] = geometry.closed
        self.worth = [
            [
                sum(table[self.code[n]] for n in lines) - (TAKEN if owner[square] else 0)
                for square, lines in enumerate(geometry.through)
            ]
            for table in geometry.worth
        ]

    def place(self, team: Team, square: Square) -> bool:
        """Place a chip on a free square. Return True if it makes a sequence."""
        geometry, code, worth = self.geometry, self.code, self.worth
        change, step, lines, full, closed = (
            geometry.change[team],
            geometry.step[team],
            geometry.lines,
            geometry.full,
            geometry.closed,
        )
        complete = self._advanced
        for n in geometry.through[square]:
            before = code[n]
            if before == closed:
                continue
            code[n] = before + step
            if full[before + step]:
                complete = True
            for by_square, delta in zip(worth[1:], change[before], strict=False):
                if delta:
                    for s in lines[n]:
                        by_square[s] += delta
        self.owner[square] = team
        self.free ^= 1 << square
        for by_square in worth:
            by_square[square] -= TAKEN
        return complete and self._complete(team, square)

    def place_last(self, team: Team, square: Square) -> None:
        """Place the last chip of a search: the same, but ``worth`` is not updated."""
        geometry, code, step, complete = self.geometry, self.code, self.geometry.step[team], self._advanced
        for n in geometry.through[square]:
            if code[n] != geometry.closed:
                code[n] += step
                if geometry.full[code[n]]:
                    complete = True
        self.owner[square] = team
        self.free ^= 1 << square
        if complete:
            self._complete(team, square)

    def remove(self, square: Square) -> None:
        """Take a chip off its square; its sequences are broken."""
        geometry, code = self.geometry, self.code
        team, self.owner[square] = self.owner[square], NOBODY
        if square in self.protected:
            self.sequences = [(t, n) for t, n in self.sequences if square not in geometry.lines[n]]
            self.count()
            return
        change, step = geometry.change[team], geometry.step[team]
        for n in geometry.through[square]:
            if code[n] == geometry.closed:
                continue
            code[n] -= step
            for by_square, delta in zip(self.worth[1:], change[code[n]], strict=False):
                if delta:
                    for s in geometry.lines[n]:
                        by_square[s] -= delta
        self.free ^= 1 << square
        for by_square in self.worth:
            by_square[square] += TAKEN

    def worth_of_taking(self, team: Team, square: Square) -> int:
        """Return the worth to a team of taking another's chip, one of those that the lines through it have."""
        geometry = self.geometry
        worth, step = geometry.worth[team], geometry.step[self.owner[square]]
        codes = [self.code[n] for n in geometry.through[square]]
        return sum(worth[code - step] for code in codes if code != geometry.closed)

    def _complete(self, team: Team, square: Square) -> bool:
        """Add the sequences that a chip has made: in the order of lines, without clashes with earlier ones."""
        geometry, code = self.geometry, self.code
        before = len(self.sequences)
        for n in geometry.along[square] if self._advanced else geometry.through[square]:
            if geometry.full[code[n]] and geometry.lacking[code[n]][0] == team:
                self.sequences.append((team, n))
                self.made[team] += 1
                self.protected = self.protected.union(geometry.lines[n])
                for other in geometry.clash[n]:
                    self._close(other)
        return len(self.sequences) > before

    def _close(self, n: int) -> None:
        geometry, code = self.geometry, self.code[n]
        self.code[n] = geometry.closed
        for by_square, table in zip(self.worth, geometry.worth, strict=True):
            if table[code]:
                for s in geometry.lines[n]:
                    by_square[s] -= table[code]


def eval_board_of(
    geometry: Geometry, owner: Sequence[Team], sequences: Sequence[CompletedSequence], *, advanced: bool
) -> EvalBoard:
    """Return the board of a position with these owners of the squares (a view's ``board``) and sequences."""
    number = {line: n for n, line in enumerate(geometry.lines)}
    made = [(sequence.team, number[sequence.squares]) for sequence in sequences]
    board = EvalBoard(geometry, list(owner), made, advanced=advanced)
    board.count()
    return board


WIN: Final = 1000
"""The score of a game won; of one lost, its negative."""
# A line that lacks one chip is spoilt or completed before any chip is taken.
URGENT: Final = 800
LACKING_MAX: Final = 4
"""A line that lacks more chips is worth nothing."""

Row: TypeAlias = tuple[Team, tuple[int, ...]]
"""Of a line: the team that has begun it, and its worth to us by the number of lacking cards that it holds."""


class World(NamedTuple):
    """A possible deal of all cards."""

    hands: tuple[tuple[Card, ...], ...]
    """In seat order."""
    pile: tuple[Card, ...]
    """The next card last."""


class _LineValues(NamedTuple):
    """Some of the lines: their codes among those of all, and their squares."""

    codes: Callable[[Sequence[int]], tuple[int, ...]]
    masks: tuple[SquareSet, ...]


class _Root(NamedTuple):
    """The board after an action of the seat, and the lines that are still useful to some team."""

    board: EvalBoard
    lines: _LineValues


class _Outlook(NamedTuple):
    """The best action of a hand so far."""

    worth: int
    at: int
    """The place of the card in the hand."""
    square: Square
    takes: bool


NOTHING: Final = _Outlook(-1, 0, 0, takes=False)


def shuffled(cards: Sequence[Card], randomness: random.Random) -> list[Card]:
    """Return the cards in random order, by whole numbers: the same everywhere for the same randomness."""
    order, bits = list(cards), randomness.getrandbits
    for at in range(len(order) - 1, 0, -1):
        other = bits(32) * (at + 1) >> 32
        order[at], order[other] = order[other], order[at]
    return order


class Lookahead:
    """The future of a seat's position."""

    def __init__(self, view: View, randomness: random.Random) -> None:
        variant = view.variant
        self._view = view
        self._randomness = randomness
        self._geometry = geometry(variant, view.teams)
        self.board: Final = eval_board_of(self._geometry, view.board, view.sequences, advanced=view.options.advanced)
        self._to_win = dict(variant.sequences_to_win)[view.teams]
        self._team = tuple(team_of(seat, view.teams) for seat in range(1, view.players + 1))
        self.others: Final = max(sum(size > 0 for seat, size in enumerate(view.hand_sizes, 1) if seat != view.seat), 1)
        """The number of other seats with cards; one at least."""
        self._discards = [card for cards in view.discards for card in cards]
        self._hidden = list(variant.deck)
        for card in (*view.hand, *self._discards):
            self._hidden.remove(card)
        self._wild, self._removing = frozenset(variant.wild), frozenset(variant.removing)
        self._starts: dict[Action, _Root] = {}
        self._special = self._wild | self._removing
        self._reach = tuple(map(set_of, self._geometry.spots))
        self._one_to_go = {
            team: tuple(
                code
                for code, lack in enumerate(self._geometry.lacking)
                if lack[1] == 1 and lack[0] not in (NOBODY, team)
            )
            for team in range(1, view.teams + 1)
        }

    def wins(self, action: Action) -> bool:
        """Return True if an action of the seat wins the game at once."""
        team = self._view.team
        if action.kind != "place":
            return False
        board = self.board.copy()
        return board.place(team, action.square) and board.made[team] >= self._to_win

    def worth(self, action: Action) -> int:
        """Return the first estimate of placing or taking a chip."""
        team, price = self._view.team, 0 if self._geometry.spots[action.card] else JACK_PRICE
        if action.kind == "remove":
            return self.board.worth_of_taking(team, action.square) - price
        return self.board.worth[team][action.square] - price

    def worth_of_card(self, card: Card) -> int:
        """Return the worth of a card in the hand: that of its best square; negative if all are taken."""
        spots, worth = self._geometry.spots[card], self.board.worth[self._view.team]
        return max(worth[square] for square in spots) if spots else TAKEN

    def world(self) -> World:
        """Return a random deal of the hidden cards."""
        hidden, hands, dealt = shuffled(self._hidden, self._randomness), list[tuple[Card, ...]](), 0
        for seat, size in enumerate(self._view.hand_sizes, start=1):
            if seat == self._view.seat:
                hands.append(self._view.hand)
                continue
            hands.append(tuple(hidden[dealt : dealt + size]))
            dealt += size
        return World(tuple(hands), tuple(hidden[dealt:]))

    def play(self, action: Action, world: World, turns: int) -> int:
        """Return the score, from -WIN to WIN, of an action after so many turns (one or more) of the next seats."""
        if action not in self._starts:
            self._starts[action] = self._start(action)
        start, table = self._starts[action], _TableShape(world, self._discards, self._randomness)
        us, seat = self._view.team, self._view.seat - 1
        if start.board.made[us] >= self._to_win:
            return WIN
        table.put_down(seat, table.hands[seat].index(action.card))
        board, taken = start.board.copy(), False
        for left in reversed(range(turns)):
            seat = table.next_seat(seat)
            team = self._team[seat]
            taken |= self._play_turn(board, table, seat, last=not left)
            if board.made[team] >= self._to_win:
                return WIN if team == us else -WIN
        return self._judge(board, table, seat, _every_line(self._geometry) if taken else start.lines)

    def _start(self, action: Action) -> "_Root":
        """Return the board after an action."""
        board, lacking = self.board.copy(), self._geometry.lacking
        if action.kind == "remove":
            board.remove(action.square)
        else:
            board.place(self._view.team, action.square)
        numbers = [n for n, code in enumerate(board.code) if lacking[code] not in ((NOBODY, -1), (NOBODY, 0))]
        return _Root(board, _lines(self._geometry, numbers))

    def _play_turn(self, board: EvalBoard, table: "_TableShape", seat: int, *, last: bool) -> bool:
        """Play a quick turn: the card and square of the best worth; a dead card is exchanged first.

        Return True if a chip was taken. After the ``last`` turn the worths of the board are stale.
        """
        team, hand = self._team[seat], table.hands[seat]
        found, dead = self._find(board.worth[team], hand)
        if dead is not None:
            table.put_down(seat, dead)
            found, _ = self._find(board.worth[team], hand)
        if not self._special.isdisjoint(hand):
            found = self._find_special(board, team, hand, found)
        if found.worth == NOTHING.worth:
            return False
        table.put_down(seat, found.at)
        if found.takes:
            board.remove(found.square)
        elif last:
            board.place_last(team, found.square)
        else:
            board.place(team, found.square)
        return found.takes

    def _find(self, worth: Sequence[int], hand: Sequence[Card]) -> tuple[_Outlook, int | None]:
        """Return the best action with the cards of the board, and the place of a dead one in the hand.

        Some dead cards are not found, such as one whose first square is worth more than the second.
        """
        pairs, best, dead = self._geometry.pairs, NOTHING.worth, None
        at, square = 0, 0
        for n, card in enumerate(hand):
            for first, second in pairs[card]:
                if worth[first] > worth[second]:
                    if worth[first] > best:
                        best, at, square = worth[first], n, first
                elif worth[second] > best:
                    best, at, square = worth[second], n, second
                elif worth[second] < 0:
                    dead = n
        if dead is not None and len(pairs[hand[dead]]) > 1:
            spots = self._geometry.spots[hand[dead]]
            dead = dead if max(worth[spot] for spot in spots) < 0 else None
        return _Outlook(best, at, square, takes=False), dead

    def _find_special(self, board: EvalBoard, team: Team, hand: Sequence[Card], found: _Outlook) -> _Outlook:
        """Return the better of the found action and of the cards that can go anywhere."""
        worth = board.worth[team]
        for n, card in enumerate(hand):
            if card in self._wild:
                best = max(worth)
                if best - JACK_PRICE > found.worth:
                    found = _Outlook(best - JACK_PRICE, n, worth.index(best), takes=False)
            elif card in self._removing and found.worth < URGENT:
                for square in self._threats(board, team):
                    best = board.worth_of_taking(team, square)
                    if best - JACK_PRICE > found.worth:
                        found = _Outlook(best - JACK_PRICE, n, square, takes=True)
        return found

    def _threats(self, board: EvalBoard, team: Team) -> list[Square]:
        """Return the chips that can be taken from a line of another team that lacks one."""
        found: list[Square] = []
        for code in self._one_to_go[team]:
            if code in board.code:
                line = self._geometry.lines[board.code.index(code)]
                found += [s for s in line if board.owner[s] > NOBODY and s not in board.protected]
        return found

    def _judge(self, board: EvalBoard, table: "_TableShape", seat: int, lines: "_LineValues") -> int:
        """Return the score of a completely known position after a turn of this seat. Only these lines count."""
        us, to_win, made = self._view.team, self._to_win, board.made
        to_move = self._team[table.next_seat(seat)]
        one_more = tuple(count + 1 >= to_win for count in made[1:])
        held = [0] * len(made)
        total = TO_MOVE if to_move == us else -TO_MOVE
        for team, hand in zip(self._team, table.hands, strict=True):
            sign = 1 if team == us else -1
            place, take = _specials(one_more, team)
            for card in hand:
                if card in self._wild:
                    total += sign * place
                elif card in self._removing:
                    total += sign * take
                else:
                    held[team] |= self._reach[card]
        for team in range(1, len(made)):
            total += SEQUENCE * made[team] * (1 if team == us else -1)
            held[team] &= board.free
        rows = _rows(self._geometry, us, to_move, one_more)
        for row, mask in zip(map(rows.__getitem__, lines.codes(board.code)), lines.masks, strict=True):
            if row:
                team, by_held = row
                total += by_held[(mask & held[team]).bit_count()]
        return WIN * total // (abs(total) + FLATTENING)


class _TableShape:
    """Hands, pile and discards that change. A seat that plays also draws, with any option; without a card it passes."""

    def __init__(self, world: World, discards: Sequence[Card], randomness: random.Random) -> None:
        self.hands = [list(hand) for hand in world.hands]
        self._pile = list(world.pile)
        self._discards = list(discards)
        self._randomness = randomness

    def next_seat(self, seat: int) -> int:
        """Return the place, from 0, of the next hand with cards."""
        for after in range(seat + 1, seat + len(self.hands)):
            if self.hands[after % len(self.hands)]:
                return after % len(self.hands)
        return seat

    def put_down(self, seat: int, at: int) -> None:
        """Move the card at this place of a hand to the discards, and the next one of the pile into its place."""
        hand = self.hands[seat]
        self._discards.append(hand[at])
        if not self._pile:
            self._pile, self._discards = shuffled(self._discards, self._randomness), []
        hand[at] = self._pile.pop()


@lru_cache(maxsize=256)
def _specials(one_more: tuple[bool, ...], team: Team) -> tuple[int, int]:
    """Return the worth to a team of cards that place or take a chip anywhere. ``one_more``: by team, if one wins."""
    others = any(wins for other, wins in enumerate(one_more, start=1) if other != team)
    return worth_of_specials(wins=one_more[team - 1], others_win=others)


def _lines(geometry: Geometry, numbers: Sequence[int]) -> _LineValues:
    # One line more, which is worth nothing twice, keeps the getter's answer a tuple.
    return _LineValues(itemgetter(*numbers, 0, 0), (*(geometry.masks[n] for n in numbers), 0, 0))


@lru_cache(maxsize=16)
def _every_line(geometry: Geometry) -> _LineValues:
    return _lines(geometry, range(len(geometry.lines)))


@lru_cache(maxsize=256)
def _rows(geometry: Geometry, us: Team, to_move: Team, one_more: tuple[bool, ...]) -> tuple[Row | None, ...]:
    """Return by code: the worth of a line to us; None for nothing."""
    rows: list[Row | None] = []
    for team, lacking in geometry.lacking:
        if team == NOBODY or not 0 < lacking <= LACKING_MAX:
            rows.append(None)
            continue
        others = any(wins for other, wins in enumerate(one_more, start=1) if other != team)
        worth = worth_of_line(wins=one_more[team - 1], others_win=others, to_move=team == to_move)
        rows.append((team, tuple(value if team == us else -value for value in worth[lacking])))
    return tuple(rows)


TRIALS: Final = 1_000
"""The trials for one choice."""
TURNS_AHEAD_MAX: Final = 3
"""The others' turns are played until the seat's own next one. One wins less with four players, two do with two."""
# Squares to think of for a card that can place a chip anywhere, and chips for one that can take any.
PLACES: Final = 6
TAKINGS: Final = 4
WHOLE: Final = 1_000


class OldStrong:
    """Chooses by trying. Keeps nothing from turn to turn."""

    def __init__(self, randomness: random.Random) -> None:
        self._randomness = randomness

    def choose(self, view: View) -> Action:
        """Return one of the legal actions."""
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
        return self._search(lookahead, worth_a_thought(lookahead, view))

    def _search(self, lookahead: Lookahead, actions: Sequence[Action]) -> Action:
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
                if WHOLE * trials // TRIALS >= WHOLE:
                    break
            if len(scores) == len(left):
                # A world counts only after all actions have been tried in it.
                for action, value in zip(left, scores, strict=True):
                    score[action] += value
            while halvings and WHOLE * trials // TRIALS >= halvings[0]:
                del halvings[0]
                left = sorted(left, key=lambda action: -score[action])[: (len(left) + 1) // 2]
        return left[0]


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
