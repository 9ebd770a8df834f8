"""How the table screen looks: whole screens kept as text, and what holds on every page.

``SEQP2P_SCREENS=1 pytest tests/ui/test_table_paint.py`` writes the screens anew; look at them before you keep them.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import CLASSIC, KIDS, Options, Square, Variant, parse_action, parse_square, view
from seqp2p.ui.board_model import BoardModel, Cell, Face, board_model
from seqp2p.ui.board_paint import BIG, BIG_NAMES, SMALL, board_size, paint_board
from seqp2p.ui.choice import lit
from seqp2p.ui.frame import Canvas, Frame, width_of
from seqp2p.ui.scene import LogLine, wrapped
from seqp2p.ui.styles import ASCII, STYLES, UNICODE, Glyphs
from tests.rules.playing import OPTION_TABLES, make
from tests.ui.tables import LINES, NAMES, Table, at, table

SCREENS = Path(__file__).parent / "screens"
HAND = "QH,JC,JS,2C,2C,9S,9S"
ANY = "?,?,?,?,?,?,?"


def two() -> Table:
    """A completed sequence, the last move, a card chosen."""
    position = make(
        {"a": "b2 c2 d2 e2 f2 d7", "b": "e5 f6 g7 a5 c7"},
        ["QH,JC,JS,2C,9C,9S,9S", ANY],
        sequences="a:b2-f2",
        discards=["4C,TD", "KS"],
    )
    here = Table(position, 1, parse_action(CLASSIC, "9C c7"))
    here.press("tab")
    return here


def staged() -> Table:
    here = at(make({"a": "b5 c5 d5 f5 g5", "b": "a7"}, [HAND, ANY]))
    here.scene.click(("card", here.position.hands[0].index(parse_action(CLASSIC, "JC h2").card)))
    here.scene.click(("square", parse_square(CLASSIC, "e5")))
    return here


def jack() -> Table:
    here = two()
    here.scene.click(("card", here.position.hands[0].index(parse_action(CLASSIC, "JS xe5").card)))
    here.press("enter")
    return here


def waiting() -> Table:
    here = table(CLASSIC, 4, 2, 7, own=1)
    here.scene.absent(2, 103)
    here.scene.progress("seat 3 shuffles… proof checked", 3, 4)
    return here


def twelve() -> Table:
    here = table(CLASSIC, 12, 3, 5)
    here.scene.absent(2, 103)
    here.press("tab", "tab")
    return here


def kids() -> Table:
    here = table(KIDS, 4, 4, 20)
    here.press("tab")
    return here


def undealt() -> Table:
    here = table(CLASSIC, 12, 3)
    here.gather_again()
    here.scene.progress("seat 2 shuffles… proof checked", 3, 12)
    return here


def over() -> Table:
    here = two()
    here.question = None
    here.scene.over(["you won", "again: another game at this table; leave: away from it"])
    return here


def pressed(key: str) -> Table:
    here = two()
    here.press(key)
    return here


STATES: dict[str, tuple[Callable[[], Table], int, int, Glyphs]] = {
    "two-80x24": (two, 80, 24, UNICODE),
    "two-80x24-ascii": (two, 80, 24, ASCII),
    "two-120x40": (two, 120, 40, UNICODE),
    "staged-80x24": (staged, 80, 24, UNICODE),
    "jack-80x24": (jack, 80, 24, UNICODE),
    "waiting-80x24": (waiting, 80, 24, UNICODE),
    "twelve-80x24": (twelve, 80, 24, UNICODE),
    "twelve-80x24-ascii": (twelve, 80, 24, ASCII),
    "twelve-120x40": (twelve, 120, 40, UNICODE),
    "kids-80x24": (kids, 80, 24, UNICODE),
    "kids-80x24-ascii": (kids, 80, 24, ASCII),
    "kids-120x40": (kids, 120, 40, UNICODE),
    "undealt-80x24": (undealt, 80, 24, UNICODE),
    "over-80x24": (over, 80, 24, UNICODE),
    "over-120x40": (over, 120, 40, UNICODE),
    "help-80x24": (lambda: pressed("?"), 80, 24, UNICODE),
    "discards-80x24": (lambda: pressed("f3"), 80, 24, UNICODE),
    "log-80x24": (lambda: pressed("f2"), 80, 24, UNICODE),
}


@pytest.mark.parametrize("name", STATES)
def test_screens_look_as_they_did(name: str) -> None:
    make_table, width, height, glyphs = STATES[name]
    # The last row of the terminal is where a person types.
    frame = make_table().frame(width, height - 1, glyphs=glyphs)
    text = "\n".join(frame.lines) + "\n"
    path = SCREENS / f"{name}.txt"
    if os.environ.get("SEQP2P_SCREENS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    check(frame, width, height - 1)
    if glyphs is ASCII:
        said = {character for text in (*NAMES, *(line.text for line in LINES)) for character in text}
        assert all(character.isascii() or character in said for character in text)


def check(frame: Frame, width: int, height: int) -> None:
    """A page is as wide and as high as it should be, and knows all its styles."""
    assert len(frame.rows) == height
    for row in frame.rows:
        assert width_of("".join(text for _, text in row)) == width
        assert all(style in STYLES for styles, _ in row for style in styles.split())
    assert all(0 <= row < height and 0 <= column < width for row, column in frame.targets)


def signs(frame: Frame, square: Square) -> str:
    """What is painted on a square. Left of a board, and on it, every sign is one cell wide."""
    cells = sorted(cell for cell, target in frame.targets.items() if target == ("square", square))
    lines = ["".join(text for _, text in row) for row in frame.rows]
    return "".join(lines[row][column] for row, column in cells)


@given(
    st.sampled_from(OPTION_TABLES),
    st.integers(0, 10_000),
    st.lists(st.sampled_from(["tab", "s-tab", "enter", "up", "left", "down", "right"]), max_size=6),
    st.integers(80, 240),
    st.integers(23, 90),
    st.booleans(),
)
def test_every_page_shows_every_mark(
    options: tuple[Variant, int, int, Options], seed: int, keys: list[str], width: int, height: int, ascii_only: bool
) -> None:
    variant, players, teams, rules = options
    here = table(variant, players, teams, seed, options=rules)
    glyphs = ASCII if ascii_only else UNICODE
    for key in keys:
        here.scene.press(key)
    frame = here.frame(width, height, glyphs=glyphs)
    check(frame, width, height)
    choice, seen = here.scene.choice, here.question
    assert seen is not None
    for square in range(len(seen.board)):
        assert signs(frame, square), "every square is there"
    staged_at = choice.staged.square if choice.staged else -1
    for square in lit(choice, seen) - {staged_at, choice.cursor}:
        assert glyphs.lit in signs(frame, square)
    if staged_at >= 0:
        assert glyphs.turn in signs(frame, staged_at)
    elif choice.cursor >= 0:
        assert signs(frame, choice.cursor).strip().startswith(glyphs.cursor[0]) or variant is KIDS
        assert glyphs.cursor[1] in signs(frame, choice.cursor)
    for square in {made for sequence in seen.sequences for made in sequence.squares}:
        if seen.board[square] > 0 and square not in {staged_at, choice.cursor, *lit(choice, seen)}:
            assert glyphs.made in signs(frame, square)
    assert {("seat", seat) for seat in range(1, seen.players + 1)} <= set(frame.targets.values())
    assert {("card", slot) for slot in range(len(seen.hand))} <= set(frame.targets.values())
    # Whatever is said last can be read.
    assert any("JS xc5" in line for line in frame.lines)


@pytest.mark.parametrize(("width", "height"), [(80, 23), (500, 199), (200, 499), (109, 60), (300, 24)])
def test_the_smallest_and_the_largest_pages(width: int, height: int) -> None:
    for here in (twelve(), kids(), undealt(), over()):
        check(here.frame(width, height), width, height)


def test_on_less_than_the_smallest_page_nothing_breaks() -> None:
    for width, height in ((1, 1), (20, 5), (79, 3)):
        for here in (twelve(), kids(), undealt(), over(), pressed("f3"), pressed("f2")):
            check(here.frame(width, height), width, height)


def test_the_board_is_big_where_there_is_room() -> None:
    assert board_size(board_of(two())) == (53, 11)
    assert board_size(board_of(two()), big=True) == (73, 20)
    assert board_size(board_of(kids())) == (38, 7)
    assert board_size(board_of(kids()), big=True) == (80, 18)
    assert "alligator" in kids().text(120, 39)
    assert "alligator" not in kids().text(80, 23)
    assert (SMALL.width, BIG.height, BIG_NAMES.height) == (5, 2, 3)


def board_of(here: Table) -> BoardModel:
    return board_model(view(here.position, here.own), ("red", "green", "blue", "yellow"))


def painted(cell: Cell, *, big: bool = False, glyphs: Glyphs = UNICODE) -> list[str]:
    """A square as it is painted, row by row."""
    board = board_of(two())
    canvas = Canvas(*board_size(board, big=big))
    paint_board(canvas, 0, 0, replace(board, cells=(cell, *board.cells[1:])), glyphs, big=big)
    return [line[3:10] if big else line[3:8] for line in canvas.frame().lines[1 : 2 + big]]


def test_every_mark_is_a_sign() -> None:
    cell = Cell(Face("TH", "TH", "H"))
    assert painted(cell) == [" T♥  "]
    assert painted(replace(cell, lit=True)) == ["·T♥  "]
    assert painted(replace(cell, chip="green")) == [" T♥▲ "]
    assert painted(replace(cell, chip="green", made=True)) == [" T♥▲="]
    assert painted(replace(cell, chip="green", made=True, last=True)) == ["‹T♥▲="]
    assert painted(replace(cell, chip="green", last=True, lit=True)) == ["‹T♥▲·"]
    assert painted(replace(cell, chip="green", made=True, lit=True)) == ["·T♥▲="]
    assert painted(replace(cell, last=True)) == ["‹T♥  "]
    assert painted(replace(cell, cursor=True)) == ["[T♥ ]"]
    assert painted(replace(cell, cursor=True, staged=True, coming="blue")) == ["▶T♥●]"]
    assert painted(replace(cell, cursor=True, staged=True, chip="green")) == ["▶T♥✗]"]
    assert painted(Cell(None)) == [" ★★  "]
    assert painted(replace(cell, chip="green", made=True), glyphs=ASCII) == [" THG="]
    assert painted(replace(cell, chip="green", made=True), big=True) == [" T♥ ▲= ", ""]


def test_a_long_name_leaves_room_for_the_rest() -> None:
    rows = table(CLASSIC, 4, 2, 1, own=3).frame().lines
    assert any("alexan… (you)" in row for row in rows)
    assert any("安娜安娜安娜…" in row for row in rows)


def test_nothing_that_a_terminal_would_obey_is_painted() -> None:
    here = two()
    evil = LogLine("remark", "bob: \x1b[2J\x07\u202eevil\r\n" + "x" * 10_000)
    frame = here.frame(lines=[evil])
    check(frame, 80, 23)
    assert not any(character in line for line in frame.lines for character in "\x1b\x07\u202e\r\n")


@given(st.text(max_size=80), st.integers(1, 30))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    rows = wrapped(text, width)
    assert "".join("".join(rows).split(" ")) == "".join(text.split(" "))
    for row in rows:
        assert width_of(row) <= width or len(row.strip()) == 1
