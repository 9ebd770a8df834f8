from collections import Counter

import pytest

from seqp2p.rules import CLASSIC, KIDS, UNKNOWN, VARIANTS, Variant


def spiral(rows: int, cols: int) -> list[tuple[int, int]]:
    """All cells, clockwise inwards from the top left one."""
    row, col, down, right = 0, 0, 0, 1
    seen: list[tuple[int, int]] = []
    for _ in range(rows * cols):
        seen.append((row, col))
        ahead = (row + down, col + right)
        if ahead in seen or not (0 <= ahead[0] < rows and 0 <= ahead[1] < cols):
            down, right = right, -down
        row, col = row + down, col + right
    return seen


def test_the_classic_board_reads_clockwise_inwards() -> None:
    board = CLASSIC.board
    cells = [board.grid[row * board.cols + col] for row, col in spiral(board.rows, board.cols)]
    names = [CLASSIC.faces[cell] for cell in cells if cell != UNKNOWN]
    up = "23456789TQKA"
    once = [rank + suit for suit, ranks in (("S", up), ("D", up), ("C", up[::-1]), ("H", up[::-1])) for rank in ranks]
    assert names == once * 2


@pytest.mark.parametrize(
    ("variant", "rows", "cols", "lines"), [(CLASSIC, 10, 10, 60 + 60 + 36 + 36), (KIDS, 6, 7, 24 + 21 + 12 + 12)]
)
def test_sizes_corners_and_lines(variant: Variant, rows: int, cols: int, lines: int) -> None:
    board = variant.board
    assert (board.rows, board.cols, len(board.grid)) == (rows, cols, rows * cols)
    assert board.corners == (0, cols - 1, (rows - 1) * cols, rows * cols - 1)
    assert [square for square, card in enumerate(board.grid) if card == UNKNOWN] == list(board.corners)
    assert len(board.lines) == len(set(board.lines)) == lines
    assert all(line == tuple(sorted(line)) and len(line) == variant.line_length for line in board.lines)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=str)
def test_every_card_but_the_special_ones_is_on_two_squares(variant: Variant) -> None:
    special = {*variant.wild, *variant.removing}
    plain = set(range(len(variant.faces))) - special
    assert Counter(card for card in variant.board.grid if card != UNKNOWN) == dict.fromkeys(plain, 2)
    assert Counter(variant.deck) == dict.fromkeys(range(len(variant.faces)), 2)


def test_the_decks() -> None:
    assert len(CLASSIC.deck) == 104
    assert {CLASSIC.faces[card] for card in CLASSIC.wild} == {"JC", "JD"}
    assert {CLASSIC.faces[card] for card in CLASSIC.removing} == {"JS", "JH"}
    assert len(KIDS.deck) == 42
    assert len(KIDS.faces) == 19 + 2


def test_a_variant_is_shown_by_its_name() -> None:
    assert [repr(variant) for variant in VARIANTS.values()] == ["<Variant classic>", "<Variant kids>"]
    assert {CLASSIC: 1}[CLASSIC] == 1
