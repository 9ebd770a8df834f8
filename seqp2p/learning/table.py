"""A table of actions by number, without agents, arrays and rewards: for random games, rollouts and searches.

It plays several times as many steps a second as the environment, which is built on it.
"""

import operator
import random

from seqp2p.arena.game import Dealer
from seqp2p.learning.numbering import action_of, legal_numbers
from seqp2p.rules import (
    KNOWN_VARIANTS,
    VARIANTS,
    Action,
    Options,
    Position,
    SeatNumber,
    Team,
    View,
    check_table,
    default_teams,
    view,
)


class Table:
    """One table, and the game on it. ``reset`` it before anything else.

    >>> import random
    >>> table, dice = Table(), random.Random(1)
    >>> table.reset(seed=1)
    >>> while table.to_move:
    ...     table.step(dice.choice(table.legal()))
    >>> table.winner in (1, 2)
    True
    """

    def __init__(
        self,
        players: int = 2,
        teams: int | None = None,
        variant: str = "classic",
        *,
        advanced: bool = False,
        manual_draw: bool = False,
    ) -> None:
        """``teams`` is as many as usual if it is None.

        RulesError if so many cannot sit down so; ValueError for a variant that there is not.
        """
        if variant not in KNOWN_VARIANTS:
            raise ValueError(f"there is no variant {variant!r}: choose one of {', '.join(VARIANTS)}")
        self.variant = KNOWN_VARIANTS[variant]
        self.players = players
        self.teams = default_teams(self.variant, players) if teams is None else teams
        self.options = Options(advanced=advanced, manual_draw=manual_draw)
        check_table(self.variant, players, self.teams, self.options)
        # For cards that nobody wants to see again; `reset` with a seed takes its place.
        self._cards = random.Random()  # noqa: S311 -- no secret depends on these cards
        self._last: Action | None = None

    def reset(self, seed: int | None = None) -> None:
        """Deal a new game; who begins is drawn by lot.

        With the same ``seed`` the same games follow on every machine; without one they go on from the seed before.
        """
        if seed is not None:
            self._cards = random.Random(f"seqp2p_v0 {operator.index(seed)}")  # noqa: S311 -- the same cards again are wanted
        first = self._cards.randint(1, self.players)
        self._dealer = Dealer(self.variant, self.players, self.teams, self.options, first, self._cards)
        self._last = None

    def step(self, number: int) -> None:
        """Let the seat to move do the action of this number.

        Raises ValueError for an unused number, IllegalAction for an illegal action, and then changes nothing.
        """
        action = action_of(self.variant, operator.index(number))
        self._dealer.play(action)
        self._last = action

    def legal(self) -> list[int]:
        """Return the numbers of the legal actions, none when the game is over."""
        return legal_numbers(self._dealer.position)

    @property
    def position(self) -> Position:
        """The position, with all hands: show a seat its view, nothing else."""
        return self._dealer.position

    @property
    def to_move(self) -> SeatNumber:
        """The seat that acts next, 0 when the game is over."""
        return self._dealer.position.to_move

    @property
    def winner(self) -> Team:
        """The team that has won, 0 if the game goes on or is drawn."""
        return self._dealer.position.winner

    @property
    def last(self) -> Action | None:
        """The last action of this game."""
        return self._last

    def view(self, seat: SeatNumber) -> View:
        """Return the view of a seat, as a bot of seqp2p gets it; 0 is one who only watches."""
        return view(self._dealer.position, seat)
