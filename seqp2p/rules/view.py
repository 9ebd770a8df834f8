"""The part of a position that one seat may know: the open table, and its own hand."""

from dataclasses import dataclass

from seqp2p.i18n import message
from seqp2p.rules.actions import Action
from seqp2p.rules.engine import legal_actions
from seqp2p.rules.errors import RulesError
from seqp2p.rules.lookup import squares_of
from seqp2p.rules.options import Options
from seqp2p.rules.position import CompletedSequence, Hand, Phase, Position, hide
from seqp2p.rules.table import team_of
from seqp2p.rules.variant import Card, SeatNumber, Square, Team, Variant

CORNER = -1
"""In ``View.board``: a free corner."""


@dataclass(frozen=True, slots=True)
class View:
    """A position as one seat sees it: plain data, the same for all positions that this seat cannot tell apart."""

    seat: SeatNumber
    """0 for a spectator, whose team is 0 and whose hand is empty."""
    team: Team
    variant: Variant
    options: Options
    players: int
    teams: int
    hand: Hand
    legal: tuple[Action, ...]
    """The legal actions of the seat, empty if it is not to move. Calls are never listed."""
    board: tuple[Team, ...]
    """By square: the team whose chip lies there, 0 on a free square, -1 (CORNER) on a free corner."""
    sequences: tuple[CompletedSequence, ...]
    protected: tuple[Square, ...]
    """Squares with a safe chip."""
    hand_sizes: tuple[int, ...]
    """In seat order."""
    pile: int
    discards: tuple[tuple[Card, ...], ...]
    """In seat order, each oldest first."""
    to_move: SeatNumber
    """0 when the game is over."""
    mover: SeatNumber
    """The seat whose turn it is; another one is to move when it owes a draw or a card."""
    out: tuple[SeatNumber, ...]
    """The seats that have left the game, ascending."""
    phase: Phase
    """The task of the seat to move: play, draw, draw late, or give up a card for its team's talk."""
    turn: int
    draws: int
    reshuffles: int
    exchanges_left: int
    """Dead cards that the seat to move may still exchange in this turn."""
    winner: Team
    over: bool
    drawn_game: bool
    position: Position
    """The position with the other hands unknown, to look ahead with the engine."""


def view(position: Position, seat: SeatNumber) -> View:
    """Return the view of a seat, or of a spectator (seat 0). Raises RulesError if there is no such seat."""
    if not 0 <= seat <= position.players:
        raise RulesError(
            message("there is no seat {seat}: the seats are 1 to {players}", seat=seat, players=position.players)
        )
    seen = hide(position, (seat,))
    board = [0] * len(seen.variant.board.grid)
    for team, chips in enumerate(seen.chips, start=1):
        for square in squares_of(chips):
            board[square] = team
    for square in seen.variant.board.corners:
        board[square] = CORNER
    return View(
        seat=seat,
        team=team_of(seat, seen.teams) if seat else 0,
        variant=seen.variant,
        options=seen.options,
        players=seen.players,
        teams=seen.teams,
        hand=seen.hands[seat - 1] if seat else (),
        legal=legal_actions(seen) if seat and seat == seen.to_move else (),
        board=tuple(board),
        sequences=seen.sequences,
        protected=squares_of(seen.protected),
        hand_sizes=tuple(map(len, seen.hands)),
        pile=seen.pile,
        discards=seen.discards,
        to_move=seen.to_move,
        mover=seen.mover,
        out=seen.out,
        phase=seen.phase,
        turn=seen.turn,
        draws=seen.draws,
        reshuffles=seen.reshuffles,
        exchanges_left=seen.exchanges_left,
        winner=seen.winner,
        over=seen.over,
        drawn_game=seen.drawn_game,
        position=seen,
    )
