"""Drawing by hand: the mover draws or ends, who forgot draws late or waives; and what nobody may do in between."""

from collections import Counter

import pytest

from seqp2p.match.contribution import CallBody, Contribution, SharesBody, TurnBody
from seqp2p.match.events import Turned
from seqp2p.rules import PASS, IllegalAction
from tests.match.refusal import AtStep, at_step, goes_on
from tests.replay.tools import verified
from tests.table import ACTIONS, Played, fields_of, played, replay_bytes


@pytest.fixture(scope="module")
def by_hand() -> Played:
    """Two players who draw, end, draw late and waive as it falls."""
    return played(2, "classic", 3, manual_draw=True)


def actions(game: Played) -> list[tuple[int, str, Turned]]:
    """Every action with its step and the step's kind."""
    kinds = [fields_of(step.contributions[0][1])["kind"] for step in game.steps]
    steps = [(number, kind) for number, kind in enumerate(kinds, 1) if kind in ACTIONS]
    turned = (event for event in game.events if isinstance(event, Turned))
    return [(*step, event) for step, event in zip(steps, turned, strict=True)]


def step_of(game: Played, step_kind: str, action: str) -> int:
    """The first step of this kind at which this action was taken."""
    return next(step for step, kind, event in actions(game) if (kind, event.action.kind) == (step_kind, action))


def without_card(at: AtStep, action: str) -> Contribution:
    return at.signs(TurnBody(action, (), b"", b""))


def test_every_way_to_draw_or_not_is_met(by_hand: Played) -> None:
    met = Counter((kind, event.action.kind) for _, kind, event in actions(by_hand))
    assert {("turn", "place"), ("turn", "draw"), ("turn", "end"), ("late", "draw"), ("late", "waive")} <= met.keys()
    verified(replay_bytes(by_hand))


@pytest.mark.parametrize("kind", ["draw", "end"])
def test_the_mover_draws_or_ends_and_does_nothing_else(by_hand: Played, kind: str) -> None:
    at = at_step(by_hand, step_of(by_hand, "turn", kind))
    assert {action.kind for action in at.seat.view(at.match).legal} == {"draw", "end"}
    deck, hand = at.match.game.deck, sorted(at.seat.hand(at.match))
    face = at.match.game.variant.faces[deck.face(at.seat.hand(at.match)[hand[0]])]
    shown = {f"{face} a2": hand[:1], f"{face} dead": hand[:1], f"{face} given": hand[:1], "pass": hand}
    at.refuses("", without_card(at, "waive"), without_card(at, ""))
    at.refuses("", *(at.signs(TurnBody(text, tuple(some), **at.shares(some))) for text, some in shown.items()))
    with pytest.raises(IllegalAction):
        at.seat.play(at.match, PASS)


def test_who_owes_a_draw_draws_or_waives(by_hand: Played) -> None:
    at = at_step(by_hand, "late")
    assert {action.kind for action in at.seat.view(at.match).legal} == {"draw", "waive"}
    at.refuses("", without_card(at, "end"))
    at.refuses("unknown field `remark`", at.signs(CallBody("call 1", b"", bytes(64))))
    at.refuses("another kind than late", at.altered(kind="turn"))
    goes_on(at.match, without_card(at, "draw"), without_card(at, "waive"))


def test_the_share_for_a_late_draw_is_of_the_top_of_the_pile(by_hand: Played) -> None:
    at = at_step(by_hand, step_of(by_hand, "late", "draw") + 1)
    at.refuses("share proof", at.signs(SharesBody(**at.shares([at.match.game.deck.drawn + 1]))))
