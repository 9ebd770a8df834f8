"""One game between bots. The arena holds the cards: it shuffles, deals, draws, and makes a new pile of the discards."""

import random
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple, get_args

from seqp2p.arena.contest import Contest
from seqp2p.arena.late_view import late_view
from seqp2p.players.bots import BOTS
from seqp2p.players.player import Bot
from seqp2p.rules import (
    UNKNOWN,
    VARIANTS,
    Action,
    Kind,
    Position,
    RulesError,
    Seat,
    Team,
    apply,
    hand_size,
    new_pile,
    reveal,
    start,
    team_of,
)
from seqp2p.said import said, why


class BotError(Exception):
    """A bot chose what is not legal; the text says which bot, and why it is not."""


class Result(NamedTuple):
    """How a game went."""

    first_team: Team
    """The team that moved first."""
    winner: Team
    """0 for a drawn game."""
    turns: int
    """An exchange is none, a pass is one."""
    reshuffles: int
    passes: int
    exchanges: int


def play(contest: Contest, seed: int, number: int) -> Result:
    """Play game ``number`` (from 0) of a contest. Who starts goes round the table from game to game.

    The cards do not depend on who plays: with the same seed other bots get the same deals. BotError if a bot does not
    choose a legal action.
    """
    digest = sha256(f"seqp2p arena, seed {seed}, game {number}".encode()).digest()
    # The same games again are what is wanted here, not cards that nobody can foresee.
    cards = random.Random(int.from_bytes(digest[:16], "big"))  # noqa: S311 -- see above
    choices = random.Random(int.from_bytes(digest[16:], "big"))  # noqa: S311 -- see above
    bots = [BOTS[name](choices) for name in contest.bots]
    first = number % contest.players + 1
    return _Game(contest, first, cards).play_to_the_end(bots)


class _Game:
    """A game in progress, and its pile, the next card last."""

    def __init__(self, contest: Contest, first: Seat, cards: random.Random) -> None:
        variant, players = VARIANTS[contest.variant], contest.players
        size = hand_size(variant, players)
        deck = list(variant.deck)
        cards.shuffle(deck)
        hands = [deck[seat * size : (seat + 1) * size] for seat in range(players)]
        self._contest = contest
        self._cards = cards
        self._pile = deck[players * size :]
        self._position = start(variant, players, contest.teams, contest.options, first, hands)

    def play_to_the_end(self, bots: Sequence[Bot]) -> Result:
        """Let the bots (by seat) play; BotError if one does not choose a legal action."""
        position, pile, first = self._position, self._pile, self._position.to_move
        counts = dict.fromkeys(get_args(Kind), 0)
        while position.to_move:
            action = bots[position.to_move - 1].choose(late_view(position))
            try:
                after = apply(position, action, pile[-1] if pile else UNKNOWN)
            except RulesError as error:
                raise self._blame(position.to_move, error) from None
            if after.reshuffles > position.reshuffles:
                after = self._reshuffle(position, action, after)
            if after.draws > position.draws:
                pile.pop()
            counts[action.kind] += 1
            position = after
        return Result(
            first_team=team_of(first, position.teams),
            winner=position.winner,
            turns=position.turn,
            reshuffles=position.reshuffles,
            passes=counts["pass"],
            exchanges=counts["exchange"],
        )

    def _reshuffle(self, before: Position, action: Action, after: Position) -> Position:
        """Make the pile of all discards, the card just played among them; its last card is the one that is drawn."""
        self._pile += new_pile(before, action)
        self._cards.shuffle(self._pile)
        return reveal(after, before.to_move, self._pile[-1:])

    def _blame(self, seat: Seat, error: RulesError) -> BotError:
        bot = self._contest.bots[seat - 1]
        return BotError(
            said(
                "the bot {bot} in seat {seat} chose what is not legal: {reason}", bot=bot, seat=seat, reason=why(error)
            )
        )
