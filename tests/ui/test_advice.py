"""A choice explained: what it builds, blocks and keeps, and the second best beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import DRAW, KIDS, Options, Position, Variant, parse_action, view
from seqp2p.ui import language
from seqp2p.ui.advice import advice, reasons
from tests.rules.playing import OPTION_TABLES, make, random_position

OTHERS = "?,?,?,?,?,?,?"
COLOURS = ("blue", "green", "red", "yellow")


def told(position: Position, *actions: str) -> str:
    seen = view(position, position.to_move)
    return advice(seen, [parse_action(seen.variant, action) for action in actions], COLOURS)


def table(hand: str, a: str, b: str, sequences: str = "-") -> Position:
    return make({"a": a, "b": b}, [hand, OTHERS], sequences=sequences)


def test_a_chip_builds_and_a_jack_is_kept() -> None:
    position = table("3S,QC,2S,TS,9H,4D,JC", "b1 d1 i8", "a5 c3")
    assert told(position, "3S c1") == "hint: 3S c1 builds a1-e1 and keeps JC"


def test_the_second_best_stands_beside_it() -> None:
    position = table("3S,QC,5S,TS,9H,4D,2H", "i8 g5", "b1 c1 d1")
    assert told(position, "5S e1", "3S f9") == ("hint: 5S e1 blocks green on a1-e1; second best: 3S f9 starts d9-h9")


def test_a_line_is_completed() -> None:
    position = table("5S,QC,2S,TS,9H,4D,2H", "b1 c1 d1 i8", "a5 c3 h7")
    assert told(position, "5S e1") == "hint: 5S e1 completes a1-e1"


def test_a_chip_is_taken_out_of_a_line() -> None:
    position = table("JS,QC,2S,TS,9H,4D,2H", "i8 g5", "b1 c1 d1")
    assert told(position, "JS xc1") == "hint: JS xc1 blocks green on a1-e1"


def test_a_dead_card_is_exchanged() -> None:
    position = table("9S,2S,5S,6S,TS,9H,4D", "i1 b7", "h8")
    assert told(position, "9S dead") == "hint: 9S dead brings a new card for a dead one, and the turn goes on"


def test_drawing_has_its_reason() -> None:
    seen = view(table("9S,2S,5S,6S,TS,9H,4D", "i1 b7", "h8"), 1)
    assert list(reasons(seen, DRAW, COLOURS)) == ["brings a new card"]


def test_it_is_said_in_french() -> None:
    position = table("3S,QC,2S,TS,9H,4D,JC", "b1 d1 i8", "a5 c3")
    language.use("fr")
    try:
        assert told(position, "3S c1", "QC a7") == (
            "conseil : 3S c1 construit a1-e1 et garde JC ; en second : QC a7 commence a6-a10 et garde JC"
        )
    finally:
        language.use("en")


@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_every_action_has_a_reason(table: tuple[Variant, int, int, Options], seed: int) -> None:
    position = random_position(*table[:3], seed=seed, options=table[3]).position
    seen = view(position, position.to_move)
    for action in seen.legal[::7]:
        assert all(reasons(seen, action, COLOURS))
        assert list(reasons(seen, action, COLOURS))


def test_the_kids_cards_have_their_names() -> None:
    position = make({"a": "c3", "b": "b4"}, ["unicorn,bear,owl", "?,?,?"], variant=KIDS)
    seen = view(position, 1)
    quiet = next(action for action in seen.legal if action.kind == "place" and action.card not in KIDS.wild)
    assert "keeps unicorn" in advice(seen, [quiet], COLOURS)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_it_tells_at_most_two(count: int) -> None:
    seen = view(table("3S,QC,2S,TS,9H,4D,JC", "b1 d1 i8", "a5 c3"), 1)
    assert ("second best" in advice(seen, seen.legal[:count], COLOURS)) == (count > 1)
