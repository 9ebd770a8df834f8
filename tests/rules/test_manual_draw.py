"""Drawing by hand: what is refused, and what each seat sees. What happens is in test_situations."""

import pytest

from seqp2p.rules import (
    KIDS,
    UNKNOWN,
    Options,
    Position,
    RulesError,
    start,
)
from tests.rules.playing import do, make, refusal


def after(*texts: str) -> Position:
    """Two seats with three cards each at the most; these actions have been played."""
    position = make({}, ["2C,3C", "4C,5C"], options="manual-draw")
    for text in texts:
        position = do(position, text)
    return position


@pytest.mark.parametrize(
    ("steps", "text", "reason"),
    [
        ([], "draw", "seat 1 is to play: there is nothing that it has to draw, end, waive or give up"),
        ([], "end", "seat 1 is to play: "),
        ([], "waive", "seat 1 is to play: "),
        ([], "3C given", "seat 1 is to play: "),
        ([], "call 2", "talk is free at this table: nobody can be called for it"),
        (["2C e2"], "3C d2", "seat 1 has played its card: it can draw, or end its turn without"),
        (["2C e2"], "waive", "seat 1 has played its card: "),
        (["2C e2"], "pass", "seat 1 has played its card: "),
        (["2C e2"], "3C dead", "seat 1 has played its card: "),
        (["2C e2"], "JS xe2", "seat 1 has played its card: "),
        (["2C e2", "end"], "draw", "seat 2 is to play: "),
        (["2C e2", "end", "4C c2"], "end", "seat 1 has not drawn in its last turn: it can draw now, or waive the draw"),
        (["2C e2", "end", "4C c2"], "3C d2", "seat 1 has not drawn in its last turn: "),
        (["2C e2", "end", "4C c2", "waive"], "waive", "seat 2 has played its card: "),
    ],
)
def test_the_reason_for_a_refusal(steps: list[str], text: str, reason: str) -> None:
    assert refusal(after(*steps), text).startswith(reason)


def test_by_default_the_draw_is_automatic() -> None:
    assert "seat 1 is to play: there is nothing" in refusal(make({}, ["2C", "?"]), "draw")


def test_not_in_the_kids_game() -> None:
    with pytest.raises(RulesError, match="Sequence for Kids has no option manual draw"):
        start(KIDS, 2, 2, Options(manual_draw=True), 1, [[UNKNOWN] * 3] * 2)
