"""A choice explained: what it builds, blocks and keeps, and the second best after it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.bots.learned import WIN_AT_LEAST, Outlook
from seqp2p.bots.value import shipped
from seqp2p.rules import DRAW, KIDS, Position, View, give, parse_action, view
from seqp2p.ui.explain import Gains, advice, reasons
from tests.rules.playing import OPTION_TABLES, Table, make, two
from tests.rules.test_talks import position_of
from tests.ui.kept import Talk, talks

COLOURS = ("blue", "green", "red", "yellow")


def gains(seen: View) -> Gains:
    return Outlook(seen, shipped(seen.variant, seen.teams)).gains


def told(position: Position, *actions: str) -> str:
    seen = view(position, position.to_move)
    return advice(seen, [parse_action(seen.variant, action) for action in actions], gains(seen), COLOURS)


@talks(__file__, "advice_talks.txt")
def test_talk(talk: Talk) -> None:
    """Actions, the best one first, with the hint that is made of them."""
    position = position_of(talk.place)
    talk.check([told(position, *line[2:].split(", "))] for line in talk.lines)


def test_drawing_has_its_reason() -> None:
    seen = view(two("9S,2S,5S,6S,TS,9H,4D", "i1 b7", "h8"), 1)
    assert list(reasons(seen, DRAW, gains(seen), COLOURS)) == ["brings a new card"]


def test_giving_a_card_up_has_its_reason() -> None:
    seen = view(two("9S,2S,5S,6S,TS,9H,4D", "i1 b7", "h8"), 1)
    assert list(reasons(seen, give(seen.hand[0]), gains(seen), COLOURS)) == ["costs the least"]


def test_it_is_said_in_french(french: None) -> None:
    assert told(two("3S,QC,2S,TS,9H,4D,JC", "b1 d1 i8", "a5 c3"), "3S c1", "QC a7") == (
        "conseil : 3S c1 construit a1-e1 (5S achève une séquence) et garde JC ; "
        "en second : QC a7 bloque vert sur a3-a7, commence e3-a7 et garde JC"
    )


@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_every_action_has_a_reason(table: Table, seed: int) -> None:
    seen = table.seen(seed)
    for action in seen.legal[::7]:
        why = list(reasons(seen, action, gains(seen), COLOURS))
        assert why
        assert all(why)
        if action.kind in {"place", "remove"}:
            found = gains(seen)(action)
            assert all(action.square in line for line in found), "no line of the card's other square"
            assert all(abs(gain) < WIN_AT_LEAST for gain in found.values()), "gains are of the value"


def test_the_kids_cards_have_their_names() -> None:
    position = make({"a": "c3", "b": "b4"}, ["unicorn,bear,owl", "?,?,?"], variant=KIDS)
    seen = view(position, 1)
    quiet = next(action for action in seen.legal if action.kind == "place" and action.card not in KIDS.wild)
    assert "keeps unicorn" in advice(seen, [quiet], gains(seen), COLOURS)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_it_tells_at_most_two(count: int) -> None:
    seen = view(two("3S,QC,2S,TS,9H,4D,JC", "b1 d1 i8", "a5 c3"), 1)
    assert ("second best" in advice(seen, seen.legal[:count], gains(seen), COLOURS)) == (count > 1)
