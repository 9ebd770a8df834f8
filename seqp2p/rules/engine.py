"""The engine: the legal actions of a position, and the position after one of them.

Both functions are pure. ``apply`` takes the drawn card from outside, because only the seat that draws knows it. The
common path costs a few machine words of set arithmetic; ``refusals`` finds the reason for a refusal afterwards.

Perft, the number of sequences of legal actions from a position, is the usual test of an engine.
"""

from itertools import chain, compress
from typing import Final, TypeAlias

from seqp2p.i18n import message
from seqp2p.rules.actions import PASS, Action, ActionKind
from seqp2p.rules.errors import IllegalAction
from seqp2p.rules.lookup import SquareSet
from seqp2p.rules.phases import (
    Judge,
    after_pass,
    after_playing,
    call,
    draw,
    end,
    give_up,
    lay_down,
    open_actions,
    waive,
)
from seqp2p.rules.position import ONGOING, CompletedSequence, Phase, Position, next_seat
from seqp2p.rules.refusals import unknown_slot, why_no_pass, why_not, why_not_now
from seqp2p.rules.sequences import complete_lines, new_sequences, protected_by
from seqp2p.rules.table import team_of
from seqp2p.rules.variant import UNKNOWN, Card

BoardState: TypeAlias = tuple[tuple[SquareSet, ...], SquareSet, tuple[CompletedSequence, ...], SquareSet]
"""Chips, free squares, sequences, protected squares, as in Position."""
# Position's constructor without its argument list, which would take twice as long in every turn.
_new: Final = tuple[object, ...].__new__


_BITS: Final = bytes(int(byte == ord("1")) for byte in range(256))


def legal_actions(position: Position) -> tuple[Action, ...]:
    """Return the actions of the seat to move with its known cards, each once, in card and square order.

    No action names its sequences. Calls are never among them, because the engine does not know the remarks. With
    unknown cards in the hand there may be more; a pass is among them only if all cards are known. Empty when the game
    is over.
    """
    table, to_move, hands, _, _, chips, free, _, protected, _, _, _, exchanged, _, _, _, pending, _ = position
    if not to_move:
        return ()
    if pending is not None and pending.phase != "play":
        return open_actions(position)
    look, limit = table.look, table.variant.exchanges_per_turn
    if limit is None:
        limit = position.exchanges_left + exchanged
    offers = look.offers_dead if exchanged < limit else look.offers
    reach = look.reach
    found: list[Action] = []
    last = UNKNOWN  # unknown cards come first in a hand, and are skipped like a second copy
    for card in hands[to_move - 1]:
        if card == last:
            continue
        last = card
        offer = offers[card]
        if offer is not None:
            found += offer[free & reach[card]]
            continue
        targets = free & reach[card]
        if not reach[card]:
            targets = (look.squares ^ free ^ chips[(to_move - 1) % len(chips)]) & ~protected
        # One binary digit a square, ascending, picks from the actions of all squares; the 1 on top keeps the zeros.
        found += compress(look.anywhere[card], bin(targets | 1 << len(look.bit))[:2:-1].encode().translate(_BITS))
    if not found and UNKNOWN not in hands[to_move - 1]:
        return (PASS,)
    return tuple(found)


def apply(position: Position, action: Action, drawn: Card = UNKNOWN) -> Position:
    """Return the position after an action of the seat to move.

    ``drawn`` is the card that this seat draws: UNKNOWN to others, and without effect if none is drawn.
    ``after.draws - before.draws`` is 1 if one is, ``after.reshuffles - before.reshuffles`` is 1 if the discards became
    the pile for it. The caller ensures that ``drawn`` comes from the pile. Raises IllegalAction or AmbiguousAction with
    the reason of a refusal.
    """
    if not position.to_move:
        raise IllegalAction(message("the game is over: nothing more can be played"))
    judge = _PLAY.get(action.kind) if position.pending is None else ACTIONS[position.phase].get(action.kind)
    if judge is None:
        raise IllegalAction(why_not_now(position))
    return judge(position, action, drawn)


def new_pile(position: Position, action: Action) -> tuple[Card, ...]:
    """Return the cards that become the pile if this action causes a reshuffle, in seat order, oldest first.

    These are all discards, with the card that the action puts down among those of the seat to move.
    """
    if action.kind == "draw":
        return (*chain(*position.discards),)
    seat = position.to_move
    return (*chain(*position.discards[:seat]), action.card, *chain(*position.discards[seat:]))


def _place(position: Position, action: Action, drawn: Card) -> Position:
    _, card, square, ends, _ = action
    table, to_move, _, _, _, chips, free, sequences, protected, _, _, _, _, _, _, _, _, _ = position
    look = table.look
    bit = look.bit.get(square, 0)
    if not bit & free & look.reach.get(card, 0):
        raise IllegalAction(why_not(position, action))
    team = (to_move - 1) % len(chips)
    own = chips[team] | bit
    filled = own | look.corners
    made = complete_lines(table.near[square], filled, look.line_length)
    if made or ends:
        sequences = tuple(sorted((*sequences, *new_sequences(position, made, ends))))
        protected = protected_by(table, sequences)
    board = ((*chips[:team], own, *chips[team + 1 :]), free ^ bit, sequences, protected)
    if made and sum(sequence.team == team + 1 for sequence in sequences) >= table.sequences_to_win:
        return _win(position, action, board)
    return _put_down(position, action, drawn, board, 1)


def _remove(position: Position, action: Action, drawn: Card) -> Position:
    table, to_move, _, _, _, chips, free, sequences, protected, _, _, _, _, _, _, _, _, _ = position
    look, bit = table.look, table.look.bit.get(action.square, 0)
    taken_by_others = look.squares ^ free ^ chips[(to_move - 1) % len(chips)]
    if look.reach.get(action.card, bit) or not bit & taken_by_others & ~protected:
        raise IllegalAction(why_not(position, action))
    if table.options.advanced:
        sequences = tuple(sequence for sequence in sequences if action.square not in sequence.squares)
    board = (tuple([team & ~bit for team in chips]), free | bit, sequences, protected)
    return _put_down(position, action, drawn, board, 1)


def _exchange(position: Position, action: Action, drawn: Card) -> Position:
    _, _, _, _, _, chips, free, sequences, protected, _, _, _, _, _, _, _, _, _ = position
    look, card = position.table.look, action.card
    if look.offers.get(card) is None or free & look.reach[card] or position.exchanges_left <= 0:
        raise IllegalAction(why_not(position, action))
    return _put_down(position, action, drawn, (chips, free, sequences, protected), 0)


def _put_down(position: Position, action: Action, drawn: Card, board: BoardState, turns: int) -> Position:
    """Put the card on the discards and draw another. ``turns`` is 1 if this ends the turn, else 0.

    If the pile is empty, all discards become the pile first, the card just put down among them, so there is always a
    card to draw. With manual draw a played card is not replaced here.
    """
    table, to_move, hands, pile, discards, _, _, _, _, turn, draws, reshuffles, exchanged, idle, quiet, _, _, _ = (
        position
    )
    if turns and table.options.manual_draw:
        return after_playing(_changed(lay_down(position, action.card), board))
    card, seat = action.card, to_move - 1
    hand = list(hands[seat])
    try:
        slot = hand.index(card)
    except ValueError:
        slot = unknown_slot(position, card)
    hand[slot] = drawn
    hand.sort()
    hands = (*hands[:seat], tuple(hand), *hands[to_move:])
    discards = (*discards[:seat], (*discards[seat], card), *discards[to_move:])
    if not pile:
        pile = sum(map(len, discards))
        discards = ((),) * len(discards)
        reshuffles += 1
    if turns:
        to_move = next_seat(position) if position.out else to_move % table.players + 1
        exchanged = idle = quiet = 0
    else:
        exchanged += 1
    chips, free, sequences, protected = board
    return _new(
        Position,
        (
            table,
            to_move,
            hands,
            pile - 1,
            discards,
            chips,
            free,
            sequences,
            protected,
            turn + turns,
            draws + 1,
            reshuffles,
            exchanged,
            idle,
            quiet,
            ONGOING,
            position.pending,
            position.out,
        ),
    )


def _win(position: Position, action: Action, board: BoardState) -> Position:
    """End the game at once, before the draw."""
    return _changed(lay_down(position, action.card), board)._replace(
        to_move=0,
        turn=position.turn + 1,
        exchanged=0,
        idle=0,
        quiet=0,
        outcome=team_of(position.to_move, position.teams),
        pending=None,
    )


def _changed(position: Position, board: BoardState) -> Position:
    chips, free, sequences, protected = board
    return position._replace(chips=chips, free=free, sequences=sequences, protected=protected)


def _pass(position: Position, action: Action, drawn: Card) -> Position:  # noqa: ARG001 -- one signature for all kinds
    if refusal := why_no_pass(position, legal_actions(position)):
        raise IllegalAction(refusal)
    return after_pass(position)


_PLAY: Final[dict[ActionKind, Judge]] = {
    "place": _place,
    "remove": _remove,
    "exchange": _exchange,
    "pass": _pass,
    "call": call,
}
# The function for each kind of action in each phase; every other kind is out of place there.
ACTIONS: Final[dict[Phase, dict[ActionKind, Judge]]] = {
    "play": _PLAY,
    "draw": {"draw": draw, "end": end},
    "late": {"draw": draw, "waive": waive},
    "penalty": {"give": give_up},
}


def perft(position: Position, pile: tuple[Card, ...], plies: int) -> int:
    """Return the number of sequences of so many legal actions (at least 1), with a known pile: see ``apply_known``.

    >>> from seqp2p.rules import KIDS, Options, start
    >>> position = start(KIDS, 2, 2, Options(), 1, [KIDS.deck[:3], KIDS.deck[3:6]])
    >>> [perft(position, KIDS.deck[6:], plies) for plies in (1, 2, 3)]
    [6, 36, 216]
    """
    actions = legal_actions(position)
    if plies == 1:
        return len(actions)
    return sum(perft(*apply_known(position, pile, action), plies - 1) for action in actions)


def apply_known(position: Position, pile: tuple[Card, ...], action: Action) -> tuple[Position, tuple[Card, ...]]:
    """Return position and pile after an action of the seat to move; the first card of the pile is the next one drawn.

    If the pile is empty and a card is drawn, the discards become the pile in the order of ``new_pile``. Raises
    IllegalAction or AmbiguousAction.
    """
    source = pile or new_pile(position, action)
    after = apply(position, action, source[0] if source else UNKNOWN)
    return after, source[1:] if after.draws > position.draws else pile
