"""Sequences: the lines of chips that count.

A line of the right length counts as soon as all its squares bear the team's chips (or are corners) and it shares at
most one chip with each sequence that the team has already. Corners are no chips: any number of sequences may share
them. So nine in a row are two sequences when the recorded five lie at an end, and six to eight are one.

When more lines are complete than can count together, the mover may name those it wants; the others are taken in a
fixed order: rows before columns before diagonals to the right before diagonals to the left, and among these the line
whose first square comes first in reading order. In a line this choice never loses a sequence.
"""

from collections.abc import Iterable

from seqp2p.arguments import check_arguments
from seqp2p.i18n import all_of, message
from seqp2p.rules.actions import Action, AmbiguousAction, Ends, IllegalAction
from seqp2p.rules.notation import format_ends
from seqp2p.rules.position import CompletedSequence, Position
from seqp2p.rules.table import Lookup, NearLines, SquareSet, TableRules, set_of, team_of
from seqp2p.rules.variant import Team


def protected_by(table: TableRules, sequences: Iterable[CompletedSequence]) -> SquareSet:
    """Return the squares that these sequences protect: no corners, and none under the advanced rule."""
    if table.options.advanced:
        return 0
    squares = 0
    for sequence in sequences:
        squares |= set_of(sequence.squares)
    return squares & ~table.look.corners


def complete_lines(near: NearLines, filled: SquareSet, length: int) -> list[SquareSet]:
    """Return the lines of sequence length among ``near`` that are completely filled, in the fixed order."""
    found: list[SquareSet] = []
    for squares, lines in near:
        if (filled & squares).bit_count() >= length:
            found += [line for line in lines if filled & line == line]
    return found


@check_arguments
def nameable_lines(position: Position, action: Action) -> tuple[Ends, ...]:
    """Return the lines that a placing of the seat to move may name, in the fixed order; empty without a choice."""
    table, look = position.table, position.table.look
    if action.kind != "place" or action.square not in look.bit:
        return ()
    filled = position.chips[team_of(position.to_move, position.teams) - 1] | look.bit[action.square] | look.corners
    lines = _open_lines(position, complete_lines(table.near[action.square], filled, look.line_length))
    if not any(_clash(look, line, lines[:at]) for at, line in enumerate(lines)):
        return ()
    return tuple((look.line_of[line][0], look.line_of[line][-1]) for line in lines)


def new_sequences(position: Position, made: list[SquareSet], ends: tuple[Ends, ...]) -> list[CompletedSequence]:
    """Return the sequences that a chip of the seat to move adds.

    ``made`` are its complete lines, in the fixed order; ``ends`` names those that the mover wants.
    """
    look, team = position.table.look, team_of(position.to_move, position.teams)
    open_lines = _open_lines(position, made)
    counted: list[SquareSet] = []
    for pair in ends:
        line = _named_line(position, pair, made, open_lines)
        if _clash(look, line, counted):
            both = all_of(format_ends(position.variant, named) for named in ends)
            raise AmbiguousAction(message("{both} share more than one chip: name only one of them", both=both))
        counted.append(line)
    for line in open_lines:
        if not _clash(look, line, counted):
            counted.append(line)
    return [CompletedSequence(team, look.line_of[line]) for line in counted]


def countable_lines(position: Position, team: Team) -> list[SquareSet]:
    """Return the lines of the board that can count in addition to a team's sequences."""
    return _countable(position, team, position.table.look.line_of)


def _open_lines(position: Position, made: list[SquareSet]) -> list[SquareSet]:
    """Return the complete lines that can count in addition to the team's sequences."""
    return _countable(position, team_of(position.to_move, position.teams), made)


def _countable(position: Position, team: Team, lines: Iterable[SquareSet]) -> list[SquareSet]:
    recorded = [set_of(sequence.squares) for sequence in position.sequences if sequence.team == team]
    return [line for line in lines if not _clash(position.table.look, line, recorded)]


def _clash(look: Lookup, line: SquareSet, others: list[SquareSet]) -> bool:
    return any((line & other & ~look.corners).bit_count() > 1 for other in others)


def _named_line(position: Position, pair: Ends, made: list[SquareSet], open_lines: list[SquareSet]) -> SquareSet:
    line = position.table.look.line_between.get(pair)
    name = format_ends(position.variant, pair)
    if line not in made:
        values = {"name": name, "length": position.variant.line_length}
        why = message("{name} is not a line of {length} that this chip completes: name another, or none", **values)
        raise IllegalAction(why)
    if line not in open_lines:
        why = message("{name} shares more than one chip with a sequence of the team: name another, or none", name=name)
        raise IllegalAction(why)
    return line
