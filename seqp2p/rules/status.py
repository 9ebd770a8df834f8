"""The possibility of a position, with every reason against it."""

from collections.abc import Iterator

from seqp2p.arguments import check_arguments
from seqp2p.rules.notation import format_ends
from seqp2p.rules.phases import absence_fault, has_played, pending_fault
from seqp2p.rules.position import DRAWN, Position, surplus_face
from seqp2p.rules.sequences import countable_lines
from seqp2p.rules.table import set_of
from seqp2p.rules.variant import UNKNOWN, SeatNumber


@check_arguments
def status(position: Position) -> tuple[str, ...]:
    """Return all reasons why a position is not possible, each one sentence; empty if none is found.

    >>> from seqp2p.rules import CLASSIC, Options, start
    >>> position = start(CLASSIC, 2, 2, Options(), 1, [CLASSIC.deck[:7], CLASSIC.deck[7:14]])
    >>> status(position)
    ()
    >>> status(position._replace(pile=80))
    ('there are 94 cards in hands, pile and discards, and 104 in the deck',)
    """
    return (*_cards(position), *_board(position), *_sequences(position), *_turns(position))


def _cards(position: Position) -> Iterator[str]:
    variant = position.variant
    held = sum(map(len, position.hands))
    total = held + position.pile + sum(map(len, position.discards))
    if total != len(variant.deck):
        yield f"there are {total} cards in hands, pile and discards, and {len(variant.deck)} in the deck"
    surplus = surplus_face(position)
    if surplus is not None:
        yield surplus
    size = next(size.hand for size in variant.sizes if size.players == position.players)
    for seat, hand in enumerate(position.hands, start=1):
        if len(hand) > size:
            yield f"seat {seat} holds {len(hand)} cards, more than the {size} it was dealt"
        elif len(hand) == size and seat in _not_drawn(position):
            yield f"seat {seat} holds {size} cards and has still to draw one"
    if any(UNKNOWN in cards for cards in position.discards):
        yield "a discard lies face up, so it is never unknown"


def _not_drawn(position: Position) -> tuple[SeatNumber, ...]:
    """Return the seats that have played a card and not drawn one: the mover and the one that owes a draw."""
    pending = position.pending
    return (pending.owes, pending.mover if has_played(position) else 0) if pending else ()


def _board(position: Position) -> Iterator[str]:
    look = position.table.look
    seen = 0
    for chips in position.chips:
        if chips & seen:
            yield "two teams have a chip on the same square"
        seen |= chips
    if seen & ~look.squares:
        yield "a chip lies on a free corner or beside the board"
    if position.free != look.squares & ~seen:
        yield "the free squares are not those without a chip"
    if seen.bit_count() > position.turn + has_played(position):
        yield f"{seen.bit_count()} chips lie on the board after {position.turn} turns"


def _sequences(position: Position) -> Iterator[str]:
    table, look = position.table, position.table.look
    lines = [(sequence, set_of(sequence.squares)) for sequence in position.sequences]
    for at, (sequence, line) in enumerate(lines):
        name = format_ends(position.variant, (sequence.squares[0], sequence.squares[-1]))
        if line & ~(position.chips[sequence.team - 1] | look.corners):
            yield f"{name} is not filled with chips of team {sequence.team}"
        for other, other_line in lines[:at]:
            if other.team == sequence.team and (line & other_line & ~look.corners).bit_count() > 1:
                yield f"{name} shares more than one chip with another sequence of team {sequence.team}"
    if not table.options.advanced:
        yield from _uncounted(position)
    needed = table.sequences_to_win
    for team in range(1, position.teams + 1):
        count = sum(sequence.team == team for sequence, _ in lines)
        if count >= needed and position.outcome != team:
            yield f"team {team} has {count} sequences and has not won"
        if count < needed and position.outcome == team:
            yield f"team {team} has won with {count} sequences, and {needed} are needed"


def _uncounted(position: Position) -> Iterator[str]:
    look = position.table.look
    for team, chips in enumerate(position.chips, start=1):
        for line in countable_lines(position, team):
            if not line & ~(chips | look.corners):
                squares = look.line_of[line]
                name = format_ends(position.variant, (squares[0], squares[-1]))
                yield f"{name} is a sequence of team {team} that has not been counted"


def _turns(position: Position) -> Iterator[str]:
    if not position.over and not 1 <= position.to_move <= position.players:
        yield f"seat {position.to_move} cannot be to move: the seats are 1 to {position.players}"
    if position.over and position.to_move:
        yield f"the game is over, and seat {position.to_move} is to move"
    for fault in (absence_fault(position), pending_fault(position)):
        if fault:
            yield fault
    if position.exchanged and (position.over or position.exchanges_left < 0):
        yield f"{position.exchanged} dead cards cannot have been exchanged in this turn"
    if position.idle > position.quiet or position.quiet > position.turn:
        yield "more turns were idle than quiet, or more were quiet than played"
    stale = position.idle >= len(position.staying) or position.quiet >= position.variant.quiet_turns_max
    if stale != (position.outcome == DRAWN):
        yield "the game is drawn" if stale else "nothing has happened that makes the game a draw"
