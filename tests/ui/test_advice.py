"""A choice explained: what it builds, blocks and keeps, and the second best after it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import DRAW, KIDS, Position, give, parse_action, view
from seqp2p.ui.explain import advice, reasons
from tests.rules.playing import OPTION_TABLES, Table, make, two
from tests.rules.test_talks import position_of
from tests.ui.kept import Talk, talks

COLOURS = ("blue", "green", "red", "yellow")


def told(position: Position, *actions: str) -> str:
    seen = view(position, position.to_move)
    return advice(seen, [parse_action(seen.variant, action) for action in actions], COLOURS)


@talks(__file__, "advice_talks.txt")
def test_talk(talk: Talk) -> None:
    """Actions, the best one first, with the hint that is made of them."""
    position = position_of(talk.place)
    talk.check([told(position, *line[2:].split(", "))] for line in talk.lines)


def test_drawing_has_its_reason() -> None:
    seen = view(two("9S,2S,5S,6S,TS,9H,4D", "i1 b7", "h8"), 1)
    assert list(reasons(seen, DRAW, COLOURS)) == ["brings a new card"]


def test_giving_a_card_up_has_its_reason() -> None:
    seen = view(two("9S,2S,5S,6S,TS,9H,4D", "i1 b7", "h8"), 1)
    assert list(reasons(seen, give(seen.hand[0]), COLOURS)) == ["costs the least"]


def test_it_is_said_in_french(french: None) -> None:
    assert told(two("3S,QC,2S,TS,9H,4D,JC", "b1 d1 i8", "a5 c3"), "3S c1", "QC a7") == (
        "conseil : 3S c1 construit a1-e1 et garde JC ; en second : QC a7 commence a6-a10 et garde JC"
    )


@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_every_action_has_a_reason(table: Table, seed: int) -> None:
    seen = table.seen(seed)
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
    seen = view(two("3S,QC,2S,TS,9H,4D,JC", "b1 d1 i8", "a5 c3"), 1)
    assert ("second best" in advice(seen, seen.legal[:count], COLOURS)) == (count > 1)
