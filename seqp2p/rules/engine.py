"""The engine: the legal actions of a position, and the position after one of them.

Both functions are pure. ``apply`` takes the drawn card from outside, because only the seat that draws knows it. The
common path costs a few machine words of set arithmetic; ``refusals`` finds the reason for a refusal afterwards.

Perft, the number of sequences of legal actions from a position, is the usual test of an engine.
"""

from itertools import chain, compress
from typing import Final, TypeAlias

from seqp2p.arguments import check, check_arguments
from seqp2p.i18n import message
from seqp2p.rules.actions import PASS, Action, ActionKind, IllegalAction
from seqp2p.rules.phases import Judge, after_pass, after_playing, call, draw, end, give_up, lay_down, waive
from seqp2p.rules.position import CompletedSequence, Phase, Position, next_seat, with_one
from seqp2p.rules.refusals import slot_of, why_no_pass, why_not, why_not_now
from seqp2p.rules.sequences import complete_lines, new_sequences, protected_by
from seqp2p.rules.table import SquareSet, team_of
from seqp2p.rules.variant import UNKNOWN, Card

BoardState: TypeAlias = tuple[tuple[SquareSet, ...], SquareSet, tuple[CompletedSequence, ...], SquareSet]
"""The fields chips, free, sequences and protected of a Position, which stand there in this order."""
_BITS: Final = bytes(int(byte == ord("1")) for byte in range(256))


def legal_actions(position: Position) -> tuple[Action, ...]:
    """Return the actions of the seat to move with its known cards, each once, in card and square order.

    No action names its sequences. Calls are never among them, because the engine does not know the remarks. With
    unknown cards in the hand there may be more; a pass is among them only if all cards are known. Empty when the game
    is over.
    """
    if type(position) is not Position:
        check(legal_actions, position)
    seat, pending = position.to_move, position.pending
    if not seat:
        return ()
    if pending is not None and pending.phase != "play":
        return _open_actions(position)
    look, free = position.table.look, position.free
    plays = look.plays_or_exchange if position.exchanges_left > 0 else look.plays
    hand = position.hands[seat - 1]
    found: list[Action] = []
    last = UNKNOWN  # unknown cards come first in a hand, and are skipped like a second copy
    for card in hand:
        if card == last:
            continue
        last = card
        reach, actions = plays[card]
        if actions is not None:
            found += actions[free & reach]
            continue
        targets = free & reach if reach else _removable(position)
        # One binary digit a square, ascending, picks from the actions of all squares; the 1 on top keeps the zeros.
        found += compress(look.anywhere[card], bin(targets | 1 << len(look.bit))[:2:-1].encode().translate(_BITS))
    if not found and UNKNOWN not in hand:
        return (PASS,)
    return tuple(found)


def _open_actions(position: Position) -> tuple[Action, ...]:
    """Return the legal actions of the seat to move in a phase other than play."""
    if position.phase == "penalty":
        gifts = position.table.look.gifts
        return tuple(gifts[card] for card in sorted({*position.hands[position.to_move - 1]}) if card != UNKNOWN)
    return tuple(map(Action, ACTIONS[position.phase]))


def apply(position: Position, action: Action, drawn: Card = UNKNOWN) -> Position:
    """Return the position after an action of the seat to move.

    ``drawn`` is the card that this seat draws: UNKNOWN to others, and without effect if none is drawn.
    ``after.draws - before.draws`` is 1 if one is, ``after.reshuffles - before.reshuffles`` is 1 if the discards became
    the pile for it. The caller ensures that ``drawn`` comes from the pile. Raises IllegalAction or AmbiguousAction with
    the reason of a refusal.
    """
    if not (type(position) is Position and isinstance(action, Action) and type(drawn) is int):  # type: ignore[redundant-expr]  # not every caller checks types
        check(apply, position, action, drawn)
    if not UNKNOWN <= drawn < len(position.table.look.gifts):
        values = {"card": drawn, "game": position.variant.title}
        raise IllegalAction(message("there is no card number {card} in {game}", **values))
    if not position.to_move:
        raise IllegalAction(message("the game is over: nothing more can be played"))
    judge = ACTIONS[position.phase].get(action.kind)
    if judge is None:
        raise IllegalAction(why_not_now(position))
    return judge(position, action, drawn)


@check_arguments
def new_pile(position: Position, action: Action) -> tuple[Card, ...]:
    """Return the cards that become the pile if this action causes a reshuffle, in seat order, oldest first.

    These are all discards, with the card that the action puts down, if any, among those of the seat to move.
    """
    seat, put_down = position.to_move, () if action.card == UNKNOWN else (action.card,)
    return (*chain(*position.discards[:seat]), *put_down, *chain(*position.discards[seat:]))


def perft(position: Position, pile: tuple[Card, ...], plies: int) -> int:
    """Return the number of sequences of so many legal actions (at least 1), with a known pile: see ``apply_known``.

    >>> from seqp2p.rules import KIDS, Options, start
    >>> position = start(KIDS, 2, 2, Options(), 1, [KIDS.deck[:3], KIDS.deck[3:6]])
    >>> [perft(position, KIDS.deck[6:], plies) for plies in (1, 2, 3)]
    [6, 36, 216]
    """
    if type(plies) is not int or plies < 1:
        check(perft, position, pile, plies)
        raise ValueError(f"plies must be at least 1, not {plies}")
    actions = legal_actions(position)
    if plies == 1:
        return len(actions)
    return sum(perft(*apply_known(position, pile, action), plies - 1) for action in actions)


def apply_known(position: Position, pile: tuple[Card, ...], action: Action) -> tuple[Position, tuple[Card, ...]]:
    """Return position and pile after an action of the seat to move; the first card of the pile is the next one drawn.

    If the pile is empty and a card is drawn, the discards become the pile in the order of ``new_pile``. Raises
    IllegalAction or AmbiguousAction.
    """
    if type(pile) is not tuple:
        check(apply_known, position, pile, action)
    source = pile or new_pile(position, action)
    after = apply(position, action, source[0] if source else UNKNOWN)
    return after, source[1:] if after.draws > position.draws else pile


def _place(position: Position, action: Action, drawn: Card) -> Position:
    table, square = position.table, action.square
    look, bit = table.look, table.look.bit.get(square, 0)
    if not bit & position.free & look.reach.get(action.card, 0):
        raise IllegalAction(why_not(position, action))
    team = team_of(position.to_move, table.teams)
    own = position.chips[team - 1] | bit
    chips = with_one(position.chips, team - 1, own)
    sequences, protected = position.sequences, position.protected
    made = complete_lines(table.near[square], own | look.corners, look.line_length)
    if made or action.ends:
        sequences = tuple(sorted((*sequences, *new_sequences(position, made, action.ends))))
        protected = protected_by(table, sequences)
    board = (chips, position.free ^ bit, sequences, protected)
    if made and sum(sequence.team == team for sequence in sequences) >= table.sequences_to_win:
        return _win(position, action.card, board)
    return _put_down(position, action.card, drawn, board, 1)


def _remove(position: Position, action: Action, drawn: Card) -> Position:
    look, square = position.table.look, action.square
    bit = look.bit.get(square, 0)
    if look.reach.get(action.card, bit) or not bit & _removable(position):
        raise IllegalAction(why_not(position, action))
    sequences = position.sequences
    if position.options.advanced:
        sequences = tuple(sequence for sequence in sequences if square not in sequence.squares)
    board = (tuple(team & ~bit for team in position.chips), position.free | bit, sequences, position.protected)
    return _put_down(position, action.card, drawn, board, 1)


def _removable(position: Position) -> SquareSet:
    """Return the squares with a chip that the seat to move may take off."""
    own = position.chips[team_of(position.to_move, position.teams) - 1]
    return position.table.look.squares & ~(position.free | own | position.protected)


def _exchange(position: Position, action: Action, drawn: Card) -> Position:
    card = action.card
    reach = position.table.look.reach.get(card, 0)
    if not reach or card in position.variant.wild or reach & position.free or position.exchanges_left <= 0:
        raise IllegalAction(why_not(position, action))
    board = (position.chips, position.free, position.sequences, position.protected)
    return _put_down(position, card, drawn, board, 0)


def _pass(position: Position, _action: Action, _drawn: Card) -> Position:
    if refusal := why_no_pass(position, legal_actions(position)):
        raise IllegalAction(refusal)
    return after_pass(position)


def _put_down(position: Position, card: Card, drawn: Card, board: BoardState, turns: int) -> Position:
    """Put the card on the discards and draw another. ``turns`` is 1 if this ends the turn, else 0.

    If the pile is empty, all discards become the pile first, the card just put down among them, so there is always a
    card to draw. With manual draw a played card is not replaced here.
    """
    # Every field by its name, out of one tuple and into the next: ``_replace`` would take a third of a turn.
    (
        table, seat, hands, pile, discards, chips, free, sequences, protected,
        turn, draws, reshuffles, exchanged, idle, quiet, outcome, pending, out,
    ) = position  # fmt: skip
    if turns and table.options.manual_draw:
        return after_playing(_with_board(lay_down(position, card), board))
    chips, free, sequences, protected = board
    hand = list(hands[seat - 1])
    hand[slot_of(position, card)] = drawn
    hand.sort()
    hands = with_one(hands, seat - 1, tuple(hand))
    discards = with_one(discards, seat - 1, (*discards[seat - 1], card))
    if not pile:
        pile = sum(map(len, discards))
        discards = ((),) * len(discards)
        reshuffles += 1
    if turns:
        seat = next_seat(position) if out else seat % table.players + 1
        exchanged = idle = quiet = 0
    else:
        exchanged += 1
    return Position._make((
        table, seat, hands, pile - 1, discards, chips, free, sequences, protected,
        turn + turns, draws + 1, reshuffles, exchanged, idle, quiet, outcome, pending, out,
    ))  # fmt: skip


def _win(position: Position, card: Card, board: BoardState) -> Position:
    """End the game at once, before the draw."""
    return _with_board(lay_down(position, card), board)._replace(
        to_move=0,
        turn=position.turn + 1,
        exchanged=0,
        idle=0,
        quiet=0,
        outcome=team_of(position.to_move, position.teams),
        pending=None,
    )


def _with_board(position: Position, board: BoardState) -> Position:
    chips, free, sequences, protected = board
    return position._replace(chips=chips, free=free, sequences=sequences, protected=protected)


ACTIONS: Final[dict[Phase, dict[ActionKind, Judge]]] = {
    "play": {"place": _place, "remove": _remove, "exchange": _exchange, "pass": _pass, "call": call},
    "draw": {"draw": draw, "end": end},
    "late": {"draw": draw, "waive": waive},
    "penalty": {"give": give_up},
}
"""The function for each kind of action in each phase; every other kind is out of place there."""
