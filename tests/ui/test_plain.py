"""The table as plain lines of text, and its parts in sentences."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    CompletedSequence,
    Options,
    Position,
    format_action,
    format_square,
    parse_action,
    parse_card,
    parse_square,
    view,
)
from seqp2p.ui import language
from seqp2p.ui.cards import face_code, face_name
from seqp2p.ui.plain import (
    CELL_WIDTH,
    board_lines,
    hand_line,
    help_lines,
    legal_lines,
    legend_lines,
    long_name,
    part_lines,
    score_line,
    seats_lines,
    square_line,
    where_lines,
)
from seqp2p.ui.words import Company
from tests.rules.playing import TABLES, Table
from tests.ui.kept import Talk, talks
from tests.ui.positions import POSITIONS

NAMES = ("ann", "bob", "cat")


def lines_of(position: Position, asked: str) -> Sequence[str]:
    """The lines that answer: the word ``board``, ``hand``, …, or a part of the board."""
    word, _, name = asked.partition(" ")
    seen, variant = view(position, 0 if word == "watched" else 1), position.variant
    colours = variant.colours[: position.teams]
    company = Company(NAMES[: position.players], colours, own=2)
    answers: dict[str, Callable[[], Sequence[str]]] = {
        "board": lambda: board_lines(seen, colours),
        "hand": lambda: [hand_line(seen)],
        "score": lambda: [score_line(seen, colours)],
        "moves": lambda: legal_lines(seen),
        "help": lambda: help_lines(seen),
        "legend": lambda: legend_lines(variant, colours),
        "where": lambda: where_lines(seen, parse_card(variant, name), colours),
        "watched": lambda: part_lines(seen, name, colours),
        "seats": lambda: seats_lines(seen, company),
        "away": lambda: seats_lines(seen, company, {2, 3}),
        "through": lambda: seats_lines(seen, company, (), {2: 1, 3: 1}),
        "relays": lambda: seats_lines(seen, company, (), {2: "", 3: "relay.example.org:4001"}),
    }
    if word in answers:
        return answers[word]()
    return part_lines(seen, asked, colours, parse_action(CLASSIC, "5H e5") if variant is CLASSIC else None)


def test_the_way_to_a_seat_leads_through_no_name_that_misleads() -> None:
    company = Company(("you", "bob", "cat"), ("red", "yellow", "green"), own=2)
    lines = seats_lines(view(POSITIONS["a kids' game for three"], 2), company, (), {3: 1})
    assert lines[2].endswith("reached through seat 1 (you) alone")


@talks(__file__, "plain_talks.txt")
def test_talk(talk: Talk) -> None:
    talk.check(lines_of(POSITIONS[talk.place], line[2:]) for line in talk.lines)


def test_the_last_move_is_marked_whether_a_chip_was_placed_or_taken() -> None:
    seen = view(POSITIONS["the usual hand"], 1)
    plain = board_lines(seen, ("blue", "green"))
    for text, row, mark in (("5C b2", 2, "<B>"), ("5H e5", 5, "<G>"), ("JS xd2", 2, "<3C>"), ("pass", 2, "")):
        marked = board_lines(seen, ("blue", "green"), parse_action(CLASSIC, text))
        assert [at for at, line in enumerate(marked) if line != plain[at]] == ([row] if mark else [])
        assert mark in marked[row]
    won = replace(seen, sequences=(CompletedSequence(2, (parse_square(CLASSIC, "e5"),)),))
    assert "[G]" in board_lines(won, ("blue", "green"), parse_action(CLASSIC, "5H e5"))[5]


def test_the_legend_names_every_animal_and_fits_a_narrow_terminal() -> None:
    kids = legend_lines(KIDS, ("red", "yellow"))
    on_board = {KIDS.faces[card] for card in KIDS.board.grid if card >= 0}
    assert all(f"{face[:2].upper()} {face}" in " ".join(kids) for face in on_board)
    assert max(map(len, kids)) <= 80


@pytest.mark.parametrize(("players", "can_call"), [(2, False), (4, True)])
def test_the_help_has_the_options_that_the_table_has_chosen(players: int, can_call: bool) -> None:
    options = Options(manual_draw=True, table_talk=False)
    text = "\n".join(help_lines(view(Table(CLASSIC, players, 2, options).stopped(1).position, 1)))
    assert "after your card: draw" in text
    assert max(map(len, text.splitlines())) <= 80
    assert ("call 2" in text) == can_call, "who plays alone has nobody to talk to"


@pytest.mark.parametrize("text", ["", "0", "7", "h", "10", "a0", "e55", "row", "5 e", "²"])
def test_what_is_no_part_of_the_board(text: str) -> None:
    assert part_lines(view(POSITIONS["a kids' game"], 1), text, KIDS.colours) == []


def test_animals_have_one_name() -> None:
    assert long_name(KIDS, parse_card(KIDS, "cat")) == "cat"
    assert long_name(CLASSIC, parse_card(CLASSIC, "TD")) == "TD (ten of diamonds)"


@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_the_lines_of_any_position(table: Table, seed: int) -> None:
    seen, board, colours = table.seen(seed), table.variant.board, table.variant.colours[: table.teams]
    lines = board_lines(seen, colours)
    assert len(lines) == 1 + board.rows
    # Narrow enough for any terminal, and nothing that hangs over on the right.
    assert all(line == line.rstrip() and len(line) <= 4 + CELL_WIDTH * board.cols for line in lines)
    chips = sum(mask.bit_count() for mask in seen.position.chips)
    assert "\n".join(lines).count("[") + "\n".join(lines).count("(") == chips
    assert len(hand_line(seen).split()) == 2 + len(seen.hand)
    assert all(colour in score_line(seen, colours) for colour in colours)


@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_what_is_listed_as_possible_can_be_typed_as_it_stands(table: Table, seed: int) -> None:
    seen, variant = table.seen(seed), table.variant
    listed = [text for line in legal_lines(seen) for text in line.rpartition("like: ")[2].strip().split(", ")]
    legal = {format_action(variant, action) for action in seen.legal}
    assert set(listed) <= legal
    assert {parse_action(variant, text).card for text in listed} == {action.card for action in seen.legal}
    assert legal - set(listed) <= {format_action(variant, a) for a in seen.legal if a.card in variant.wild}


@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_rows_and_columns_name_every_square_once(table: Table, seed: int) -> None:
    seen, board, colours = table.seen(seed), table.variant.board, table.variant.colours[: table.teams]
    rows = [part_lines(seen, str(row + 1), colours) for row in range(board.rows)]
    columns = [part_lines(seen, letter, colours) for letter in "abcdefghij"[: board.cols]]
    assert all(len(lines) == 1 for lines in rows + columns)
    assert sum(lines[0].count(", ") + 1 for lines in rows) == len(board.grid)
    for square in range(len(board.grid)):
        name = format_square(table.variant, square)
        assert square_line(seen, square, colours).startswith(f"{name} is ")
        assert sum(f" {name} " in lines[0] for lines in columns) == 1


@pytest.mark.parametrize("lang", language.LANGUAGES)
def test_every_animal_has_a_code_of_its_own_and_two_letters(lang: str, french: None) -> None:
    language.use(lang)
    cards = range(len(KIDS.faces))
    codes = [face_code(KIDS, card) for card in cards]
    assert len(set(codes)) == len({face_name(KIDS, card) for card in cards}) == len(cards)
    assert all(len(code) == 2 and code.isalpha() and code.isupper() for code in codes)
    assert all(len(CLASSIC.faces[card]) == 2 for card in CLASSIC.board.grid if card >= 0)
