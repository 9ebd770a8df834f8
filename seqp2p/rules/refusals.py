"""The reasons of refusals, found only after a refusal, in one sentence for the player."""

from seqp2p.i18n import all_of, message
from seqp2p.rules.actions import Action, IllegalAction
from seqp2p.rules.notation import format_action, format_card, format_square
from seqp2p.rules.position import Position
from seqp2p.rules.table import team_of
from seqp2p.rules.variant import UNKNOWN, Card, SeatNumber, Square


def slot_of(position: Position, card: Card) -> int:
    """Return the place of a card in the hand to move, or of an unknown card that may be it. Raises IllegalAction."""
    hand = position.hands[position.to_move - 1]
    if card in hand and card != UNKNOWN:
        return hand.index(card)
    if reason := _why_not_held(position, card):
        raise IllegalAction(reason)
    return hand.index(UNKNOWN)


def why_not(position: Position, action: Action) -> str:
    variant, card = position.variant, action.card
    look = position.table.look
    if reason := _why_not_held(position, card):
        return reason
    if action.kind == "exchange":
        return _why_not_dead(position, card)
    if action.square not in look.bit:
        return message("there is no square number {square} on the board", square=action.square)
    if look.corners & look.bit[action.square]:
        square = format_square(variant, action.square)
        return message(
            "{square} is a free corner, which belongs to everybody and takes no chip: choose another", square=square
        )
    if action.kind == "remove":
        return _why_not_removed(position, card, action.square)
    return _why_not_placed(position, card, action.square)


def why_no_pass(position: Position, legal: tuple[Action, ...]) -> str | None:
    """Return the reason why the seat to move may not pass, or None. ``legal`` are its legal actions."""
    hand = position.hands[position.to_move - 1]
    if UNKNOWN in hand:
        return message("seat {seat} may pass only when it shows its whole hand", seat=position.to_move)
    first = legal[0]
    if first.kind == "pass":
        return None
    text = format_action(position.variant, next((a for a in legal if a.kind != "exchange"), first))
    seat = position.to_move
    if first.kind == "exchange" and text.endswith("dead"):
        return message("seat {seat} cannot pass: {action} must be exchanged first", seat=seat, action=text)
    return message("seat {seat} cannot pass: {action} can be played", seat=seat, action=text)


def why_not_now(position: Position) -> str:
    seat = position.to_move
    if position.phase == "draw":
        return message("seat {seat} has played a card: only draw or end can follow", seat=seat)
    if position.phase == "late":
        return message("seat {seat} did not draw in time: only draw or waive can follow", seat=seat)
    if position.phase == "penalty":
        return message("seat {seat} must first give up a card for the team's talk: name it and 'given'", seat=seat)
    return message("seat {seat} is to play: there is nothing to draw, end, waive or give up", seat=seat)


def why_no_call(position: Position, called: SeatNumber) -> str | None:
    """Return the reason why the talk of a seat cannot be called, or None. The caller knows if there was any talk."""
    if position.options.table_talk:
        return message("talk is free at this table: nobody can be called for it")
    seat = called
    if not 1 <= seat <= position.players:
        players = position.players
        return message("there is no seat {seat} to call: the seats are 1 to {players}", seat=seat, players=players)
    if seat in position.out:
        return message("seat {seat} has left the game: only the talk of a player who stays can be called", seat=seat)
    team = team_of(seat, position.teams)
    if not any(mate != seat and team_of(mate, position.teams) == team for mate in position.staying):
        return message("seat {seat} has no team-mates: only the talk of a team of two or more can be called", seat=seat)
    if team == team_of(position.to_move, position.teams):
        return message("seat {seat} is on the caller's own team: only an opponent's talk can be called", seat=seat)
    return None


def _why_not_held(position: Position, card: Card) -> str | None:
    variant, hand = position.variant, position.hands[position.to_move - 1]
    if not 0 <= card < len(variant.faces):
        return message("there is no card number {card} in {game}", card=card, game=variant.title)
    if card in hand:
        return None
    seat, name = position.to_move, format_card(variant, card)
    if UNKNOWN not in hand:
        return message("seat {seat} does not hold {name}: play a card from the hand", seat=seat, name=name)
    seen = sum(cards.count(card) for cards in (*position.hands, *position.discards))
    if seen >= variant.deck.count(card):
        return message("seat {seat} cannot hold {name}: every {name} has been seen elsewhere", seat=seat, name=name)
    return None


def _why_not_dead(position: Position, card: Card) -> str:
    variant, look = position.variant, position.table.look
    name = format_card(variant, card)
    if card in variant.wild or card in variant.removing:
        return message("{name} belongs to no square, so it is never dead: keep it or play it", name=name)
    free = position.free & look.reach[card]
    if free:
        squares = _squares(position, free)
        if free.bit_count() == 1:
            return message("{name} is not dead: {square} is free", name=name, square=squares)
        return message("{name} is not dead: {squares} are free", name=name, squares=squares)
    limit = position.exchanged
    return message(
        "{name} cannot be exchanged: only {limit} a turn is allowed, so play another card", name=name, limit=limit
    )


def _why_not_placed(position: Position, card: Card, square: Square) -> str:
    variant, reach = position.variant, position.table.look.reach[card]
    where = format_square(variant, square)
    values = {"name": format_card(variant, card), "where": where}
    if card in variant.removing:
        return _why_not_removed(position, card, square)
    if not position.table.look.bit[square] & reach:
        printed, squares = format_card(variant, variant.board.grid[square]), _squares(position, reach)
        return message(
            "{where} is {printed}, not {name}: {name} is {squares}", printed=printed, squares=squares, **values
        )
    return message("{where} is taken: choose a free square", where=where)


def _why_not_removed(position: Position, card: Card, square: Square) -> str:
    variant, look = position.variant, position.table.look
    name, where = format_card(variant, card), format_square(variant, square)
    if card not in variant.removing:
        takers = all_of(format_card(variant, taker) for taker in variant.removing)
        return message("{name} takes no chip: only {takers} do", name=name, takers=takers)
    bit = look.bit[square]
    if position.free & bit:
        return message("there is no chip on {where} to take: choose a square with an opponent's chip", where=where)
    if position.chips[team_of(position.to_move, position.teams) - 1] & bit:
        return message("the chip on {where} is your own team's: take an opponent's", where=where)
    if not position.protected & bit:
        return message(
            "{name} places no chip, it takes one: write for instance {name} x{where}", name=name, where=where
        )
    return message(
        "the chip on {where} is part of a completed sequence, which nobody can touch: take another", where=where
    )


def _squares(position: Position, squares: int) -> str:
    variant = position.variant
    names = [format_square(variant, s) for s, bit in position.table.look.bit.items() if bit & squares]
    return all_of(names)
