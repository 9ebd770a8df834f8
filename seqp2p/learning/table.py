"""The game by numbers: a table whose actions are numbers. It needs no other library.

All actions that the engine lists as legal have numbers, the same at all tables of a variant.

With S squares and F faces (classic: 100 and 52, kids: 42 and 21), a number is ``part * S + square`` in the parts

    0               a chip on the square, with the card printed on it
    1 … W           a chip on the square, with each of the W wild cards in the order of ``variant.wild``
    W+1 … W+R       a chip taken off the square, with each of the R removing cards in that of ``variant.removing``

and after these ``face`` for a dead card that is exchanged, ``F + face`` for a card given up for talk, and then pass,
draw, end and waive. Numbers of impossible actions (a chip on a corner, a jack exchanged as dead) are unused.
"""

import operator
import random
from collections.abc import Iterator
from functools import cache

from seqp2p.arguments import check, check_arguments
from seqp2p.rules import (
    ACTION_ROWS,
    Action,
    Game,
    Options,
    Position,
    SeatNumber,
    Team,
    Variant,
    View,
    check_table,
    default_teams,
    legal_actions,
)
from seqp2p.rules.notation import action_class, variant_named


def _numbered(variant: Variant) -> Iterator[Action | None]:
    board, faces = variant.board, range(len(variant.faces))
    special, action = {*variant.wild, *variant.removing}, action_class(variant)
    squares = [None if square in board.corners else square for square in range(len(board.grid))]
    yield from (None if square is None else action("place", board.grid[square], square) for square in squares)
    for card in variant.wild:
        yield from (None if square is None else action("place", card, square) for square in squares)
    for card in variant.removing:
        yield from (None if square is None else action("remove", card, square) for square in squares)
    yield from (None if card in special else action("exchange", card) for card in faces)
    yield from (action("give", card) for card in faces)
    yield from (action(kind) for kind, row in ACTION_ROWS.items() if "{" not in row.text)


@cache
@check_arguments
def actions_of(variant: Variant) -> tuple[Action | None, ...]:
    """Return the actions by number, None for an unused one."""
    return tuple(_numbered(variant))


@cache
def numbers_of(variant: Variant) -> dict[Action, int]:
    return {action: number for number, action in enumerate(actions_of(variant)) if action is not None}


def action_of(variant: Variant, number: int) -> Action:
    """Return the action of this number. Raises ValueError if it is unused.

    >>> from seqp2p.rules import CLASSIC
    >>> [str(action_of(CLASSIC, number)) for number in (1, 101, 399 - 1, 500, 604)]
    ['2S b1', 'JC b1', 'JH xi10', '2C dead', 'pass']
    """
    if isinstance(number, bool):
        check(action_of, variant, number)
    try:
        actions = actions_of(variant)
        action = actions[number] if 0 <= number < len(actions) else None
    except (AttributeError, TypeError):
        check(action_of, variant, number)
        raise
    if action is None:
        raise ValueError(f"{number} stands for no action of {variant.title}: choose one that the action mask allows")
    return action


def number_of(variant: Variant, action: Action) -> int:
    """Return the number of an action. Raises ValueError for a call and for an action that names its sequences."""
    try:
        return numbers_of(variant)[action]
    except (AttributeError, KeyError, TypeError):
        check(number_of, variant, action)
        raise ValueError(f"{action} has no number: no list of legal actions has it in {variant.title}") from None


class Table:
    """A table of actions by number, and the game on it: for random games, rollouts and searches.

    It plays several times as many steps a second as the environment, which is built on it. It begins with a
    game of random cards.

    >>> import random
    >>> table, dice = Table(), random.Random(1)
    >>> table.reset(seed=1)
    >>> while table.to_move:
    ...     table.step(dice.choice(table.legal()))
    >>> table.winner in (1, 2)
    True
    """

    last: Action | None
    """The last action of this game."""

    @check_arguments
    def __init__(
        self,
        players: int = 2,
        teams: int | None = None,
        variant: str = "classic",
        *,
        advanced: bool = False,
        manual_draw: bool = False,
    ) -> None:
        """``teams`` is as many as usual if it is None. RulesError if so many cannot sit down so."""
        self.variant = variant_named(variant)
        self.players = players
        self.teams = default_teams(self.variant, players) if teams is None else teams
        self.options = Options(advanced=advanced, manual_draw=manual_draw)
        check_table(self.variant, players, self.teams, self.options)
        # For cards that nobody wants to see again; `reset` with a seed takes its place.
        self._cards = random.Random()  # noqa: S311 -- no secret depends on these cards
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Deal a new game; who begins is drawn by lot.

        With the same ``seed`` the same games follow on every machine; without one they go on from the seed before.
        """
        if seed is not None:
            if isinstance(seed, bool) or not hasattr(seed, "__index__"):  # an integer of NumPy has it, too
                check(Table.reset, self, seed)
            self._cards = random.Random(f"seqp2p_v0 {operator.index(seed)}")  # noqa: S311 -- the same cards again are wanted
        first = self._cards.randint(1, self.players)
        self._game = Game(self.variant, self.players, self._cards, teams=self.teams, options=self.options, first=first)
        self.last = None

    def step(self, number: int) -> None:
        """Let the seat to move do the action of this number.

        Raises ValueError for an unused number, IllegalAction for an illegal action, and then changes nothing.
        """
        action = action_of(self.variant, number)
        self._game.play(action)
        self.last = action

    def legal(self) -> list[int]:
        """Return the numbers of the legal actions, in the engine's order; none when the game is over."""
        numbers, position = numbers_of(self.variant), self._game.position
        return [numbers[action] for action in legal_actions(position)] if position.to_move else []

    @property
    def position(self) -> Position:
        """The position, with all hands: show a seat its view, nothing else."""
        return self._game.position

    @property
    def to_move(self) -> SeatNumber:
        """The seat that acts next, 0 when the game is over."""
        return self._game.turn

    @property
    def winner(self) -> Team:
        """The team that has won, 0 if the game goes on or is drawn."""
        return self._game.position.winner

    def view(self, seat: SeatNumber) -> View:
        """Return the view of a seat, as a bot of seqp2p gets it; 0 is one who only watches."""
        return self._game.view(seat)
