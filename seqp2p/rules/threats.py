"""Threats: the lines that lack one or two chips of a sequence, and the reader's own cards that matter to them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from seqp2p.rules.engine import legal_actions
from seqp2p.rules.lookup import SquareSet, squares_of
from seqp2p.rules.sequences import countable_lines
from seqp2p.rules.variant import Card, Line, Square, Team
from seqp2p.rules.view import View

LACKING_MAX: Final = 2


@dataclass(frozen=True, slots=True)
class Threat:
    """A line that ``team`` completes with chips on the ``missing`` squares, one or two."""

    team: Team
    line: Line
    missing: tuple[Square, ...]
    cards: tuple[Card, ...]
    """The reader's own cards, each once, that go on a missing square or take a chip out of the line."""


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


def longest_line(view: View, team: Team) -> int:
    """Return the number of squares that a team has of the line that it is nearest to completing; free corners count.

    The rest of that line is free. 0 if the team can complete no line.
    """
    length = view.variant.line_length
    return max((length - lacks.bit_count() for _, lacks in _open_lines(view, team)), default=0)


def _open_lines(view: View, team: Team) -> Iterator[tuple[SquareSet, SquareSet]]:
    """Yield the lines that a team can still complete, and what each lacks."""
    position = view.position
    filled = position.chips[team - 1] | position.table.look.corners
    for line in countable_lines(position, team):
        lacks = line & ~filled
        if lacks and lacks & position.free == lacks:
            yield line, lacks
