"""The table of steps: their contributors, their checks, and their effects.

Theory of operation. A game has a queue of planned steps (``Game.plans``). The open step is the first of them; when
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
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from seqp2p.crypto.errors import CryptoError
from seqp2p.match import play_steps, setup_steps
from seqp2p.match.contribution import StepKind
from seqp2p.match.encoding import DecodeError
from seqp2p.match.errors import Failure
from seqp2p.match.game import Game, StepPlan


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


STEPS: dict[StepKind, StepRule] = {
    "seat": StepRule("all", "key", "key", setup_steps.check_seat, setup_steps.close_seat),
    "reveal": StepRule("all", "key", "key", setup_steps.check_reveal, setup_steps.close_reveal),
    "shuffle": StepRule("subject", "shuffle", "shuffle", setup_steps.check_shuffle, setup_steps.close_shuffle),
    "deal": StepRule("dealers", "share", "share", setup_steps.check_deal, setup_steps.close_deal),
    "turn": StepRule("subject", "rules", "share", play_steps.check_turn, play_steps.close_turn),
    "draw": StepRule("others", "share", "share", play_steps.check_draw, play_steps.close_draw),
    "discard": StepRule("penalised", "rules", "share", play_steps.check_discard, play_steps.close_discard),
    "late": StepRule("subject", "rules", "share", play_steps.check_turn, play_steps.close_turn),
    "over": StepRule("all", "result", "result", play_steps.check_over, play_steps.close_over),
}

# The steps of the engine's phases: drawing by hand and ending the turn are part of the turn.
STEP_OF_PHASE: dict[str, StepKind] = {"play": "turn", "draw": "turn", "late": "late", "penalty": "discard"}


def next_plan(game: Game) -> StepPlan | None:
    """Return the step to open now, or None when the game is finished."""
    if game.plans:
        return game.plans.popleft()
    if game.result is not None or game.abandoned:
        return None
    position = game.table_position()
    if position.over:
        return StepPlan("over")
    return StepPlan(STEP_OF_PHASE[position.phase], position.to_move)


def awaited_seats(game: Game, plan: StepPlan) -> frozenset[int]:
    """Return the seats that a step waits for."""
    who = STEPS[plan.kind].who
    if who == "subject":
        return frozenset({plan.subject})
    if who == "penalised":
        pending = game.table_position().pending
        return frozenset(pending.penalised if pending else ())
    if who == "dealers":
        return frozenset(seat for seat in game.seats if set(game.owners) - {seat})
    return frozenset(seat for seat in game.seats if who == "all" or seat != plan.subject)
