"""How the table screen looks: whole screens kept as text, and what holds on every page."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import CLASSIC, KIDS, Square, drop, parse_action, parse_square, view
from seqp2p.ui.board_model import CROSSING, BoardModel, Cell, Face, board_model
from seqp2p.ui.board_paint import NAME_PITCHES, PITCHES, SMALL, Pitch, board_size, paint_board, tile
from seqp2p.ui.choice import lit
from seqp2p.ui.frame import Canvas, Frame, cells_of, width_of
from seqp2p.ui.scene import LogLine, wrapped
from seqp2p.ui.styles import ASCII, UNICODE, Glyphs, styles_of
from seqp2p.ui.table_paint import layout_of
from tests.rules.playing import OPTION_TABLES
from tests.rules.playing import Table as Rules
from tests.ui.kept import check_screen
from tests.ui.positions import POSITIONS, classic
from tests.ui.tables import LINES, NAMES, Table, at, table

KNOWN = styles_of("dark")


def two() -> Table:
    """A completed sequence, the last move, a card chosen."""
    position = classic(
        {"a": "b2 c2 d2 e2 f2 d7", "b": "e5 f6 g7 a5 c7"},
        "QH,JC,JS,2C,9C,9S,9S",
        sequences="a:b2-f2",
        discards=["4C,TD", "KS"],
    )
    here = Table(position, 1, parse_action(CLASSIC, "9C c7"))
    here.press("tab")
    return here


def staged() -> Table:
    here = at(POSITIONS["e5 completes two lines of one direction"])
    here.click("JC", "e5")
    return here


def jack() -> Table:
    here = two()
    here.click("JS")
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


def left() -> Table:
    here = table(CLASSIC, 4, 2, 3, own=1)
    here.moves_on(drop(here.position, (2,)))
    return here


def pressed(key: str) -> Table:
    here = two()
    here.press(key)
    return here


STATES: dict[str, Callable[[], Table]] = {
    "two": two,
    "threats": lambda: pressed("f4"),
    "staged": staged,
    "jack": jack,
    "waiting": waiting,
    "twelve": twelve,
    "kids": kids,
    "undealt": undealt,
    "over": over,
    "left": left,
    "watching": lambda: table(CLASSIC, 4, 2, own=0),
    "pass": lambda: at(POSITIONS["nothing can be played"]),
    "help": lambda: pressed("?"),
    "discards": lambda: pressed("f3"),
    "log": lambda: pressed("f2"),
}
SCREENS = [
    *(f"{state}-80x24" for state in STATES),
    *("two-80x24-ascii", "twelve-80x24-ascii", "kids-80x24-ascii"),
    *("two-120x40", "two-200x60", "threats-120x36", "twelve-120x40", "kids-120x40", "over-120x40"),
]


@pytest.mark.parametrize("name", SCREENS)
def test_screens_look_as_they_did(name: str) -> None:
    state, size, *ascii_only = name.split("-")
    width, rows = map(int, size.split("x"))
    # The last row of the terminal is where a person types.
    frame = STATES[state]().frame(width, rows - 1, glyphs=ASCII if ascii_only else UNICODE)
    check_screen(name, frame.lines)
    check(frame, width, rows - 1)
    if ascii_only:
        said = {character for text in (*NAMES, *(line.text for line in LINES)) for character in text}
        assert all(character.isascii() or character in said for line in frame.lines for character in line)


def check(frame: Frame, width: int, height: int) -> None:
    """A page is as wide and as high as it should be, and knows all its styles."""
    assert len(frame.rows) == height
    for row in frame.rows:
        assert width_of("".join(text for _, text in row)) == width
        assert all(style in KNOWN for styles, _ in row for style in styles.split())
    assert all(0 <= row < height and 0 <= column < width for row, column in frame.targets)


def signs(frame: Frame) -> dict[Square, str]:
    """The text on each square."""
    cells = [cells_of(row)[0] for row in frame.rows]
    shown = defaultdict[Square, str](str)
    for (row, column), (kind, number) in sorted(frame.targets.items()):
        if kind == "square":
            shown[number] += cells[row][column]
    return shown


@given(
    st.sampled_from(OPTION_TABLES),
    st.integers(0, 10_000),
    st.lists(st.sampled_from(["tab", "s-tab", "enter", "up", "left", "down", "right"]), max_size=6),
    st.integers(80, 240),
    st.integers(23, 90),
    st.booleans(),
)
def test_every_page_shows_every_mark(
    game: Rules, seed: int, keys: list[str], width: int, height: int, ascii_only: bool
) -> None:
    here = table(*game[:3], seed, options=game.options)
    glyphs = ASCII if ascii_only else UNICODE
    for key in keys:
        here.scene.press(key)
    frame = here.frame(width, height, glyphs=glyphs)
    check(frame, width, height)
    choice, seen = here.scene._choice, here.question
    assert seen is not None
    shown = signs(frame)
    assert shown.keys() == set(range(len(seen.board))), "every square is there"
    staged_at = choice.staged.square if choice.staged else -1
    for square in lit(choice, seen) - {staged_at, choice.cursor}:
        assert any(corner in shown[square] for corner in glyphs.lit)
    if staged_at >= 0:
        assert glyphs.turn in shown[staged_at]
    elif choice.cursor >= 0:
        assert shown[choice.cursor].strip().startswith(glyphs.cursor[0]) or game.variant is KIDS
        assert glyphs.cursor[1] in shown[choice.cursor]
    for square in {made for sequence in seen.sequences for made in sequence.squares}:
        if seen.board[square] > 0 and square not in {staged_at, choice.cursor, *lit(choice, seen)}:
            assert any(line in shown[square] for line in glyphs.run)
    assert {("seat", seat) for seat in range(1, seen.players + 1)} <= set(frame.targets.values())
    assert {("card", slot) for slot in range(len(seen.hand))} <= set(frame.targets.values())
    # Whatever is said last can be read.
    assert any("JS xc5" in line for line in frame.lines)


@pytest.mark.parametrize(
    ("width", "height"), [(80, 23), (500, 199), (200, 499), (109, 60), (300, 24), (1, 1), (20, 5), (79, 3)]
)
def test_pages_of_any_size_are_painted(width: int, height: int) -> None:
    """Also those that are too small to show all, and hold little of it."""
    for state in ("twelve", "kids", "undealt", "over", "discards", "log"):
        check(STATES[state]().frame(width, height), width, height)


def test_the_board_is_big_where_there_is_room() -> None:
    assert board_size(board_of(two())) == (53, 11)
    assert board_size(board_of(two()), Pitch(7, 3)) == (73, 31)
    assert board_size(board_of(kids())) == (38, 7)
    for here, sizes in ((two(), PITCHES), (kids(), NAME_PITCHES)):
        pitches = [
            layout_of(here.model, *page).pitch for page in ((80, 23), (120, 35), (120, 39), (200, 59), (500, 200))
        ]
        assert pitches == sorted(pitches)
        assert set(pitches) <= set(sizes)
        assert pitches[-1] == sizes[-1]
    assert "alligator" in kids().text(120, 39)
    assert "alligator" not in kids().text(80, 23)


def largest_blank(frame: Frame) -> int:
    """Return the size of the largest rectangle of cells without a sign and without a target."""
    targets, best = frame.targets, 0
    depths = [0] * len(cells_of(frame.rows[0])[0])
    for row, fragments in enumerate(frame.rows):
        for column, text in enumerate(cells_of(fragments)[0]):
            blank = (row, column) not in targets and text == " "
            depths[column] = depths[column] + 1 if blank else 0
        # The rectangles that end in this row: each as wide as the columns that are no less deep.
        open_at: list[tuple[int, int]] = []
        for column, depth in enumerate([*depths, 0]):
            first = column
            while open_at and open_at[-1][1] >= depth:
                first, least = open_at.pop()
                best = max(best, least * (column - first))
            open_at.append((first, depth))
    return best


@pytest.mark.parametrize(("width", "height"), [(120, 35), (120, 39), (160, 45), (200, 59)])
def test_no_part_of_a_large_page_is_idle(width: int, height: int) -> None:
    said = [LogLine("log" if number % 5 else "remark", f"{number}: " + "words " * 9) for number in range(200)]
    for here in (two(), twelve(), kids()):
        frame = here.frame(width, height, lines=said)
        assert largest_blank(frame) < width * height // 12


def board_of(here: Table) -> BoardModel:
    return board_model(view(here.position, here.own), ("red", "green", "blue", "yellow"))


def painted(cell: Cell, pitch: Pitch = SMALL, glyphs: Glyphs = UNICODE) -> list[str]:
    """A square as it is painted, row by row."""
    return ["".join(text for _, text in row) for row in tile(cell, glyphs, pitch)]


def test_every_mark_is_a_sign() -> None:
    cell = Cell(Face("TH", "TH", "H"))
    made = replace(cell, chip="green", run="green", way=0, joins=("green", "", "", ""))
    assert painted(cell) == [" T♥  "]
    assert painted(replace(cell, lit=True)) == ["▛T♥ ▜"]
    assert painted(replace(cell, chip="green")) == [" ▲▲  "]
    assert [painted(replace(made, way=way, joins=("", "", "", "")))[0][:4] for way in range(5)] == [
        "━▲▲━",
        "┃▲▲┃",
        "╲▲▲╲",
        "╱▲▲╱",
        "╋▲▲╋",
    ]
    assert painted(made) == ["━▲▲━━"]
    assert painted(replace(made, age=1)) == ["»▲▲━━"]
    assert painted(replace(cell, chip="green", age=2, lit=True)) == ["›▲▲ ▜"]
    assert painted(replace(made, lit=True)) == ["▛▲▲━▜"]
    assert painted(replace(cell, age=1)) == ["»T♥✗ "]
    assert painted(replace(cell, cursor=True)) == ["[T♥ ]"]
    assert painted(replace(cell, cursor=True, staged=True, coming="blue")) == ["▶T♥●]"]
    assert painted(replace(cell, cursor=True, staged=True, chip="green")) == ["▶T♥✗]"]
    assert painted(replace(cell, wanted="green", lacks=1)) == ["~T♥△ "]
    assert painted(replace(cell, chip="green", lacks=2)) == ["~▲▲  "]
    assert painted(Cell(None)) == [" ★★  "]
    assert painted(made, glyphs=ASCII) == ["-GG--"]
    joined = {way: replace(made, way=way, joins=("", "", "", "")) for way in range(5)}
    assert [painted(each, Pitch(7, 2))[0] for each in joined.values()] == [
        "━▲▲━━━ ",
        "┃▲▲  ┃ ",
        "╲▲▲  ╲ ",
        "╱▲▲  ╱ ",
        "╋▲▲  ╋ ",
    ]
    assert painted(replace(cell, lit=True), Pitch(7, 3)) == ["▛T♥  ▜ ", "▙    ▟ ", "▀▀▀▀▀▀ "]


def test_a_chip_fills_its_tile_but_for_the_corner_of_its_card() -> None:
    rows = tile(Cell(Face("TH", "TH", "H"), chip="green"), UNICODE, Pitch(7, 3))
    assert rows == (
        (("tint.h card.red", " T♥ "), ("fill.green", "  "), ("", " ")),
        (("fill.green", "  ▲▲  "), ("", " ")),
        (("edge.fill.green", "▀▀▀▀▀▀"), ("", " ")),
    )


def board_painted(here: Table, pitch: Pitch, glyphs: Glyphs) -> Frame:
    board = board_of(here)
    canvas = Canvas(*board_size(board, pitch), glyphs)
    paint_board(canvas, 0, 0, board, pitch)
    return canvas.frame()


def filled(frame: Frame, colour: str) -> set[tuple[int, int]]:
    """Return the upper and lower halves of cells in the colour of runs of a team."""
    halves = set[tuple[int, int]]()
    for row, fragments in enumerate(frame.rows):
        cells = [(style.split(), character) for style, text in fragments for character in text]
        for column, (styles, character) in enumerate(cells):
            whole, part = f"fill.{colour}" in styles and "apart" not in styles, f"edge.fill.{colour}" in styles
            halves |= {(2 * row, column)} if whole or (part and character == "▀") else set()
            halves |= {(2 * row + 1, column)} if whole or (part and character == "▄") else set()
    return halves


def reached(halves: set[tuple[int, int]], first: tuple[int, int], *, corners: bool) -> set[tuple[int, int]]:
    """Return the halves that hang together with one; ``corners``: also by their corners."""
    found, due = {first}, [first]
    while due:
        row, column = due.pop()
        steps = ((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if corners or not down * right)
        new = ({(row + down, column + right) for down, right in steps} & halves) - found
        found |= new
        due += new
    return found


@pytest.mark.parametrize("pitch", PITCHES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_completed_sequences_that_cross_are_one_unbroken_area(pitch: Pitch, glyphs: Glyphs) -> None:
    position = classic(
        {"a": "b2 c2 d2 e2 f2 b3 b4 b5 b6 c3 d4 e5 f6 e3 c5 h2 h3 h4 h5 h6 c8 b7 f7 a6", "b": "g9 f8 e9 d10 i3 j3"},
        sequences="a:b2-f2,a:b2-b6,a:b2-f6,a:f2-b6,a:h2-h6",
    )
    here = at(position)
    frame = board_painted(here, pitch, glyphs)
    corner = {area.target[1]: (2 * area.row, area.column) for area in frame.areas}
    halves = filled(frame, "red")
    for lines in (position.sequences[:4], position.sequences[4:]):
        squares = {square for line in lines for square in line.squares}
        area = reached(halves, corner[min(squares)], corners=glyphs is ASCII)
        assert {square for square, half in corner.items() if half in area} == squares


@pytest.mark.parametrize("pitch", [SMALL, Pitch(7, 3)])
def test_sequences_of_two_teams_that_cross_between_squares_are_both_drawn(pitch: Pitch) -> None:
    position = classic({"a": "f5 g6 h7 i8 j9", "b": "i5 h6 g7 f8 e9"}, sequences="a:f5-j9,b:i5-e9")
    frame = board_painted(at(position), pitch, UNICODE)
    row, column = next(area[:2] for area in frame.areas if area.target[1] == parse_square(CLASSIC, "h7"))
    rows = [[style for style, text in frame.rows[near] for _ in text] for near in (row - 1, row)]
    between = {style for cells in rows for style in cells[column - 1].split()}
    assert {"edge.fill.red", "edge.fill.green"} <= between or {"fill.red", "edge.fill.green"} <= between


def test_a_sequence_goes_over_the_gaps_in_every_direction() -> None:
    position = classic(
        {"a": "b2 c2 d2 e2 f2 b3 b4 b5 b6 c3 d4 e5 f6 f3 e4 c6 d5"}, sequences="a:b2-f2,a:b2-b6,a:b2-f6,a:f2-b6"
    )
    cells = board_model(view(position, 1), ("blue", "green")).cells
    found = {name: cells[parse_square(CLASSIC, name)] for name in ("b2", "b3", "c3", "e2", "f2", "e3")}
    assert {name: (cell.way, cell.joins) for name, cell in found.items()} == {
        "b2": (CROSSING, ("blue", "blue", "blue", "")),
        "b3": (1, ("", "blue", "", "")),
        "c3": (2, ("", "", "blue", "")),
        "e2": (0, ("blue", "", "", "blue")),
        "f2": (CROSSING, ("", "", "", "")),
        "e3": (3, ("", "", "", "")),
    }
    assert cells[parse_square(CLASSIC, "e3")].above == ("", "blue")


def test_threats_are_lit_by_a_key_and_by_a_word() -> None:
    here = two()
    model, key, word = here.model, pressed("f4").model, two()
    assert word.scene.enter("threats") == "threats"
    assert not model.threats
    assert key.threats == word.model.threats != ()
    assert key.board == word.model.board
    assert key.board is not None
    assert any(cell.wanted for cell in key.board.cells)
    word.press("f4")
    assert word.model.board == model.board


@pytest.mark.parametrize("hides", ["f4", "f1", "f3"])
def test_what_hides_the_log_goes_away_for_the_answer_to_a_word(hides: str) -> None:
    here = pressed(hides)
    hidden = here.text()
    assert here.scene.enter("QH h9") == "QH h9"
    assert here.scene.enter("say hello") == "say hello"
    assert here.text() == two().text() != hidden


def test_pictures_are_two_cells_and_can_be_switched_off() -> None:
    board = board_of(kids())
    faces = {cell.face for cell in board.cells if cell.face}
    assert all(face.picture for face in faces)
    assert all(width_of(face.picture) == 2 for face in faces if face.picture)
    cat = Cell(next(face for face in faces if face.name == "cat"))
    assert painted(cat, Pitch(7, 2))[0] == " 🐱    "
    assert painted(cat, Pitch(7, 2), replace(UNICODE, pictures=False))[0] == " CA    "
    assert [row.strip() for row in painted(cat, Pitch(12, 4))[:2]] == ["🐱", "cat"]
    assert painted(cat, Pitch(12, 4), replace(UNICODE, pictures=False))[0].strip() == "cat"


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII, replace(UNICODE, pictures=False)])
def test_every_tile_has_its_size(glyphs: Glyphs) -> None:
    for here, pitches in ((two(), PITCHES), (kids(), NAME_PITCHES)):
        for cell in board_of(here).cells:
            for pitch in pitches:
                for marked in (cell, replace(cell, age=1, lit=True), replace(cell, cursor=True, staged=True)):
                    rows = painted(marked, pitch, glyphs)
                    assert [width_of(row) for row in rows] == [pitch.width] * pitch.height


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
