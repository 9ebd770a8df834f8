"""The course of turns: drawing by hand, cards given up for talk (rule sheets 000 and 002), absent players.

Manual draw: a played card is not replaced. The mover draws or ends its turn without. A seat that has not drawn may
still do so when the next player has played or passed (phase late); after that the card is lost.

Talk: an opponent calls a seat, and every player of that seat's team gives up a card of its choice, without
replacement; then the caller's turn goes on as it was.

No rule sheet knows turns that pass on, or seats that leave. The table decides both, and not a seat, so they are no
actions and never legal ones.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from seqp2p.arguments import check_arguments
from seqp2p.i18n import message
from seqp2p.rules.actions import Action, IllegalAction
from seqp2p.rules.position import DRAWN, ONGOING, Pending, Position, next_seat, with_one
from seqp2p.rules.refusals import slot_of, why_no_call
from seqp2p.rules.table import team_of
from seqp2p.rules.variant import UNKNOWN, Card, SeatNumber

Judge: TypeAlias = Callable[[Position, Action, Card], Position]
"""A function of a position, an action and the drawn card that returns the position after. Raises IllegalAction."""


def lay_down(position: Position, card: Card) -> Position:
    """Put a card of the seat to move on its discards, without replacing it. Raises IllegalAction if not held."""
    at = position.to_move - 1
    hand = list(position.hands[at])
    del hand[slot_of(position, card)]
    return position._replace(
        hands=with_one(position.hands, at, tuple(hand)),
        discards=with_one(position.discards, at, (*position.discards[at], card)),
    )


def after_playing(position: Position) -> Position:
    """Return the position after a play with manual draw: a seat that owes a draw comes first, then the mover draws."""
    mover, owes = position.to_move, position.pending.owes if position.pending else 0
    if owes:
        return position._replace(to_move=owes, pending=Pending("late", mover, owes))
    return position._replace(pending=Pending("draw", mover))


def after_pass(position: Position) -> Position:
    """Return the position after a pass. The mover's turn is over, unless a seat owes a draw."""
    pending = position.pending
    if pending is not None and not pending.passed:
        late = Pending("late", pending.mover, pending.owes, passed=True)
        return position._replace(to_move=pending.owes, pending=late)
    return next_turn(position, idle=0 if position.exchanged else position.idle + 1, quiet=position.quiet + 1)


def next_turn(position: Position, *, idle: int, quiet: int, owes: SeatNumber = 0) -> Position:
    """Give the turn to the next seat, unless the game is drawn. The seat ``owes`` may still draw in that turn."""
    drawn_game = idle >= len(position.staying) or quiet >= position.variant.quiet_turns_max
    after = next_seat(position)
    return position._replace(
        to_move=0 if drawn_game else after,
        turn=position.turn + 1,
        exchanged=0,
        idle=idle,
        quiet=quiet,
        outcome=DRAWN if drawn_game else ONGOING,
        # A seat that is alone at the table gets no turn of another seat to draw in.
        pending=Pending("play", after, owes) if owes not in (0, after) else None,
    )


def call(position: Position, action: Action, _drawn: Card) -> Position:
    """Call the talk of a seat: every player of its team that has a card gives one up."""
    if refusal := why_no_call(position, action.seat):
        raise IllegalAction(refusal)
    team = team_of(action.seat, position.teams)
    penalised = tuple(
        seat for seat, hand in enumerate(position.hands, start=1) if hand and team_of(seat, position.teams) == team
    )
    owes = position.pending.owes if position.pending else 0
    return _penalise(position, position.to_move, owes, penalised)


def give_up(position: Position, action: Action, _drawn: Card) -> Position:
    pending = _pending(position)
    return _penalise(lay_down(position, action.card), pending.mover, pending.owes, pending.penalised[1:])


def draw(position: Position, _action: Action, drawn: Card) -> Position:
    return _go_on(_with_card(position, drawn), 0)


def end(position: Position, _action: Action, _drawn: Card) -> Position:
    return _go_on(position, position.to_move)


def waive(position: Position, _action: Action, _drawn: Card) -> Position:
    return _go_on(position, 0)


@check_arguments
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
        seat = position.to_move
        why = message("seat {seat} has to act during another seat's turn: only its own turn can be skipped", seat=seat)
        raise IllegalAction(why)
    return _break_off(position)


@check_arguments
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


def has_played(position: Position) -> bool:
    """Return True if the mover has played a card in the present turn."""
    pending = position.pending
    return pending is not None and pending.phase in {"draw", "late"} and not pending.passed


def pending_fault(position: Position) -> str | None:
    """Return the reason why `pending` does not fit the rest of the position, or None."""
    return next(_pending_faults(position), None)


def absence_fault(position: Position) -> str | None:
    """Return the reason why these seats cannot leave the game now, or None."""
    out, players = position.out, position.players
    if list(out) != sorted(set(out) & set(range(1, players + 1))) or len(out) == players:
        return message("the seats that have left are seats of the table, in ascending order, and not all of them")
    for seat in out:
        if position.hands[seat - 1]:
            return message("seat {seat} has left the game, but holds cards", seat=seat)
        if seat == position.to_move:
            return message("seat {seat} has left the game, but is to move", seat=seat)
    return None


def _penalise(position: Position, mover: SeatNumber, owes: SeatNumber, penalised: tuple[SeatNumber, ...]) -> Position:
    """Let the next of the penalised seats give up a card; when there is none, the mover's turn goes on."""
    if penalised:
        return position._replace(to_move=penalised[0], pending=Pending("penalty", mover, owes, penalised))
    return position._replace(to_move=mover, pending=Pending("play", mover, owes) if owes else None)


def _go_on(position: Position, owes: SeatNumber) -> Position:
    """Go on after a draw or without one: to the mover's own draw if this one was late, otherwise to the next turn."""
    pending = _pending(position)
    if pending.passed:
        return after_pass(position)
    if pending.phase == "late":
        return position._replace(to_move=pending.mover, pending=Pending("draw", pending.mover))
    return next_turn(position, idle=0, quiet=0, owes=owes)


def _with_card(position: Position, drawn: Card) -> Position:
    """Give a card to the seat to move: from the discards if the pile is empty, none if both are empty."""
    at, pile, discards, reshuffles = position.to_move - 1, position.pile, position.discards, position.reshuffles
    if not pile:
        pile = sum(map(len, discards))
        if not pile:
            return position
        discards = ((),) * len(discards)
        reshuffles += 1
    return position._replace(
        hands=with_one(position.hands, at, tuple(sorted((*position.hands[at], drawn)))),
        pile=pile - 1,
        discards=discards,
        draws=position.draws + 1,
        reshuffles=reshuffles,
    )


def _pending(position: Position) -> Pending:
    """Return `pending`, in a phase that has it."""
    pending = position.pending
    assert pending is not None
    return pending


def _break_off(position: Position) -> Position:
    """Pass the turn on, without a further draw. The mover's actions in it still count."""
    played = has_played(position)
    return next_turn(
        position, idle=0 if played or position.exchanged else position.idle, quiet=0 if played else position.quiet + 1
    )


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


def _why_no_drop(position: Position, gone: set[SeatNumber]) -> str | None:
    if position.over:
        return message("the game is over: nobody can leave it any more")
    if not gone:
        return message("no seat is named: say which seats leave the game")
    strangers, again = gone.difference(range(1, position.players + 1)), gone.intersection(position.out)
    if strangers:
        values = {"seat": min(strangers), "players": position.players}
        return message("there is no seat {seat} to leave: the seats are 1 to {players}", **values)
    if again:
        return message("seat {seat} has already left the game", seat=min(again))
    if gone.issuperset(position.staying):
        return message("not everybody can leave the game: name the seats of those who are gone")
    return None


def _pending_faults(position: Position) -> Iterator[str]:
    pending, seats = position.pending, position.staying
    if pending is None:
        return
    phase, mover, owes, penalised, passed = pending
    if position.over:
        yield message("the game is over, but something is pending")
    if mover not in seats or owes not in (0, *seats) or owes == mover:
        yield message("the seat whose turn it is and the one that owes a draw are two seats of the table")
    if not position.options.manual_draw and (owes or phase != "penalty"):
        yield message("draws are owed only with manual draw")
    if passed and phase != "late":
        yield message("that the mover has passed matters only while a draw is owed")
    if penalised and phase != "penalty":
        yield message("cards are given up only in the penalty phase")
    to_move = {"play": mover if owes else 0, "draw": 0 if owes else mover, "late": owes, "penalty": (*penalised, 0)[0]}
    if position.to_move != to_move[phase]:
        yield message("it cannot be seat {seat}'s turn in the phase {phase}", seat=position.to_move, phase=phase)
    if phase == "penalty":
        yield from _penalty_faults(position, pending)


def _penalty_faults(position: Position, pending: Pending) -> Iterator[str]:
    seats = range(1, position.players + 1)
    if position.options.table_talk or position.players == position.teams:
        yield message("nobody can be called for talk at this table")
    if list(pending.penalised) != sorted(set(pending.penalised) & set(seats)):
        yield message("the penalised seats are seats of the table, in ascending order")
    elif not all(position.hands[seat - 1] for seat in pending.penalised):
        yield message("a player without a card gives none up")
    teams = {team_of(seat, position.teams) for seat in pending.penalised}
    if len(teams) != 1 or team_of(pending.mover, position.teams) in teams:
        yield message("the penalised seats are all on one team, and not the mover's")
