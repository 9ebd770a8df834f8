"""The engine: which actions a position allows, and what becomes of it by one of them.

Both functions are pure. ``apply`` takes the drawn card from outside, because nobody at the table but the seat that
draws knows it. The common path costs a few machine words of set arithmetic; the reason for a refusal is found
afterwards, by ``refusals``.
"""

from itertools import compress
from typing import Final, TypeAlias

from seqp2p.rules.actions import PASS, Action
from seqp2p.rules.errors import IllegalAction
from seqp2p.rules.lookup import SquareSet
from seqp2p.rules.position import DRAWN, ONGOING, CompletedSequence, Hand, Position
from seqp2p.rules.refusals import check_unseen, why_no_pass, why_not
from seqp2p.rules.sequences import new_sequences, protected_by
from seqp2p.rules.variant import UNKNOWN, Card

Board: TypeAlias = tuple[tuple[SquareSet, ...], SquareSet, tuple[CompletedSequence, ...], SquareSet]
"""Chips, free squares, sequences, protected squares, as in Position."""

_BITS: Final = bytes(int(byte == ord("1")) for byte in range(256))


def legal_actions(position: Position) -> tuple[Action, ...]:
    """All the seat to move can do with the cards of its hand that are known, each once, in card and square order.

    No action names its sequences. With unknown cards in the hand there may be more; a pass is only among them when
    all the cards are known. Empty when the game is over.
    """
    table, to_move, hands, _, _, chips, free, _, protected, *_ = position
    if not to_move:
        return ()
    hand = hands[to_move - 1]
    look = table.look
    reach = look.reach
    offers = look.offers_dead if position.exchanges_left > 0 else look.offers
    found: list[Action] = []
    last = UNKNOWN  # unknown cards come first in a hand, and are passed over like a second copy
    for card in hand:
        if card == last:
            continue
        last = card
        offer = offers[card]
        if offer is not None:
            found += offer[free & reach[card]]
            continue
        targets = reach[card] & free
        if not reach[card]:
            targets = (look.squares ^ free ^ chips[(to_move - 1) % len(chips)]) & ~protected
        # One binary digit a square, ascending, picks from the actions of all squares; the 1 on top keeps the zeros.
        digits = bin(targets | 1 << len(look.bit))[:2:-1].encode().translate(_BITS)
        found += compress(look.anywhere[card], digits)
    if not found and UNKNOWN not in hand:
        return (PASS,)
    return tuple(found)


def apply(position: Position, action: Action, drawn: Card = UNKNOWN) -> Position:
    """The position after an action of the seat to move.

    ``drawn`` is the card that seat draws, UNKNOWN to those who do not see it, and without effect when none is drawn:
    ``after.draws - before.draws`` says whether one is, ``after.reshuffles - before.reshuffles`` whether the discards
    became the pile for it. That ``drawn`` comes from the pile is for the caller to see to. IllegalAction or
    AmbiguousAction say why an action is refused.
    """
    to_move = position.to_move
    if not to_move:
        raise IllegalAction("the game is over: nothing more can be played")
    kind = action.kind
    if kind == "pass":
        return _pass(position)
    card = action.card
    if card not in position.hands[to_move - 1]:
        check_unseen(position, card)
    if kind == "place":
        return _place(position, action, drawn)
    if kind == "remove":
        return _remove(position, action, drawn)
    return _exchange(position, action, drawn)


def _place(position: Position, action: Action, drawn: Card) -> Position:
    _, card, square, ends = action
    table, to_move, _, _, _, chips, free, sequences, protected, *_ = position
    look = table.look
    bit = look.bit.get(square, 0)
    if not bit & free & look.reach[card]:
        raise why_not(position, action)
    team = (to_move - 1) % len(chips)
    mine = chips[team] | bit
    chips = (*chips[:team], mine, *chips[team + 1 :])
    free ^= bit
    mine |= look.corners
    length = look.line_length
    made = [
        line
        for squares, lines in table.near[square]
        if (mine & squares).bit_count() >= length
        for line in lines
        if mine & line == line
    ]
    won = False
    if made or ends:
        new = new_sequences(position, made, ends)
        sequences = tuple(sorted((*sequences, *new)))
        protected = protected_by(table, sequences)
        won = sum(sequence.team == team + 1 for sequence in sequences) >= table.sequences_to_win
        if won:
            return _win(position, card, (chips, free, sequences, protected))
    return _end_turn(position, card, drawn, (chips, free, sequences, protected))


def _remove(position: Position, action: Action, drawn: Card) -> Position:
    table, to_move, _, _, _, chips, free, sequences, protected, *_ = position
    look = table.look
    card, bit = action.card, look.bit.get(action.square, 0)
    own = chips[(to_move - 1) % len(chips)]
    if look.reach[card] or not bit & (look.squares ^ free ^ own) & ~protected:
        raise why_not(position, action)
    chips = tuple([team & ~bit for team in chips])
    if table.options.advanced:
        sequences = tuple(sequence for sequence in sequences if action.square not in sequence.squares)
    return _end_turn(position, card, drawn, (chips, free | bit, sequences, protected))


def _exchange(position: Position, action: Action, drawn: Card) -> Position:
    table, card = position.table, action.card
    if table.look.offers[card] is None or position.free & table.look.reach[card] or position.exchanges_left <= 0:
        raise why_not(position, action)
    hands, pile, discards, reshuffles = _discard_and_draw(position, card, drawn)
    return position._replace(
        hands=hands,
        pile=pile,
        discards=discards,
        draws=position.draws + 1,
        reshuffles=reshuffles,
        exchanged=position.exchanged + 1,
    )


def _pass(position: Position) -> Position:
    refusal = why_no_pass(position, legal_actions(position))
    if refusal:
        raise refusal
    idle = 0 if position.exchanged else position.idle + 1
    quiet = position.quiet + 1
    drawn_game = idle >= position.players or quiet >= position.variant.quiet_turns_max
    return position._replace(
        to_move=0 if drawn_game else position.to_move % position.players + 1,
        turn=position.turn + 1,
        exchanged=0,
        idle=idle,
        quiet=quiet,
        outcome=DRAWN if drawn_game else ONGOING,
    )


def _end_turn(
    position: Position,
    card: Card,
    drawn: Card,
    board: Board,
) -> Position:
    """A chip has been placed or taken: the card is discarded, another drawn, and the next seat is to move."""
    table, to_move, _, _, _, _, _, _, _, turn, draws, _, _, _, _, _ = position
    hands, pile, discards, reshuffles = _discard_and_draw(position, card, drawn)
    return Position(
        table,
        to_move % table.players + 1,
        hands,
        pile,
        discards,
        *board,
        turn + 1,
        draws + 1,
        reshuffles,
        0,
        0,
        0,
        ONGOING,
    )


def _win(
    position: Position,
    card: Card,
    board: Board,
) -> Position:
    """The game ends at once, before the draw."""
    chips, free, sequences, protected = board
    seat = position.to_move - 1
    hand = list(position.hands[seat])
    hand.remove(card if card in hand else UNKNOWN)
    return position._replace(
        to_move=0,
        hands=_replaced(position.hands, seat, tuple(hand)),
        discards=_replaced(position.discards, seat, (*position.discards[seat], card)),
        chips=chips,
        free=free,
        sequences=sequences,
        protected=protected,
        turn=position.turn + 1,
        exchanged=0,
        idle=0,
        quiet=0,
        outcome=seat % position.teams + 1,
    )


def _replaced(items: tuple[tuple[Card, ...], ...], index: int, item: tuple[Card, ...]) -> tuple[tuple[Card, ...], ...]:
    return (*items[:index], item, *items[index + 1 :])


def _discard_and_draw(
    position: Position, card: Card, drawn: Card
) -> tuple[tuple[Hand, ...], int, tuple[tuple[Card, ...], ...], int]:
    """Hands, pile, discards and reshuffles after the seat to move has put a card down and drawn another.

    If the pile is empty, all discards become the pile first, the card just put down among them; so there is always
    a card to draw.
    """
    _, to_move, hands, pile, discards, _, _, _, _, _, _, reshuffles, _, _, _, _ = position
    seat = to_move - 1
    hand = list(hands[seat])
    hand[hand.index(card) if card in hand else 0] = drawn
    hand.sort()
    discards = (*discards[:seat], (*discards[seat], card), *discards[to_move:])
    if not pile:
        pile = sum(map(len, discards))
        discards = ((),) * len(discards)
        reshuffles += 1
    return (*hands[:seat], tuple(hand), *hands[to_move:]), pile - 1, discards, reshuffles
