"""One game between bots, with its counts and its result."""

import random
from typing import NamedTuple, get_args

from seqp2p.arena.contest import Contest
from seqp2p.arena.entrants import BotFault
from seqp2p.i18n import message, message_of
from seqp2p.match.events import Result
from seqp2p.rules import KNOWN_VARIANTS, Action, ActionKind, Game, Position, RulesError, Team, team_of


def result_of(position: Position) -> Result:
    """Return the result that programs are told. Only a bot that has failed leaves a game unfinished."""
    if position.to_move:
        return Result("unfinished", (), "a bot has failed")
    if not position.winner:
        return Result("drawn")
    return Result("won", tuple(range(position.winner, position.players + 1, position.teams)))


class ArenaResult(NamedTuple):
    """The result of one game."""

    first_team: Team
    """The team that moved first."""
    winner: Team
    """0 for a drawn game, or one that a bot has failed."""
    turns: int
    """An exchange is none, a pass is one."""
    reshuffles: int
    passes: int
    exchanges: int
    failed: Team = 0
    """The team whose bot has failed: it loses, and the other teams share the point."""
    reason: str = ""
    """The fault of that bot."""

    def score(self, team: Team, teams: int) -> float:
        """Return the part of the point that a team gets: all of it for a win, an equal part of a draw.

        >>> drawn = ArenaResult(first_team=1, winner=0, turns=300, reshuffles=1, passes=208, exchanges=0)
        >>> drawn.score(1, teams=2)
        0.5
        """
        if self.winner:
            return float(team == self.winner)
        if self.failed:
            return 0.0 if team == self.failed else 1 / (teams - 1)
        return 1 / teams


class ArenaGame(Game):
    """A game of a contest, and the counts of what happened."""

    def __init__(self, contest: Contest, cards: random.Random, first: int) -> None:
        """Deal the cards; the seat ``first`` moves first."""
        variant = KNOWN_VARIANTS[contest.variant]
        super().__init__(variant, contest.players, cards, teams=contest.teams, options=contest.options, first=first)
        self.contest = contest
        self._first_team = team_of(first, contest.teams)
        self._counts = dict.fromkeys(get_args(ActionKind), 0)
        self.choices = [0] * contest.teams
        self.seconds = [0.0] * contest.teams

    def take(self, action: Action, seconds: float) -> None:
        """Play the choice of the seat to move, which took so many seconds. Raises BotFault if it is not legal."""
        team = team_of(self.turn, self.contest.teams) - 1
        try:
            self.play(action)
        except RulesError as error:
            raise BotFault(message("its choice is not legal: {reason}", reason=message_of(error))) from None
        self._counts[action.kind] += 1
        self.choices[team] += 1
        self.seconds[team] += seconds

    def counted(self, failure: BotFault | None = None) -> ArenaResult:
        """Return the result, or that of the game which the seat to move has failed."""
        position = self.position
        return ArenaResult(
            first_team=self._first_team,
            winner=position.winner,
            turns=position.turn,
            reshuffles=position.reshuffles,
            passes=self._counts["pass"],
            exchanges=self._counts["exchange"],
            failed=team_of(position.to_move, position.teams) if failure else 0,
            reason=message_of(failure) if failure else "",
        )
