"""Absent players: a turn that passes on, and seats that leave.

No rule sheet has either. The table decides both, and not a seat, so they are no actions and never legal ones.
"""

from collections.abc import Iterable

from seqp2p.i18n import message
from seqp2p.rules.errors import IllegalAction
from seqp2p.rules.phases import has_played, next_turn
from seqp2p.rules.position import Pending, Position
from seqp2p.rules.variant import UNKNOWN, SeatNumber


def skip(position: Position) -> Position:
    """Return the position after the turn of the mover has passed on: nothing is placed and nothing drawn.

    With manual draw the mover's own draw is lost, and so is a draw that an earlier seat could still have made in this
    turn. A skip is no pass: it counts as a turn without a chip unless the mover has already played, and does not change
    the count of passes. Raises IllegalAction if the game is over, or if another seat than the mover is to move (phases
    late and penalty).
    """
    if position.over:
        raise IllegalAction(message("the game is over: there is no turn to skip"))
    if position.phase not in {"play", "draw"}:
        raise IllegalAction(
            message(
                "seat {seat} has to act in another seat's turn: only its own turn is skipped", seat=position.to_move
            )
        )
    return _break_off(position)


def drop(position: Position, seats: Iterable[SeatNumber]) -> Position:
    """Return the position after these seats have left the game for good. Their chips, sequences and discards stay.

    The caller deals all cards but the discards again among the seats that stay: as many to each as it held, one fewer
    to a seat that still had to give one up for talk. So all hands are unknown, and the other cards are in the pile. The
    turn goes on if its mover stays, with the same seat to move, unless this seat has left (its draw is lost) or had to
    give up a card for talk. Otherwise the turn passes on as in a skip. Passes with the old hands no longer count.
    Raises IllegalAction if the game is over, or unless the seats are some at the table, at least one and not all.
    """
    gone = set(seats)
    if refusal := _why_no_drop(position, gone):
        raise IllegalAction(refusal)
    dealt, pending, mover = _dealt_anew(position, gone), position.pending, position.mover
    if mover in gone:
        return _break_off(dealt)
    if pending is None or pending.phase == "draw":
        return dealt
    owes = 0 if pending.owes in gone else pending.owes
    if pending.phase != "late":
        return dealt._replace(to_move=mover, pending=Pending("play", mover, owes) if owes else None)
    if owes:
        return dealt
    return _break_off(dealt) if pending.passed else dealt._replace(to_move=mover, pending=Pending("draw", mover))


def absence_fault(position: Position) -> str | None:
    """Return the reason why these seats cannot leave the game now, or None."""
    out, players = position.out, position.players
    if list(out) != sorted(set(out) & set(range(1, players + 1))) or len(out) == players:
        return message("the seats that have left are seats of the table, in ascending order, and not all of them")
    for seat in out:
        if position.hands[seat - 1]:
            return message("seat {seat} has left the game, and holds cards", seat=seat)
        if seat == position.to_move:
            return message("seat {seat} has left the game, and is to move", seat=seat)
    return None


def _break_off(position: Position) -> Position:
    """Pass the turn on, without a further draw. The mover's actions in it still count."""
    played = has_played(position)
    return next_turn(
        position, idle=0 if played or position.exchanged else position.idle, quiet=0 if played else position.quiet + 1
    )


def _why_no_drop(position: Position, gone: set[SeatNumber]) -> str | None:
    if position.over:
        return message("the game is over: nobody leaves it any more")
    if not gone:
        return message("no seat is named: say which seats leave the game")
    strangers, again = gone.difference(range(1, position.players + 1)), gone.intersection(position.out)
    if strangers:
        return message(
            "there is no seat {seat} to leave: the seats are 1 to {players}",
            seat=min(strangers),
            players=position.players,
        )
    if again:
        return message("seat {seat} has left the game already", seat=min(again))
    if gone.issuperset(position.staying):
        return message("not everybody can leave the game: name the seats of those who are gone")
    return None


def _dealt_anew(position: Position, gone: set[SeatNumber]) -> Position:
    """Give unknown cards to the seats that stay; the pile has all other cards that are not on the discards."""
    giving = position.pending.penalised if position.pending else ()
    hands = tuple(
        () if seat in gone else (UNKNOWN,) * (len(hand) - (seat in giving))
        for seat, hand in enumerate(position.hands, start=1)
    )
    held = sum(map(len, position.hands))
    return position._replace(
        hands=hands, pile=position.pile + held - sum(map(len, hands)), idle=0, out=tuple(sorted((*position.out, *gone)))
    )
