"""The table of steps: who contributes what, how it is checked, and what closing it does.

Theory of operation. A game has a queue of planned steps (``Game.plans``). The open step is the first of them; when
the queue is empty, the next step is the mover's ``turn``, or ``over`` once the position is decided:

    seat ─▶ reveal ─▶ shuffle ×n ─▶ deal ─▶ turn ─▶ … ─▶ over
                                             │ ▲
                          pile used up: shuffle ×n ─▶ draw ─▶ (turn)
                                card drawn: draw ─▶ (turn)

A step waits for all seats, for its subject, or for all but its subject. It closes when all these are in; only then
does the game change. So the order in which contributions of one step arrive never matters.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from seqp2p.match import play_steps, setup_steps
from seqp2p.match.contribution import Body, Kind, OverBody, RevealBody, SeatBody, SharesBody, ShuffleBody, TurnBody
from seqp2p.match.game import Game, Plan


@dataclass(frozen=True, slots=True)
class StepRule:
    """One row: ``check(game, plan, body, context, held) → kept``, ``close(game, plan, {seat: kept}) → events``."""

    who: Literal["all", "subject", "others"]
    body: type[Body]
    check: Callable[..., Any]
    close: Callable[..., Any]


STEPS: dict[Kind, StepRule] = {
    "seat": StepRule("all", SeatBody, setup_steps.check_seat, setup_steps.close_seat),
    "reveal": StepRule("all", RevealBody, setup_steps.check_reveal, setup_steps.close_reveal),
    "shuffle": StepRule("subject", ShuffleBody, setup_steps.check_shuffle, setup_steps.close_shuffle),
    "deal": StepRule("all", SharesBody, setup_steps.check_deal, setup_steps.close_deal),
    "turn": StepRule("subject", TurnBody, play_steps.check_turn, play_steps.close_turn),
    "draw": StepRule("others", SharesBody, play_steps.check_draw, play_steps.close_draw),
    "over": StepRule("all", OverBody, play_steps.check_over, play_steps.close_over),
}


def next_plan(game: Game) -> Plan | None:
    """The step to open now, or None when the game is finished."""
    if game.plans:
        return game.plans.popleft()
    if game.result is not None:
        return None
    position = game.table_position()
    return Plan("over") if position.over else Plan("turn", position.to_move)


def awaited_seats(game: Game, plan: Plan) -> frozenset[int]:
    """The seats that a step waits for."""
    who = STEPS[plan.kind].who
    if who == "subject":
        return frozenset({plan.subject})
    return frozenset(seat for seat in game.seats if who == "all" or seat != plan.subject)
