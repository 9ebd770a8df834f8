"""The steps of play: ``turn``, ``draw`` and ``over``. docs/protocol.md, "Steps"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seqp2p.crypto.group import Point
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.share_proof import decode_shares, verify_shares
from seqp2p.match.contribution import OverBody, SharesBody, TurnBody
from seqp2p.match.errors import Refusal
from seqp2p.match.events import Drawn, Event, Finished, Result, Turned
from seqp2p.match.game import Game, Plan
from seqp2p.match.setup_steps import Held, check_shares
from seqp2p.rules import (
    UNKNOWN,
    Action,
    Position,
    RulesError,
    apply,
    hide,
    parse_action,
    position_hash,
    reveal,
    team_of,
)


@dataclass(frozen=True, slots=True)
class Move:
    """A turn's action, checked: the cards it shows (physical card by deck position) and the position after it."""

    action: Action
    shown: Mapping[int, int]
    after: Position


def cards_to_show(game: Game, action: Action, seat: int) -> int:
    """How many cards of its hand an action shows: the one it plays or exchanges, or all for a pass."""
    return len(game.deck.hand(seat)) if action.kind == "pass" else 1


def check_turn(game: Game, _plan: Plan, body: TurnBody, context: Context, _held: Held) -> Move:
    """The action is legal, and the cards it names are the ones that the mover's own shares open."""
    try:
        action = parse_action(game.variant, body.action)
    except RulesError as error:
        raise Refusal(f"{error}") from None
    shown = check_shown(game, body, context, cards_to_show(game, action, context.seat))
    if action.kind != "pass" and [game.deck.face(card) for card in shown.values()] != [action.card]:
        raise Refusal("the card shown is not the card played")
    try:
        known = reveal(game.table_position(), context.seat, faces_not_shown_before(game, shown))
        after = apply(known, action, UNKNOWN)
    except RulesError as error:
        raise Refusal(f"{error}") from None
    return Move(action, shown, after)


def check_shown(game: Game, body: TurnBody, context: Context, count: int) -> dict[int, int]:
    """The physical cards that a turn shows, by deck position: its mover's own, each opened by a proved share."""
    positions = list(body.cards)
    if len(positions) != count or positions != sorted(set(positions)):
        raise Refusal(f"{count} cards must be shown, by ascending deck position")
    if not set(positions) <= set(game.deck.hand(context.seat)):
        raise Refusal("a card shown is not in the hand")
    shares = decode_shares(body.shares, count)
    if count:
        statement = [(position, game.deck.ciphertexts[position].a) for position in positions]
        verify_shares(game.keys[context.seat], statement, shares, body.proof, context)
    elif body.proof:
        raise Refusal("a proof where nothing is shown")
    return {at: game.deck.physical(at, share) for at, share in zip(positions, shares, strict=True)}


def faces_not_shown_before(game: Game, shown: Mapping[int, int]) -> Sequence[int]:
    """What the table learns: a card that a pass has shown already is known in the position."""
    return [game.deck.face(card) for position, card in shown.items() if position not in game.deck.shown]


def close_turn(game: Game, plan: Plan, moves: Mapping[int, Move]) -> tuple[Event, ...]:
    """The position after the action; what follows is a draw, shuffles before it, the end, or the next turn."""
    move = moves[plan.subject]
    before, after = game.table_position(), move.after
    game.position = after
    game.deck.shown.update(move.shown)
    if move.action.kind != "pass":
        (position,) = move.shown
        game.deck.take(plan.subject, position)
    if after.reshuffles > before.reshuffles:
        game.reshuffles += 1
        game.deck.begin(game.deck.discards, game.joint_key)
        game.deck.discards.clear()
        game.plans.extend(game.shuffle_plans())
    if after.draws > before.draws:
        game.plans.append(Plan("draw", plan.subject))
    return (Turned(before.turn + 1, plan.subject, move.action),)


def check_draw(game: Game, _plan: Plan, body: SharesBody, context: Context, _held: Held) -> Point:
    """The share for the top card of the pile."""
    (share,) = check_shares(game, [game.deck.drawn], body, context).values()
    return share


def close_draw(game: Game, plan: Plan, shares: Mapping[int, Point]) -> tuple[Event, ...]:
    """The drawer alone can open its new card."""
    position = game.deck.give(plan.subject)
    game.deck.open_partly(position, list(shares.values()))
    return (Drawn(plan.subject),)


def check_over(game: Game, _plan: Plan, body: OverBody, _context: Context, _held: Held) -> bytes:
    """Everybody means the same final position."""
    if body.position != final_hash(game):
        raise Refusal("the final position it signs is not the one this game has")
    return body.position


def close_over(game: Game, _plan: Plan, _hashes: Mapping[int, bytes]) -> tuple[Event, ...]:
    """The result is confirmed."""
    game.result = final_result(game)
    return (Finished(game.result),)


def final_hash(game: Game) -> bytes:
    """The hash of the position with every hand unknown: what anybody who saw the game can compute."""
    return position_hash(hide(game.table_position(), ()))


def final_result(game: Game) -> Result:
    """Who has won by the position on the board."""
    position = game.table_position()
    if not position.winner:
        return Result("drawn")
    return Result("won", tuple(seat for seat in game.seats if team_of(seat, position.teams) == position.winner))
