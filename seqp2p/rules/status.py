"""The possibility of a position, with every reason against it."""

from collections.abc import Iterator

from seqp2p.i18n import message
from seqp2p.rules.absence import absence_fault
from seqp2p.rules.lookup import set_of
from seqp2p.rules.notation import format_ends
from seqp2p.rules.phases import has_played, pending_fault
from seqp2p.rules.position import DRAWN, Position, surplus_face
from seqp2p.rules.variant import UNKNOWN, SeatNumber


def status(position: Position) -> tuple[str, ...]:
    """Return all reasons why a position is not possible, each one sentence; empty if none is found."""
    return (*_cards(position), *_board(position), *_sequences(position), *_turns(position))


def _cards(position: Position) -> Iterator[str]:
    variant = position.variant
    held = sum(map(len, position.hands))
    total = held + position.pile + sum(map(len, position.discards))
    if total != len(variant.deck):
        yield message(
            "there are {total} cards in hands, pile and discards, and {size} in the deck",
            total=total,
            size=len(variant.deck),
        )
    surplus = surplus_face(position)
    if surplus is not None:
        yield surplus
    size = next(size.hand for size in variant.sizes if size.players == position.players)
    for seat, hand in enumerate(position.hands, start=1):
        if len(hand) > size:
            yield message(
                "seat {seat} holds {count} cards, more than the {size} it was dealt",
                seat=seat,
                count=len(hand),
                size=size,
            )
        elif len(hand) == size and seat in _not_drawn(position):
            yield message("seat {seat} holds {size} cards and has still to draw one", seat=seat, size=size)
    if any(UNKNOWN in cards for cards in position.discards):
        yield message("a discard lies face up, so it is never unknown")


def _not_drawn(position: Position) -> tuple[SeatNumber, ...]:
    """Return the seats that have played a card and not drawn one: the mover and the one that owes a draw."""
    pending = position.pending
    return (pending.owes, pending.mover if has_played(position) else 0) if pending else ()


def _board(position: Position) -> Iterator[str]:
    look = position.table.look
    seen = 0
    for chips in position.chips:
        if chips & seen:
            yield message("two teams have a chip on the same square")
        seen |= chips
    if seen & ~look.squares:
        yield message("a chip lies on a free corner or beside the board")
    if position.free != look.squares & ~seen:
        yield message("the free squares are not those without a chip")
    if seen.bit_count() > position.turn + has_played(position):
        yield message("{chips} chips lie on the board after {turn} turns", chips=seen.bit_count(), turn=position.turn)


def _sequences(position: Position) -> Iterator[str]:
    table, look = position.table, position.table.look
    lines = [(sequence, set_of(sequence.squares)) for sequence in position.sequences]
    for at, (sequence, line) in enumerate(lines):
        name = format_ends(position.variant, (sequence.squares[0], sequence.squares[-1]))
        if line & ~(position.chips[sequence.team - 1] | look.corners):
            yield message("{name} is not filled with chips of team {team}", name=name, team=sequence.team)
        for other, other_line in lines[:at]:
            if other.team == sequence.team and (line & other_line & ~look.corners).bit_count() > 1:
                yield message(
                    "{name} shares more than one chip with another sequence of team {team}",
                    name=name,
                    team=sequence.team,
                )
    if not table.options.advanced:
        yield from _uncounted(position)
    needed = table.sequences_to_win
    for team in range(1, position.teams + 1):
        count = sum(sequence.team == team for sequence, _ in lines)
        if count >= needed and position.outcome != team:
            yield message("team {team} has {count} sequences and has not won", team=team, count=count)
        if count < needed and position.outcome == team:
            yield message(
                "team {team} has won with {count} sequences, and {needed} are needed",
                team=team,
                count=count,
                needed=needed,
            )


def _uncounted(position: Position) -> Iterator[str]:
    look = position.table.look
    for team, chips in enumerate(position.chips, start=1):
        recorded = [set_of(sequence.squares) for sequence in position.sequences if sequence.team == team]
        for line, squares in look.line_of.items():
            complete = line & (chips | look.corners) == line
            if complete and all((line & other & ~look.corners).bit_count() <= 1 for other in recorded):
                name = format_ends(position.variant, (squares[0], squares[-1]))
                yield message("{name} is a sequence of team {team} that has not been counted", name=name, team=team)


def _turns(position: Position) -> Iterator[str]:
    if not position.over and not 1 <= position.to_move <= position.players:
        yield message(
            "seat {seat} cannot be to move: the seats are 1 to {players}",
            seat=position.to_move,
            players=position.players,
        )
    if position.over and position.to_move:
        yield message("the game is over, and seat {seat} is to move", seat=position.to_move)
    for fault in (absence_fault(position), pending_fault(position)):
        if fault:
            yield fault
    if position.exchanged and (position.over or position.exchanges_left < 0):
        yield message("{exchanged} dead cards cannot have been exchanged in this turn", exchanged=position.exchanged)
    if position.idle > position.quiet or position.quiet > position.turn:
        yield message("more turns were idle than quiet, or more were quiet than played")
    stale = position.idle >= len(position.staying) or position.quiet >= position.variant.quiet_turns_max
    if stale != (position.outcome == DRAWN):
        yield message("the game is drawn") if stale else message("nothing has happened that makes the game a draw")
