"""A game to play and take back on the engine alone, by one who holds the cards of all seats.

Its cards are shuffled plainly, by ``random.Random``. That is no deal between peers: there nobody may choose or see the
cards, and ``match`` deals them by cryptography.
"""

import random
from typing import Any, Final, Self

from seqp2p.arguments import arguments_of, check_arguments
from seqp2p.i18n import message
from seqp2p.rules.actions import Action, NotationError, RulesError
from seqp2p.rules.engine import apply, legal_actions, new_pile
from seqp2p.rules.game_text import GameText, Happening, Move, format_game, parse_game
from seqp2p.rules.notation import parse_action
from seqp2p.rules.position import Position, format_outcome, reveal, start
from seqp2p.rules.table import default_teams, hand_size
from seqp2p.rules.variant import UNKNOWN, Options, SeatNumber, Variant
from seqp2p.rules.view import View, view

_USUAL: Final = Options()


class Game:
    """A game that changes as it is played: ``Game(variant, players, seed, teams=…, options=…, first=…)``.

    ``seed`` shuffles the cards: the same number gives the same game on every machine, and a ``random.Random`` goes on
    from where it is. Seat ``first`` begins, as a rule 1, and ``teams`` is as many as usual if None. ``print`` shows the
    board to the seat to play. Raises RulesError where these cannot sit down.

    >>> from seqp2p.rules import KIDS
    >>> game = Game(KIDS, 2, seed=1)
    >>> game.turn, ", ".join(map(str, game.legal))
    (1, 'cat d1, cat f5, owl g2, owl c4, penguin a3, penguin d4')
    >>> game.play("owl g2")
    >>> game.undo()
    >>> while not game.over:
    ...     game.play(game.legal[0])
    >>> print(game)
       a         b         c         d         e         f         g
     1 *         alligator (b)       (a)       (a)       (a)       *
     2 frog      (b)       (a)       (a)       (b)       (b)       owl
     3 penguin   rabbit    sheep     (b)       whale     yak       zebra
     4 lion      monkey    owl       penguin   rabbit    sheep     turtle
     5 whale     yak       zebra     alligator bear      cat       duck
     6 *         elephant  frog      giraffe   (a)       kangaroo  *
    sequences a:d1-g1
    team a has won
    >>> Game.from_text(game.text, seed=1).result
    'a'
    """

    position: Position
    """With all hands: show a seat its view, nothing else."""

    @check_arguments
    def __init__(
        self,
        variant: Variant,
        players: int,
        seed: int | random.Random,
        *,
        teams: int | None = None,
        options: Options = _USUAL,
        first: SeatNumber = 1,
    ) -> None:
        size, deck = hand_size(variant, players), list(variant.deck)
        self._dice = seed if isinstance(seed, random.Random) else random.Random(seed)  # noqa: S311  # the same cards again are wanted
        self._dice.shuffle(deck)
        hands = [deck[seat * size : (seat + 1) * size] for seat in range(players)]
        self._pile = deck[players * size :]  # the next card last
        self._past = list[tuple[Position, Happening]]()
        teams = default_teams(variant, players) if teams is None else teams
        self.position = start(variant, players, teams, options, first, hands)

    @classmethod
    @check_arguments
    def from_text(cls, text: str, seed: int | random.Random) -> Self:
        """Return the game with this text, to play on; ``seed`` shuffles the cards that nobody has drawn.

        Raises NotationError if there is none, or if it does not tell all cards.
        """
        record = parse_game(text)
        positions = list(record.positions())
        if any(UNKNOWN in hand for position in positions for hand in position.hands):
            raise NotationError(message("the game cannot be played on: its text does not tell all cards"))
        first = record.first_seat
        game = cls(record.variant, record.players, seed, teams=record.teams, options=record.options, first=first)
        game._past = list(zip(positions, record.moves, strict=False))
        game.position = positions[-1]
        game._pile = game._undrawn()
        return game

    @property
    def text(self) -> str:
        """The whole game in the text form of ``format_game``."""
        first = self._past[0][0] if self._past else self.position
        table = first.table
        moves: tuple[Happening, ...] = tuple(happening for _, happening in self._past)
        return format_game(
            GameText(table.variant, table.players, table.teams, table.options, first.to_move, first.hands, moves)
        )

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions of the seat to play, as ``legal_actions`` lists them."""
        return legal_actions(self.position)

    @property
    def turn(self) -> SeatNumber:
        """The seat to play, 0 when the game is over."""
        return self.position.to_move

    @property
    def over(self) -> bool:
        """True if a team has won or the game is drawn."""
        return self.position.over

    @property
    def result(self) -> str:
        """``-`` for a game that goes on, ``=`` for a drawn one, or the letter of the team that has won."""
        return format_outcome(self.position)

    def view(self, seat: SeatNumber) -> View:
        """Return the view of a seat; 0 is one who only watches. Raises RulesError if there is no such seat."""
        return view(self.position, seat)

    def play(self, action: Action | str) -> None:
        """Play an action of the seat to play, or its text, and draw a card if one is due.

        Raises NotationError for a text that is no action, IllegalAction or AmbiguousAction with the reason of a
        refusal; the game is then as it was.
        """
        before = self.position
        if isinstance(action, str):
            action = parse_action(before.variant, action)
        after = apply(before, action, self._pile[-1] if self._pile else UNKNOWN)
        if after.reshuffles > before.reshuffles:
            self._pile += new_pile(before, action)
            self._dice.shuffle(self._pile)
            after = reveal(after, before.to_move, self._pile[-1:])
        drawn = self._pile.pop() if after.draws > before.draws else UNKNOWN
        self._past.append((before, Move(action, drawn)))
        self.position = after

    def undo(self) -> None:
        """Take the last action back. Raises RulesError if there is none.

        The card drawn for it is the next one again; but discards that it made the pile are shuffled again next time.
        """
        if not self._past:
            raise RulesError(message("nothing has been played yet: there is nothing to take back"))
        after = self.position
        self.position, last = self._past.pop()
        if not isinstance(last, Move) or after.reshuffles > self.position.reshuffles:
            self._pile = self._undrawn()
        elif last.drawn != UNKNOWN:
            self._pile.append(last.drawn)

    def __str__(self) -> str:
        return str(self.view(self.turn))

    def _undrawn(self) -> list[int]:
        """Return the cards that are neither in a hand nor on the discards, shuffled."""
        cards = sorted(self.position.variant.deck)
        for card in (card for each in (*self.position.hands, *self.position.discards) for card in each):
            cards.remove(card)
        self._dice.shuffle(cards)
        return cards


@check_arguments
@arguments_of(Game)
def deal(*args: Any, **kwargs: Any) -> Position:
    """Return the first position of a ``Game`` with these arguments: a plain shuffle, and no deal between peers."""
    return Game(*args, **kwargs).position
