"""The board in sentences."""

from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import CLASSIC, KIDS, Variant, format_square, parse_action, parse_card, view
from seqp2p.ui.plain import long_name, part_lines, square_line
from tests.rules.playing import TABLES, make, random_position

COLOURS = ("blue", "green")


def test_a_row_a_column_and_squares() -> None:
    position = make(
        {"a": "b2 c2 d2 e2 f2", "b": "e5 f6 g7"},
        ["QH,JC,JS,2C,2C,9S,9S", "?,?,?,?,?,?,?"],
        sequences="a:b2-f2",
        discards=["4C,TD", "-"],
    )
    seen, last = view(position, 1), parse_action(CLASSIC, "5H e5")
    for text, said in {
        "2": "row 2: a 6C, b blue in a sequence, c blue in a sequence, d blue in a sequence, e blue in a sequence,"
        " f blue in a sequence, g KH, h QH, i TH, j TS",
        "5": "row 5: a 9C, b QS, c 7C, d 6H, e green (last move), f 4H, g AH, h 9D, i 7H, j AS",
        "E": "column e: e1 5S, e2 blue in a sequence, e3 4D, e4 4C, e5 green (last move), e6 2H, e7 9H, e8 KC, e9 4S,"
        " e10 TD",
        "a1": "a1 is a free corner: it counts for everybody",
        "C2": "c2 is 4C (four of clubs): a blue chip in a completed sequence",
        "g7": "g7 is QH (queen of hearts): a green chip",
        "h2": "h2 is QH (queen of hearts), free: your QH (queen of hearts) or JC (jack of clubs) can go here",
    }.items():
        assert part_lines(seen, text, COLOURS, last) == [said]


def test_what_is_no_part_of_the_board() -> None:
    seen = view(make({"a": "c3"}, ["cat,bear,dragon", "?,?,?"], variant=KIDS), 1)
    for text in ("", "0", "7", "h", "10", "a0", "e55", "row", "5 e", "²"):
        assert part_lines(seen, text, ("red", "yellow")) == []


def test_what_is_said_of_the_hand() -> None:
    position = make({"a": "c3"}, ["bear,cat,dragon", "?,?,?"], variant=KIDS)
    assert part_lines(view(position, 1), "b2", ("red", "yellow")) == [
        "b2 is giraffe, free; no card of your hand goes there"
    ]
    # Who is not to move is told nothing of the hand.
    assert part_lines(view(position, 0), "b2", ("red", "yellow")) == ["b2 is giraffe, free"]


def test_animals_have_one_name() -> None:
    assert long_name(KIDS, parse_card(KIDS, "cat")) == "cat"
    assert long_name(CLASSIC, parse_card(CLASSIC, "TD")) == "TD (ten of diamonds)"


@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_rows_and_columns_name_every_square_once(table: tuple[Variant, int, int], seed: int) -> None:
    variant, players, teams = table
    position = random_position(variant, players, teams, seed).position
    seen, board, colours = view(position, position.to_move), variant.board, variant.colours[:teams]
    rows = [part_lines(seen, str(row + 1), colours) for row in range(board.rows)]
    columns = [part_lines(seen, letter, colours) for letter in "abcdefghij"[: board.cols]]
    assert all(len(lines) == 1 for lines in rows + columns)
    assert sum(lines[0].count(", ") + 1 for lines in rows) == len(board.grid)
    for square in range(len(board.grid)):
        name = format_square(variant, square)
        assert square_line(seen, square, colours).startswith(f"{name} is ")
        assert sum(f" {name} " in lines[0] for lines in columns) == 1
