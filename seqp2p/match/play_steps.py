"""The steps of play: ``turn``, ``draw``, ``discard``, ``late`` and ``over``. docs/protocol.md, "Steps"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seqp2p.crypto.group import Point, decode_points
from seqp2p.crypto.oracle import Context
from seqp2p.i18n import message, message_of
from seqp2p.match.contribution import CallBody, OverBody, SharesBody, TurnBody
from seqp2p.match.errors import Refusal
from seqp2p.match.events import Drawn, Event, Finished, Turned
from seqp2p.match.game import Game, StepPlan
from seqp2p.match.outcome import final_result
from seqp2p.match.remark import BadRemark, Remark, open_remark
from seqp2p.match.setup_steps import Held, check_shares
from seqp2p.rules import (
    ACTION_ROWS,
    UNKNOWN,
    Action,
    Position,
    RulesError,
    apply,
    hide,
    parse_action,
    position_hash,
    reveal,
)


@dataclass(frozen=True, slots=True)
class CheckedMove:
    """An action, checked: the cards it shows (physical card by deck position), and the position after it.

    ``remark`` is the hash of the remark that a call names.
    """

    step: int
    action: Action
    shown: Mapping[int, int]
    after: Position
    remark: bytes = b""


def cards_to_show(game: Game, action: Action, seat: int) -> int:
    """Return the number of cards that an action shows: the one it puts down, all for a pass, else none."""
    match ACTION_ROWS[action.kind].shows:
        case "hand":
            return len(game.deck.hand(seat))
        case "card":
            return 1
        case "nothing":
            return 0


def check_turn(game: Game, _plan: StepPlan, body: TurnBody | CallBody, context: Context, _held: Held) -> CheckedMove:
    """Check that the action is legal, and that the mover's own shares open the cards that it names."""
    action = read_action(game, body)
    if isinstance(body, CallBody):
        return CheckedMove(
            context.step, action, {}, after_action(game, action, context.seat, {}), called(game, action, body, context)
        )
    if action.kind == "call":
        raise Refusal(message("a call carries the remark it calls"))
    shown = check_shown(game, action, body, context)
    return CheckedMove(context.step, action, shown, after_action(game, action, context.seat, shown))


def read_action(game: Game, body: TurnBody | CallBody) -> Action:
    """Return the action of its one text form."""
    try:
        return parse_action(game.variant, body.action)
    except RulesError as error:
        raise Refusal(message_of(error)) from None


def after_action(game: Game, action: Action, seat: int, shown: Mapping[int, int]) -> Position:
    """Return the position after an action of the seat to move, its shown cards known."""
    try:
        return apply(reveal(game.table_position(), seat, faces_not_shown_before(game, shown)), action, UNKNOWN)
    except RulesError as error:
        raise Refusal(message_of(error)) from None


def called(game: Game, action: Action, body: CallBody, context: Context) -> bytes:
    """Return the hash of the remark that a call names. The engine checks the speaker: an opponent with team-mates."""
    if action.kind != "call":
        raise Refusal(message("only a call carries a remark"))
    try:
        remark = open_remark(body.remark, body.signature, game.id, game.agreement)
    except BadRemark as error:
        raise Refusal(message_of(error)) from None
    if remark.said.seat != action.seat:
        raise Refusal(message("the remark is not one of seat {seat}", seat=action.seat))
    if fault := why_not_callable(game, remark, context.seat, context.step):
        raise Refusal(fault)
    return remark.hash


def why_not_callable(game: Game, remark: Remark, caller: int, step: int) -> str | None:
    """Return the reason why this seat cannot call a remark at this step, or None; every verifier finds the same.

    A remark can be called if it is dated to a step of the record or to the open one, the caller has not placed since,
    it is no courtesy, and it was not called before. Its text does not matter.
    """
    word = remark.said
    if word.step > step or game.heads[word.step - 1] != word.prev:
        return message("the remark is not dated to this game's record")
    if word.step < game.placed_at.get(caller, 0):
        return message("a remark can be called in the first turn after it only")
    if word.courtesy:
        return message("a courtesy cannot be called")
    if remark.hash in game.called:
        return message("this remark was called before")
    return None


def check_shown(game: Game, action: Action, body: TurnBody, context: Context) -> dict[int, int]:
    """Return the cards that an action shows, by deck position: its seat's own, each opened by a proved share."""
    count = cards_to_show(game, action, context.seat)
    positions = list(body.cards)
    if len(positions) != count or positions != sorted(set(positions)):
        raise Refusal(message("{count} cards must be shown, by ascending deck position", count=count))
    if not set(positions) <= set(game.deck.hand(context.seat)):
        raise Refusal(message("a card shown is not in the hand"))
    shares = decode_points(body.shares, count)
    if count:
        statement = [(position, game.deck.ciphertexts[position].a) for position in positions]
        game.checks.shares(game.keys[context.seat], statement, shares, body.proof, context)
    elif body.proof:
        raise Refusal(message("a proof where nothing is shown"))
    shown = {at: game.deck.physical(at, share) for at, share in zip(positions, shares, strict=True)}
    if ACTION_ROWS[action.kind].shows == "card" and [game.deck.face(card) for card in shown.values()] != [action.card]:
        raise Refusal(message("the card shown is not the card played"))
    return shown


def faces_not_shown_before(game: Game, shown: Mapping[int, int]) -> Sequence[int]:
    """Return the cards that are new to the table: the position has those of earlier passes."""
    return [game.deck.face(card) for position, card in shown.items() if position not in game.deck.shown]


def close_turn(game: Game, plan: StepPlan, moves: Mapping[int, CheckedMove]) -> tuple[Event, ...]:
    """Close a turn: apply the action, and plan a draw, with shuffles before it if they are due."""
    move = moves[plan.subject]
    before, after = game.table_position(), move.after
    put_down(game, plan.subject, move)
    game.position = after
    if ACTION_ROWS[move.action.kind].ends_turn:
        game.placed_at[plan.subject] = move.step
        game.skipped.pop(plan.subject, None)
    if move.remark:
        game.called.add(move.remark)
    if after.reshuffles > before.reshuffles:
        game.reshuffles += 1
        game.deck.begin(game.deck.discards, game.joint_key)
        game.deck.discards.clear()
        game.plans.extend(game.shuffle_plans())
    if after.draws > before.draws:
        game.plans.append(StepPlan("draw", plan.subject))
    return (Turned(before.turn + 1, plan.subject, move.action),)


def put_down(game: Game, seat: int, move: CheckedMove) -> None:
    """Apply an action: its shown cards are known from now on; the card it puts down goes to the discards."""
    game.moves += 1
    game.shares += len(move.shown)
    game.deck.shown.update(move.shown)
    if ACTION_ROWS[move.action.kind].shows == "card":
        (position,) = move.shown
        game.deck.take(seat, position)


def check_discard(game: Game, _plan: StepPlan, body: TurnBody, context: Context, _held: Held) -> CheckedMove:
    """Check a card that a called team's member gives up: any of its hand. It is put down when all are in."""
    action = read_action(game, body)
    if action.kind != "give":
        raise Refusal(message("a card must be given up"))
    return CheckedMove(context.step, action, check_shown(game, action, body, context), game.table_position())


def close_discard(game: Game, _plan: StepPlan, moves: Mapping[int, CheckedMove]) -> tuple[Event, ...]:
    """Put the given cards on their seats' discards; the caller's turn goes on."""
    turn = game.table_position().turn + 1
    for seat, move in sorted(moves.items()):
        game.position = after_action(game, move.action, seat, move.shown)
        put_down(game, seat, move)
    return tuple(Turned(turn, seat, move.action) for seat, move in sorted(moves.items()))


def check_draw(game: Game, _plan: StepPlan, body: SharesBody, context: Context, _held: Held) -> Point:
    """Check the share for the top card of the pile."""
    (share,) = check_shares(game, [game.deck.drawn], body, context).values()
    return share


def close_draw(game: Game, plan: StepPlan, shares: Mapping[int, Point]) -> tuple[Event, ...]:
    """Give the drawer its new card, which it alone can open."""
    game.shares += len(shares)
    position = game.deck.give(plan.subject)
    game.deck.open_partly(position, list(shares.values()))
    return (Drawn(plan.subject),)


def check_over(game: Game, _plan: StepPlan, body: OverBody, _context: Context, _held: Held) -> bytes:
    """Check that the seat signs the same final position."""
    if body.position != final_hash(game):
        raise Refusal(message("the final position it signs is not the one this game has"))
    return body.position


def close_over(game: Game, _plan: StepPlan, _hashes: Mapping[int, bytes]) -> tuple[Event, ...]:
    """Confirm the result."""
    game.result = final_result(game)
    return (Finished(game.result),)


def final_hash(game: Game) -> bytes:
    """Return the hash of the position with every hand unknown, which any observer can compute."""
    return position_hash(hide(game.table_position(), ()))
