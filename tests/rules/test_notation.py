import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.rules import (
    CLASSIC,
    DRAW,
    END,
    KIDS,
    PASS,
    UNKNOWN,
    VARIANTS,
    WAIVE,
    Action,
    NotationError,
    Variant,
    call,
    exchange,
    format_action,
    format_card,
    format_ends,
    format_square,
    give,
    parse_action,
    parse_card,
    parse_ends,
    parse_square,
    place,
    remove,
)

variants = st.sampled_from(list(VARIANTS.values()))


@st.composite
def written_actions(draw: st.DrawFn) -> tuple[Variant, Action]:
    """Any action that can be written down, sensible or not."""
    variant = draw(variants)
    card = draw(st.integers(0, len(variant.faces) - 1))
    square = draw(st.integers(0, len(variant.board.grid) - 1))
    lines = draw(st.lists(st.sampled_from(variant.board.lines), max_size=3, unique=True))
    ends = tuple((line[0], line[-1]) for line in lines)
    seat = draw(st.integers(1, 12))
    plays = [place(card, square, ends), remove(card, square), exchange(card), PASS]
    return variant, draw(st.sampled_from([*plays, DRAW, END, WAIVE, call(seat), give(card)]))


@settings(deadline=None, max_examples=60)
@given(written_actions())
def test_every_action_reads_back(written: tuple[Variant, Action]) -> None:
    variant, action = written
    assert parse_action(variant, format_action(variant, action)) == action


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=str)
def test_every_card_square_and_line_reads_back(variant: Variant) -> None:
    for card in range(len(variant.faces)):
        assert parse_card(variant, format_card(variant, card)) == card
    for square in range(len(variant.board.grid)):
        assert parse_square(variant, format_square(variant, square)) == square
    for line in variant.board.lines:
        assert parse_ends(variant, format_ends(variant, (line[0], line[-1]))) == (line[0], line[-1])


# Other forms of what could be an action, and what is none.
SPACES = ["QH e5 ", "QH  e5", "QH e5\n", "draw ", ""]
CASES = ["qh e5", "QH E5", "PASS"]
NUMBERS = ["QH e05", "QH e\u0665", "10H e5", "call 0", "call 03", "call \u0663", "call 100"]
WORDS = ["QH", "x", "QH x", "? e5", "pass pass", "draw QH", "call", "call 3 4", "given", "QH given e5"]
LINES = ["QH dead a5-e5", "QH xe5 a5-e5", "QH e5 a5-e5 a5-e5", "QH e5 e5-a5", "QH e5" + " a5-e5" * 100_000]


@pytest.mark.parametrize("text", [*SPACES, *CASES, *NUMBERS, *WORDS, *LINES], ids=range(30))
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_action(CLASSIC, text)


@pytest.mark.parametrize("text", ["QH e5", "cat h1", "cat a7"])
def test_what_the_kids_board_lacks_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_action(KIDS, text)


def test_squares_are_named_from_the_first_cell_of_the_grid() -> None:
    for name, card in [("b1", "2S"), ("a2", "6C"), ("e5", "5H"), ("j9", "5D"), ("i10", "6D")]:
        assert format_card(CLASSIC, CLASSIC.board.grid[parse_square(CLASSIC, name)]) == card
    assert format_card(KIDS, KIDS.board.grid[parse_square(KIDS, "b3")]) == "rabbit"


def test_an_unknown_card_is_written_but_not_read() -> None:
    assert format_card(CLASSIC, UNKNOWN) == "?"
    with pytest.raises(NotationError, match="is not a card"):
        parse_card(CLASSIC, "?")
