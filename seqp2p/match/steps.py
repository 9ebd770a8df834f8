"""The steps: their contributors, their checks, and their effects. docs/protocol.md, "Steps".

Theory of operation. A game has a queue of planned steps (``GameState.plans``). The open step is the first of them; when
the queue is empty, the next step is ``over`` once the position is decided, and else the step of the position's phase:

    seat ─▶ reveal ─▶ shuffle ×n ─▶ deal ─▶ turn ─▶ … ─▶ over
                                             │ ▲
                          pile used up: shuffle ×n ─▶ draw ─▶ (turn)
                                card drawn: draw ─▶ (turn)
        table talk, a remark called in a turn: discard ─▶ (the same turn)
       drawing by hand, a draw still owed when the next player has placed: late ─▶ [draw] ─▶ (that player's turn)

A step waits for all seats, for its subject, for all but its subject, for the seats with a share to give, or for the
seats that owe a card. It closes when all these are in; only then does the game change. So the order of contributions
to one step never matters.

Each kind of step has a *check*, which judges one seat's body and returns the part that the step keeps, or raises
Refusal (or CryptoError), and a *close*, which runs once when all are in and changes the game. A check changes
nothing; ``held`` are the kept parts of earlier seats.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from seqp2p.crypto.elgamal import Ciphertext, decode_deck, joint_key
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import Point, decode_point, decode_points, encode_point
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import key_commitment
from seqp2p.i18n import message, message_of
from seqp2p.match.contribution import (
    CallBody,
    OverBody,
    RevealBody,
    SeatBody,
    SharesBody,
    ShuffleBody,
    StepKind,
    TurnBody,
)
from seqp2p.match.encoding import DecodeError
from seqp2p.match.errors import Failure, Refusal
from seqp2p.match.events import Dealt, Drawn, Event, Finished, Redealt, Seated, Shuffled, Turned
from seqp2p.match.game import GameState, StepPlan, draw_dealer, final_result
from seqp2p.match.remark import BadRemark, Remark, open_remark
from seqp2p.rules import (
    ACTION_ROWS,
    UNKNOWN,
    Action,
    Position,
    RulesError,
    apply,
    deal_order,
    first_seat,
    hand_size,
    hide,
    parse_action,
    position_hash,
    reveal,
    start,
)

Held: TypeAlias = Mapping[int, Any]


@dataclass(frozen=True, slots=True)
class StepRule:
    """One row: ``check(game, plan, body, context, held) → kept``, ``close(game, plan, {seat: kept}) → events``.

    ``failure`` is the class of a body that its check refuses, ``proof_failure`` if its cryptography is wrong.
    """

    who: Literal["all", "subject", "others", "dealers", "penalised"]
    failure: Failure
    proof_failure: Failure
    check: Callable[..., Any]
    close: Callable[..., Any]

    def failure_of(self, error: Exception) -> Failure:
        """Return the kind of check that a body fails, by the error that was raised."""
        if isinstance(error, DecodeError):
            return "step"
        return self.proof_failure if isinstance(error, CryptoError) else self.failure


# Before the first turn: seat, reveal, shuffle and deal.


def check_seat(_game: GameState, _plan: StepPlan, body: SeatBody, _context: Context, _held: Held) -> bytes:
    """Check a commitment: any 32 bytes; step ``reveal`` opens it."""
    return body.commitment


def close_seat(game: GameState, _plan: StepPlan, commitments: Mapping[int, bytes]) -> tuple[Event, ...]:
    game.commitments.update(commitments)
    return ()


def check_reveal(
    game: GameState, _plan: StepPlan, body: RevealBody, context: Context, held: Held
) -> tuple[Point, bytes]:
    """Check that the key and the nonce open the commitment, and that the seat knows the key's secret.

    Two seats with one key made it together (each proof is bound to its seat), and only all seats together can make
    keys that cancel out (each is committed to before any is shown). Both are refused, at the seat that comes last.
    """
    key = decode_point(body.key)
    if key_commitment(game.id, context.seat, body.key, body.nonce) != game.commitments[context.seat]:
        raise Refusal(message("the game key and nonce are not those it committed to"))
    game.checks.key(key, body.proof, context)
    others = {seat: encode_point(other) for seat, (other, _) in held.items()}
    if body.key in others.values():
        raise Refusal(message("its game key is another seat's too"))
    if len(others) == game.players - 1:
        joint_key([key, *(other for other, _ in held.values())])
    return key, body.nonce


def close_reveal(game: GameState, _plan: StepPlan, revealed: Mapping[int, tuple[Point, bytes]]) -> tuple[Event, ...]:
    """Fix the joint key and the dealer, and start the shuffle of the whole deck."""
    game.keys.update({seat: revealed[seat][0] for seat in game.seats})
    game.joint_key = joint_key([game.keys[seat] for seat in game.seats])
    game.draw = draw_dealer(game.variant, game.players, [revealed[seat][1] for seat in game.seats])
    game.owners = deal_order(game.players, game.draw.dealer, hand_size(game.variant, game.players))
    game.deck.begin(range(len(game.variant.deck)), game.joint_key)
    return (Seated(game.draw),)


def check_shuffle(
    game: GameState, _plan: StepPlan, body: ShuffleBody, context: Context, _held: Held
) -> tuple[Ciphertext, ...]:
    """Check that the new deck is the old one, re-encrypted in another order."""
    before = game.deck.mixing
    after = decode_deck(body.deck, len(before))
    game.checks.shuffle(before, after, game.joint_key, body.proof, context)
    return after


def close_shuffle(game: GameState, plan: StepPlan, decks: Mapping[int, tuple[Ciphertext, ...]]) -> tuple[Event, ...]:
    """Give this deck to the next seat; after the last seat it is the pile."""
    game.deck.mixing = decks[plan.subject]
    game.shuffles += 1
    if plan.subject == game.seats[-1]:
        game.deck.adopt()
    return (Shuffled(plan.subject, 1 + game.seats.index(plan.subject), game.reshuffles, len(game.seats)),)


def positions_of_others(game: GameState, seat: int) -> list[int]:
    """Return the deck positions dealt to other seats, ascending."""
    return [position for position, owner in enumerate(game.owners, game.deck.drawn) if owner != seat]


def check_shares(
    game: GameState, positions: list[int], body: SharesBody | TurnBody, context: Context
) -> dict[int, Point]:
    """Check one share for each of these deck positions, with one proof, and return them by position."""
    shares = decode_points(body.shares, len(positions))
    if positions:
        statement = [(position, game.deck.ciphertexts[position].a) for position in positions]
        game.checks.shares(game.keys[context.seat], statement, shares, body.proof, context)
    elif body.proof:
        raise Refusal(message("a proof where nothing is shown"))
    return dict(zip(positions, shares, strict=True))


def check_deal(game: GameState, _plan: StepPlan, body: SharesBody, context: Context, _held: Held) -> dict[int, Point]:
    """Check the shares for every card dealt to other seats."""
    return check_shares(game, positions_of_others(game, context.seat), body, context)


def close_deal(game: GameState, _plan: StepPlan, shares: Mapping[int, dict[int, Point]]) -> tuple[Event, ...]:
    """Deal the hands, which only their holders can open."""
    game.shares += sum(map(len, shares.values()))
    for owner in game.owners:
        position = game.deck.give(owner)
        game.deck.open_partly(position, [shares[seat][position] for seat in game.seats if seat != owner])
    if game.position is not None:
        return (Redealt(),)
    assert game.draw is not None, "dealing before the dealer is drawn"
    settings = game.agreement.settings
    hidden = (UNKNOWN,) * hand_size(game.variant, game.players)
    first = first_seat(game.players, game.draw.dealer)
    game.position = start(
        game.variant, game.players, settings.teams, settings.options, first, [hidden for _ in game.seats]
    )
    return (Dealt(),)


# Play: turn, draw, discard, late and over.


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


def cards_to_show(game: GameState, action: Action, seat: int) -> int:
    """Return the number of cards that an action shows: the one it puts down, all for a pass, else none."""
    match ACTION_ROWS[action.kind].shows:
        case "hand":
            return len(game.deck.hand(seat))
        case "card":
            return 1
        case "nothing":
            return 0


def check_turn(
    game: GameState, _plan: StepPlan, body: TurnBody | CallBody, context: Context, _held: Held
) -> CheckedMove:
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


def read_action(game: GameState, body: TurnBody | CallBody) -> Action:
    """Return the action of its one text form."""
    try:
        return parse_action(game.variant, body.action)
    except RulesError as error:
        raise Refusal(message_of(error)) from None


def after_action(game: GameState, action: Action, seat: int, shown: Mapping[int, int]) -> Position:
    """Return the position after an action of the seat to move, its shown cards known."""
    # The position has those of earlier passes.
    new = [game.deck.face(card) for position, card in shown.items() if position not in game.deck.shown]
    try:
        return apply(reveal(game.table_position(), seat, new), action, UNKNOWN)
    except RulesError as error:
        raise Refusal(message_of(error)) from None


def called(game: GameState, action: Action, body: CallBody, context: Context) -> bytes:
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


def why_not_callable(game: GameState, remark: Remark, caller: int, step: int) -> str | None:
    """Return the reason why this seat cannot call a remark at this step, or None; every verifier finds the same.

    A remark can be called if it is dated to a step of the record or to the open one, the caller has not placed since,
    it is no courtesy, and it was not called before. Its text does not matter.
    """
    word = remark.said
    if word.step > step or game.heads[word.step - 1] != word.prev:
        return message("the remark is not dated to a step of this game")
    if word.step < game.placed_at.get(caller, 0):
        return message("a remark can be called only in the first turn after it")
    if word.courtesy:
        return message("a courtesy cannot be called")
    if remark.hash in game.called:
        return message("this remark was called before")
    return None


def check_shown(game: GameState, action: Action, body: TurnBody, context: Context) -> dict[int, int]:
    """Return the cards that an action shows, by deck position: its seat's own, each opened by a proved share."""
    count = cards_to_show(game, action, context.seat)
    positions = list(body.cards)
    if len(positions) != count or positions != sorted(set(positions)):
        raise Refusal(message("{count} cards must be shown, by ascending deck position", count=count))
    if not set(positions) <= set(game.deck.hand(context.seat)):
        raise Refusal(message("a card shown is not in the hand"))
    shares = check_shares(game, positions, body, context)
    shown = {at: game.deck.physical(at, share) for at, share in shares.items()}
    if ACTION_ROWS[action.kind].shows == "card" and [game.deck.face(card) for card in shown.values()] != [action.card]:
        raise Refusal(message("the card shown is not the card played"))
    return shown


def close_turn(game: GameState, plan: StepPlan, moves: Mapping[int, CheckedMove]) -> tuple[Event, ...]:
    """Close a turn: apply the action, and plan a draw, with shuffles before it if they are due."""
    move = moves[plan.subject]
    before, after = game.table_position(), move.after
    put_down(game, plan.subject, move)
    game.position = after
    if ACTION_ROWS[move.action.kind].ends_turn:
        game.placed_at[plan.subject] = move.step
        game.skipped.discard(plan.subject)
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


def put_down(game: GameState, seat: int, move: CheckedMove) -> None:
    """Apply an action: its shown cards are known from now on; the card it puts down goes to the discards."""
    game.moves += 1
    game.shares += len(move.shown)
    game.deck.shown.update(move.shown)
    if ACTION_ROWS[move.action.kind].shows == "card":
        (position,) = move.shown
        game.deck.take(seat, position)


def check_discard(game: GameState, _plan: StepPlan, body: TurnBody, context: Context, _held: Held) -> CheckedMove:
    """Check a card that a called team's member gives up: any of its hand. It is put down when all are in."""
    action = read_action(game, body)
    if action.kind != "give":
        raise Refusal(message("a card must be given up"))
    return CheckedMove(context.step, action, check_shown(game, action, body, context), game.table_position())


def close_discard(game: GameState, _plan: StepPlan, moves: Mapping[int, CheckedMove]) -> tuple[Event, ...]:
    """Put the given cards on their seats' discards; the caller's turn goes on."""
    turn = game.table_position().turn + 1
    for seat, move in sorted(moves.items()):
        game.position = after_action(game, move.action, seat, move.shown)
        put_down(game, seat, move)
    return tuple(Turned(turn, seat, move.action) for seat, move in sorted(moves.items()))


def check_draw(game: GameState, _plan: StepPlan, body: SharesBody, context: Context, _held: Held) -> Point:
    """Check the share for the top card of the pile."""
    (share,) = check_shares(game, [game.deck.drawn], body, context).values()
    return share


def close_draw(game: GameState, plan: StepPlan, shares: Mapping[int, Point]) -> tuple[Event, ...]:
    """Give the drawer its new card, which it alone can open."""
    game.shares += len(shares)
    position = game.deck.give(plan.subject)
    game.deck.open_partly(position, list(shares.values()))
    return (Drawn(plan.subject),)


def check_over(game: GameState, _plan: StepPlan, body: OverBody, _context: Context, _held: Held) -> bytes:
    """Check that the seat signs the same final position."""
    if body.position != final_hash(game):
        raise Refusal(message("the final position it signs is not the one this game has"))
    return body.position


def close_over(game: GameState, _plan: StepPlan, _hashes: Mapping[int, bytes]) -> tuple[Event, ...]:
    game.result = final_result(game)
    return (Finished(game.result),)


def final_hash(game: GameState) -> bytes:
    """Return the hash of the position with every hand unknown, which any observer can compute."""
    return position_hash(hide(game.table_position(), ()))


# The table.

STEPS: dict[StepKind, StepRule] = {
    "seat": StepRule("all", "key", "key", check_seat, close_seat),
    "reveal": StepRule("all", "key", "key", check_reveal, close_reveal),
    "shuffle": StepRule("subject", "shuffle", "shuffle", check_shuffle, close_shuffle),
    "deal": StepRule("dealers", "share", "share", check_deal, close_deal),
    "turn": StepRule("subject", "rules", "share", check_turn, close_turn),
    "draw": StepRule("others", "share", "share", check_draw, close_draw),
    "discard": StepRule("penalised", "rules", "share", check_discard, close_discard),
    "late": StepRule("subject", "rules", "share", check_turn, close_turn),
    "over": StepRule("all", "result", "result", check_over, close_over),
}

# The steps of the engine's phases: drawing by hand and ending the turn are part of the turn.
STEP_OF_PHASE: dict[str, StepKind] = {"play": "turn", "draw": "turn", "late": "late", "penalty": "discard"}


def next_plan(game: GameState) -> StepPlan | None:
    """Return the step to open now, or None when the game is finished."""
    if game.plans:
        return game.plans.popleft()
    if game.result is not None or game.abandoned:
        return None
    position = game.table_position()
    if position.over:
        return StepPlan("over")
    return StepPlan(STEP_OF_PHASE[position.phase], position.to_move)


def awaited_seats(game: GameState, plan: StepPlan) -> frozenset[int]:
    who = STEPS[plan.kind].who
    if who == "subject":
        return frozenset({plan.subject})
    if who == "penalised":
        pending = game.table_position().pending
        return frozenset(pending.penalised if pending else ())
    if who == "dealers":
        return frozenset(seat for seat in game.seats if set(game.owners) - {seat})
    return frozenset(seat for seat in game.seats if who == "all" or seat != plan.subject)
