"""One game between bots. The arena's dealer holds the cards, and a bot sees its view."""

import random
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple, get_args

from seqp2p.arena.contest import Contest
from seqp2p.arena.dealer import Dealer
from seqp2p.arena.late_view import late_view
from seqp2p.bots.player import Bot
from seqp2p.bots.registry import BOTS
from seqp2p.i18n import message, message_of
from seqp2p.rules import KNOWN_VARIANTS, ActionKind, RulesError, SeatNumber, Team, team_of


class BotError(Exception):
    """A bot chose an illegal action; the text has the bot and the reason."""


class ArenaResult(NamedTuple):
    """The result of one game."""

    first_team: Team
    """The team that moved first."""
    winner: Team
    """0 for a drawn game."""
    turns: int
    """An exchange is none, a pass is one."""
    reshuffles: int
    passes: int
    exchanges: int


def play(contest: Contest, seed: int, number: int) -> ArenaResult:
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
    dealer = Dealer(KNOWN_VARIANTS[contest.variant], contest.players, contest.teams, contest.options, first, cards)
    return _play_to_the_end(contest, dealer, bots)


def _play_to_the_end(contest: Contest, dealer: Dealer, bots: Sequence[Bot]) -> ArenaResult:
    """Let the bots (by seat) play; BotError if one does not choose a legal action."""
    position = dealer.position
    first_team = team_of(position.to_move, position.teams)
    counts = dict.fromkeys(get_args(ActionKind), 0)
    while position.to_move:
        action = bots[position.to_move - 1].choose(late_view(position))
        try:
            dealer.play(action)
        except RulesError as error:
            raise _blame(contest.bots[position.to_move - 1], position.to_move, error) from None
        counts[action.kind] += 1
        position = dealer.position
    return ArenaResult(
        first_team=first_team,
        winner=position.winner,
        turns=position.turn,
        reshuffles=position.reshuffles,
        passes=counts["pass"],
        exchanges=counts["exchange"],
    )


def _blame(bot: str, seat: SeatNumber, error: RulesError) -> BotError:
    return BotError(
        message(
            "the bot {bot} in seat {seat} chose what is not legal: {reason}",
            bot=bot,
            seat=seat,
            reason=message_of(error),
        )
    )
