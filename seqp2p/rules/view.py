"""The view of one seat: the open table and its own hand; and the lines that lack one or two chips."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from seqp2p.arguments import check_arguments
from seqp2p.i18n import message
from seqp2p.rules.actions import Action, RulesError
from seqp2p.rules.engine import legal_actions
from seqp2p.rules.notation import format_card, format_square
from seqp2p.rules.position import (
    TEAM_LETTERS,
    CompletedSequence,
    Hand,
    Phase,
    Position,
    check_seat,
    format_sequence,
    hide,
    owners,
)
from seqp2p.rules.sequences import countable_lines
from seqp2p.rules.table import SquareSet, squares_of, team_of
from seqp2p.rules.variant import Card, Line, Options, SeatNumber, Square, Team, Variant

CORNER = -1
"""In ``View.board``: a free corner."""
LACKING_MAX: Final = 2


@dataclass(frozen=True, slots=True)
class View:
    """A position as one seat sees it: plain data, the same for all positions that this seat cannot tell apart.

    Most fields are worked out when they are first asked for.
    """

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

    def __str__(self) -> str:
        """The board, with ``(a)`` for a chip of team 1, and lines for the sequences, the turn and the hand."""
        return "\n".join((*_board_lines(self), *_captions(self)))

    if not TYPE_CHECKING:  # a type checker would take any name for a field

        def __getattr__(self, name: str) -> Any:
            """Work out a field that ``view`` has left open, when it is first asked for."""
            if name not in _FIELDS:
                raise AttributeError(f"a view has no {name}")
            work_out = _WORKED_OUT.get(name)
            value = work_out(self.position, self.seat) if work_out else getattr(self.position, name)
            object.__setattr__(self, name, value)
            return value


_OWNERS: Final = {f"{team:x}": team for team in range(15)} | {"f": CORNER}
_FIELDS: Final = frozenset(field.name for field in fields(View)) - {"seat", "position"}
_WORKED_OUT: Final[Mapping[str, Callable[[Position, SeatNumber], object]]] = {
    "team": lambda position, seat: team_of(seat, position.teams) if seat else 0,
    "hand": lambda position, seat: position.hands[seat - 1] if seat else (),
    "legal": lambda position, seat: legal_actions(position) if seat and seat == position.to_move else (),
    "board": lambda position, _: tuple(map(_OWNERS.__getitem__, owners(position))),
    "protected": lambda position, _: squares_of(position.protected),
    "hand_sizes": lambda position, _: tuple(map(len, position.hands)),
}
"""The fields that the position has not by the same name."""


@check_arguments
def view(position: Position, seat: SeatNumber) -> View:
    """Return the view of a seat, or of a spectator (seat 0). Raises RulesError if there is no such seat."""
    check_seat(position, seat, lowest=0)
    seen = object.__new__(View)
    object.__setattr__(seen, "seat", seat)
    object.__setattr__(seen, "position", hide(position, (seat,)))
    return seen


@dataclass(frozen=True, slots=True)
class Threat:
    """A line that ``team`` completes with chips on the ``missing`` squares, one or two."""

    team: Team
    line: Line
    missing: tuple[Square, ...]
    cards: tuple[Card, ...]
    """The reader's own cards, each once, that go on a missing square or take a chip out of the line."""


@check_arguments
def threats(view: View) -> tuple[Threat, ...]:
    """Return the lines that lack one chip, then those that lack two; among these by team, and in board order.

    Their missing squares are free. A line that the rules would not count, for it shares too much with a sequence that
    counts already, is not among them. After the end there are none.
    """
    position = view.position
    if view.over:
        return ()
    actions = legal_actions(position._replace(to_move=view.seat, pending=None, exchanged=0)) if view.seat else ()
    found: list[Threat] = []
    for team in range(1, view.teams + 1):
        for line, lacks in _open_lines(view, team):
            if 0 < lacks.bit_count() <= LACKING_MAX:
                squares, missing = position.table.look.line_of[line], squares_of(lacks)
                matters = {"place": missing, "remove": squares}
                cards = dict.fromkeys(each.card for each in actions if each.square in matters.get(each.kind, ()))
                found.append(Threat(team, squares, missing, tuple(cards)))
    return tuple(sorted(found, key=lambda threat: len(threat.missing)))


@check_arguments
def longest_line(view: View, team: Team) -> int:
    """Return the number of squares that a team has of the line that it is nearest to completing; free corners count.

    The rest of that line is free. 0 if the team can complete no line. Raises RulesError if there is no such team.
    """
    if not 1 <= team <= view.teams:
        raise RulesError(message("there is no team {team}: the teams are 1 to {teams}", team=team, teams=view.teams))
    length = view.variant.line_length
    return max((length - lacks.bit_count() for _, lacks in _open_lines(view, team)), default=0)


def _open_lines(view: View, team: Team) -> Iterator[tuple[SquareSet, SquareSet]]:
    position = view.position
    filled = position.chips[team - 1] | position.table.look.corners
    for line in countable_lines(position, team):
        lacks = line & ~filled
        if lacks and lacks & position.free == lacks:
            yield line, lacks


def _board_lines(view: View) -> Iterator[str]:
    variant, cols = view.variant, view.variant.board.cols
    width = max(map(len, ("(a)", *variant.faces))) + 1
    cells = [
        "*" if team == CORNER else f"({TEAM_LETTERS[team - 1]})" if team else variant.faces[card]
        for team, card in zip(view.board, variant.board.grid, strict=True)
    ]
    rows = [[format_square(variant, col)[0] for col in range(cols)]]
    rows += [cells[at : at + cols] for at in range(0, len(cells), cols)]
    for number, row in enumerate(rows):
        yield f"{number or '':>2} {''.join(f'{cell:{width}}' for cell in row)}".rstrip()


def _captions(view: View) -> Iterator[str]:
    if view.sequences:
        yield f"sequences {' '.join(format_sequence(view.variant, each) for each in view.sequences)}"
    if view.over:
        yield f"team {TEAM_LETTERS[view.winner - 1]} has won" if view.winner else "the game is drawn"
    else:
        team = TEAM_LETTERS[team_of(view.to_move, view.teams) - 1]
        yield f"turn {view.turn + 1}, seat {view.to_move} of team {team}: {view.phase}"
    if view.seat:
        yield f"seat {view.seat} holds {' '.join(format_card(view.variant, card) for card in view.hand) or 'no card'}"
